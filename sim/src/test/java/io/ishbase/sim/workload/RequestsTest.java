package io.ishbase.sim.workload;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.ishbase.sim.workload.RequestStream.Kind;
import java.util.BitSet;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RequestsTest {
  private static final int DRAWS = 1_000_000;

  @ParameterizedTest
  @ValueSource(doubles = {0.7, 0.9, 0.99, 1.2})
  void ranksAreZipfian(double exponent) {
    int ranks = 1000;
    Zipf zipf = new Zipf(ranks, exponent);
    SplittableRandom random = new SplittableRandom(1);
    int[] drawn = new int[ranks];
    for (int i = 0; i < DRAWS; i++) {
      drawn[(int) zipf.draw(random)]++;
    }
    double sum = 0;
    for (int rank = 1; rank <= ranks; rank++) {
      sum += Math.pow(rank, -exponent);
    }
    for (int rank = 1; rank <= ranks; rank++) {
      double expected = DRAWS * Math.pow(rank, -exponent) / sum;
      assertThat((double) drawn[rank - 1]).isCloseTo(expected, within(6 * Math.sqrt(expected) + 1));
    }
  }

  @Test
  void mixAndLengthsAreThoseOfTheParameters() {
    Requests requests = new Requests(small(), 1, request -> 0.92);
    int[] kinds = new int[3];
    long rows = 0;
    int last = 0;
    for (int i = 0; i < DRAWS; i++) {
      requests.next();
      kinds[requests.kind().ordinal()]++;
      last = Math.max(last, requests.key() + requests.rows());
      rows += requests.kind() == Kind.SCAN ? requests.rows() : 0;
    }
    assertThat(last).isLessThanOrEqualTo(Requests.keys(small()));
    assertThat(kinds[0] / (double) DRAWS).isCloseTo(0.92, within(0.002));
    assertThat(kinds[2]).isZero();
    assertThat(rows / (double) kinds[1]).isCloseTo(30, within(0.3));
  }

  @Test
  void scatteredRanksAreAllKeys() {
    int keys = Requests.keys(small());
    BitSet seen = new BitSet();
    for (long rank = 0; rank < keys; rank++) {
      seen.set((int) (rank * 2_654_435_761L % keys));
    }
    assertThat(seen.cardinality()).isEqualTo(keys);
  }

  @Test
  void whatIsNoParameterIsRefused() {
    Parameters seed = Parameters.seed();
    assertThatThrownBy(() -> seed.with("cahce", "1")).hasMessageContaining("cache");
    assertThatThrownBy(() -> seed.with("cache", "much")).hasMessageContaining("a number");
    assertThatThrownBy(() -> seed.with("cache", "-1")).hasMessageContaining("from 0 to 1");
    assertThatThrownBy(() -> seed.with("keys", "hot")).hasMessageContaining("uniform");
    assertThatThrownBy(() -> seed.with("cache", "shipped")).hasMessageContaining("a number");
    assertThat(seed.with("policy.alpha", 0.5).number("policy.alpha", 1)).isEqualTo(0.5);
    assertThat(seed.number("policy.alpha", 1)).isEqualTo(1);
  }

  private static Parameters small() {
    return Parameters.seed().with("blocks", 16);
  }
}
