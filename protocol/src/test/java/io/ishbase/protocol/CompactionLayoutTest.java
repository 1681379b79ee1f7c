package io.ishbase.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import io.ishbase.protocol.generated.CompactionProtos.CompactRequest;
import io.ishbase.protocol.generated.CompactionProtos.Mob;
import io.ishbase.protocol.generated.CompactionProtos.StoragePolicy;
import io.ishbase.protocol.generated.CompactionProtos.Stripes;
import io.ishbase.protocol.generated.CompactionProtos.StripesBySize;
import io.ishbase.protocol.generated.CompactionProtos.Windows;
import java.util.stream.LongStream;
import org.apache.hbase.thirdparty.com.google.protobuf.ByteString;
import org.junit.jupiter.api.Test;

/** What a worker takes of windows and stripes, and what it does not. */
class CompactionLayoutTest {
  private static CompactRequest request(Windows.Builder windows) {
    return CompactRequest.newBuilder().setWindows(windows).buildPartial();
  }

  private static CompactRequest request(Stripes.Builder stripes) {
    return CompactRequest.newBuilder().setStripes(stripes).buildPartial();
  }

  private static Windows.Builder windows(long... from) {
    Windows.Builder windows = Windows.newBuilder();
    LongStream.of(from).forEach(windows::addFrom);
    return windows;
  }

  private static Windows.Builder policy(String name) {
    return windows(Long.MIN_VALUE)
        .addPolicy(StoragePolicy.newBuilder().setFrom(Long.MIN_VALUE).setName(name));
  }

  private static ByteString row(String row) {
    return ByteString.copyFromUtf8(row);
  }

  private static Stripes.Builder stripes(String... rows) {
    Stripes.Builder stripes = Stripes.newBuilder();
    for (String row : rows) {
      stripes.addBoundary(row(row));
    }
    return stripes;
  }

  private static Stripes.Builder bySize(int count, long cells, String left, String right) {
    return Stripes.newBuilder()
        .setBySize(
            StripesBySize.newBuilder()
                .setCount(count)
                .setCells(cells)
                .setLeft(row(left))
                .setRight(row(right)));
  }

  private static void isSound(CompactRequest request) {
    assertThat(CompactionLayout.fault(request)).as(request.toString()).isNull();
  }

  private static void isFaulty(CompactRequest request) {
    assertThat(CompactionLayout.fault(request)).isNotNull();
  }

  @Test
  void oneFile() {
    isSound(CompactRequest.newBuilder().buildPartial());
  }

  @Test
  void windowsOfTime() {
    isSound(request(windows(Long.MIN_VALUE)));
    isSound(request(windows(Long.MIN_VALUE, -1, 0, Long.MAX_VALUE)));
    isSound(request(policy("ALL_SSD")));
    isFaulty(request(windows()));
    isFaulty(request(windows(0)));
    isFaulty(request(windows(Long.MIN_VALUE, 1, 1)));
    isFaulty(request(windows(Long.MIN_VALUE, 2, 1)));
    isFaulty(request(policy("")));
    isFaulty(request(policy("../../x")));
    isFaulty(request(policy("x".repeat(100))));
    isFaulty(request(policy("HOT").addPolicy(StoragePolicy.newBuilder().setFrom(1).setName("a"))));
    long[] many = LongStream.range(0, CompactionLayout.MAX_FILES).toArray();
    many[0] = Long.MIN_VALUE;
    isSound(request(windows(many)));
    isFaulty(request(windows(many).addFrom(Long.MAX_VALUE)));
  }

  @Test
  void stripesOfRows() {
    isSound(request(stripes("", "")));
    isSound(request(stripes("", "b", "c", "")));
    isSound(request(stripes("a", "b")));
    isSound(request(stripes("", "b", "").setMajorFrom(row("")).setMajorTo(row("b"))));
    isFaulty(request(stripes()));
    isFaulty(request(stripes("")));
    isFaulty(request(stripes("", "b", "b", "")));
    isFaulty(request(stripes("", "b", "a", "")));
    isFaulty(request(stripes("", "a", "", "b", "")));
    isFaulty(request(stripes("", "a", "").setMajorFrom(row(""))));
    isFaulty(request(stripes("", "a", "").setMajorTo(row("a"))));
    isFaulty(request(stripes("", "x".repeat(40_000), "")));
    Stripes.Builder large = stripes("");
    for (int i = 0; i < 100; i++) {
      large.addBoundary(row(String.format("%03d", i) + "x".repeat(20_000)));
    }
    isFaulty(request(large.addBoundary(row(""))));
    Stripes.Builder many = stripes("");
    for (int i = 0; i < CompactionLayout.MAX_FILES; i++) {
      many.addBoundary(row(String.format("%05d", i)));
    }
    isSound(request(many));
    isFaulty(request(many.addBoundary(row(""))));
  }

  @Test
  void stripesBySize() {
    isSound(request(bySize(1, 0, "", "")));
    isSound(request(bySize(Integer.MAX_VALUE, Long.MAX_VALUE, "a", "b")));
    isFaulty(request(bySize(0, 1, "", "")));
    isFaulty(request(bySize(-1, 1, "", "")));
    isFaulty(request(bySize(1, -1, "", "")));
    isFaulty(request(bySize(1, 1, "b", "a")));
    isFaulty(request(bySize(1, 1, "", "").addBoundary(row("")).addBoundary(row(""))));
  }

  /** The day of a MOB file decides when HBase deletes it. */
  @Test
  void largeObjectsHaveADay() {
    CompactRequest.Builder request = CompactRequest.newBuilder();
    for (String known : new String[] {"UTC", "Asia/Kolkata", "GMT+02:00"}) {
      isSound(request.setMob(Mob.newBuilder().setTimeZone(known)).buildPartial());
    }
    isFaulty(request.setMob(Mob.newBuilder().setTimeZone("Here")).buildPartial());
    assertThat(CompactionLayout.mostFiles(request.buildPartial())).isEqualTo(1);
    assertThat(CompactionLayout.mayBeEmpty(request.buildPartial())).isFalse();
  }

  @Test
  void whereNothingMayBeLeft() {
    assertThat(CompactionLayout.mayBeEmpty(CompactRequest.newBuilder().buildPartial())).isFalse();
    assertThat(CompactionLayout.mayBeEmpty(request(windows(Long.MIN_VALUE)))).isTrue();
    assertThat(CompactionLayout.mayBeEmpty(request(windows(Long.MIN_VALUE).setNeverEmpty(true))))
        .isFalse();
    assertThat(CompactionLayout.mayBeEmpty(request(stripes("", "")))).isFalse();
    assertThat(CompactionLayout.mayBeEmpty(request(bySize(1, 1, "", "")))).isFalse();
    assertThat(CompactionLayout.mayBeEmpty(request(bySize(2, 1, "", "")))).isTrue();
  }
}
