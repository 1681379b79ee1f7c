package io.ishbase.bench.scenario;

import io.ishbase.bench.Load;
import io.ishbase.bench.Tally;
import io.ishbase.bench.WrongAnswerException;
import java.io.IOException;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Counts operations that fail and goes on, where it is asked whether any does; each counts with the
 * time that it took. A wrong answer still ends everything.
 */
final class CountedFailures {
  static final String NAME = "errors";

  private final AtomicLong count = new AtomicLong();
  private final AtomicReference<@Nullable String> first = new AtomicReference<>();

  /** A load that does not end when an operation fails. */
  Load of(Load load) {
    return worker -> {
      Load.Client client = load.open(worker);
      return new Load.Client() {
        @Override
        public void operate(Tally tally) throws IOException {
          try {
            client.operate(tally);
          } catch (WrongAnswerException e) {
            throw e;
          } catch (IOException e) {
            count.incrementAndGet();
            first.compareAndSet(null, e.toString().lines().findFirst().orElse(""));
          }
        }

        @Override
        public void close() throws IOException {
          client.close();
        }
      };
    };
  }

  /** How many there were so far. */
  Map<String, Double> counters() {
    return Map.of(NAME, (double) count.get());
  }

  /** What the first of all said; null if there was none. */
  @Nullable String first() {
    return first.get();
  }
}
