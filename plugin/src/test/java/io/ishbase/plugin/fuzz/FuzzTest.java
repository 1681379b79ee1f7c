package io.ishbase.plugin.fuzz;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Some inputs of each kind; more of them, and others: {@code ./ishbase fuzz}. */
class FuzzTest {
  @TempDir private Path directory;

  @ParameterizedTest
  @CsvSource({"requests, 4000", "sockets, 4000", "answers, 2000", "compactions, 100"})
  @Timeout(value = 5, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
  void doesNoHarm(String kind, long count) throws Exception {
    long seed = Long.getLong("ishbase.seed", System.nanoTime());
    System.out.println("seed: -Dishbase.seed=" + seed);
    try (Fuzzer fuzzer = Fuzz.fuzzer(kind, seed, directory)) {
      FuzzRun run = new FuzzRun(kind, fuzzer, seed, Path.of("target", "fuzz"), System.out);
      run.run(count, Long.MAX_VALUE);
      assertThat(run.tried()).isEqualTo(count);
    }
  }

  @Test
  void whatDidHarmIsReadAgain() throws IOException {
    byte[] input = new byte[1000];
    new Random(1).nextBytes(input);
    Path file =
        new FailingInput("answers", -5, 7, "It failed", input, new AssertionError("a\nb"))
            .writeTo(directory);
    FailingInput read = FailingInput.read(file);
    assertThat(read.kind()).isEqualTo("answers");
    assertThat(read.seed()).isEqualTo(-5);
    assertThat(read.number()).isEqualTo(7);
    assertThat(read.input()).isEqualTo(input);
    Path other = Files.write(directory.resolve("x"), "kind".getBytes(StandardCharsets.UTF_8));
    assertThatThrownBy(() -> FailingInput.read(other)).isInstanceOf(IOException.class);
  }
}
