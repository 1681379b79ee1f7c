package io.ishbase.bench.memstore;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

/** The kinds of writes by which memstores are judged. */
public enum Workload {
  ZIPFIAN("up to 30 % less write amplification, 20 % more throughput, 22 % less GC") {
    @Override
    public Script script(Size size, long seed) {
      return new WholeRows("zipfian", false, size.rows, size.valueBytes, seed);
    }
  },

  UNIFORM("up to 25 % less write amplification, 50 % more throughput, 36 % less GC") {
    @Override
    public Script script(Size size, long seed) {
      return new WholeRows("uniform", false, size.rows, size.valueBytes, seed);
    }
  },

  /** A Get for each Put. */
  HALF_READS("tail read latency 12 % lower") {
    @Override
    public Script script(Size size, long seed) {
      return new WholeRows("zipfian", true, size.rows, size.valueBytes, seed);
    }
  },

  HALF_READS_UNIFORM("tail read latency not impacted") {
    @Override
    public Script script(Size size, long seed) {
      return new WholeRows("uniform", true, size.rows, size.valueBytes, seed);
    }
  },

  /** Entries are put, and deleted soon after. */
  QUEUE("") {
    @Override
    public Script script(Size size, long seed) {
      return new Queues(size.valueBytes, seed);
    }
  },

  /** Increments. */
  COUNTERS("") {
    @Override
    public Script script(Size size, long seed) {
      return new SharedCounters(Math.toIntExact(size.rows), seed);
    }

    /** Its cells are so small that there would be no flush else. */
    @Override
    public long flushBytes(Size size) {
      return Math.max(Size.LEAST_FLUSH_BYTES, size.flushBytes / 8);
    }
  },

  /** A few columns of wide rows are written anew. */
  DOCUMENTS("") {
    @Override
    public Script script(Size size, long seed) {
      long rowBytes = Documents.COLUMNS * Documents.COLUMN_BYTES;
      return new Documents(Math.max(1, size.rows * size.valueBytes / rowBytes), seed);
    }
  },

  /** What is written changes again and again. */
  IN_TURN("") {
    @Override
    public Script script(Size size, long seed) {
      return inTurn(TURNS, size, size.turnOperations, seed);
    }

    @Override
    public long operations(Size size) {
      return size.turnOperations * TURNS.size();
    }
  };

  private static final List<Workload> TURNS =
      List.of(ZIPFIAN, QUEUE, UNIFORM, COUNTERS, DOCUMENTS, HALF_READS);

  /**
   * How much is written.
   *
   * @param rows that are written again and again, of {@code valueBytes}; as many counters, and as
   *     many bytes of documents
   * @param operations of a workload
   * @param turnOperations after which the writes change where several have their turns
   * @param flushBytes size at which a memstore is flushed
   */
  public record Size(
      long rows, int valueBytes, long operations, long turnOperations, long flushBytes) {
    /** HBase refuses less. */
    private static final long LEAST_FLUSH_BYTES = 1 << 20;

    /** One for a number of rows of 1,000 B, so that a memstore is flushed some times. */
    public static Size of(long rows) {
      return new Size(rows, 1000, 3 * rows, 3 * rows / 2, Math.max(LEAST_FLUSH_BYTES, 700 * rows));
    }
  }

  private final String seedWords;

  Workload(String seedWords) {
    this.seedWords = seedWords;
  }

  /** As the command line calls it: lower case, hyphens. */
  public String id() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  /** What the seed document says of it; empty if nothing. */
  public String seedWords() {
    return seedWords;
  }

  /** What the clients do; a new one, which has done nothing yet. */
  public abstract Script script(Size size, long seed);

  /** Operations of a window. */
  public long operations(Size size) {
    return size.operations;
  }

  /** Size at which the memstore is flushed. */
  public long flushBytes(Size size) {
    return size.flushBytes;
  }

  /** A little of each of these, {@link Size#operations} in all, for whoever only warms up. */
  public static Script warmUp(List<Workload> workloads, Size size, long seed) {
    List<Workload> each =
        workloads.stream()
            .flatMap(workload -> workload == IN_TURN ? TURNS.stream() : Stream.of(workload))
            .distinct()
            .toList();
    return inTurn(each, size, Math.max(1, size.operations / each.size()), seed);
  }

  /** Different workloads in turn on one table. */
  private static Script inTurn(List<Workload> workloads, Size size, long operations, long seed) {
    return new InTurn(workloads.stream().map(each -> each.script(size, seed)).toList(), operations);
  }

  /** All, in the order in which they are measured. */
  public static List<String> ids() {
    return Arrays.stream(values()).map(Workload::id).toList();
  }

  /** The workloads of these names, each once, in the order of {@link #ids}; all if none is. */
  public static List<Workload> of(List<String> names) {
    return Arrays.stream(values())
        .filter(each -> names.isEmpty() || names.contains(each.id()))
        .toList();
  }
}
