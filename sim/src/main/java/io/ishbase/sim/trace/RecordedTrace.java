package io.ishbase.sim.trace;

import io.ishbase.core.trace.TraceEntry;
import io.ishbase.core.trace.TraceEntry.Keys;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.PriorityQueue;
import java.util.Queue;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Reads what region servers have recorded: a file, or a directory of such files ({@code .trace} or
 * {@code .trace.gz}), in the order of their times. A file of a server that died may end anywhere:
 * it is read up to its last whole line.
 *
 * <p>Of many files none stays open: some lines are read at a time, and the file is opened again
 * where that ended.
 */
final class RecordedTrace implements TraceReader {
  private static final int MOST_FILES = 10_000;

  /** Files that stay open. A process has often no more than 1,024. */
  private static final int MOST_OPEN = 256;

  /** Operations of a file that does not stay open that are read at a time, and bytes of rows. */
  private static final int READ_AHEAD = 32;

  private static final int READ_AHEAD_BYTES = 1 << 12;

  /** A file with its next operations, of which there is one at least. */
  private record Source(int number, TraceFile file, Queue<TraceEntry> ahead) {
    long micros() {
      TraceEntry next = ahead.peek();
      return next == null ? Long.MAX_VALUE : next.micros();
    }
  }

  private final List<TraceFile> files = new ArrayList<>();
  private final boolean pauses;
  private final Set<String> remarks = new LinkedHashSet<>();

  /** By time; of the same time in the order of the files' names. */
  private final PriorityQueue<Source> sources =
      new PriorityQueue<>(
          Comparator.comparingLong(Source::micros).thenComparingInt(Source::number));

  RecordedTrace(Path from) throws IOException {
    List<Path> found = Files.isDirectory(from) ? traces(from) : List.of(from);
    pauses = found.size() > MOST_OPEN;
    try {
      for (Path each : found) {
        TraceFile file = new TraceFile(each, true);
        files.add(file);
        if (file.keys() != Keys.ROWS) {
          throw new TraceException(each, 1, "recorded operations have row keys, and this has none");
        }
        if (pauses && !file.mayPause()) {
          throw new TraceException(
              each,
              1,
              "of more than " + MOST_OPEN + " files none may be packed: unpack them with gunzip");
        }
        remarks.addAll(file.remarks());
        await(new Source(files.size() - 1, file, new ArrayDeque<>()));
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

  /** Lets a file that is open wait with its next operations, if there are any. */
  private void await(Source source) throws IOException {
    int most = pauses ? READ_AHEAD : 1;
    int bytes = 0;
    TraceEntry next = source.file().next();
    while (next != null) {
      source.ahead().add(next);
      bytes += next.row().length();
      boolean isEnough = source.ahead().size() >= most || bytes >= READ_AHEAD_BYTES;
      next = isEnough ? null : source.file().next();
    }
    if (pauses) {
      source.file().pause();
    }
    if (!source.ahead().isEmpty()) {
      sources.add(source);
    }
  }

  @Override
  public @Nullable TraceEntry next() throws IOException {
    Source source = sources.poll();
    if (source == null) {
      return null;
    }
    TraceEntry next = source.ahead().remove();
    if (!source.ahead().isEmpty()) {
      sources.add(source);
      return next;
    }
    if (pauses) {
      source.file().resume();
    }
    await(source);
    return next;
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
