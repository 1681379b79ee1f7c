package io.ishbase.core;

import java.util.concurrent.atomic.AtomicInteger;

/**
 * Requests beyond those that readers need, as a part of all: each that is answered earns a part of
 * one. Some are free at the beginning and may be saved up. Thread safe, without locks.
 */
public final class Allowance {
  private static final int WHOLE = 100;

  /**
   * Extra requests that may be saved up: about as many reads as small requests to a daemon that
   * stands still have in them.
   */
  static final int MOST = 32;

  private final int percent;

  /** Free extra requests, in hundredths. */
  private final AtomicInteger free;

  /**
   * @param percent of all requests that may be extra ones; 0: none
   */
  public Allowance(int percent) {
    this.percent = percent;
    this.free = new AtomicInteger(percent == 0 ? 0 : MOST * WHOLE);
  }

  /** So many requests were answered. */
  public void earn(int requests) {
    if (percent > 0 && free.get() < MOST * WHOLE) {
      free.getAndUpdate(now -> (int) Math.min(MOST * WHOLE, now + (long) percent * requests));
    }
  }

  /** Whether an extra request may be sent. If so, it is counted. */
  public boolean take() {
    return free.getAndUpdate(now -> now < WHOLE ? now : now - WHOLE) >= WHOLE;
  }
}
