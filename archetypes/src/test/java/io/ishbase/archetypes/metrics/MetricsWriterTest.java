package io.ishbase.archetypes.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.io.IOException;
import java.net.SocketTimeoutException;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.TableNotFoundException;
import org.apache.hadoop.hbase.client.OperationTimeoutExceededException;
import org.junit.jupiter.api.Test;

class MetricsWriterTest {
  private static final long HOUR = 3_600_000L;
  private static final long START = 1_000 * HOUR;
  private static final Series A = Series.of("m", "k", "a");
  private static final Series B = Series.of("m", "k", "b");
  private static final Series C = Series.of("m", "k", "c");

  private final FakeHBase hbase = new FakeHBase();
  private long now = START;

  private MetricsWriter writer(int columns) {
    MetricsOptions options =
        MetricsOptions.of(new Configuration(false))
            .withBuffer(columns, 1_000)
            .withRetention(24 * HOUR);
    return new MetricsWriter(
        options,
        () -> now,
        new IncrementSender(
            hbase.connection,
            TableName.valueOf("t"),
            options,
            () -> now,
            System::nanoTime,
            new ShardPolicy(ShardPolicy.Settings.DEFAULT)));
  }

  @Test
  void addsUpWhatWaitsAndSendsARowAtOnce() throws IOException {
    try (MetricsWriter writer = writer(100)) {
      for (int i = 0; i < 50; i++) {
        writer.add(A, START + i * 100, 2);
        writer.record(A, START + i * 100, 1.5);
      }
      writer.observe(B, START, -7);
      assertThat(hbase.increments).isEmpty();
      assertThat(writer.waiting()).isEqualTo(5 + 5 + 2);
    }
    assertThat(hbase.increments).hasSize(2);
    assertThat(hbase.increments.get(0).numFamilies()).isEqualTo(2);
    assertThat(hbase.sum()).isEqualTo(100 + 50 - 7 + 1);
    assertThat(hbase.puts).hasSize(2);
    assertThat(hbase.marks()).isZero();
  }

  @Test
  void sendsWhenFullAndWhenItHasWaited() throws IOException {
    MetricsWriter writer = writer(10);
    for (int i = 0; i < 9; i++) {
      writer.add(A, START + i * 1_000, 1);
    }
    assertThat(hbase.increments).isEmpty();
    writer.add(A, START + 9_000, 1);
    assertThat(hbase.increments).hasSize(1);
    writer.add(A, START, 1);
    now += 999;
    writer.flushIfDue();
    assertThat(hbase.increments).hasSize(1);
    now += 1;
    writer.flushIfDue();
    assertThat(hbase.increments).hasSize(2);
    assertThat(writer.waiting()).isZero();
    assertThat(hbase.sum()).isEqualTo(11);
  }

  @Test
  void announcesWhatIsLate() throws IOException {
    MetricsWriter writer = writer(10);
    writer.add(A, START - 60_000, 1);
    writer.flush();
    assertThat(hbase.marks()).isEqualTo(0);
    now += 1;
    writer.add(A, START - 60_000 - 1, 1);
    writer.add(A, START - 60_000 - 2, 1);
    writer.flush();
    // Both are in one minute; its hour has ended, but not long enough ago.
    assertThat(hbase.marks()).isEqualTo(1);
    now = START + 60_000;
    writer.add(A, START - 60_000, 1);
    writer.flush();
    assertThat(hbase.marks()).isEqualTo(3);
  }

  @Test
  void saysWhatBecameOfEachRow() throws IOException {
    MetricsWriter writer = writer(100);
    writer.add(A, START, 1);
    writer.add(A, START, 1);
    writer.add(B, START, 3);
    writer.add(C, START, 5);
    hbase.failures.put(1, new SocketTimeoutException("no answer"));
    hbase.failures.put(2, new TableNotFoundException("t"));
    IncrementsException failed = catchThrowableOfType(IncrementsException.class, writer::flush);
    assertThat(failed).hasMessageContaining("no answer");
    assertThat(hbase.sum()).isEqualTo(2);
    assertThat(failed.unknown()).hasSize(1);
    assertThat(failed.refused()).hasSize(1);
    assertThat(failed.unknown().get(0).amount() + failed.refused().get(0).amount()).isEqualTo(8);
    writer.addAgain(failed.refused());
    writer.flush();
    assertThat(hbase.sum()).isEqualTo(2 + failed.refused().get(0).amount());
    assertThat(hbase.increments).hasSize(4);
  }

  /** HBase's client says so by itself, for increments that may have been applied. */
  @Test
  void theClientsOwnTimeOutIsNoRefusal() throws IOException {
    MetricsWriter writer = writer(100);
    writer.add(A, START, 1);
    writer.add(A, START, 1);
    writer.add(B, START, 3);
    hbase.failures.put(
        1,
        new OperationTimeoutExceededException(
            "Backoff time would exceed operation timeout",
            new SocketTimeoutException("no answer")));
    IncrementsException failed = catchThrowableOfType(IncrementsException.class, writer::flush);
    assertThat(failed.refused()).isEmpty();
    assertThat(failed.unknown()).hasSize(1);
  }

  /** Marks of seconds that have expired would hide what was rolled up of them for ever. */
  @Test
  void whatWaitedForLongerThanTheRetentionIsRefused() throws IOException {
    MetricsWriter writer = writer(100);
    writer.add(A, START, 1);
    writer.add(A, START + HOUR, 2);
    writer.add(B, START, 3);
    now += 25 * HOUR;
    IncrementsException failed = catchThrowableOfType(IncrementsException.class, writer::flush);
    assertThat(failed).hasMessageContaining("Too late to be counted");
    assertThat(failed.refused().stream().mapToLong(Delta::amount))
        .containsExactlyInAnyOrder(1L, 3L);
    assertThat(failed.unknown()).isEmpty();
    assertThat(hbase.sum()).isEqualTo(2);
    IncrementsException again =
        catchThrowableOfType(
            IncrementsException.class,
            () -> {
              writer.addAgain(failed.refused());
              writer.flush();
            });
    assertThat(again.refused()).hasSize(2);
    assertThat(hbase.sum()).isEqualTo(2);
  }

  @Test
  void aTableKeepsItsOptionsRetention() {
    for (long millis : new long[] {86_400_000, 86_400_001, 86_400_500, 86_400_999}) {
      MetricsOptions options = MetricsOptions.of(new Configuration(false)).withRetention(millis);
      TableName name = TableName.valueOf("t");
      assertThat(MetricsSchema.retentionMillis(MetricsSchema.table(name, options).build()))
          .isBetween(millis, millis + 999);
    }
  }

  /** What is added again all waits before any of it is sent, and perhaps fails once more. */
  @Test
  void losesNothingThatIsAddedAgainWhileHBaseIsAway() throws IOException {
    MetricsWriter writer = writer(2);
    hbase.putFailure = new SocketTimeoutException("no answer");
    writer.add(A, START, 1);
    IncrementsException failed =
        catchThrowableOfType(IncrementsException.class, () -> writer.observe(B, START, 1));
    assertThat(failed.refused()).hasSize(3);
    List<Delta> refused = failed.refused();
    failed = catchThrowableOfType(IncrementsException.class, () -> writer.addAgain(refused));
    assertThat(failed.refused()).hasSize(3);
    hbase.putFailure = null;
    writer.addAgain(failed.refused());
    writer.flush();
    assertThat(hbase.sum()).isEqualTo(3);
  }

  @Test
  void sendsNothingMoreOnceSomethingFailed() throws IOException {
    MetricsWriter writer = writer(100);
    writer.add(A, START, 1);
    writer.add(B, START, 3);
    hbase.failures.put(0, new IOException("gone"));
    IncrementsException failed = catchThrowableOfType(IncrementsException.class, writer::flush);
    assertThat(hbase.increments).hasSize(1);
    assertThat(failed.unknown()).hasSize(1);
    assertThat(failed.refused()).hasSize(1);
  }

  @Test
  void sendsNoIncrementWhoseSeriesCouldNotBeEntered() throws IOException {
    MetricsWriter writer = writer(100);
    writer.add(A, START, 1);
    hbase.putFailure = new SocketTimeoutException("no answer");
    IncrementsException failed = catchThrowableOfType(IncrementsException.class, writer::flush);
    assertThat(hbase.increments).isEmpty();
    assertThat(failed.refused()).hasSize(1);
    assertThat(failed.unknown()).isEmpty();
    hbase.putFailure = null;
    writer.addAgain(failed.refused());
    writer.flush();
    assertThat(hbase.puts).hasSize(1);
    assertThat(hbase.sum()).isEqualTo(1);
  }

  @Test
  void aCounterNeverWrapsAround() throws IOException {
    MetricsWriter writer = writer(100);
    long sent = 0;
    IncrementsException failed = null;
    while (failed == null) {
      writer.add(A, START, MetricsWriter.MAX_AMOUNT);
      sent += MetricsWriter.MAX_AMOUNT;
      failed = catchThrowableOfType(IncrementsException.class, writer::flush);
    }
    assertThat(failed.nearlyFull()).hasSize(1);
    assertThat(failed.refused()).isEmpty();
    assertThat(failed.unknown()).isEmpty();
    assertThat(hbase.sum()).isEqualTo(sent).isGreaterThan(1L << 62);
    assertRefused(() -> writer.add(A, START, 1), "takes no more");
    writer.add(A, START + 1_000, 1);
    writer.add(A, START + 1_000, MetricsWriter.MAX_AMOUNT);
    assertRefused(
        () -> writer.add(A, START, MetricsWriter.MAX_AMOUNT + 1), "takes no more|too much");
    writer.close();
    // What is too much for one increment goes in two.
    assertThat(hbase.sum()).isEqualTo(sent + 1 + MetricsWriter.MAX_AMOUNT);
  }

  @Test
  void badInputChangesNothing() {
    MetricsWriter writer = writer(100);
    assertRefused(() -> writer.add(A, -1, 1), "no time to count");
    assertRefused(() -> writer.add(A, START + HOUR + 1, 1), "no time to count");
    assertRefused(() -> writer.add(A, Long.MAX_VALUE, 1), "no time to count");
    assertRefused(() -> writer.add(A, START - 24 * HOUR - 1, 1), "too late");
    assertRefused(() -> writer.add(A, START, Long.MIN_VALUE), "too much");
    MetricsOptions options = MetricsOptions.of(new Configuration(false));
    assertRefused(() -> options.withRetention(options.settleMillis()), "expire before");
    assertRefused(() -> writer.record(A, START, Double.NaN), "no place");
    assertRefused(() -> writer.observe(A, START, MetricsWriter.MAX_AMOUNT + 1), "too much");
    assertThat(writer.waiting()).isZero();
    assertThat(hbase.puts).isEmpty();
  }

  @Test
  void takesNothingOnceClosed() throws IOException {
    MetricsWriter writer = writer(100);
    writer.close();
    assertThatThrownBy(() -> writer.add(A, START, 1)).isInstanceOf(IllegalStateException.class);
  }

  private interface Action {
    void run() throws IOException;
  }

  private static void assertRefused(Action action, String why) {
    assertThatThrownBy(action::run)
        .isInstanceOf(IllegalArgumentException.class)
        .message()
        .containsPattern(why);
  }
}
