package io.ishbase.core;

import static org.assertj.core.api.Assertions.assertThat;

import io.ishbase.testing.Seed;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class RowGroupsTest {
  @Test
  void everyRowIsInOneGroupAndNoGroupIsTooLarge() {
    Random random = new Random(Seed.get());
    for (int trial = 0; trial < 500; trial++) {
      TreeMap<byte[], Integer> rows = new TreeMap<>(Arrays::compareUnsigned);
      for (int i = random.nextInt(50); i > 0; i--) {
        byte[] row = new byte[1 + random.nextInt(20)];
        random.nextBytes(row);
        rows.put(row, i);
      }
      int maxRows = 1 + random.nextInt(10);
      int maxBytes = 1 + random.nextInt(200);
      List<TreeMap<byte[], Integer>> groups = RowGroups.of(rows, maxRows, maxBytes);
      TreeMap<byte[], Integer> all = new TreeMap<>(Arrays::compareUnsigned);
      for (int i = 0; i < groups.size(); i++) {
        TreeMap<byte[], Integer> group = groups.get(i);
        int bytes = bytes(group);
        assertThat(group).hasSizeBetween(1, maxRows);
        assertThat(bytes <= maxBytes || group.size() == 1).isTrue();
        all.putAll(group);
        if (i + 1 < groups.size()) {
          TreeMap<byte[], Integer> next = groups.get(i + 1);
          assertThat(group.size() == maxRows || bytes + 2 * next.firstKey().length > maxBytes)
              .as("a group is full")
              .isTrue();
          assertThat(Arrays.compareUnsigned(group.lastKey(), next.firstKey())).isNegative();
        }
      }
      assertThat(all).isEqualTo(rows);
    }
  }

  private static int bytes(TreeMap<byte[], Integer> group) {
    return group.keySet().stream().mapToInt(row -> 2 * row.length).sum();
  }
}
