package io.ishbase.plugin.node;

import java.util.ArrayDeque;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.apache.hadoop.hbase.ServerName;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Which of the registered daemons have answered this region server. Each is asked in the
 * background, a few at a time, before any read is: so a registration with a wrong address, under
 * however many names, costs no read its deadline.
 *
 * <p>All but {@code answered} is confined to the thread of {@code timer}.
 */
final class Greetings {
  private static final Logger LOG = LoggerFactory.getLogger(Greetings.class);
  private static final int AT_ONCE = 16;
  private static final long FIRST_PAUSE_MILLIS = 1_000;
  private static final long LONGEST_PAUSE_MILLIS = 60_000;

  private final Function<ServerName, CompletableFuture<Void>> greet;
  private final Runnable changed;
  private final ScheduledExecutorService timer;
  private final Set<ServerName> answered = ConcurrentHashMap.newKeySet();

  /** The registered daemons. What was to be asked of an earlier registration is forgotten. */
  private final Map<ServerName, Registered> registered = new HashMap<>();

  private final Queue<Registered> waiting = new ArrayDeque<>();

  /** Those that are being asked, each once at a time. */
  private final Set<ServerName> asking = new HashSet<>();

  /** A daemon since it registered. By identity. */
  private static final class Registered {
    private final ServerName daemon;

    /** How often it has been asked in vain. */
    private int failures;

    Registered(ServerName daemon) {
      this.daemon = daemon;
    }
  }

  /**
   * Asks by {@code greet}, which fails if the daemon does not answer or would not answer reads.
   *
   * @param changed is called on the timer's thread when one has answered for the first time
   * @param timer with one thread
   */
  Greetings(
      Function<ServerName, CompletableFuture<Void>> greet,
      Runnable changed,
      ScheduledExecutorService timer) {
    this.greet = greet;
    this.changed = changed;
    this.timer = timer;
  }

  /** Takes note of who is registered now, and asks those that are new. */
  void registered(Collection<ServerName> daemons) {
    Set<ServerName> now = new LinkedHashSet<>(daemons);
    timer.execute(
        () -> {
          registered.keySet().retainAll(now);
          answered.retainAll(now);
          for (ServerName daemon : now) {
            if (!registered.containsKey(daemon)) {
              Registered anew = new Registered(daemon);
              registered.put(daemon, anew);
              waiting.add(anew);
            }
          }
          ask();
        });
  }

  /** Whether it has answered since it registered. */
  boolean hasAnswered(ServerName daemon) {
    return answered.contains(daemon);
  }

  private boolean isCurrent(Registered asked) {
    return registered.get(asked.daemon) == asked;
  }

  private void ask() {
    while (asking.size() < AT_ONCE && !waiting.isEmpty()) {
      Registered asked = waiting.remove();
      if (!isCurrent(asked) || !asking.add(asked.daemon)) {
        continue;
      }
      greet
          .apply(asked.daemon)
          .whenCompleteAsync(
              (nothing, failure) -> {
                asking.remove(asked.daemon);
                heard(asked, failure);
                ask();
              },
              timer);
    }
  }

  private void heard(Registered asked, @Nullable Throwable failure) {
    if (!isCurrent(asked)) {
      Registered anew = registered.get(asked.daemon);
      if (anew != null && !waiting.contains(anew)) {
        waiting.add(anew);
      }
      return;
    }
    if (failure == null) {
      answered.add(asked.daemon);
      changed.run();
      return;
    }
    int before = asked.failures++;
    if (before == 0) {
      LOG.warn(
          "Storage daemon {} is registered but does not serve this process, and is not asked"
              + " for reads until it does. Check that it runs and its log: it names whom it"
              + " refuses",
          asked.daemon,
          failure);
    }
    timer.schedule(
        () -> {
          waiting.add(asked);
          ask();
        },
        Math.min(LONGEST_PAUSE_MILLIS, FIRST_PAUSE_MILLIS << Math.min(before, 16)),
        TimeUnit.MILLISECONDS);
  }
}
