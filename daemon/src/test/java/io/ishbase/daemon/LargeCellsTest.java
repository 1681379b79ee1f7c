package io.ishbase.daemon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.apache.hadoop.hbase.KeyValue;
import org.junit.jupiter.api.Test;

class LargeCellsTest {
  private long sending;
  private final LargeCells cells = new LargeCells(10 << 20, () -> sending);

  private static KeyValue cell(int bytes) {
    return new KeyValue(new byte[1], new byte[1], new byte[1], 1, new byte[bytes]);
  }

  @Test
  void smallOnesTakeNothing() throws Exception {
    LargeCells.Share share = cells.share();
    for (int i = 0; i < 100; i++) {
      share.take(0, cell(500_000));
    }
  }

  @Test
  void noMoreAreAnsweredThanThereIsMemoryFor() throws Exception {
    LargeCells.Share first = cells.share();
    LargeCells.Share second = cells.share();
    first.take(0, cell(4 << 20));
    second.take(0, cell(4 << 20));
    assertThatThrownBy(() -> second.take(7, cell(4 << 20)))
        .isInstanceOfSatisfying(FileFault.class, fault -> assertThat(fault.file()).isEqualTo(7))
        .hasMessageContaining("No memory");
    first.close();
    second.take(0, cell(4 << 20));
    second.close();
    LargeCells.Share third = cells.share();
    for (long all : new long[] {7 << 20, Long.MAX_VALUE}) {
      sending = all;
      assertThatThrownBy(() -> third.take(0, cell(4 << 20))).hasMessageContaining("No memory");
    }
    sending = 0;
    third.take(0, cell(4 << 20));
  }

  @Test
  void theLargestAreNotSent() {
    LargeCells plenty = new LargeCells(1L << 40, () -> 0);
    assertThatThrownBy(() -> plenty.share().take(0, cell(17 << 20)))
        .hasMessageContaining("daemons send up to");
    assertThatCode(() -> plenty.share().take(0, cell(15 << 20))).doesNotThrowAnyException();
  }
}
