package io.ishbase.core;

import static org.assertj.core.api.Assertions.assertThat;

import io.ishbase.core.Gate.Route;
import io.ishbase.core.SharedLine.Kind;
import io.ishbase.testing.Seed;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** What gates lose where readers wait for each other's bytes, on lines of 1 to 10,000 Mbps. */
class GateOnSharedLineTest {
  private static final double BLOCK_BYTES = 16_000;
  private static final double[] LINES = {1, 32, 512, 10_000};

  /** Bytes over blocks by bytes in-storage. */
  private static final double[] RATIOS = {0.1, 0.5, 1.25, 4, 100};

  private static final double[][] WORK = {{100, 250}, {250, 100}, {150, 170}};

  private final Random random = new Random(Seed.get());

  /** Throughput by that over the better route, for readers of one kind, over all lines. */
  private List<Double> ofOneKind(double hits) {
    List<Double> shares = new ArrayList<>();
    for (int processors : new int[] {0, 2}) {
      for (int readers : new int[] {1, 8, 64}) {
        for (double mbps : LINES) {
          for (double ratio : RATIOS) {
            for (double[] work : WORK) {
              Kind kind =
                  new Kind(readers, work, new double[] {BLOCK_BYTES, BLOCK_BYTES / ratio}, hits);
              SharedLine line = new SharedLine(mbps, processors, List.of(kind), random);
              double better = Math.max(line.fixed(Route.BLOCK)[0], line.fixed(Route.IN_STORAGE)[0]);
              shares.add(line.gated(List.of(new Gate()), 100 * readers, 5_000)[0] / better);
            }
          }
        }
      }
    }
    return shares;
  }

  @Test
  void isWithinFivePerCentOfTheBetterRouteAfterAHundredReadsOfEach() {
    List<Double> shares = ofOneKind(0);
    assertThat(shares).allSatisfy(share -> assertThat(share).isGreaterThan(0.95));
    assertThat(shares.stream().mapToDouble(share -> share).average().orElseThrow())
        .isGreaterThan(0.97);
  }

  @Test
  void isSeldomFurtherFromItWhereABlockCacheMakesTimesDiffer() {
    List<Double> shares = ofOneKind(0.3);
    assertThat(shares).filteredOn(share -> share < 0.95).hasSizeLessThan(shares.size() / 10);
    assertThat(shares).allSatisfy(share -> assertThat(share).isGreaterThan(0.6));
  }

  @Test
  void kindsThatShareALineFindTheRouteThatIsBetterForThem() {
    List<Double> shares = new ArrayList<>();
    for (int processors : new int[] {0, 2}) {
      for (double mbps : new double[] {8, 128, 512, 10_000}) {
        for (double ratio : new double[] {0.3, 4, 20}) {
          for (double otherRatio : new double[] {0.3, 0.5, 2, 10}) {
            Kind gets = new Kind(8, WORK[2], new double[] {16_000, 16_000 / ratio}, 0);
            Kind scans =
                new Kind(4, new double[] {800, 900}, new double[] {60_000, 60_000 / otherRatio}, 0);
            SharedLine line = new SharedLine(mbps, processors, List.of(gets, scans), random);
            double best = 0;
            for (Route ofGets : Route.values()) {
              for (Route ofScans : Route.values()) {
                best = Math.max(best, product(line.fixed(ofGets, ofScans)));
              }
            }
            double[] gated = line.gated(List.of(new Gate(), new Gate()), 3_000, 10_000);
            shares.add(Math.sqrt(product(gated) / best));
          }
        }
      }
    }
    assertThat(shares).filteredOn(share -> share < 0.9).hasSizeLessThan(shares.size() / 10);
    assertThat(shares).allSatisfy(share -> assertThat(share).isGreaterThan(0.6));
  }

  private static double product(double[] rates) {
    return rates[0] * rates[1];
  }
}
