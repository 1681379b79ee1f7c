package io.ishbase.plugin.shadow;

import static org.assertj.core.api.Assertions.assertThat;

import io.ishbase.testing.Seed;
import org.junit.jupiter.api.Test;

/** Which reads are checked. */
class ShadowReadsTest {
  private static final int ONE_IN = 10;

  private final ShadowReads shadows = new ShadowReads(() -> 0, Seed.get());

  /** A client that reads two tables in turn, or the same rows in a circle. */
  @Test
  void noRhythmOfReadsHidesSomeOfThem() {
    int[] checked = new int[ONE_IN];
    for (int read = 0; read < 1000 * ONE_IN; read++) {
      if (shadows.isNext(ONE_IN)) {
        checked[read % ONE_IN]++;
      }
    }
    assertThat(checked).doesNotContain(0);
  }

  @Test
  void asManyAreCheckedAsAreToBe() {
    for (int oneIn : new int[] {1, 2, 3, 10_000}) {
      ShadowReads of = new ShadowReads(() -> 0, Seed.get());
      int checked = 0;
      for (int read = 0; read < 5 * oneIn; read++) {
        checked += of.isNext(oneIn) ? 1 : 0;
      }
      assertThat(checked).isEqualTo(5);
    }
    assertThat(shadows.isNext(0)).isFalse();
  }

  /** A test or a tool that makes few reads is never slower now and then. */
  @Test
  void whoReadsLittleIsNotChecked() {
    for (int read = 1; read < ONE_IN; read++) {
      assertThat(shadows.isNext(ONE_IN)).isFalse();
    }
    assertThat(shadows.isNext(ONE_IN)).isTrue();
  }

  /** Of each so many as it says, although all count together. */
  @Test
  void tablesWithOtherSharesAreCheckedToo() {
    int[] checked = new int[2];
    for (int read = 0; read < 2000 * ONE_IN; read++) {
      if (shadows.isNext(read % 2 == 0 ? ONE_IN : 2 * ONE_IN)) {
        checked[read % 2]++;
      }
    }
    assertThat(checked[0]).isBetween(800, 1200);
    assertThat(checked[1]).isBetween(400, 600);
  }
}
