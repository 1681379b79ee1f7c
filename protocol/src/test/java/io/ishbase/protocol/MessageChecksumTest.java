package io.ishbase.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import io.ishbase.protocol.generated.CompactionProtos.CompactRequest;
import io.ishbase.protocol.generated.CompactionProtos.CompactionState;
import io.ishbase.protocol.generated.CompactionProtos.Entry;
import io.ishbase.protocol.generated.CompactionProtos.ProgressResponse;
import org.apache.hbase.thirdparty.com.google.protobuf.ByteString;
import org.apache.hbase.thirdparty.com.google.protobuf.InvalidProtocolBufferException;
import org.apache.hbase.thirdparty.com.google.protobuf.Message;
import org.junit.jupiter.api.Test;

class MessageChecksumTest {
  private static final CompactRequest REQUEST =
      MessageChecksum.sealed(
          CompactRequest.newBuilder()
              .setVersion(Protocol.VERSION)
              .setAttempt("0123456789abcdef".repeat(2))
              .setRegionServer("rs,16020,1")
              .setTable(ByteString.copyFromUtf8("families, time to live, versions"))
              .setRegion(ByteString.copyFromUtf8("region"))
              .addFile("a".repeat(32))
              .addFile("b".repeat(32))
              .setMajor(true)
              .setAllFiles(true)
              .setReadPoint(123_456_789)
              .setNow(1_700_000_000_000L)
              .addSetting(Entry.newBuilder().setKey("hbase.hstore.k").setValue("v"))
              .setBytes(1 << 30)
              .setLeaseMillis(20_000)
              .setPressure(0.5)
              .build());

  private static final ProgressResponse ANSWER =
      MessageChecksum.sealed(
          ProgressResponse.newBuilder()
              .setState(CompactionState.DONE)
              .setCells(1000)
              .setTotalCells(2000)
              .addOutput("f/" + "c".repeat(32))
              .build());

  private static int misunderstood(Message message) {
    byte[] bytes = message.toByteArray();
    int misunderstood = 0;
    for (int bit = 0; bit < bytes.length * 8; bit++) {
      byte[] damaged = bytes.clone();
      damaged[bit / 8] ^= (byte) (1 << bit % 8);
      try {
        Message read = message.getParserForType().parseFrom(damaged);
        if (MessageChecksum.isIntact(read) && !read.equals(message)) {
          misunderstood++;
        }
      } catch (InvalidProtocolBufferException e) {
        // It is noticed without a checksum.
      }
    }
    return misunderstood;
  }

  @Test
  void noFlippedBitOfARequestIsObeyed() {
    assertThat(MessageChecksum.isIntact(REQUEST)).isTrue();
    assertThat(misunderstood(REQUEST)).isZero();
  }

  @Test
  void noFlippedBitOfAnAnswerIsBelieved() {
    assertThat(MessageChecksum.isIntact(ANSWER)).isTrue();
    assertThat(misunderstood(ANSWER)).isZero();
  }

  @Test
  void whatHasNoChecksumIsNotIntact() {
    assertThat(MessageChecksum.isIntact(REQUEST.toBuilder().clearCrc32C().build())).isFalse();
  }
}
