package io.ishbase.it.metamorphic;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ishbase.testing.Seed;
import java.nio.file.Path;
import org.apache.hadoop.hbase.TableName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class OperationFileTest {
  @TempDir private Path directory;

  @Test
  void aFileIsReadAsItWasWritten() throws Exception {
    OperationFile file = Metamorphic.draw(Seed.get(), 300, 6);
    Path path = directory.resolve("file.txt");
    file.write(path, "for\n\npeople");
    assertThat(OperationFile.read(path)).isEqualTo(file);
  }

  @Test
  void aSeedGivesTheSameFileAgain() {
    long seed = Seed.get();
    assertThat(Metamorphic.draw(seed, 500, 8)).isEqualTo(Metamorphic.draw(seed, 500, 8));
    assertThat(Metamorphic.draw(seed, 500, 8)).isNotEqualTo(Metamorphic.draw(seed + 1, 500, 8));
  }

  /** Whatever is drawn is an operation; each kind is. */
  @Test
  void whatIsDrawnCanBeDone() throws Exception {
    FileTime clock = new FileTime(System.currentTimeMillis());
    Reads reads = new Reads(clock);
    Writes writes = new Writes(clock, reads);
    OperationFile file = Metamorphic.draw(Seed.get(), 20_000, 30);
    for (Line line : file.operations()) {
      switch (line.verb()) {
        case "get" -> reads.get(line, line.word(0));
        case "gets" -> reads.get(line, line.word(1));
        case "scan" -> reads.scan(line);
        case "put" -> writes.put(line);
        default -> {}
      }
    }
    // Single versions are deleted only where the drawn families allow it.
    assertThat(file.operations())
        .extracting(Line::verb)
        .contains(
            "put",
            "delete-column",
            "delete-family",
            "increment",
            "append",
            "check",
            "batch",
            "load",
            "get",
            "gets",
            "scan",
            "flush",
            "compact",
            "major-compact",
            "split",
            "merge",
            "move",
            "clone",
            "truncate",
            "alter",
            "fault",
            "heal");
    file.configurations()
        .forEach(
            (name, options) ->
                TableOptions.descriptor(TableName.valueOf(name), file.families(), options));
  }

  @Test
  void whatIsWrongIsSaid() {
    assertThatThrownBy(() -> OperationFile.parse("configuration c server=nobody".lines()))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("A family");
    assertThatThrownBy(() -> OperationFile.parse("family f\nconfiguration c server=nobody".lines()))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("there is no server nobody");
    assertThatThrownBy(
            () -> OperationFile.parse("family f\nconfiguration c\nflush\nfamily g".lines()))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("before all operations");
  }
}
