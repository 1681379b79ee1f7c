package io.ishbase.daemon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ishbase.daemon.rpc.RequestException;
import io.ishbase.protocol.Protocol;
import io.ishbase.protocol.ReadSet;
import io.ishbase.protocol.generated.IssnProtos.Code;
import io.ishbase.protocol.generated.IssnProtos.ReadRequest;
import org.junit.jupiter.api.Test;

/** What a daemon remembers, and what not. */
class KnownSetsTest {
  private static final int MAX_BYTES = 1 << 20;

  private final KnownSets sets = new KnownSets(MAX_BYTES);

  private static ReadRequest of(String directory) {
    return ReadRequest.newBuilder()
        .setVersion(Protocol.VERSION)
        .setDirectory(directory)
        .addFile("file")
        .setReadPoint(1)
        .build();
  }

  private void learn(ReadRequest request) throws RequestException {
    sets.learn(ReadSet.of(request).taughtBy(request), request);
  }

  private ReadRequest full(ReadRequest request) throws RequestException {
    return sets.full(ReadSet.of(request).shortened(request));
  }

  @Test
  void whatWasToldIsKnown() throws RequestException {
    learn(of("/a"));
    learn(of("/b"));
    learn(of("/a"));
    assertThat(sets.size()).isEqualTo(2);
    assertThat(full(of("/a"))).isEqualTo(of("/a"));
    assertThat(full(of("/b"))).isEqualTo(of("/b"));
    assertThatThrownBy(() -> full(of("/c")))
        .isInstanceOfSatisfying(
            RequestException.class, e -> assertThat(e.code()).isEqualTo(Code.UNKNOWN_HANDLE));
  }

  @Test
  void whatIsNotToldIsNotRemembered() throws RequestException {
    sets.learn(of("/a"), of("/a"));
    assertThat(sets.size()).isZero();
    assertThat(sets.full(of("/a"))).isEqualTo(of("/a"));
  }

  /** Whoever tells of many stores takes no more memory, and nobody's handle that is in use. */
  @Test
  void aFloodOfHandlesIsBounded() throws RequestException {
    learn(of("/used"));
    for (int i = 0; i < 50_000; i++) {
      learn(of("/flood/" + i));
      if (i % 10 == 0) {
        assertThat(full(of("/used"))).isEqualTo(of("/used"));
      }
      if (i % 1000 == 0) {
        assertThat(sets.bytes()).isLessThanOrEqualTo(MAX_BYTES);
      }
    }
    assertThat(sets.size()).isBetween(100L, 5_000L);
  }

  @Test
  void largeOnesCountAsWhatTheyAre() throws RequestException {
    String large = "/" + "d".repeat(Protocol.MAX_HANDLE_BYTES / 2);
    for (int i = 0; i < 1000; i++) {
      learn(of(large + i));
    }
    assertThat(sets.size()).isBetween(1L, 6L);
    assertThat(sets.bytes()).isLessThanOrEqualTo(MAX_BYTES);
  }

  /** A name takes an object and an array, and a place in a list, besides its letters. */
  @Test
  void namesCountAsWhatTheyTake() throws RequestException {
    int names = 1000;
    ReadRequest.Builder request = of("/a").toBuilder();
    for (int i = 1; i < names; i++) {
      request.addFile("f");
    }
    learn(request.build());
    assertThat(sets.bytes()).isGreaterThanOrEqualTo(names * 50L);
  }
}
