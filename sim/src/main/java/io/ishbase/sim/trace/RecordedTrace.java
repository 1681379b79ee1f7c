package io.ishbase.sim.trace;

import io.ishbase.core.trace.TraceEntry;
import io.ishbase.core.trace.TraceEntry.Keys;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.PriorityQueue;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Reads what region servers have recorded: a file, or a directory of such files ({@code .trace} or
 * {@code .trace.gz}), in the order of their times. A file of a server that died may end anywhere:
 * it is read up to its last whole line.
 */
final class RecordedTrace implements TraceReader {
  private static final int MOST_FILES = 10_000;

  /** A file and its next operation. */
  private record Source(int number, TraceFile file, TraceEntry next) {}

  private final List<TraceFile> files = new ArrayList<>();
  private final Set<String> remarks = new LinkedHashSet<>();

  /** By time; of the same time in the order of the files' names. */
  private final PriorityQueue<Source> sources =
      new PriorityQueue<>(
          Comparator.comparingLong((Source source) -> source.next().micros())
              .thenComparingInt(Source::number));

  RecordedTrace(Path from) throws IOException {
    List<Path> found = Files.isDirectory(from) ? traces(from) : List.of(from);
    try {
      for (Path each : found) {
        TraceFile file = new TraceFile(each, true);
        files.add(file);
        if (file.keys() != Keys.ROWS) {
          throw new TraceException(each, 1, "recorded operations have row keys, and this has none");
        }
        remarks.addAll(file.remarks());
        await(files.size() - 1, file);
      }
      if (sources.isEmpty()) {
        throw new TraceException(found.get(0), 1, "there is no operation, in no file");
      }
    } catch (IOException e) {
      close();
      throw e;
    }
    remarks.add(
        found.size() == 1 ? "recorded in 1 file" : "recorded in " + found.size() + " files");
  }

  private static List<Path> traces(Path directory) throws IOException {
    List<Path> found;
    try (Stream<Path> all = Files.list(directory)) {
      found =
          all.filter(
                  each ->
                      each.toString().endsWith(".trace") || each.toString().endsWith(".trace.gz"))
              .sorted()
              .toList();
    }
    if (found.isEmpty() || found.size() > MOST_FILES) {
      throw new IOException(
          directory
              + " has "
              + found.size()
              + " files that end with .trace or .trace.gz; 1 to "
              + MOST_FILES
              + " can be read");
    }
    return found;
  }

  private void await(int number, TraceFile file) throws IOException {
    TraceEntry next = file.next();
    if (next != null) {
      sources.add(new Source(number, file, next));
    }
  }

  @Override
  public @Nullable TraceEntry next() throws IOException {
    Source source = sources.poll();
    if (source == null) {
      return null;
    }
    await(source.number(), source.file());
    return source.next();
  }

  @Override
  public Keys keys() {
    return Keys.ROWS;
  }

  @Override
  public List<String> remarks() {
    return List.copyOf(remarks);
  }

  @Override
  public void close() throws IOException {
    for (TraceFile file : files) {
      file.close();
    }
  }
}
