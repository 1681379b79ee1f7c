package io.ishbase.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

class OperationsTest {
  private static final int COUNT = 200;

  private final Operations operations = Operations.draw(new Random(1), COUNT);

  /** Fails at the operation at which the last of these has run, whatever else runs. */
  private void fail(Operations tried, List<Integer> culprits) throws Exception {
    Set<Long> missing = new HashSet<>();
    culprits.forEach(culprit -> missing.add(first(operations.seeds().get(culprit))));
    Random random = tried.random();
    tried.each(
        random,
        () -> {
          if (missing.remove(random.nextLong())) {
            assertThat(missing).as("what has not run").isNotEmpty();
          }
        });
  }

  private static long first(long seed) {
    return new Random(seed).nextLong();
  }

  @Test
  void whatFailsIsShrunkAndWrittenForAReplay() throws Exception {
    List<Integer> culprits = List.of(17, 120, 150);
    String name = "operations-test";
    Throwable thrown = catchThrowable(() -> operations.run(name, tried -> fail(tried, culprits)));
    assertThat(thrown).isInstanceOf(AssertionError.class);
    Path file = Path.of("target", "operations", name + ".txt").toAbsolutePath();
    assertThat(thrown).hasMessageContaining("-Dishbase.operations=" + file);
    Operations shrunk = Operations.read(file);
    Files.delete(file);
    assertThat(shrunk.size()).isBetween(culprits.size(), 20);
    assertThat(catchThrowable(() -> fail(shrunk, culprits))).isInstanceOf(AssertionError.class);
    // In their order, and the same.
    List<Long> left = new ArrayList<>(operations.seeds());
    left.retainAll(shrunk.seeds());
    assertThat(shrunk.seeds()).isEqualTo(left);
    assertThat(shrunk.random().nextLong()).isEqualTo(operations.random().nextLong());
  }

  @Test
  void aSingleFailingOperationIsLeftAlone() throws Exception {
    Throwable thrown =
        catchThrowable(() -> operations.run("one", tried -> fail(tried, List.of(99))));
    assertThat(thrown).hasMessageStartingWith("Of 200 operations these 1 are left");
    Files.delete(Path.of("target", "operations", "one.txt"));
  }
}
