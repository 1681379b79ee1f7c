package io.ishbase.sim.trace;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * A trace of each format, in our own, as text in {@code src/test/resources/golden}. {@code
 * -Dishbase.golden=write} writes them anew, to be reviewed as a change.
 */
class ReadersTest {
  static final Path TRACES = Path.of("src/test/resources/traces");
  private static final Path GOLDEN = Path.of("src/test/resources/golden");

  @TempDir private Path dir;

  @ParameterizedTest
  @CsvSource({
    "ishbase, ishbase.trace, false",
    "recorded, recorded.trace, false",
    "ycsb, ycsb.txt, false",
    "hbase-wal, hbase-wal.txt, false",
    "hbase-slow-log, hbase-slow-log.txt, false",
    "rocksdb, rocksdb.txt, false",
    "rocksdb, rocksdb.txt, true",
    "twitter, twitter.csv, false",
    "libcachesim, libcachesim.csv, false"
  })
  void convertsWhatOthersWrite(String format, String file, boolean ordinals) throws IOException {
    Path to = dir.resolve("converted.trace");
    long count = conversion(format, TRACES.resolve(file), Long.MAX_VALUE).write(to, ordinals);
    String text = Files.readString(to);
    assertThat(text.lines().filter(line -> !line.startsWith("#")).count()).isEqualTo(count);
    Path golden = GOLDEN.resolve("trace-" + format + (ordinals ? "-ordinals" : "") + ".txt");
    if ("write".equals(System.getProperty("ishbase.golden"))) {
      Files.writeString(golden, text);
    }
    assertThat(text).isEqualTo(Files.readString(golden));
    // Once in our format it stays as it is, packed or not.
    Path packed = dir.resolve("again.trace.gz");
    Path again = dir.resolve("again.trace");
    conversion("ishbase", to, Long.MAX_VALUE).write(packed, false);
    conversion("ishbase", packed, Long.MAX_VALUE).write(again, false);
    assertThat(again).hasSameTextualContentAs(to);
  }

  static Conversion conversion(String format, Path file, long limit) {
    String columns =
        format.equals("libcachesim")
            ? "time-col=2, obj-id-col=5, obj-size-col=4, obj-id-is-num=true, delimiter=,,"
                + " has-header=true"
            : "";
    return new Conversion(TraceFormat.named(format), file, columns, limit);
  }
}
