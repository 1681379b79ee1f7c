package io.ishbase.plugin.node;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import com.github.benmanes.caffeine.cache.Expiry;
import com.github.benmanes.caffeine.cache.Ticker;
import java.util.Collection;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import org.apache.hbase.thirdparty.com.google.common.util.concurrent.ThreadFactoryBuilder;
import org.jspecify.annotations.Nullable;

/**
 * What the NameNode said. It may take minutes to answer, so what is old is given on while it is
 * asked anew, by a thread that nobody waits for: readers wait for what was never asked, and for
 * what could not be found out when it was asked last. Thread safe.
 *
 * @param <V> what it says of a key, which is never null
 */
public final class Remembered<V> {
  private static final Executor BACKGROUND =
      Executors.newSingleThreadExecutor(
          new ThreadFactoryBuilder().setDaemon(true).setNameFormat("ishbase-namenode").build());

  private static final long AGE_NANOS = TimeUnit.MINUTES.toNanos(10);

  /** So old it is not given on: nobody has wanted it for long, or it could not be asked anew. */
  private static final long LONGEST_AGE_NANOS = TimeUnit.HOURS.toNanos(1);

  /** After a failure it is asked again this much later. */
  private static final long AGE_OF_FAILURE_NANOS = TimeUnit.SECONDS.toNanos(5);

  /**
   * An answer.
   *
   * @param value null: it could not be found out
   * @param askAt when it is asked again; while it is being asked, not before it is too old
   */
  private record Answer<V>(@Nullable V value, AtomicLong askAt) {}

  private static final class Age<V> implements Expiry<String, Answer<V>> {
    @Override
    public long expireAfterCreate(String key, Answer<V> answer, long now) {
      return answer.value == null ? AGE_OF_FAILURE_NANOS : LONGEST_AGE_NANOS;
    }

    @Override
    public long expireAfterUpdate(String key, Answer<V> answer, long now, long leftNanos) {
      return expireAfterCreate(key, answer, now);
    }

    @Override
    public long expireAfterRead(String key, Answer<V> answer, long now, long leftNanos) {
      return leftNanos;
    }
  }

  private final Cache<String, Answer<V>> answers;
  private final Ticker clock;
  private final Executor background;

  /**
   * @param most keys that are remembered
   */
  public Remembered(int most) {
    this(most, Ticker.systemTicker(), BACKGROUND);
  }

  /** The same with a clock and a thread. */
  public Remembered(int most, Ticker clock, Executor background) {
    this.clock = clock;
    this.background = background;
    this.answers =
        Caffeine.newBuilder().maximumSize(most).ticker(clock).expireAfter(new Age<V>()).build();
  }

  /**
   * What it said of {@code key}.
   *
   * @param ask asks it; null: it does not say
   * @return null: it could not be found out
   */
  public @Nullable V get(String key, Supplier<@Nullable V> ask) {
    Answer<V> answer = answers.get(key, unknown -> ask(ask));
    if (answer.value != null) {
      long now = clock.read();
      long askAt = answer.askAt.get();
      if (now - askAt >= 0 && answer.askAt.compareAndSet(askAt, now + LONGEST_AGE_NANOS)) {
        background.execute(() -> askAnew(key, answer, ask));
      }
    }
    return answer.value;
  }

  private Answer<V> ask(Supplier<@Nullable V> ask) {
    V value = ask.get();
    return new Answer<>(value, new AtomicLong(clock.read() + AGE_NANOS));
  }

  private void askAnew(String key, Answer<V> old, Supplier<@Nullable V> ask) {
    Answer<V> answer = null;
    try {
      answer = ask(ask);
    } finally {
      if (answer != null && answer.value != null) {
        answers.asMap().replace(key, old, answer);
      } else {
        old.askAt.set(clock.read() + AGE_OF_FAILURE_NANOS);
      }
    }
  }

  /** What is known of {@code key}; null: nothing, and nobody asks. */
  public @Nullable V known(String key) {
    Answer<V> answer = answers.getIfPresent(key);
    return answer == null ? null : answer.value;
  }

  /** It is asked of these keys anew, before anybody is told of them. */
  public void forget(Collection<String> keys) {
    answers.invalidateAll(keys);
  }

  /** It is asked of all anew. */
  public void forgetAll() {
    answers.invalidateAll();
  }
}
