package io.ishbase.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.zip.Deflater;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class ValuesTest {
  private static final int BLOCK_BYTES = 64 << 10;

  @ParameterizedTest
  @EnumSource(Values.class)
  void followFromRowAndColumn(Values values) {
    for (int bytes : new int[] {1, 16, 100, 1000}) {
      String value = values.of("user1", "field0", bytes);
      assertThat(value)
          .hasSize(bytes)
          .isEqualTo(values.of("user1", "field0", bytes))
          .matches("\\p{ASCII}*");
    }
    assertThat(values.of("user1", "field0", 100))
        .isNotEqualTo(values.of("user2", "field0", 100))
        .isNotEqualTo(values.of("user1", "field1", 100));
  }

  @ParameterizedTest
  @EnumSource(Values.class)
  void shrinkAsTheirKindDoes(Values values) {
    StringBuilder block = new StringBuilder();
    for (int row = 0; block.length() < BLOCK_BYTES; row++) {
      block.append(values.of("user" + row * 7919L, "field0", 100));
    }
    double ratio = BLOCK_BYTES / (double) deflated(block.toString());
    if (values == Values.YCSB) {
      assertThat(ratio).isLessThan(2.5);
    } else {
      assertThat(ratio).isBetween(2.5, 8.0);
    }
  }

  private static int deflated(String block) {
    Deflater deflater = new Deflater(Deflater.BEST_SPEED);
    deflater.setInput(block.getBytes(StandardCharsets.US_ASCII));
    deflater.finish();
    int size = deflater.deflate(new byte[2 * BLOCK_BYTES]);
    deflater.end();
    return size;
  }
}
