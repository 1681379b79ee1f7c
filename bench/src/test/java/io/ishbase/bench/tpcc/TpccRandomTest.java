package io.ishbase.bench.tpcc;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.EnumMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class TpccRandomTest {
  private static final int DRAWS = 200_000;

  @ParameterizedTest
  @ValueSource(ints = {1, 7, 10, 100})
  void nonUniformValuesStayInTheirBoundsAndReachBothEnds(int divisor) {
    TpccScale scale = new TpccScale(1, divisor);
    TpccRandom random = new TpccRandom(scale, 1, 0);
    Set<Integer> customers = new HashSet<>();
    Set<Integer> items = new HashSet<>();
    for (int i = 0; i < DRAWS; i++) {
      customers.add(random.customer());
      items.add(random.item());
    }
    assertThat(customers).allMatch(c -> c >= 1 && c <= scale.customers());
    assertThat(items).allMatch(i -> i >= 1 && i <= scale.items());
    assertThat(customers).contains(1, scale.customers());
  }

  @Test
  void nonUniformValuesAreNotUniform() {
    TpccScale scale = new TpccScale(1, 10);
    TpccRandom random = new TpccRandom(scale, 1, 0);
    int[] drawn = new int[scale.items() + 1];
    IntStream.range(0, DRAWS).forEach(i -> drawn[random.item()]++);
    int expected = DRAWS / scale.items();
    assertThat(IntStream.of(drawn).max().getAsInt()).isGreaterThan(4 * expected);
  }

  @Test
  void aDrawnLastNameBelongsToSomeCustomerOfEveryDistrict() {
    TpccScale scale = new TpccScale(1, 10);
    Set<String> loaded = new HashSet<>();
    IntStream.range(0, scale.lastNames()).forEach(i -> loaded.add(TpccRandom.lastName(i)));
    TpccRandom random = new TpccRandom(scale, 1, 0);
    for (int i = 0; i < DRAWS; i++) {
      assertThat(loaded).contains(random.lastName());
    }
  }

  @Test
  void lastNamesAreThoseOfTheSpecification() {
    assertThat(TpccRandom.lastName(371)).isEqualTo("PRICALLYOUGHT");
    assertThat(TpccRandom.lastName(40)).isEqualTo("BARPRESBAR");
  }

  @Test
  void theSameSeedAndStreamGiveTheSameValues() {
    TpccScale scale = new TpccScale(2, 10);
    TpccRandom one = new TpccRandom(scale, 5, 3);
    TpccRandom same = new TpccRandom(scale, 5, 3);
    TpccRandom other = new TpccRandom(scale, 5, 4);
    String text = one.letters(40, 40);
    assertThat(same.letters(40, 40)).isEqualTo(text);
    assertThat(other.letters(40, 40)).isNotEqualTo(text);
  }

  @Test
  void transactionsHaveTheirShares() {
    TpccRandom random = new TpccRandom(new TpccScale(1, 10), 1, 0);
    Map<TpccTransaction, Integer> drawn = new EnumMap<>(TpccTransaction.class);
    IntStream.range(0, DRAWS).forEach(i -> drawn.merge(TpccMix.next(random), 1, Integer::sum));
    for (TpccTransaction transaction : TpccTransaction.values()) {
      double share = 100.0 * drawn.get(transaction) / DRAWS;
      // Five standard deviations of the largest share.
      assertThat(share)
          .isBetween(transaction.sharePercent() - 0.6, transaction.sharePercent() + 0.6);
    }
  }

  @Test
  void aTenthOfTheDataIsOriginal() {
    TpccRandom random = new TpccRandom(new TpccScale(1, 10), 1, 0);
    int original = 0;
    for (int i = 0; i < DRAWS; i++) {
      String data = random.data();
      assertThat(data).hasSizeBetween(26, 50);
      original += data.contains(TpccSchema.ORIGINAL) ? 1 : 0;
    }
    assertThat(100.0 * original / DRAWS).isBetween(9.5, 10.5);
  }

  @Test
  void aPermutationHoldsEachNumberOnce() {
    int[] numbers = new TpccRandom(new TpccScale(1, 10), 1, 0).permutation(300);
    assertThat(IntStream.of(numbers).sorted())
        .containsExactlyElementsOf(IntStream.rangeClosed(1, 300).boxed().toList());
  }
}
