package io.ishbase.bench;

import java.time.Duration;

/** A clock that moves when somebody sleeps. For one thread. */
final class FakeClock implements Clock {
  private long nanos;

  @Override
  public long nanos() {
    return nanos;
  }

  @Override
  public void sleepUntil(long until) {
    nanos = Math.max(nanos, until);
  }

  void pass(Duration time) {
    nanos += time.toNanos();
  }
}
