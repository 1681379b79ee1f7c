package io.ishbase.daemon.compaction;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** What a worker keeps of the files that it wrote. */
class RemoteCacheTest {
  private static final int CHUNK = 1 << 18;

  private final Random random = new Random(1);
  private final RemoteCache cache = new RemoteCache(4 * CHUNK);

  private byte[] keep(String name, int length) {
    byte[] bytes = new byte[length];
    random.nextBytes(bytes);
    cache.begin(name);
    int done = 0;
    while (done < length) {
      int part = Math.min(length - done, 1 + random.nextInt(100_000));
      cache.append(name, bytes, done, part);
      done += part;
    }
    cache.complete(name);
    return bytes;
  }

  @Test
  void givesWhatWasWritten() {
    byte[] bytes = keep("a", 3 * CHUNK - 5);
    for (int i = 0; i < 100; i++) {
      int from = random.nextInt(bytes.length);
      int length = random.nextInt(2 * CHUNK);
      assertThat(cache.read("a", from, length).toByteArray())
          .isEqualTo(Arrays.copyOfRange(bytes, from, Math.min(bytes.length, from + length)));
    }
    assertThat(cache.read("a", bytes.length, 10).isEmpty()).isTrue();
    assertThat(cache.read("b", 0, 10)).isNull();
  }

  @Test
  void aFileIsReadableOnceItIsWhole() {
    cache.begin("a");
    cache.append("a", new byte[10], 0, 10);
    assertThat(cache.read("a", 0, 10)).isNull();
    cache.complete("a");
    assertThat(cache.read("a", 0, 10)).isNotNull();
  }

  @Test
  void theFileThatNobodyAsksForMakesRoom() {
    keep("a", CHUNK);
    keep("b", CHUNK);
    assertThat(cache.read("a", 0, 1)).isNotNull();
    keep("c", 3 * CHUNK);
    assertThat(cache.read("b", 0, 1)).isNull();
    assertThat(cache.read("a", 0, 1)).isNotNull();
    assertThat(cache.read("c", 0, 1)).isNotNull();
    assertThat(cache.usedBytes()).isEqualTo(4 * CHUNK);
  }

  @Test
  void aFileThatIsTooLargeIsNotKept() {
    keep("a", 4 * CHUNK + 1);
    assertThat(cache.read("a", 0, 1)).isNull();
    assertThat(cache.usedBytes()).isZero();
  }

  @Test
  void whatIsDroppedIsGone() {
    keep("a", CHUNK + 1);
    cache.drop("a");
    assertThat(cache.read("a", 0, 1)).isNull();
    assertThat(cache.usedBytes()).isZero();
  }
}
