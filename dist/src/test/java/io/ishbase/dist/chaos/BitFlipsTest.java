package io.ishbase.dist.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class BitFlipsTest {
  private static final byte[] DATA = {1, 2, 3, 4, 5};
  private static final byte[] LONGER = {1, 2, 3, 4, 5, 6};
  private static final String POOL = "current/BP-1/current/";

  @TempDir Path dir;
  private List<Path> dataNodes;
  private BitFlips flips;

  @BeforeEach
  void begin() {
    dataNodes = List.of(dir.resolve("1"), dir.resolve("2"), dir.resolve("3"));
    flips = new BitFlips(dataNodes, 1);
  }

  private Path block(int node, String state, int id, int generation, byte[] data)
      throws IOException {
    Path blocks = dataNodes.get(node - 1).resolve(POOL + state + "/subdir0");
    Files.createDirectories(blocks);
    Files.writeString(blocks.resolve("blk_" + id + "_" + generation + ".meta"), "checksums");
    return Files.write(blocks.resolve("blk_" + id), data);
  }

  private static int flippedBits(Path block) throws IOException {
    byte[] now = Files.readAllBytes(block);
    assertThat(now).hasSameSizeAs(DATA);
    int bits = 0;
    for (int i = 0; i < DATA.length; i++) {
      bits += Integer.bitCount((now[i] ^ DATA[i]) & 0xff);
    }
    return bits;
  }

  @Test
  void aBitOfOneReplicaFlipsAndNoneOfAnother() throws IOException {
    Path first = block(1, "finalized", 7, 1001, DATA);
    Path second = block(2, "finalized", 7, 1001, DATA);
    assertThat(flips.flip(1)).hasValueSatisfying(what -> assertThat(what).endsWith("of blk_7"));
    assertThat(flippedBits(first)).isEqualTo(1);
    assertThat(flips.flip(2)).isEmpty();
    assertThat(flips.flip(1)).isEmpty();
    assertThat(flippedBits(second)).isZero();
  }

  @Test
  void theOnlyReplicaStaysWhole() throws IOException {
    List<Path> alone =
        List.of(
            block(1, "finalized", 1, 1001, DATA),
            block(1, "finalized", 2, 1001, DATA),
            block(1, "finalized", 3, 1001, DATA),
            block(1, "rbw", 4, 1001, DATA));
    block(2, "rbw", 1, 1001, DATA);
    block(2, "finalized", 2, 1002, DATA);
    block(2, "finalized", 3, 1001, LONGER);
    block(2, "rbw", 4, 1001, DATA);
    assertThat(flips.flip(1)).isEmpty();
    assertThat(flips.flip(3)).isEmpty();
    for (Path each : alone) {
      assertThat(Files.readAllBytes(each)).isEqualTo(DATA);
    }
  }

  @Test
  void eachBlockHasItsTurn() throws IOException {
    Path[] blocks = new Path[5];
    for (int id = 0; id < blocks.length; id++) {
      blocks[id] = block(3, "finalized", id, 1001, DATA);
      block(1, "finalized", id, 1001, DATA);
    }
    for (int i = 0; i < blocks.length; i++) {
      assertThat(flips.flip(3)).isPresent();
    }
    for (Path each : Arrays.asList(blocks)) {
      assertThat(flippedBits(each)).isEqualTo(1);
    }
  }
}
