package io.ishbase.sim.trace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ishbase.core.trace.TraceEntry;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Files of several region servers, some of which died. */
class RecordedTraceTest {
  private static final String HEADER = "# ishbase-trace 1 rows\n# note: a sample\n";

  @TempDir private Path dir;

  private void write(String name, String text) throws IOException {
    Files.writeString(dir.resolve(name), text, StandardCharsets.ISO_8859_1);
  }

  private static String line(long micros, String row) {
    return micros + "\tget\tt\t" + row + "\t1\t1\t10\n";
  }

  private List<String> read() throws IOException {
    List<String> read = new ArrayList<>();
    try (TraceReader reader = TraceFormat.RECORDED.open(dir, "")) {
      for (TraceEntry entry = reader.next(); entry != null; entry = reader.next()) {
        read.add(entry.micros() + " " + entry.row());
      }
    }
    return read;
  }

  @Test
  void filesAreReadInTheOrderOfTheirTimes() throws IOException {
    write("b,1,1-1.trace", HEADER + line(3, "b3") + line(5, "b5") + line(9, "b9"));
    write("a,1,1-1.trace", HEADER + line(1, "a1") + line(5, "a5") + line(5, "a5 again"));
    write("c,1,1-1.trace", HEADER + line(4, "c4"));
    write("notes.txt", "nothing of ours");
    assertThat(read())
        .containsExactly("1 a1", "3 b3", "4 c4", "5 a5", "5 a5 again", "5 b5", "9 b9");
    try (TraceReader reader = TraceFormat.RECORDED.open(dir, "")) {
      assertThat(reader.remarks()).containsExactly("a sample", "recorded in 3 files");
    }
    Path to = dir.resolve("all.trace.gz");
    new Conversion(TraceFormat.RECORDED, dir, "", Long.MAX_VALUE).write(to, true);
    try (TraceReader reader = TraceFormat.ISHBASE.open(to, "")) {
      List<String> rows = new ArrayList<>();
      for (TraceEntry entry = reader.next(); entry != null; entry = reader.next()) {
        rows.add(entry.row());
      }
      assertThat(rows).containsExactly("0", "3", "6", "1", "2", "4", "5");
    }
  }

  /** Wherever the server died: what stands before is read, up to the last whole line. */
  @Test
  void aFileMayEndAnywhere() throws IOException {
    String whole = HEADER + line(1, "a") + "# dropped 7\n" + line(2, "b") + line(3, "c");
    write("other.trace", HEADER + line(0, "other"));
    for (int end = 0; end <= whole.length(); end++) {
      String cut = whole.substring(0, end);
      write("cut.trace", cut);
      long lines = cut.lines().filter(each -> each.matches("\\d.*")).count();
      long last =
          !cut.isEmpty() && !cut.endsWith("\n") && lines > 0 && lastIsOperation(cut) ? 1 : 0;
      assertThat(read()).as(cut).hasSize((int) (1 + lines - last));
    }
  }

  private static boolean lastIsOperation(String cut) {
    return cut.substring(cut.lastIndexOf('\n') + 1).matches("\\d.*");
  }

  @ParameterizedTest
  @ValueSource(strings = {"# ishbase-trace 1 ordinals\n", "# ishbase-trace 1 hashed\n"})
  void rowsHaveKeys(String header) throws IOException {
    write("a.trace", header + line(1, "1"));
    assertThatThrownBy(this::read)
        .isInstanceOf(TraceException.class)
        .hasMessageContaining("recorded operations have row keys");
  }

  @Test
  void whatIsDamagedIsSaid() throws IOException {
    write("a.trace", HEADER + line(1, "a") + "1\tget\n" + line(2, "b"));
    assertThatThrownBy(this::read)
        .isInstanceOf(TraceException.class)
        .hasMessageStartingWith(dir.resolve("a.trace") + ", line 4: ");
  }

  @Test
  void aDirectoryWithoutOperationsIsSaid() throws IOException {
    assertThatThrownBy(this::read)
        .hasMessageStartingWith(dir + " has 0 files that end with .trace");
    write("a.trace", "");
    assertThatThrownBy(this::read).hasMessageContaining("no operation");
  }

  /** More files than a process may have open. */
  @Test
  void filesNeedNotAllBeOpen() throws IOException {
    int files = 1_200;
    int lines = 100;
    for (int file = 0; file < files; file++) {
      StringBuilder text = new StringBuilder(HEADER);
      for (int i = 0; i < lines; i++) {
        text.append(line((long) i * files + file, file + "-" + i));
      }
      write(String.format(Locale.ROOT, "%04d.trace", file), text.toString());
    }
    List<String> wanted = new ArrayList<>();
    for (int i = 0; i < lines; i++) {
      for (int file = 0; file < files; file++) {
        wanted.add((long) i * files + file + " " + file + "-" + i);
      }
    }
    long before = openFiles();
    long most = 0;
    List<String> read = new ArrayList<>();
    try (TraceReader reader = TraceFormat.RECORDED.open(dir, "")) {
      for (TraceEntry entry = reader.next(); entry != null; entry = reader.next()) {
        most = read.size() % 1_000 == 0 ? Math.max(most, openFiles() - before) : most;
        read.add(entry.micros() + " " + entry.row());
      }
    }
    assertThat(read).isEqualTo(wanted);
    assertThat(most).isLessThan(300);
    Files.write(dir.resolve("x.trace.gz"), new byte[0]);
    assertThatThrownBy(this::read).hasMessageContaining("x.trace.gz");
  }

  private static long openFiles() throws IOException {
    try (Stream<Path> open = Files.list(Path.of("/proc/self/fd"))) {
      return open.count();
    }
  }
}
