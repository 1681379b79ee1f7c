package io.ishbase.sim.workload;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class WorkloadFileTest {
  @TempDir private Path dir;

  @Test
  void aFileIsAPresetAndWhatDiffers() throws IOException {
    WorkloadFile load =
        WorkloadFile.read(
            file(
                "# mine",
                "cache = 0.05   # of the data",
                "",
                "preset = ycsb-a",
                "title = a shop",
                "designs = SA,  auto",
                "seed = 7",
                "get.share.end = 0.5"));
    assertThat(load.parameters().all())
        .isEqualTo(Presets.of("ycsb-a").with("cache", "0.05").with("get.share.end", "0.5").all());
    assertThat(load.title()).isEqualTo("a shop");
    assertThat(load.designs()).containsExactly("SA", "auto");
    assertThat(load.seed()).isEqualTo(7);
  }

  @Test
  void anEmptyFileIsTheSeedsPreset() throws IOException {
    WorkloadFile load = WorkloadFile.read(file());
    assertThat(load.parameters().all()).isEqualTo(Parameters.seed().all());
    assertThat(load.title()).isEqualTo("load");
    assertThat(load.designs()).isEmpty();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {
        "cahce = 1; No parameter 'cahce'",
        "cache = much; cache is a number",
        "cache = -1; cache is from 0 to 100",
        "cache = same; cache is a number",
        "keys = hot; mixgraph",
        "preset = ycsb-z; ycsb-f",
        "seed = lucky; seed is a whole number",
        "cache; a line is 'name = value'",
        "cache =; a line is 'name = value'",
        "= 1; a line is 'name = value'",
        "blocks = 2; stands in line 1 already",
      })
  void whatIsWrongIsSaidWithItsLine(String line, String message) throws IOException {
    Path file = file("blocks = 1", line);
    assertThatThrownBy(() -> WorkloadFile.read(file))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith(file + ", line 2: ")
        .hasMessageContaining(message);
  }

  @Test
  void whatIsNoTextIsSaid() throws IOException {
    Path binary = Files.write(dir.resolve("load.conf"), new byte[] {(byte) 0xFF, 0, 1});
    assertThatThrownBy(() -> WorkloadFile.read(binary)).hasMessageContaining("line 1: this is no");
    Path huge = Files.writeString(dir.resolve("load.conf"), "x".repeat(1_000_000));
    assertThatThrownBy(() -> WorkloadFile.read(huge)).hasMessageContaining("line 1: longer");
    Path endless = Files.writeString(dir.resolve("load.conf"), "\n".repeat(20_000));
    assertThatThrownBy(() -> WorkloadFile.read(endless)).hasMessageContaining("10,000 lines");
  }

  @Test
  void aYcsbFileIsItsWorkload() throws IOException {
    WorkloadFile load =
        YcsbProperties.read(
            file(
                "recordcount=6400",
                "operationcount=5000",
                "workload=site.ycsb.workloads.CoreWorkload",
                "readallfields=true",
                "readproportion=0",
                "updateproportion=0",
                "scanproportion=0.95",
                "insertproportion=0.05",
                "requestdistribution=zipfian",
                "maxscanlength=100",
                "scanlengthdistribution=uniform"));
    Parameters expected = Presets.of("ycsb-e").with("requests", 5000).with("blocks", 100);
    assertThat(load.parameters().all()).isEqualTo(expected.all());
    assertThat(load.notes()).isEmpty();
  }

  @Test
  void whatYcsbLeavesOutIsItsDefault() throws IOException {
    Parameters parameters =
        YcsbProperties.read(file("readmodifywriteproportion=0.1", "updateproportion=0.3"))
            .parameters();
    assertThat(parameters.number("read.share")).isCloseTo(0.95 / 1.35, within(1e-12));
    assertThat(parameters.number("write.reads.share")).isCloseTo(0.25, within(1e-12));
    assertThat(parameters.is("keys", "uniform")).isTrue();
    assertThat(parameters.whole("requests")).isEqualTo(1000);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {
        "readproportion=most; line 1: readproportion is a number",
        "recordcount=0; line 1: recordcount is from 1",
        "recordcount=-5; line 1: recordcount is a number from 0 on",
        "requestdistribution=hotspot; line 1: of YCSB's distributions",
        "workload=site.ycsb.workloads.TimeSeriesWorkload; line 1: only YCSB's CoreWorkload",
        "insertproportion=0.05; not both",
        "fieldlength=100000; does not fit into a block",
        "maxscanlength=0; line 1: maxscanlength is 1 or more",
      })
  void whatCannotBeHadOfYcsbIsSaid(String line, String message) throws IOException {
    Path file = file(line);
    assertThatThrownBy(() -> YcsbProperties.read(file))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith(file.toString())
        .hasMessageContaining(message);
  }

  @ParameterizedTest
  @ValueSource(strings = {"zipfian", "constant"})
  void lengthsThatAreNotUniformAreNoted(String distribution) throws IOException {
    assertThat(YcsbProperties.read(file("scanlengthdistribution=" + distribution)).notes())
        .containsExactly("lengths of Scans are uniform, not " + distribution);
  }

  private Path file(String... lines) throws IOException {
    return Files.writeString(dir.resolve("load.conf"), String.join("\n", lines));
  }
}
