package io.ishbase.sim.workload;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.ishbase.sim.workload.RequestStream.Kind;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Loads that are not the seed's. */
class LoadsTest {
  private static final int DRAWS = 200_000;

  @ParameterizedTest
  @CsvSource({
    "ycsb-a, 0.5, 0, 0.5",
    "ycsb-b, 0.95, 0, 0.05",
    "ycsb-c, 1, 0, 0",
    "ycsb-d, 0.95, 0, 0.05",
    "ycsb-e, 0, 0.95, 0.05",
    "ycsb-f, 0.6667, 0, 0.3333",
    "mixgraph, 0.85, 0.01, 0.14",
    "latest, 0.874, 0.076, 0.05"
  })
  void presetsMixAsTheySay(String preset, double gets, double scans, double puts) {
    Map<Kind, Double> shares = new EnumMap<>(Kind.class);
    Requests requests = requests(Presets.of(preset));
    for (int i = 0; i < DRAWS; i++) {
      requests.next();
      shares.merge(requests.kind(), 1.0 / DRAWS, Double::sum);
    }
    assertThat(shares.getOrDefault(Kind.GET, 0.0)).isCloseTo(gets, within(0.005));
    assertThat(shares.getOrDefault(Kind.SCAN, 0.0)).isCloseTo(scans, within(0.005));
    assertThat(shares.getOrDefault(Kind.PUT, 0.0)).isCloseTo(puts, within(0.005));
  }

  @Test
  void allPresetsDrawRowsThatAreThere() {
    for (String preset : Presets.names()) {
      Parameters parameters = Presets.of(preset).with("blocks", 3);
      Requests requests = new Requests(parameters, 1);
      int keys = Requests.keys(parameters);
      for (int i = 0; i < 10_000; i++) {
        assertThat(requests.next()).isTrue();
        assertThat(requests.key()).as(preset).isBetween(0, keys - 1);
        assertThat(requests.rows()).as(preset).isBetween(1, keys - requests.key());
      }
    }
  }

  @Test
  void aRowIsReadBeforeItIsModified() {
    Requests requests = requests(Presets.of("ycsb-f").with("read.share", 0));
    for (int i = 0; i < 1000; i++) {
      requests.next();
      assertThat(requests.kind()).isEqualTo(Kind.GET);
      int key = requests.key();
      requests.next();
      assertThat(requests.kind()).isEqualTo(Kind.PUT);
      assertThat(requests.key()).isEqualTo(key);
    }
  }

  /** The last row is asked for most, and which that is moves on with each insert. */
  @Test
  void latestRowsAreThoseInsertedLast() {
    Parameters parameters =
        small().with("keys", "latest").with("write", "insert").with("read.share", 0.5);
    Requests requests = new Requests(parameters, 1);
    int keys = Requests.keys(parameters);
    int last = keys - 1;
    int ofLast = 0;
    int gets = 0;
    for (int i = 0; i < DRAWS; i++) {
      requests.next();
      if (requests.kind() == Kind.PUT) {
        assertThat(requests.key()).isEqualTo((last + 1) % keys);
        last = requests.key();
      } else {
        gets++;
        ofLast += requests.key() == last ? 1 : 0;
      }
    }
    double sum = 0;
    for (int rank = 1; rank <= keys; rank++) {
      sum += Math.pow(rank, -0.9);
    }
    assertThat((double) ofLast / gets).isCloseTo(1 / sum, within(0.005));
  }

  @Test
  void aMovingRangeIsLeftBehind() {
    Parameters parameters =
        small()
            .with("keys", "moving")
            .with("get.share", 1)
            .with("moving.share", 0.01)
            .with("moving.requests", 1000);
    Requests requests = new Requests(parameters, 1);
    int keys = Requests.keys(parameters);
    int width = (int) (keys * 0.01);
    for (long i = 0; i < DRAWS; i++) {
      requests.next();
      long from = i * width / 1000;
      assertThat(Math.floorMod(requests.key() - from, (long) keys)).isLessThan(width);
    }
  }

  @Test
  void sharesMoveOnAStraightLine() {
    Parameters parameters =
        small()
            .with("requests", DRAWS)
            .with("get.share", 1)
            .with("get.share.end", 0)
            .with("read.share", 0.2)
            .with("read.share.end", 0.8);
    Requests requests = new Requests(parameters, 1);
    int[][] counts = new int[2][3];
    for (int i = 0; i < DRAWS; i++) {
      requests.next();
      counts[2 * i / DRAWS][requests.kind().ordinal()]++;
    }
    // In the halves reads are 0.35 and 0.65 of all, and Gets 0.75 and 0.25 of a read, nearly.
    assertThat(counts[0][Kind.PUT.ordinal()] * 2.0 / DRAWS).isCloseTo(0.65, within(0.01));
    assertThat(counts[1][Kind.PUT.ordinal()] * 2.0 / DRAWS).isCloseTo(0.35, within(0.01));
    assertThat(counts[0][Kind.GET.ordinal()]).isGreaterThan(2 * counts[0][Kind.SCAN.ordinal()]);
    assertThat(counts[1][Kind.SCAN.ordinal()]).isGreaterThan(2 * counts[1][Kind.GET.ordinal()]);
  }

  /** Of 30 ranges, the share of the hottest is what the sum of exponentials says. */
  @Test
  void rangesOfMixgraphAreAsHotAsTheModelSays() {
    Parameters parameters = Presets.of("mixgraph").with("blocks", 300).with("get.share", 1);
    Requests requests = new Requests(parameters, 1);
    int range = Requests.keys(parameters) / 30;
    int[] counts = new int[31];
    for (int i = 0; i < DRAWS; i++) {
      requests.next();
      counts[requests.key() / range]++;
    }
    double[] hotness = new double[30];
    for (int x = 1; x <= 30; x++) {
      hotness[x - 1] = 14.18 * Math.exp(-2.917 * x) + 0.0164 * Math.exp(-0.08082 * x);
    }
    double sum = Arrays.stream(hotness).sum();
    int[] sorted = Arrays.stream(counts).sorted().toArray();
    assertThat(sorted[30] / (double) DRAWS).isCloseTo(hotness[0] / sum, within(0.005));
    assertThat(sorted[29] / (double) DRAWS).isCloseTo(hotness[1] / sum, within(0.005));
    assertThat(counts[30]).isZero();
  }

  @Test
  void lengthsOfScansAreDistributedAsSaid() {
    Parameters scans = small().with("keys", "uniform").with("get.share", 0);
    Requests fixed = new Requests(scans.with("scan.lengths", "fixed"), 1);
    int keys = Requests.keys(scans);
    for (int i = 0; i < 1000; i++) {
      fixed.next();
      assertThat(fixed.rows()).isEqualTo(Math.min(30, keys - fixed.key()));
    }
    // Median of a generalized Pareto distribution: sigma (2^k - 1) / k.
    Requests pareto =
        new Requests(
            scans.with("scan.lengths", "pareto").with("pareto.k", 0.5).with("pareto.sigma", 100),
            1);
    int below = 0;
    for (int i = 0; i < DRAWS; i++) {
      pareto.next();
      below += pareto.rows() <= 100 * (Math.sqrt(2) - 1) / 0.5 ? 1 : 0;
    }
    assertThat((double) below / DRAWS).isCloseTo(0.5, within(0.02));
  }

  @Test
  void aPresetThatIsNoneIsRefused() {
    assertThatThrownBy(() -> Presets.of("tpcc")).hasMessageContaining("mixgraph");
  }

  private static Requests requests(Parameters parameters) {
    return new Requests(parameters.with("blocks", 64), 1);
  }

  private static Parameters small() {
    return Parameters.seed().with("blocks", 16);
  }
}
