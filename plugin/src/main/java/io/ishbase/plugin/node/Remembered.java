package io.ishbase.plugin.node;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import com.github.benmanes.caffeine.cache.Expiry;
import com.github.benmanes.caffeine.cache.Ticker;
import io.ishbase.core.Patience;
import java.util.Collection;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.apache.hbase.thirdparty.com.google.common.util.concurrent.ThreadFactoryBuilder;
import org.jspecify.annotations.Nullable;

/**
 * What the NameNode said. It may take minutes to answer, and who wants to know holds HBase's locks.
 * So what is old is given on while it is asked anew; for what was never asked, or could not be
 * found out when it was asked last, readers wait a moment, and from then on it is not known until
 * there is an answer. Thread safe.
 *
 * @param <V> what it says of a key, which is never null
 */
public final class Remembered<V> {
  /** For what somebody waits for. */
  private static final Executor ASKING = threads(4, "ishbase-namenode-%d");

  private static final Executor BACKGROUND = threads(1, "ishbase-namenode-again");

  private static final long AGE_NANOS = TimeUnit.MINUTES.toNanos(10);

  /** Of many keys each is asked again more seldom: fifty of them in a second. */
  private static final long AGE_NANOS_OF_EACH = TimeUnit.MILLISECONDS.toNanos(20);

  /** What may be about to be another, the first time; then each time twice as late. */
  private static final long PRELIMINARY_NANOS = TimeUnit.SECONDS.toNanos(10);

  /** But before it is too old. */
  private static final long MOST_AGE_NANOS = TimeUnit.MINUTES.toNanos(50);

  /** So old it is not given on: nobody has wanted it for long, or it could not be asked anew. */
  private static final long LONGEST_AGE_NANOS = TimeUnit.HOURS.toNanos(1);

  private static final int LEAST_FILES = 100_000;

  /** What one takes, with its path, and the part of a large heap that all may take. */
  private static final int BYTES_OF_FILE = 512;

  private static final int HEAP_SHARE = 64;

  /** After a failure it is asked again this much later. */
  private static final long AGE_OF_FAILURE_NANOS = TimeUnit.SECONDS.toNanos(5);

  /**
   * An answer.
   *
   * @param value null: it could not be found out
   * @param ageNanos at which it was to be asked again
   * @param askAt when it is asked again; while it is being asked, not before it is too old
   */
  private record Answer<V>(@Nullable V value, long ageNanos, AtomicLong askAt) {}

  /** A question that is under way since then. */
  private record Asked<V>(CompletableFuture<@Nullable V> value, long sinceNanos) {}

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
  private final ConcurrentMap<String, Asked<V>> asked = new ConcurrentHashMap<>();
  private final Predicate<V> isPreliminary;
  private final Ticker clock;
  private final Executor asking;
  private final Executor background;

  /**
   * @param most keys that are remembered
   */
  public Remembered(int most) {
    this(most, value -> false, Ticker.systemTicker(), ASKING, BACKGROUND);
  }

  /**
   * Of files, as many as a region server with such a heap may have.
   *
   * @param isPreliminary whether something else may be said soon
   */
  public static <V> Remembered<V> ofFiles(Predicate<V> isPreliminary) {
    long ofHeap = Runtime.getRuntime().maxMemory() / HEAP_SHARE / BYTES_OF_FILE;
    return new Remembered<>(
        (int) Math.max(LEAST_FILES, Math.min(ofHeap, Integer.MAX_VALUE)),
        isPreliminary,
        Ticker.systemTicker(),
        ASKING,
        BACKGROUND);
  }

  /**
   * The same with a clock and threads.
   *
   * @param asking for what somebody waits for
   * @param background for what is asked anew
   */
  public Remembered(
      int most, Predicate<V> isPreliminary, Ticker clock, Executor asking, Executor background) {
    this.isPreliminary = isPreliminary;
    this.clock = clock;
    this.asking = asking;
    this.background = background;
    this.answers =
        Caffeine.newBuilder()
            .maximumSize(most)
            .ticker(clock)
            .expireAfter(new Age<V>())
            // Every read asks; to wake another thread for the upkeep would cost more than the
            // upkeep.
            .executor(Runnable::run)
            .build();
  }

  private static Executor threads(int count, String name) {
    return Executors.newFixedThreadPool(
        count, new ThreadFactoryBuilder().setDaemon(true).setNameFormat(name).build());
  }

  /**
   * What it said of {@code key}.
   *
   * @param ask asks it; null: it does not say
   * @return null: it could not be found out, or not yet
   */
  public @Nullable V get(String key, Supplier<@Nullable V> ask) {
    return get(key, ask, new WaitBudget());
  }

  /**
   * The same for who wants to know more than this.
   *
   * @param budget of all that is waited for; without any left what is not known is asked all the
   *     same
   */
  public @Nullable V get(String key, Supplier<@Nullable V> ask, WaitBudget budget) {
    Answer<V> answer = answers.getIfPresent(key);
    if (answer == null) {
      return asked(key, ask, budget);
    }
    if (answer.value != null) {
      long now = clock.read();
      long askAt = answer.askAt.get();
      if (now - askAt >= 0 && answer.askAt.compareAndSet(askAt, now + LONGEST_AGE_NANOS)) {
        background.execute(() -> askAnew(key, answer, ask));
      }
    }
    return answer.value;
  }

  private @Nullable V asked(String key, Supplier<@Nullable V> ask, WaitBudget budget) {
    Asked<V> mine = new Asked<>(new CompletableFuture<>(), clock.read());
    Asked<V> first = asked.putIfAbsent(key, mine);
    if (first == null) {
      asking.execute(() -> ask(key, mine, ask));
    }
    Asked<V> question = first == null ? mine : first;
    long start = clock.read();
    long left = question.sinceNanos + Patience.NAMENODE_NANOS - start;
    try {
      return question.value.get(Math.min(left, budget.leftNanos()), TimeUnit.NANOSECONDS);
    } catch (TimeoutException | ExecutionException e) {
      return null;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return null;
    } finally {
      budget.waited(clock.read() - start);
    }
  }

  private void ask(String key, Asked<V> question, Supplier<@Nullable V> ask) {
    Answer<V> answer = new Answer<>(null, 0, new AtomicLong());
    try {
      answer = ask(ask, PRELIMINARY_NANOS);
    } finally {
      answers.put(key, answer);
      if (!asked.remove(key, question)) {
        // Forgotten meanwhile.
        answers.asMap().remove(key, answer);
      }
      question.value.complete(answer.value);
    }
  }

  private Answer<V> ask(Supplier<@Nullable V> ask, long preliminaryNanos) {
    V value = ask.get();
    long age =
        Math.min(MOST_AGE_NANOS, Math.max(AGE_NANOS, AGE_NANOS_OF_EACH * answers.estimatedSize()));
    if (value != null && isPreliminary.test(value)) {
      age = Math.min(age, Math.max(preliminaryNanos, AGE_NANOS_OF_EACH * answers.estimatedSize()));
    }
    return new Answer<>(value, age, new AtomicLong(clock.read() + age));
  }

  private void askAnew(String key, Answer<V> old, Supplier<@Nullable V> ask) {
    Answer<V> answer = null;
    try {
      answer = ask(ask, 2 * old.ageNanos);
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
    asked.keySet().removeAll(keys);
    answers.invalidateAll(keys);
  }

  /** It is asked of these keys anew when somebody wants to know again, who does not wait for it. */
  public void refresh(Collection<String> keys) {
    refresh(answers.getAllPresent(keys));
  }

  /** It is asked anew of whatever somebody wants to know again, who does not wait for it. */
  public void refresh() {
    refresh(answers.asMap());
  }

  private void refresh(Map<String, Answer<V>> old) {
    long now = clock.read();
    for (Answer<V> answer : old.values()) {
      long askAt = answer.askAt.get();
      // Later than that it is asked already.
      if (askAt - now <= MOST_AGE_NANOS) {
        answer.askAt.compareAndSet(askAt, now);
      }
    }
  }
}
