package io.ishbase.it.metamorphic;

import static org.assertj.core.api.Assertions.assertThat;

import io.ishbase.testing.Seed;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** With a wrong answer that is known, in place of a cluster. */
class ShrinkerTest {
  private int trials;

  /**
   * Wrong is a scan of versions behind a flush behind a put of {@code f:q3}, where the segment
   * cache is on.
   */
  private Difference trial(OperationFile file) {
    trials++;
    for (Map.Entry<String, Map<String, String>> each : file.configurations().entrySet()) {
      boolean isPut = false;
      boolean isFlushed = false;
      List<Line> operations = file.operations();
      for (int i = 0; i < operations.size(); i++) {
        Line line = operations.get(i);
        isPut |= line.verb().equals("put") && line.toString().contains("f:q3");
        isFlushed |= isPut && line.verb().equals("flush");
        if (isFlushed
            && line.verb().equals("scan")
            && line.option("versions") != null
            && !"false".equals(each.getValue().get("ishbase.cache"))
            && "in-storage".equals(each.getValue().get("ishbase.read"))) {
          Answer expected = Answer.of("row");
          return new Difference(
              i, line, each.getKey(), each.getValue(), expected, Answer.of(), null, expected);
        }
      }
    }
    return null;
  }

  private static OperationFile failing(long seed) {
    OperationFile drawn = Metamorphic.draw(seed, 1000, 8);
    Map<String, Map<String, String>> configurations = new TreeMap<>();
    configurations.putAll(drawn.configurations());
    configurations.put("c3", Map.of("ishbase.read", "in-storage", "block", "64", "codec", "GZ"));
    return new OperationFile(
        drawn.nodes(), drawn.families(), drawn.servers(), configurations, drawn.operations());
  }

  @Test
  void whatIsLeftIsWhatIsNeeded() throws Exception {
    OperationFile file = failing(Seed.get());
    Difference found = trial(file);
    Shrinker shrinker = new Shrinker(file, found, this::trial, () -> true);
    assertThat(shrinker.run()).isTrue();
    OperationFile least = shrinker.least();
    System.out.println(least + "\nafter " + shrinker.trials() + " trials");
    assertThat(least.operations()).hasSize(3);
    assertThat(least.operations().get(0).toString()).matches("put row\\d+ f:q3@\\S+|put f:q3@\\S+");
    assertThat(least.operations().get(1)).hasToString("flush");
    assertThat(least.operations().get(2).toString()).matches("scan versions=\\d");
    assertThat(least.configurations()).hasSize(1);
    assertThat(least.configurations().values().iterator().next())
        .isEqualTo(Map.of("ishbase.read", "in-storage"));
    assertThat(least.servers()).isEmpty();
    assertThat(shrinker.trials()).isEqualTo(trials - 1).isLessThan(400);
    // As it is replayed.
    assertThat(trial(OperationFile.parse(least.toString().lines()))).isNotNull();
  }

  @Test
  void whatDoesNotShowAgainIsLeftAsItIs() throws Exception {
    OperationFile file = failing(Seed.get());
    Shrinker shrinker = new Shrinker(file, trial(file), tried -> null, () -> true);
    assertThat(shrinker.run()).isFalse();
    assertThat(shrinker.least()).isSameAs(file);
    assertThat(shrinker.trials()).isEqualTo(1);
  }

  @Test
  void anotherFaultIsNotTakenForThisOne() throws Exception {
    OperationFile file = failing(Seed.get());
    Difference found = trial(file);
    int half = found.line() / 2;
    Shrinker shrinker =
        new Shrinker(
            file,
            found,
            tried -> {
              Difference same = trial(tried);
              return same == null || tried.operations().size() > half
                  ? same
                  : new Difference(
                      same.line(),
                      same.operation(),
                      same.configuration(),
                      same.options(),
                      same.expected(),
                      new Answer(List.of(), "java.io.IOException", "another"),
                      null,
                      same.stock());
            },
            () -> true);
    assertThat(shrinker.run()).isTrue();
    assertThat(shrinker.least().operations()).hasSizeGreaterThan(half);
  }

  @Test
  void itEndsWhenItsTimeIsOver() throws Exception {
    OperationFile file = failing(Seed.get());
    Shrinker shrinker = new Shrinker(file, trial(file), this::trial, () -> trials < 10);
    shrinker.run();
    assertThat(trials).isEqualTo(10);
    assertThat(trial(shrinker.least())).isNotNull();
  }
}
