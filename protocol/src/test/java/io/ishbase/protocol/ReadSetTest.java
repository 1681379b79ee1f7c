package io.ishbase.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import io.ishbase.protocol.generated.IssnProtos.MobWish;
import io.ishbase.protocol.generated.IssnProtos.Position;
import io.ishbase.protocol.generated.IssnProtos.ReadRequest;
import io.ishbase.protocol.generated.IssnProtos.RowRange;
import io.ishbase.protocol.generated.IssnProtos.SharedReadRequest;
import io.ishbase.testing.Seed;
import java.util.Random;
import org.apache.hbase.thirdparty.com.google.protobuf.ByteString;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.RepetitionInfo;
import org.junit.jupiter.api.Test;

/** The two forms of a read. */
class ReadSetTest {
  private static ByteString row(int row) {
    return ByteString.copyFromUtf8(String.format("user%019d", row));
  }

  private static RowRange ofRow(int row) {
    return RowRange.newBuilder()
        .setStartRow(row(row))
        .setStopRow(row(row))
        .setIncludeStop(true)
        .build();
  }

  /** As a region server asks for a row of a table with one file. */
  private static ReadRequest get(int row) {
    return Checksums.sealed(
        ReadRequest.newBuilder()
            .setVersion(Protocol.VERSION)
            .setDirectory("/hbase/data/default/usertable/" + "0".repeat(32) + "/family")
            .addFile("a".repeat(32))
            .setReadPoint(1_000_000)
            .setMaxBytes(64 << 10)
            .setTrimVersions(2)
            .setPack(true)
            .setDictionary(77)
            .addRange(ofRow(row))
            .build());
  }

  private static ReadRequest random(Random random) {
    ReadRequest.Builder request =
        ReadRequest.newBuilder()
            .setVersion(Protocol.VERSION)
            .setDirectory("/d" + random.nextInt(3))
            .setReadPoint(random.nextInt(3));
    for (int file = random.nextInt(3); file >= 0; file--) {
      request.addFile("f" + file);
    }
    for (int range = random.nextInt(4); range >= 0; range--) {
      RowRange one = ofRow(range);
      request.addRange(
          switch (random.nextInt(9)) {
            case 0 -> one.toBuilder().clearStartRow().build();
            case 1 -> one.toBuilder().clearStopRow().build();
            case 2 -> one.toBuilder().clearIncludeStop().build();
            case 3 -> one.toBuilder().setIncludeStart(true).build();
            case 4 -> one.toBuilder().setStopRow(row(range + 1)).build();
            default -> one;
          });
    }
    if (random.nextBoolean()) {
      request.setMaxBytes(random.nextInt(2));
    }
    if (random.nextBoolean()) {
      request.setTrimVersions(random.nextInt(2)).setMaxRows(2);
    }
    if (random.nextBoolean()) {
      request.setPack(random.nextBoolean());
    }
    if (random.nextBoolean()) {
      request.setDictionary(random.nextInt(2)).setCacheBlocks(false).setReversed(true);
    }
    if (random.nextInt(4) == 0) {
      request
          .setFrom(Position.newBuilder().setKey(row(1)))
          .addColumn(row(2))
          .setMob(MobWish.newBuilder().setVersions(2))
          .setFilter(row(3))
          .setMinTimestamp(1);
    }
    return Checksums.sealed(request.build());
  }

  /** So the checksum of the one is that of the other. */
  @RepeatedTest(300)
  void theShortFormMeansTheFullOne(RepetitionInfo repetition) {
    Random random = new Random(Seed.get() + repetition.getCurrentRepetition());
    ReadRequest full = random(random);
    ReadSet set = ReadSet.of(full);
    ReadRequest later = full;
    if (random.nextBoolean()) {
      later = later.toBuilder().setReadPoint(random.nextInt(3)).build();
    }
    if (full.hasMaxBytes()) {
      later = later.toBuilder().setMaxBytes(random.nextInt(2)).build();
    }
    later = Checksums.sealed(later.toBuilder().clearCrc32C().build());
    ReadRequest shortForm = set.shortened(later);
    assertThat(ReadSet.isShort(shortForm)).isTrue();
    assertThat(ReadSet.contradicts(shortForm)).isFalse();
    assertThat(set.expanded(shortForm)).isEqualTo(later);
    assertThat(Checksums.isIntact(set.expanded(shortForm))).isTrue();
    ReadRequest told = set.taughtBy(later);
    assertThat(ReadSet.isShort(told)).isFalse();
    assertThat(told.toBuilder().clearHandle().build()).isEqualTo(later);
  }

  @RepeatedTest(300)
  void aHandleIsThatOfItsContent(RepetitionInfo repetition) {
    Random random = new Random(Seed.get() + repetition.getCurrentRepetition());
    ReadRequest some = random(random);
    ReadRequest other = random(random);
    ReadSet set = ReadSet.of(some);
    assertThat(set.handle()).isEqualTo(ReadSet.of(some).handle());
    assertThat(set.isOf(some)).isTrue();
    assertThat(set.isOf(other)).isEqualTo(set.handle() == ReadSet.of(other).handle());
  }

  /** Handles are compared between processes of different releases. */
  @Test
  void aHandleStaysWhatItIs() {
    assertThat(Long.toHexString(ReadSet.of(get(1)).handle())).isEqualTo("e8402690e96685e5");
  }

  @Test
  void aHandleOfAnotherStoreMakesAnotherRead() {
    ReadRequest mine = get(7);
    ReadSet others = ReadSet.of(mine.toBuilder().setDirectory(mine.getDirectory() + "2").build());
    ReadRequest shortForm = ReadSet.of(mine).shortened(mine);
    assertThat(Checksums.isIntact(others.expanded(shortForm))).isFalse();
  }

  /** Of a row of 23 bytes: handle, row and checksum, and the read point once it has moved on. */
  @Test
  void aGetIsShort() {
    ReadSet set = ReadSet.of(get(1));
    assertThat(get(2).getSerializedSize()).isEqualTo(191);
    assertThat(set.shortened(get(2)).getSerializedSize()).isEqualTo(42);
    ReadRequest later = get(2).toBuilder().setReadPoint(1_000_001).build();
    assertThat(set.shortened(later).getSerializedSize()).isEqualTo(46);
    SharedReadRequest.Builder together = SharedReadRequest.newBuilder();
    for (int row = 0; row < 8; row++) {
      together.addRead(set.shortened(get(row)));
    }
    assertThat(together.build().getSerializedSize()).isEqualTo(8 * (42 + 2));
  }
}
