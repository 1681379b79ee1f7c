package io.ishbase.plugin.local;

import static org.assertj.core.api.Assertions.assertThat;

import io.ishbase.plugin.regionserver.Inside;
import io.ishbase.plugin.scan.MultiGet;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.List;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.util.Bytes;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Gets of one call, of which others change what is cached meanwhile. */
class GetsOfCallTest {
  private static final byte[] FAMILY = Bytes.toBytes("f");
  private static final int ROWS = 400;

  @TempDir private Path directory;

  private static Get get(int row) {
    return new Get(Bytes.toBytes(String.format("%04d", row)));
  }

  /** Its row was cached, and no more when the next one asks for all that are to come. */
  @Test
  void aGetThatHasBeenAnsweredIsNotWaitedFor() throws IOException {
    try (LocalRegion local = LocalRegion.ofOneFamily(directory, FAMILY, 1 << 16)) {
      for (int row = 0; row < ROWS; row++) {
        local.region().put(new Put(get(row).getRow()).addColumn(FAMILY, FAMILY, new byte[500]));
      }
      local.region().flush(true);
      local.get(get(0), LocalRegion.IN_STORAGE);
      local.daemons().taken();
      local.behindFirstGet =
          () -> {
            assertThat(local.daemons().taken()).as("it is cached").isEmpty();
            fillWithOthers(local);
            local.daemons().taken();
          };
      assertThat(local.multiGet(List.of(get(0), get(1), get(2)), 3, LocalRegion.IN_STORAGE))
          .hasSize(3);
      assertThat(local.daemons().taken())
          .singleElement()
          .satisfies(asked -> assertThat(asked.request().getRangeCount()).isEqualTo(2));
      assertThat(MultiGet.atWork()).isZero();
      assertThat(MultiGet.callsWithAnswers()).isZero();
      assertThat(Inside.nodes(local.region()).getHeldBytes()).isZero();
    }
  }

  /** One has failed, or the answer is too large: HBase says nothing to the others. */
  @Test
  void nothingIsHeldOfACallThatIsBrokenOff() throws IOException {
    try (LocalRegion local = LocalRegion.ofOneFamily(directory, FAMILY, 1 << 16)) {
      for (int row = 0; row < 3; row++) {
        local.region().put(new Put(get(row).getRow()).addColumn(FAMILY, FAMILY, new byte[500]));
      }
      local.region().flush(true);
      List<Get> gets = List.of(get(0), get(1), get(2));
      local.multiGet(gets, 1, LocalRegion.IN_STORAGE);
      assertThat(local.daemons().taken()).hasSize(1);
      assertThat(MultiGet.callsWithAnswers()).isZero();
      assertThat(Inside.nodes(local.region()).getHeldBytes()).isZero();
      assertThat(MultiGet.atWork()).as("Gets that HBase may go on with").isOne();
      local.multiGet(gets, LocalRegion.IN_STORAGE);
      assertThat(MultiGet.atWork()).isZero();
    }
  }

  /** On a thread of their own: this one is at work on a call. */
  private static void fillWithOthers(LocalRegion local) {
    Thread others =
        new Thread(
            () -> {
              try {
                // Often enough to be worth more than what is there.
                for (int i = 0; i < 4 * ROWS; i++) {
                  local.get(get(ROWS / 4 + i / 4 % (3 * ROWS / 4)), LocalRegion.IN_STORAGE);
                }
              } catch (IOException e) {
                throw new UncheckedIOException(e);
              }
            });
    others.start();
    try {
      others.join();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }
}
