package io.ishbase.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.ishbase.archetypes.metrics.Group;
import io.ishbase.archetypes.metrics.IncrementsException;
import io.ishbase.archetypes.metrics.MetricsOptions;
import io.ishbase.archetypes.metrics.MetricsStore;
import io.ishbase.archetypes.metrics.MetricsWriter;
import io.ishbase.archetypes.metrics.Query;
import io.ishbase.archetypes.metrics.Resolution;
import io.ishbase.archetypes.metrics.RollUp;
import io.ishbase.archetypes.metrics.Series;
import io.ishbase.archetypes.metrics.Summary;
import io.ishbase.it.MetricsModel.Measurement;
import io.ishbase.it.MetricsModel.Question;
import io.ishbase.plugin.aggregate.AggregateEndpoint;
import io.ishbase.plugin.metrics.InStorageMetrics;
import io.ishbase.testing.Seed;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Predicate;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.TableNotFoundException;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.util.Bytes;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Metrics on a real cluster, against a list of all that was counted. */
class MetricsArchetypeTest {
  private static final String METRIC = "requests";
  private static final long HOUR = Resolution.HOUR.stepMillis();
  private static final long FIRST_DAY = 20_000 * Resolution.DAY.stepMillis();
  private static final long START = FIRST_DAY + 20 * HOUR;
  private static final long LATE = 60_000;
  private static final long SETTLE = 120_000;
  private static final int CLIENTS = 6;

  private static MiniCluster cluster;

  private final AtomicLong clock = new AtomicLong(START);

  @BeforeAll
  static void start() throws Exception {
    cluster = MiniCluster.start(conf -> {});
    cluster.startDaemons();
  }

  @AfterAll
  static void stop() throws Exception {
    cluster.close();
  }

  private MetricsOptions options() {
    return MetricsOptions.of(cluster.util.getConfiguration())
        .withBuffer(50, 1_000)
        .withSettling(LATE, SETTLE);
  }

  private MetricsStore create(TableName name, byte[][] splits) throws IOException {
    return create(name, splits, options());
  }

  private MetricsStore create(TableName name, byte[][] splits, MetricsOptions options)
      throws IOException {
    cluster
        .util
        .getAdmin()
        .createTable(
            MetricsStore.table(name, options)
                .setValue(MiniCluster.READ, MiniCluster.IN_STORAGE)
                .setValue("ishbase.memstore", "auto")
                .setCoprocessor(AggregateEndpoint.class.getName())
                .build(),
            splits);
    return MetricsStore.open(cluster.connection(), name, options, clock::get);
  }

  private static byte[] firstRow(Series series) {
    return MetricsStore.totals(series, 0, HOUR).getStartRow();
  }

  @Test
  void answersAreThoseOfAList() throws Exception {
    Random random = new Random(Seed.get());
    TableName name = TableName.valueOf("model");
    MetricsStore store = create(name, new byte[][] {firstRow(Series.of(METRIC, "host", "h2"))});
    MetricsModel model = new MetricsModel();
    long bytesBefore = InStorageMetrics.get().inStorageBytes();
    for (int phase = 0; phase < 2; phase++) {
      clock.set(START + phase * 5 * HOUR);
      // In the second phase the first day is closed.
      long from = phase == 0 ? START - 4 * HOUR : FIRST_DAY;
      count(store, model, random, () -> null);
      cluster.util.flush(name);
      check(store, model, random, 6);
      RollUp rollUp = store.rollUp();
      // What came late a moment ago stays open.
      assertThat(rollUp.run(METRIC, from, clock.get()).leftOpen()).isPositive();
      check(store, model, random, 6);
      count(store, model, random, () -> rollUp.run(METRIC, from, clock.get()));
      check(store, model, random, 6);
      // What was announced is under way no more.
      clock.addAndGet(LATE + SETTLE);
      RollUp.Done done = rollUp.run(METRIC, from, clock.get());
      assertThat(done.written()).isPositive();
      assertThat(done.leftOpen()).isZero();
      check(store, model, random, 6);
      assertThat(rollUp.run(METRIC, from, clock.get())).isEqualTo(new RollUp.Done(0, 0, 0));
      SortedMap<Group, Summary> before = store.read(everything().step(Resolution.MINUTE));
      assertThat(rollUp.again(METRIC, from, clock.get()).written())
          .isGreaterThanOrEqualTo(done.written());
      assertThat(store.read(everything().step(Resolution.MINUTE))).isEqualTo(before);
      check(store, model, random, 4);
    }
    assertThat(InStorageMetrics.get().inStorageBytes()).isGreaterThan(bytesBefore);
    assertThat(store.series(METRIC)).hasSize(12).containsAll(List.of(series(0), series(11)));
    checkTotalsBesideTheData(name, store);
    checkRollUpsAlone(name, store);
  }

  private static Query everything() {
    return Query.of(METRIC, START - 24 * HOUR, START + 48 * HOUR);
  }

  /** Four hosts, with three kinds of requests, one of which has no tag. */
  private static Series series(int number) {
    String host = "h" + number % 4;
    return number < 8
        ? Series.of(METRIC, "kind", "k" + number / 4, "host", host)
        : Series.of(METRIC, "host", host);
  }

  /** Lets clients count, and does {@code meanwhile}. */
  private void count(
      MetricsStore store, MetricsModel model, Random random, Callable<RollUp.Done> meanwhile)
      throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(CLIENTS + 1);
    try {
      List<Future<?>> clients = new ArrayList<>();
      clients.add(threads.submit(meanwhile));
      for (int i = 0; i < CLIENTS; i++) {
        long seed = random.nextLong();
        clients.add(threads.submit(client(store, model, new Random(seed))));
      }
      for (Future<?> client : clients) {
        client.get();
      }
    } finally {
      threads.shutdown();
    }
  }

  private Callable<Void> client(MetricsStore store, MetricsModel model, Random random) {
    return () -> {
      List<Measurement> counted = new ArrayList<>();
      try (MetricsWriter writer = store.writer()) {
        for (int i = 0; i < 100; i++) {
          Series series = series(random.nextInt(12));
          // Most near the clock, in few minutes; some hours late.
          long back = random.nextInt(3) > 0 ? random.nextInt(600_000) : random.nextInt(11_000_000);
          Measurement one = measurement(series, clock.get() - back, random);
          write(writer, one);
          counted.add(one);
          if (random.nextInt(40) == 0) {
            writer.flush();
          }
        }
      }
      model.add(counted);
      return null;
    };
  }

  private static Measurement measurement(Series series, long millis, Random random) {
    long value = random.nextInt(2_000) - 500;
    return switch (random.nextInt(3)) {
      case 0 -> new Measurement(series, millis, value, null);
      case 1 -> new Measurement(series, millis, null, value * random.nextDouble());
      default -> new Measurement(series, millis, value, (double) value);
    };
  }

  private static void write(MetricsWriter writer, Measurement one) throws IOException {
    if (one.recorded() == null) {
      writer.add(one.series(), one.millis(), one.added());
    } else if (one.added() == null) {
      writer.record(one.series(), one.millis(), one.recorded());
    } else {
      writer.observe(one.series(), one.millis(), one.added());
    }
  }

  private void check(MetricsStore store, MetricsModel model, Random random, int queries)
      throws IOException {
    for (int i = 0; i < queries; i++) {
      long step = Resolution.values()[random.nextInt(4)].stepMillis();
      long from = clock.get() - random.nextInt(30) * HOUR - random.nextInt((int) HOUR);
      long to = from + 1 + random.nextInt(30) * HOUR + random.nextInt((int) HOUR);
      from -= from % step;
      to += step - to % step;
      Query query = Query.of(METRIC, from, to);
      Predicate<Series> which = series -> true;
      String host = "h" + random.nextInt(5);
      switch (random.nextInt(4)) {
        case 0 -> {
          query = query.where("host", host);
          which = series -> host.equals(series.tags().get("host"));
        }
        case 1 -> {
          query = query.whereAny("kind").where("host", host);
          which =
              series -> series.tags().containsKey("kind") && host.equals(series.tags().get("host"));
        }
        default -> {}
      }
      boolean byKind = random.nextBoolean();
      Resolution bucket = random.nextBoolean() ? Resolution.values()[1 + random.nextInt(3)] : null;
      boolean totalsOnly = random.nextInt(3) == 0;
      query = byKind ? query.groupBy("kind") : query;
      query = bucket == null ? query : query.step(bucket);
      query = totalsOnly ? query.totalsOnly() : query;
      long start = from;
      model.check(
          new Question(
              from,
              to,
              which,
              (series, millis) ->
                  new Group(
                      byKind ? kind(series) : new TreeMap<>(),
                      bucket == null ? start : bucket.floor(millis)),
              totalsOnly),
          store.read(query),
          random);
    }
  }

  private static SortedMap<String, String> kind(Series series) {
    SortedMap<String, String> kind = new TreeMap<>(series.tags());
    kind.remove("host");
    return kind;
  }

  /** The total of a series in whole hours, as HBase's aggregation client would have it. */
  private void checkTotalsBesideTheData(TableName name, MetricsStore store) throws Exception {
    Series series = series(9);
    long from = START - 24 * HOUR;
    long to = START + 48 * HOUR;
    try (Table table = cluster.connection().getTable(name)) {
      Long sum = Aggregations.got(table, "GetSum", MetricsStore.totals(series, from, to));
      Summary read =
          store
              .read(Query.of(METRIC, from, to).where("host", "h1").groupBySeries())
              .entrySet()
              .stream()
              .filter(one -> one.getKey().tags().equals(series.tags()))
              .findFirst()
              .orElseThrow()
              .getValue();
      assertThat(sum).isEqualTo(read.total());
    }
  }

  /** Without its seconds the table answers as before, as far as whole minutes are rolled up. */
  private void checkRollUpsAlone(TableName name, MetricsStore store) throws Exception {
    long end = Resolution.MINUTE.floor(clock.get() - LATE - SETTLE);
    Query query = Query.of(METRIC, FIRST_DAY, end).groupBySeries();
    SortedMap<Group, Summary> before = store.read(query.step(Resolution.MINUTE));
    SortedMap<Group, Summary> inAll = store.read(query);
    assertThat(before).isNotEmpty();
    try (Table table = cluster.connection().getTable(name)) {
      Scan seconds = new Scan().addFamily(Bytes.toBytes("c")).addFamily(Bytes.toBytes("b"));
      List<Delete> deletes = new ArrayList<>();
      try (ResultScanner scanner = table.getScanner(seconds)) {
        for (Result result : scanner) {
          deletes.add(new Delete(result.getRow()));
        }
      }
      assertThat(deletes).isNotEmpty();
      table.delete(deletes);
    }
    assertThat(store.read(query.step(Resolution.MINUTE))).isEqualTo(before);
    assertThat(store.read(query)).isEqualTo(inAll);
  }

  /** Of a minute whose seconds had nearly expired, just before the daily run. */
  @Test
  void whatComesAtTheLastMomentIsRolledUpByTheRunOfTheNextDay() throws Exception {
    long day = Resolution.DAY.stepMillis();
    long retention = 7 * day;
    TableName name = TableName.valueOf("last-moment");
    MetricsStore store = create(name, null, options().withRetention(retention));
    long second = START - 10 * HOUR;
    try (MetricsWriter writer = store.writer()) {
      writer.add(series(0), second, 5);
    }
    clock.addAndGet(day);
    assertThat(store.rollUp().run(METRIC, FIRST_DAY, clock.get()).written()).isPositive();
    clock.set(second + retention);
    try (MetricsWriter writer = store.writer()) {
      writer.add(series(0), second, 1);
    }
    clock.addAndGet(SETTLE / 2);
    assertThat(runDaily(store, retention).leftOpen()).as("minute, hour and day").isEqualTo(3);
    clock.addAndGet(day);
    assertThat(runDaily(store, retention).leftOpen()).isZero();
    checkRollUpsAlone(name, store);
    Query all = Query.of(METRIC, FIRST_DAY, FIRST_DAY + day);
    assertThat(store.read(all).values()).singleElement().returns(6L, Summary::total);
  }

  private RollUp.Done runDaily(MetricsStore store, long retention) throws IOException {
    long from = clock.get() - retention - TimeUnit.HOURS.toMillis(60);
    return store.rollUp().run(METRIC, from, clock.get());
  }

  /** Of a metric of which one series is beyond a long: that is left to its seconds. */
  private void rollsUpAllOthers(MetricsStore store) throws IOException {
    long now = clock.get();
    try (MetricsWriter writer = store.writer()) {
      writer.add(Series.of("m", "host", "b"), START, 7);
    }
    long day = Resolution.DAY.stepMillis();
    clock.addAndGet(2 * day);
    Query all = Query.of("m", FIRST_DAY, FIRST_DAY + day);
    for (int run = 0; run < 2; run++) {
      assertThat(store.rollUp().run("m", FIRST_DAY, clock.get()).leftOpen())
          .as("minute, hour and day")
          .isEqualTo(3);
      assertThat(store.read(all.where("host", "b")).values())
          .singleElement()
          .returns(7L, Summary::total);
      assertThatThrownBy(() -> store.read(all)).isInstanceOf(ArithmeticException.class);
    }
    clock.set(now);
  }

  @Test
  void badInputIsOneClearErrorAndLeavesNothing() throws Exception {
    TableName name = TableName.valueOf("bad");
    assertThatThrownBy(() -> MetricsStore.open(cluster.connection(), TableName.valueOf("none")))
        .isInstanceOf(TableNotFoundException.class);
    cluster.util.createTable(TableName.valueOf("other"), "f");
    assertThatThrownBy(() -> MetricsStore.open(cluster.connection(), TableName.valueOf("other")))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("families of metrics");
    MetricsStore store = create(name, null);
    Series series = Series.of("m");
    try (MetricsWriter writer = store.writer()) {
      assertThatThrownBy(() -> writer.record(series, START, Double.NaN))
          .isInstanceOf(IllegalArgumentException.class);
      assertThatThrownBy(() -> writer.add(series, START + 48 * HOUR, 1))
          .isInstanceOf(IllegalArgumentException.class);
      assertThatThrownBy(() -> writer.observe(series, START, Long.MAX_VALUE))
          .isInstanceOf(IllegalArgumentException.class);
    }
    assertThatThrownBy(() -> Query.of("", 0, 1_000)).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> Query.of("m", 5, 1_000)).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> Query.of("m", 1_000, 1_000))
        .isInstanceOf(IllegalArgumentException.class);
    assertThat(cluster.util.countRows(name)).isZero();

    // Counters that together are beyond a long are an error of the reader.
    long sent = 0;
    try (MetricsWriter writer = store.writer()) {
      IncrementsException full = null;
      while (full == null) {
        writer.add(series, START, MetricsWriter.MAX_AMOUNT);
        writer.add(series, START + 1_000, MetricsWriter.MAX_AMOUNT);
        sent++;
        full = catchThrowableOfType(IncrementsException.class, writer::flush);
      }
      assertThat(full.nearlyFull()).hasSize(2);
      assertThat(full.refused()).isEmpty();
      assertThat(full.unknown()).isEmpty();
      assertThatThrownBy(() -> writer.add(series, START, 1))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("takes no more");
    }
    // One shard is full after 513; a busy machine may make for others.
    assertThat(sent).isGreaterThan(512);
    if (sent < 1_024) {
      assertThat(store.read(Query.of("m", START, START + 1_000)).values().iterator().next().total())
          .isEqualTo(sent * MetricsWriter.MAX_AMOUNT);
    }
    assertThatThrownBy(() -> store.read(Query.of("m", START, START + 2_000)))
        .isInstanceOf(ArithmeticException.class)
        .hasMessageContaining("more than a long holds");
    rollsUpAllOthers(store);

    // A table that is gone: all is refused, and can be told from what is unknown.
    MetricsWriter writer = store.writer();
    writer.add(series, START, 1);
    cluster.util.deleteTable(name);
    IncrementsException gone = catchThrowableOfType(IncrementsException.class, writer::flush);
    assertThat(gone.refused()).hasSize(1);
    assertThat(gone.unknown()).isEmpty();
  }
}
