package io.ishbase.dist;

import static io.ishbase.dist.Outcome.run;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** {@code sim run}, {@code sim trace} and {@code sim convert}, with good and with bad files. */
class SimFilesTest {
  private static final String TRACE =
      "# ishbase-trace 1 rows\n0\tget\tt\ta\t1\t1\t100\n1\tscan\tt\ta\t2\t2\t200\n2\tput\tt\tb\t1\t1\t100\n";

  @TempDir private Path dir;

  @Test
  void aLoadIsRun() throws IOException {
    Path load =
        write(
            "shop.conf",
            "preset = ycsb-c\ntitle = a shop\nblocks = 16\ncache = 0.5\nrequests = 500\ndesigns = B, auto, Belady\n");
    Outcome outcome = run("sim", "run", load.toString(), "--out", dir.toString());
    assertThat(outcome.err()).doesNotContain("ishbase:");
    assertThat(outcome.code()).isZero();
    assertThat(outcome.out())
        .startsWith("shop-conf: a shop (QPS)\ndesign ")
        .contains("\nHBase-B ", "\nauto ", "\nBelady ")
        .doesNotContain("in-storage");
    assertThat(dir.resolve("shop-conf.csv")).isNotEmptyFile();
    assertThat(dir.resolve("shop-conf.html")).isNotEmptyFile();
    String table = outcome.out().replaceFirst("(?s)Report.*", "");
    assertThat(run("sim", "run", load.toString(), "--out", dir.toString()).out()).startsWith(table);
  }

  @Test
  void aWorkloadOfYcsbIsRun() throws IOException {
    Path load = write("workloadz", "recordcount=1000\noperationcount=200\nscanproportion=0.5\n");
    Outcome outcome =
        run(
            "sim",
            "run",
            load.toString(),
            "--format",
            "ycsb",
            "--set",
            "cache=0.5",
            "--out",
            dir.toString());
    assertThat(outcome.err()).doesNotContain("ishbase:");
    assertThat(outcome.out()).startsWith("workloadz: workloadz (QPS)\n").contains("\nin-storage ");
  }

  @Test
  void aTraceIsConvertedAndPlayed() throws IOException {
    Path ycsb = write("ycsb.txt", "READ t a [ <all fields>]\nSCAN t b 3 [ <all fields>]\n");
    Path packed = dir.resolve("own.gz");
    Outcome converted =
        run("sim", "convert", "--format", "ycsb", ycsb.toString(), packed.toString());
    assertThat(converted.err()).doesNotContain("ishbase:");
    assertThat(converted.out()).isEqualTo("2 operations in " + packed + "\n");
    Outcome own = run("sim", "trace", packed.toString(), "--out", dir.toString());
    assertThat(own.err()).doesNotContain("ishbase:");
    assertThat(own.out())
        .startsWith("2 operations: 1 Gets, 1 Scans, 0 writes; 2 rows\n")
        .contains("\nYCSB's binding basic prints no times", "\nBelady ");
    Outcome theirs =
        run("sim", "trace", ycsb.toString(), "--format", "ycsb", "--out", dir.toString());
    assertThat(table(theirs)).isEqualTo(table(own));
  }

  private static String table(Outcome outcome) {
    return outcome.out().replaceFirst("(?s).*\ndesign", "").replaceFirst("(?s)Report.*", "");
  }

  @Test
  void whatThereIsIsShown() {
    assertThat(run("sim", "run", "presets").out()).contains("ycsb-f\n", "mixgraph\n");
    assertThat(run("sim", "trace", "formats").out()).contains("hbase-wal ", "libcachesim ");
    assertThat(run("sim", "list").out()).contains("fig20");
  }

  /** Each is one line, which names what is wrong; FILE is there, NONE is not. */
  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {
        "sim run NONE; There is no file ",
        "sim run DIR; is a directory",
        "sim run FILE; line 2: a line is 'name = value'",
        "sim run LOAD --designs LFU; No design 'LFU': there are HBase-B",
        "sim run LOAD --set cahce=1; No parameter 'cahce'",
        "sim run LOAD --set cell.bytes=0; cell.bytes is from 1 to 1000000000, not 0",
        "sim run LOAD --set cell.bytes=70000; cell.bytes is from 1 to block.bytes",
        "sim run LOAD --set blocks=0; not 0",
        "sim run LOAD --set blocks=2000000000; not 2000000000",
        "sim run LOAD --set clients=0; clients is from 1",
        "sim run LOAD --set line.mbps=0; line.mbps is from 0.001",
        "sim run LOAD --set key.bytes=2; key.bytes is from 4",
        "sim run LOAD --set zipf.exponent=1; A Zipf exponent",
        "sim run LOAD --format xml; --format is ishbase or ycsb, not xml",
        "sim trace NONE; There is no file ",
        "sim trace DIR; is a directory",
        "sim trace FILE --format mp3; No format 'mp3': there are ishbase, recorded, ycsb",
        "sim trace FILE --format twitter; line 1: a line has 7 fields",
        "sim trace FILE --columns time-col=1; Columns are named for libcachesim only",
        "sim trace FILE --limit 0; --limit is 1 or more, not 0",
        "sim trace FILE --designs LFU; No design 'LFU'",
        "sim trace FILE --set blocks=none; blocks is a number",
        "sim convert --format ishbase NONE NEW; There is no file ",
        "sim convert --format ishbase FILE FILE; is there already",
        "sim convert --format twitter FILE NEW; line 1: a line has 7 fields",
        "sim convert --format ishbase --limit 0 FILE NEW; --limit is 1 or more",
        "sim convert --format ishbase --ordinals HASHED NEW; this trace has none",
      })
  void whatIsWrongIsOneLine(String command, String message) throws IOException {
    write("file", TRACE);
    write("load", "blocks = 4\ncache = 1\nrequests = 100");
    write("hashed", TRACE.replace("rows", "hashed"));
    Path created = dir.resolve("new");
    Outcome outcome =
        run(
            Stream.of(command.split(" "))
                .map(word -> word.equals("DIR") ? dir.toString() : word)
                .map(
                    word ->
                        word.matches("FILE|LOAD|HASHED|NONE|NEW")
                            ? dir.resolve(word.toLowerCase(Locale.ROOT)).toString()
                            : word)
                .toArray(String[]::new));
    assertThat(outcome.code()).isEqualTo(1);
    assertThat(outcome.err()).startsWith("ishbase: ").contains(message).hasLineCount(1);
    assertThat(outcome.out()).isEmpty();
    assertThat(created).doesNotExist();
    assertThat(dir.resolve("new.part")).doesNotExist();
  }

  @ParameterizedTest
  @CsvSource({"sim run", "sim trace", "sim convert FILE NEW", "sim convert --format ycsb FILE"})
  void whatIsMissingIsSaid(String command) {
    Outcome outcome = run(command.split(" "));
    assertThat(outcome.code()).isEqualTo(2);
    assertThat(outcome.err()).startsWith("ishbase: Missing required ").hasLineCount(1);
  }

  private Path write(String name, String text) throws IOException {
    return Files.writeString(dir.resolve(name), text);
  }
}
