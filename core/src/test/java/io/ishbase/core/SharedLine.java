package io.ishbase.core;

import static java.util.Objects.requireNonNull;

import io.ishbase.core.Gate.Route;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import java.util.Random;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/**
 * Readers in closed loops over one line, first come first served, in virtual time. Each read takes
 * a processor, then the line for its bytes.
 */
final class SharedLine {
  /**
   * Reads of one kind.
   *
   * @param micros a read's time of a processor by route: over blocks, in-storage
   * @param bytes a read's bytes by route
   * @param hits share of reads over blocks that need no bytes
   */
  record Kind(int readers, double[] micros, double[] bytes, double hits) {}

  private interface Observer {
    void observe(int kind, Gate.Choice choice, double nanos);
  }

  private static final double HIT_MICROS = 80;

  private enum Step {
    BEGIN,
    LINE,
    END
  }

  private static final class Read {
    private final int kind;
    private double start;
    private double bytes;
    private Gate.@Nullable Choice choice;

    Read(int kind) {
      this.kind = kind;
    }
  }

  private record Event(double micros, Step step, Read read) {}

  private final double mbps;
  private final int processors;
  private final List<Kind> kinds;
  private final Random random;

  /**
   * @param processors that all readers share; 0: nobody waits for one
   */
  SharedLine(double mbps, int processors, List<Kind> kinds, Random random) {
    this.mbps = mbps;
    this.processors = processors;
    this.kinds = kinds;
    this.random = random;
  }

  /** Reads a second of each kind over the routes given, when all is settled. */
  double[] fixed(Route... routes) {
    Gate.Choice[] choices = new Gate.Choice[routes.length];
    for (int i = 0; i < routes.length; i++) {
      choices[i] = new Gate.Choice(routes[i], 0, false);
    }
    return run(kind -> choices[kind], (kind, choice, nanos) -> {}, 500, 4000);
  }

  /** Reads a second of each kind as gates choose, without the first {@code skip}. */
  double[] gated(List<Gate> gates, int skip, int reads) {
    return run(
        kind -> gates.get(kind).choose(),
        (kind, choice, nanos) -> gates.get(kind).observe(choice, nanos),
        skip,
        reads);
  }

  private double[] run(IntFunction<Gate.Choice> chooser, Observer observer, int skip, int reads) {
    PriorityQueue<Event> events = new PriorityQueue<>(Comparator.comparingDouble(Event::micros));
    PriorityQueue<Double> free = new PriorityQueue<>();
    for (int i = 0; i < processors; i++) {
      free.add(0.0);
    }
    for (int kind = 0; kind < kinds.size(); kind++) {
      for (int i = 0; i < kinds.get(kind).readers; i++) {
        events.add(new Event(random.nextDouble(), Step.BEGIN, new Read(kind)));
      }
    }
    double[] done = new double[kinds.size()];
    double lineFree = 0;
    double counted = 0;
    double now = 0;
    for (int ended = 0; ended < skip + reads; ) {
      Event event = events.remove();
      now = event.micros;
      Read read = event.read;
      Kind kind = kinds.get(read.kind);
      switch (event.step) {
        case BEGIN -> {
          read.start = now;
          read.choice = chooser.apply(read.kind);
          int route = read.choice.route().ordinal();
          boolean hit = route == 0 && random.nextDouble() < kind.hits;
          double work = noisy(hit ? HIT_MICROS : kind.micros[route]);
          double begin = processors == 0 ? now : Math.max(now, free.remove());
          if (processors > 0) {
            free.add(begin + work);
          }
          read.bytes = hit ? 0 : noisy(kind.bytes[route]);
          events.add(new Event(begin + work, hit ? Step.END : Step.LINE, read));
        }
        case LINE -> {
          lineFree = Math.max(now, lineFree) + read.bytes * 8 / mbps;
          events.add(new Event(lineFree, Step.END, read));
        }
        case END -> {
          observer.observe(read.kind, requireNonNull(read.choice), (now - read.start) * 1000);
          ended++;
          if (ended == skip) {
            counted = now;
          } else if (ended > skip) {
            done[read.kind]++;
          }
          events.add(new Event(now, Step.BEGIN, new Read(read.kind)));
        }
      }
    }
    for (int kind = 0; kind < done.length; kind++) {
      done[kind] *= 1e6 / (now - counted);
    }
    return done;
  }

  private double noisy(double value) {
    return value * (0.9 + 0.2 * random.nextDouble());
  }
}
