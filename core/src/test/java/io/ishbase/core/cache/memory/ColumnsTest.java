package io.ishbase.core.cache.memory;

import static org.assertj.core.api.Assertions.assertThat;

import io.ishbase.testing.Seed;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class ColumnsTest {
  private static final int BEGIN = 7;

  private final Random random = new Random(Seed.get());

  private static byte[] b(String s) {
    return s.getBytes(StandardCharsets.ISO_8859_1);
  }

  private static Columns between(String from, String to) {
    return Columns.between(b(from), to == null ? null : b(to));
  }

  /** Names of which many are equal, or one right behind the other. */
  private byte[] name() {
    byte[] name = new byte[random.nextInt(4)];
    for (int i = 0; i < name.length; i++) {
      name[i] = (byte) (random.nextInt(3) - 1);
    }
    return name;
  }

  private Columns some() {
    Columns some = Columns.of();
    for (int i = random.nextInt(4); i >= 0; i--) {
      some =
          some.union(
              switch (random.nextInt(4)) {
                case 0 -> Columns.between(name(), random.nextInt(4) == 0 ? null : name());
                case 1 -> Columns.withPrefix(name());
                default -> Columns.of(name(), name());
              });
    }
    return some;
  }

  /** All possible names of {@link #name}, and what may come right behind them. */
  private static List<byte[]> names() {
    List<byte[]> names = new ArrayList<>(List.of(new byte[0]));
    for (int i = 0; i < names.size() && names.get(i).length < 4; i++) {
      for (byte next : new byte[] {0, 1, 2, -1}) {
        byte[] longer = Arrays.copyOf(names.get(i), names.get(i).length + 1);
        longer[longer.length - 1] = next;
        names.add(longer);
      }
    }
    return names;
  }

  private static boolean areIn(Columns columns, Columns others) {
    byte[] encoded = others.encode();
    ByteBuffer buffer = ByteBuffer.allocate(BEGIN + encoded.length + 1);
    buffer.put(BEGIN, encoded);
    assertThat(Columns.decode(buffer, BEGIN, encoded.length)).hasToString(others.toString());
    return columns.areIn(buffer, BEGIN, encoded.length);
  }

  @Test
  void theyAreSets() {
    List<byte[]> names = names();
    for (int i = 0; i < 3000; i++) {
      Columns a = some();
      Columns b = some();
      Columns union = a.union(b);
      Columns common = a.intersect(b);
      boolean areIn = true;
      for (byte[] name : names) {
        assertThat(union.contains(name)).isEqualTo(a.contains(name) || b.contains(name));
        assertThat(common.contains(name)).isEqualTo(a.contains(name) && b.contains(name));
        areIn &= b.contains(name) || !a.contains(name);
      }
      // Names of four bytes tell all intervals apart that names of three can bound.
      assertThat(areIn(a, b)).as("%s in %s", a, b).isEqualTo(areIn);
      assertThat(areIn(a, union)).isTrue();
      assertThat(areIn(common, a)).isTrue();
      assertThat(areIn(union, a)).isEqualTo(areIn(b, a));
      assertThat(areIn(a, Columns.ALL)).isTrue();
      assertThat(areIn(Columns.ALL, a)).isEqualTo(a.isAll());
      List<byte[]> singles = a.singles();
      if (singles != null) {
        assertThat(Columns.of(singles)).hasToString(a.toString());
      }
    }
  }

  @Test
  void theyAreJoinedWhereTheyTouch() {
    assertThat(Columns.of(b("b"), b("a"), b("b"))).hasToString("a b");
    assertThat(Columns.of(b("a"), b("a\0"))).hasToString("a..a\\x00\\x00");
    assertThat(between("a", "c").union(between("c", null))).hasToString("a..");
    assertThat(between("a", "c").union(between("b", "d"))).hasToString("a..d");
    assertThat(between("a", "d").union(between("b", "c"))).hasToString("a..d");
    assertThat(between("b", "c").union(Columns.of(b("c")))).hasToString("b..c\\x00");
    assertThat(between("a", "b").union(between("b\0", "c"))).hasToString("a..b b\\x00..c");
  }

  @Test
  void someAreNoneAndSomeAreAll() {
    assertThat(between("b", "b").isEmpty()).isTrue();
    assertThat(between("c", "b").isEmpty()).isTrue();
    assertThat(between("", "").isEmpty()).isTrue();
    assertThat(between("", null).isAll()).isTrue();
    assertThat(between("\0", null).isAll()).isFalse();
    assertThat(between("", "b").union(between("b", null)).isAll()).isTrue();
    assertThat(Columns.of().isEmpty()).isTrue();
  }

  @Test
  void aPrefixIsAnInterval() {
    assertThat(Columns.withPrefix(b("ab"))).hasToString("ab..ac");
    assertThat(Columns.withPrefix(b("a\u00ff\u00ff"))).hasToString("a\\xFF\\xFF..b");
    assertThat(Columns.withPrefix(b("\u00ff"))).hasToString("\\xFF..");
    assertThat(Columns.withPrefix(b("\u007f"))).hasToString("\\x7F..\\x80");
    assertThat(Columns.withPrefix(b("")).isAll()).isTrue();
  }

  @Test
  void singleColumnsCanBeNamed() {
    assertThat(Columns.of(b("b"), b("")).singles()).containsExactly(b(""), b("b"));
    assertThat(between("b", "b\0").singles()).containsExactly(b("b"));
    assertThat(between("b", "b\0\0").singles()).isNull();
    assertThat(between("b", null).singles()).isNull();
    assertThat(Columns.of(b("b")).union(between("c", "d")).singles()).isNull();
  }
}
