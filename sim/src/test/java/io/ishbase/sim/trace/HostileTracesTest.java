package io.ishbase.sim.trace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ishbase.core.trace.TraceEntry;
import io.ishbase.testing.Seed;
import java.io.BufferedWriter;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.OutputStreamWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.SplittableRandom;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Files that are no trace, or a broken one: one error, with file, line and what to do. */
class HostileTracesTest {
  private static final String HEADER = "# ishbase-trace 1 rows\n";

  @TempDir private Path dir;

  /** Lines of our own format that are none; '|' is a tab. */
  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {
        "0|get|t|r|1|1; 7 fields",
        "0|get|t|r|1|1|1|1; 7 fields",
        "x|get|t|r|1|1|1; time is a whole number",
        "-1|get|t|r|1|1|1; time is a whole number",
        "0|fetch|t|r|1|1|1; get, scan, put or delete",
        "0|get|t|r|1.5|1|1; length is a whole number",
        "0|get|t|r|1|one|1; cells is a whole number",
        "0|get|t|r|1|1|99999999999999999999; bytes is a whole number",
      })
  void whatIsNoOperationIsSaid(String line, String message) throws IOException {
    Path file = write("0|get|t|r|1|1|1\n".replace('|', '\t') + line.replace('|', '\t') + "\n");
    assertThatThrownBy(() -> readAll(TraceFormat.ISHBASE, file))
        .isInstanceOf(TraceException.class)
        .hasMessageStartingWith(file + ", line 3: ")
        .hasMessageContaining(message);
  }

  @Test
  void timeThatGoesBackIsSaid() throws IOException {
    Path file = write("7\tget\tt\tr\t1\t1\t1\n6\tget\tt\tr\t1\t1\t1\n");
    assertThatThrownBy(() -> readAll(TraceFormat.ISHBASE, file))
        .hasMessage(
            file
                + ", line 3: time goes back, from 7 to 6: sort the operations by their first field");
  }

  @Test
  void aFileThatWasCutOffIsSaid() throws IOException {
    Path file = write("7\tget\tt\tr\t1\t1\t1\n8\tget\tt\tr\t1\t1\t1");
    assertThatThrownBy(() -> readAll(TraceFormat.ISHBASE, file))
        .hasMessageContaining(", line 3: the file ends in the middle of this line");
  }

  /** All of it is read by the reader of our own format only as what it is. */
  @ParameterizedTest
  @ValueSource(strings = {"", "\n", "# ishbase-trace 2 rows\n", "0,a,1,1,1,get,0\n"})
  void anotherFormatIsSaid(String text) throws IOException {
    Path file = Files.writeString(dir.resolve("x.trace"), text);
    assertThatThrownBy(() -> readAll(TraceFormat.ISHBASE, file))
        .isInstanceOf(TraceException.class)
        .hasMessageContaining(", line 1: a trace begins with '# ishbase-trace 1 rows'")
        .hasMessageContaining("--format");
  }

  @ParameterizedTest
  @EnumSource(TraceFormat.class)
  void aFileWithoutAnOperationIsSaid(TraceFormat format) throws IOException {
    Path file = Files.writeString(dir.resolve("empty"), "");
    assertThatThrownBy(() -> readAll(format, file))
        .isInstanceOf(TraceException.class)
        .hasMessageStartingWith(file + ", line 1: ");
  }

  /** Such a line is not held; a log of HBase's has edits of many megabytes, all in one line. */
  @ParameterizedTest
  @EnumSource(TraceFormat.class)
  void aHugeLineIsSaid(TraceFormat format) throws IOException {
    Path file = dir.resolve("huge");
    try (BufferedWriter out = Files.newBufferedWriter(file, StandardCharsets.ISO_8859_1)) {
      out.write(format == TraceFormat.HBASE_WAL ? "[{\"table\":\"" : "");
      String part = "x".repeat(1 << 20);
      for (int i = 0; i < 17; i++) {
        out.write(part);
      }
    }
    assertThatThrownBy(() -> readAll(format, file))
        .isInstanceOf(TraceException.class)
        .hasMessageContaining(", line 1: ")
        .hasMessageContaining("longer than");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {
        "ycsb; READ usertable user1 [ <all fi; not a whole READ",
        "ycsb; READ usertable; not a whole READ",
        "ycsb; SCAN usertable user1 many [ <all fields>]; the length of a SCAN",
        "ycsb; UPDATE usertable user1 [ field0=ab; not a whole UPDATE",
        "ycsb; DELETE usertable; not a whole DELETE",
        "ycsb; READ usertable  [ <all fields>]; not a whole READ",
        "rocksdb; 0 0 10 1533000630; -no_key",
        "rocksdb; 0x61 0 0 10; -no_key",
        "rocksdb; 0x6 0 0 10 1533000630; hexadecimal",
        "rocksdb; 0xZZ 0 0 10 1533000630; hexadecimal",
        "rocksdb; 0x61 9 0 10 1533000630; 0 to 8",
        "rocksdb; 0x61 get 0 10 1533000630; the type of an operation",
        "rocksdb; 0x61 0 0 10 late; a time",
        "rocksdb; 0x61 0 0 10 1533000630 1; 5 fields",
        "twitter; 0,key,3,10,1,get; 7 fields",
        "twitter; 0; 7 fields",
        "twitter; now,key,3,10,1,get,0; a time in seconds",
        "twitter; 0,key,three,10,1,get,0; the size of a key",
        "twitter; 0,key,3,10,1,touch,0; no operation",
        "libcachesim; 0,a; column 3",
        "libcachesim; 0,,5; is empty",
        "libcachesim; 0,a,big; has-header=true",
        "hbase-slow-log; (responseTooSlow): {\"method\":\"Get\"; ends in the middle",
        "hbase-slow-log; (responseTooSlow): {method; a name in quotes",
        "hbase-slow-log; (responseTooSlow): {\"method\":\"Get\",\"param\":\"region= t,,1., row=r\"}; starttimems",
        "hbase-wal; {\"table\":\"t\"}; no list of actions",
        "hbase-wal; {\"actions\":[]}; no table",
        "hbase-wal; {\"table\":\"t\",\"actions\":[7]}; no row",
        "hbase-wal; {\"table\":\"t\",\"actions\":[{\"row\":\"r\",\"vlen\":\"x\"}]}; vlen",
        "hbase-wal; {\"table\":\"t\",\"actions\":[{\"row\":\"r\"; ends in the middle",
        "hbase-wal; {\"table\":\"t\" \"actions\":[]}; a comma or }",
        "hbase-wal; {\"table\":nothing}; no value of JSON",
        "hbase-wal; {\"table\":\"\\q\"}; follow a backslash",
        "hbase-wal; no braces at all; there is no edit",
      })
  void whatOthersDoNotWriteIsSaid(String format, String text, String message) throws IOException {
    Path file = Files.writeString(dir.resolve("x"), text);
    assertThatThrownBy(() -> readAll(TraceFormat.named(format), file))
        .isInstanceOf(TraceException.class)
        .hasMessageStartingWith(file + ", line 1: ")
        .hasMessageContaining(message);
  }

  @Test
  void jsonThatIsDeepIsSaid() throws IOException {
    Path file = Files.writeString(dir.resolve("x"), "{\"a\":" + "[".repeat(100_000));
    assertThatThrownBy(() -> readAll(TraceFormat.HBASE_WAL, file)).hasMessageContaining("nested");
  }

  @ParameterizedTest
  @CsvSource({"twitter, '1,a,1,1,1,get,0\n0,a,1,1,1,get,0\n'", "libcachesim, '1,a,1\n0,a,1\n'"})
  void wrongOrderIsSaid(String format, String text) throws IOException {
    Path file = Files.writeString(dir.resolve("x"), text);
    assertThatThrownBy(() -> readAll(TraceFormat.named(format), file))
        .hasMessageContaining(", line 2: time goes back")
        .hasMessageContaining("sort");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"obj-id-col=x", "obj-id-col=0", "time-col=1", "has-header=maybe", "column=7"})
  void columnsThatAreNoneAreSaid(String columns) throws IOException {
    Path file = Files.writeString(dir.resolve("x"), "0,a,1\n");
    assertThatThrownBy(() -> TraceFormat.LIBCACHESIM.open(file, columns))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("--columns");
  }

  @Test
  void whatIsPackedWronglyIsSaid() throws IOException {
    byte[] packed = packed(HEADER + "0\tget\tt\tr\t1\t1\t1\n".repeat(10_000));
    Path cut = Files.write(dir.resolve("cut.gz"), Arrays.copyOf(packed, packed.length / 2));
    assertThatThrownBy(() -> readAll(TraceFormat.ISHBASE, cut))
        .hasMessageContaining("in the middle of its compressed data");
    Path plain = Files.writeString(dir.resolve("plain.gz"), HEADER);
    assertThatThrownBy(() -> readAll(TraceFormat.ISHBASE, plain))
        .hasMessageContaining("not what gzip makes");
    Path empty = Files.writeString(dir.resolve("empty.gz"), "");
    assertThatThrownBy(() -> readAll(TraceFormat.ISHBASE, empty))
        .hasMessageContaining("not what gzip makes");
    Path unnamed = Files.write(dir.resolve("unnamed"), packed);
    assertThatThrownBy(() -> readAll(TraceFormat.ISHBASE, unnamed))
        .hasMessageContaining("ends with .gz");
    Path zstd =
        Files.write(dir.resolve("x.zst"), new byte[] {0x28, (byte) 0xB5, 0x2F, (byte) 0xFD, 0});
    assertThatThrownBy(() -> readAll(TraceFormat.TWITTER, zstd)).hasMessageContaining("zstd -d");
    assertThatThrownBy(() -> readAll(TraceFormat.TWITTER, dir)).hasMessageContaining("directory");
  }

  /** Whatever bytes are changed or cut: it is read, or it is said what is wrong. */
  @ParameterizedTest
  @EnumSource(TraceFormat.class)
  void damageIsReadOrSaid(TraceFormat format) throws IOException {
    SplittableRandom random = new SplittableRandom(Seed.get());
    Path sample = sample(format);
    byte[] whole = Files.readAllBytes(sample);
    for (int round = 0; round < 500; round++) {
      byte[] bytes = Arrays.copyOf(whole, 1 + random.nextInt(whole.length));
      for (int change = random.nextInt(4); change > 0; change--) {
        bytes[random.nextInt(bytes.length)] = (byte) random.nextInt(256);
      }
      Path file = Files.write(dir.resolve("damaged"), bytes);
      try {
        readAll(format, file);
      } catch (TraceException e) {
        assertThat(e).hasMessageStartingWith(file + ", line ").hasMessageMatching("\\p{Print}+");
      }
    }
  }

  /** Short as it is, it would take hundreds of megabytes. */
  @Test
  void anEditOfVeryManyValuesIsSaid() throws IOException {
    Path file =
        Files.writeString(
            dir.resolve("wal"), "{\"table\":\"t\",\"actions\":[" + "1,".repeat(2_000_000) + "1]}");
    assertThatThrownBy(() -> readAll(TraceFormat.HBASE_WAL, file))
        .isInstanceOf(TraceException.class)
        .hasMessageContaining("more than 1048576 values");
  }

  /** Few bytes once compressed, and shown on a terminal. */
  @Test
  void remarksAreFewShortAndPrintable() throws IOException {
    Path file = dir.resolve("x.gz");
    try (OutputStream out = new GZIPOutputStream(Files.newOutputStream(file))) {
      out.write(HEADER.getBytes(StandardCharsets.ISO_8859_1));
      byte[] note =
          ("# note: \033[2J" + "x".repeat(10_000) + "\n").getBytes(StandardCharsets.ISO_8859_1);
      for (int i = 0; i < 10_000; i++) {
        out.write(note);
      }
    }
    try (TraceReader reader = TraceFormat.ISHBASE.open(file, "")) {
      assertThat(reader.remarks())
          .hasSizeLessThanOrEqualTo(100)
          .allSatisfy(remark -> assertThat(remark).hasSizeLessThan(5_000).matches("\\p{Print}*"));
    }
  }

  /** HBase writes so much of a row if it is told to. */
  @Test
  void aLongRowOfASlowScanIsRead() throws IOException {
    String row = "\\\\000".repeat(30_000);
    Path file =
        Files.writeString(
            dir.resolve("slow"),
            "(responseTooSlow): {\"method\":\"Scan\",\"starttimems\":\"1\",\"responsesize\":\"2\","
                + "\"param\":\"region { type: REGION_NAME value: \\\"t,,1.\\\" } scan { start_row: \\\""
                + row
                + "\\\" } number_of_rows: 7\"}\n");
    try (TraceReader reader = TraceFormat.named("hbase-slow-log").open(file, "")) {
      TraceEntry entry = reader.next();
      assertThat(entry.row()).isEqualTo("\0".repeat(30_000));
      assertThat(entry.length()).isEqualTo(7);
    }
  }

  private static Path sample(TraceFormat format) throws IOException {
    try (var files = Files.list(ReadersTest.TRACES)) {
      return files
          .filter(file -> file.getFileName().toString().startsWith(format.label() + "."))
          .findFirst()
          .orElseThrow();
    }
  }

  private Path write(String lines) throws IOException {
    return Files.writeString(dir.resolve("x.trace"), HEADER + lines);
  }

  private static byte[] packed(String text) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (OutputStream packing = new GZIPOutputStream(bytes);
        OutputStreamWriter writer = new OutputStreamWriter(packing, StandardCharsets.ISO_8859_1)) {
      SplittableRandom random = new SplittableRandom(1);
      writer.write(text);
      for (int i = 0; i < 10_000; i++) {
        writer.write("0\tget\tt\t" + random.nextLong() + "\t1\t1\t1\n");
      }
    }
    return bytes.toByteArray();
  }

  private static int readAll(TraceFormat format, Path file) throws IOException {
    int count = 0;
    try (TraceReader reader = format.open(file, "")) {
      while (reader.next() != null) {
        count++;
      }
    }
    return count;
  }
}
