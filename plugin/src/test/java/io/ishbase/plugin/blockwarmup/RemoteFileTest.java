package io.ishbase.plugin.blockwarmup;

import static org.assertj.core.api.Assertions.assertThat;

import io.ishbase.protocol.generated.CompactionProtos.FetchResponse;
import io.ishbase.protocol.generated.IssnProtos.Code;
import java.util.concurrent.CompletableFuture;
import org.apache.hbase.thirdparty.com.google.protobuf.ByteString;
import org.junit.jupiter.api.Test;

class RemoteFileTest {
  private static RemoteFile answering(int bytes) {
    return new RemoteFile(
        request ->
            CompletableFuture.completedFuture(
                FetchResponse.newBuilder()
                    .setCode(Code.OK)
                    .setData(ByteString.copyFrom(new byte[bytes]))
                    .build()),
        "file");
  }

  @Test
  void fewerBytesThanAskedForAreTaken() {
    RemoteFile file = answering(99);
    assertThat(file.fetch(0, 100).size()).isEqualTo(99);
    assertThat(file.isGone()).isFalse();
  }

  /** Somebody who sends more than was asked for does not know what it sends. */
  @Test
  void moreBytesThanAskedForAreNotTaken() {
    RemoteFile file = answering(101);
    assertThat(file.fetch(0, 100)).isNull();
    assertThat(file.isGone()).isTrue();
  }
}
