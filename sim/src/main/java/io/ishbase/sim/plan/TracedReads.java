package io.ishbase.sim.plan;

import io.ishbase.core.trace.TraceEntry;
import io.ishbase.core.trace.TraceEntry.Operation;
import io.ishbase.sim.miniature.Reads;
import io.ishbase.sim.trace.Replay;
import io.ishbase.sim.trace.TraceFormat;
import io.ishbase.sim.trace.TraceReader;
import io.ishbase.sim.workload.Parameters;
import io.ishbase.sim.workload.RequestStream;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** The reads of one table in a trace. */
final class TracedReads {
  private static final int MOST_READS = 5_000_000;

  /** Fewer say nothing of caches. */
  private static final int LEAST_READS = 1_000;

  private static final int MOST_NAMED = 5;

  private TracedReads() {}

  /**
   * Reads them.
   *
   * @param scanRows of a Scan whose length the trace does not know
   * @param part of the table's rows that were traced
   * @throws IllegalArgumentException if there are none, or the file is no trace
   */
  static Reads of(Path file, String table, int scanRows, double part) {
    try (TraceReader trace = TraceFormat.ISHBASE.open(file, "")) {
      OfTable ofTable = new OfTable(trace, table);
      if (ofTable.ahead == null) {
        throw new IllegalArgumentException(
            "'"
                + file
                + "' has no read of table '"
                + table
                + "'"
                + (ofTable.others.isEmpty() ? "" : "; it has reads of " + ofTable.others));
      }
      Replay replay = Replay.of(ofTable, MOST_READS);
      boolean isOneOfSeveral = !ofTable.others.isEmpty();
      Reads reads = reads(replay, scanRows, part, isOneOfSeveral);
      if (reads.count() < LEAST_READS) {
        throw new IllegalArgumentException(
            "'"
                + file
                + "' has "
                + reads.count()
                + " reads of table '"
                + table
                + "', too few to say what a cache holds: 1000 are the least");
      }
      return reads;
    } catch (NoSuchFileException e) {
      throw new IllegalArgumentException("there is no file '" + file + "'", e);
    } catch (IOException e) {
      throw new IllegalArgumentException(e.getMessage(), e);
    }
  }

  /** Ordinals of one of several tables begin somewhere. */
  private static Reads reads(Replay replay, int scanRows, double part, boolean isOneOfSeveral) {
    RequestStream requests = replay.requests(Parameters.seed().with("scan.rows", scanRows)).get();
    IntStream.Builder keys = IntStream.builder();
    IntStream.Builder lengths = IntStream.builder();
    while (requests.next()) {
      keys.add(requests.key());
      lengths.add(requests.kind() == RequestStream.Kind.GET ? 0 : requests.rows());
    }
    int[] read = keys.build().toArray();
    int first = isOneOfSeveral ? Arrays.stream(read).min().orElse(0) : 0;
    for (int i = 0; i < read.length; i++) {
      read[i] -= first;
    }
    return new Reads(replay.rows() - first, read, lengths.build().toArray(), part);
  }

  /** What of a trace is a read of a table. */
  private static final class OfTable implements TraceReader {
    private final TraceReader all;
    private final String table;
    private final Set<String> others = new TreeSet<>();
    private @Nullable TraceEntry ahead;

    OfTable(TraceReader all, String table) throws IOException {
      this.all = all;
      this.table = table;
      ahead = following();
    }

    @Override
    public @Nullable TraceEntry next() throws IOException {
      TraceEntry next = ahead;
      ahead = next == null ? null : following();
      return next;
    }

    private @Nullable TraceEntry following() throws IOException {
      for (TraceEntry entry = all.next(); entry != null; entry = all.next()) {
        if (entry.operation() == Operation.GET || entry.operation() == Operation.SCAN) {
          if (entry.table().equals(table) || entry.table().isEmpty()) {
            return entry;
          }
          if (others.size() < MOST_NAMED) {
            others.add(entry.table());
          }
        }
      }
      return null;
    }

    @Override
    public TraceEntry.Keys keys() {
      return all.keys();
    }

    @Override
    public List<String> remarks() {
      return all.remarks();
    }

    @Override
    public void close() throws IOException {
      all.close();
    }
  }
}
