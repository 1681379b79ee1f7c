package io.ishbase.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ishbase.archetypes.queue.Consumer;
import io.ishbase.archetypes.queue.DeadLetter;
import io.ishbase.archetypes.queue.Delivery;
import io.ishbase.archetypes.queue.ExactlyOnceConsumer;
import io.ishbase.archetypes.queue.GroupOptions;
import io.ishbase.archetypes.queue.Message;
import io.ishbase.archetypes.queue.Producer;
import io.ishbase.archetypes.queue.Queue;
import io.ishbase.archetypes.queue.QueueException;
import io.ishbase.archetypes.queue.QueueException.Code;
import io.ishbase.archetypes.queue.Queues;
import io.ishbase.archetypes.queue.Step;
import io.ishbase.archetypes.queue.Steps;
import io.ishbase.testing.Seed;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.regionserver.HRegion;
import org.apache.hadoop.hbase.regionserver.HRegionServer;
import org.apache.hadoop.hbase.util.Bytes;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Queues on a real cluster, read in storage, in memstores that choose for themselves. */
class QueueArchetypeTest {
  private static final TableName TABLE = TableName.valueOf("queues");

  /** Whose tombstones stay. */
  private static final TableName PASSED_TABLE = TableName.valueOf("passed-queues");

  private static final int SHARDS = 2;
  private static final int MAX_BODY_BYTES = 1000;
  private static final Duration VISIBILITY = Duration.ofMillis(100);

  /** How many messages pass before a dequeue must not cost more than after a tenth of them. */
  private static final int PASSED = Integer.getInteger("ishbase.queue.passed", 50_000);

  private static MiniCluster cluster;
  private static final AtomicLong CLOCK = new AtomicLong(1_000_000);

  @BeforeAll
  static void start() throws Exception {
    // Clients of a region server that died look for its regions as soon as they are elsewhere.
    cluster =
        MiniCluster.start(
            conf -> {
              conf.setInt("hbase.client.pause", 20);
              conf.setInt("hbase.client.retries.number", 100);
            });
    cluster.startDaemons();
    Queues.createTable(
        cluster.util.getAdmin(),
        Queues.describe(TABLE)
            .setValue(MiniCluster.READ, MiniCluster.IN_STORAGE)
            .setValue("ishbase.memstore", "auto"),
        SHARDS);
  }

  @AfterAll
  static void stop() throws Exception {
    cluster.close();
  }

  private static Queues queues() throws IOException {
    return new Queues(cluster.connection(), TABLE).with(() -> Instant.ofEpochMilli(CLOCK.get()));
  }

  private static Queues passedQueues() throws IOException {
    return new Queues(cluster.connection(), PASSED_TABLE)
        .with(() -> Instant.ofEpochMilli(CLOCK.get()));
  }

  private static Queue create(String name) throws IOException {
    return queues().create(name, SHARDS, MAX_BODY_BYTES);
  }

  /** The queue as a client sees it that dies before or after the first {@code step} it does. */
  private static Queue dying(String name, Step step, boolean done) throws IOException {
    return queues().with(dyingAt(step, done)).open(name);
  }

  private static Steps dyingAt(Step fatal, boolean fatalDone) {
    boolean[] dead = new boolean[1];
    return (step, done) -> {
      if (dead[0] || (step == fatal && done == fatalDone)) {
        dead[0] = true;
        throw new IOException("dead");
      }
    };
  }

  private static void dies(ThrowingCallable call) {
    assertThatThrownBy(call).isInstanceOf(IOException.class).hasMessage("dead");
  }

  private static void refuses(Code code, ThrowingCallable call) {
    assertThatThrownBy(call)
        .isInstanceOfSatisfying(QueueException.class, e -> assertThat(e.code()).isEqualTo(code));
  }

  private static List<byte[]> bodies(int from, int to) {
    return IntStream.range(from, to).mapToObj(i -> Bytes.toBytes("m" + i)).toList();
  }

  private static List<String> texts(List<Delivery> deliveries) {
    return deliveries.stream().map(one -> Bytes.toString(one.message().body())).sorted().toList();
  }

  private static List<String> expected(int from, int to) {
    return bodies(from, to).stream().map(Bytes::toString).sorted().toList();
  }

  private static List<String> drain(Queue queue, String group) throws IOException {
    Consumer consumer = queue.consumer(group);
    List<Delivery> all = new ArrayList<>();
    List<Delivery> some = consumer.receive(100);
    while (!some.isEmpty()) {
      consumer.acknowledge(some);
      all.addAll(some);
      some = consumer.receive(100);
    }
    return texts(all);
  }

  /** Rows of messages that can be read, whether they are visible to consumers or not. */
  private static int messageRows(String queue) throws IOException {
    int rows = 0;
    try (Table table = cluster.connection().getTable(TABLE)) {
      for (int shard = 0; shard < SHARDS; shard++) {
        byte[] prefix = Bytes.add(new byte[] {(byte) shard}, Bytes.toBytes(queue + "\0m"));
        try (ResultScanner scanner =
            table.getScanner(
                new Scan().addFamily(Bytes.toBytes("m")).setStartStopRowForPrefixScan(prefix))) {
          for (Result row : scanner) {
            rows += row.isEmpty() ? 0 : 1;
          }
        }
      }
    }
    return rows;
  }

  @Test
  void allIsDeliveredWithFlushesInBetween() throws Exception {
    Random random = new Random(Seed.get());
    Queue queue = create("model");
    QueueLoad load = new QueueLoad(queues(), queue, "model", CLOCK, random.nextLong());
    load.start(400);
    while (load.isAppending()) {
      cluster.util.flush(TABLE);
      queue.trim();
    }
    load.finish();
    queue.sealIdle(Duration.ofMillis(-1_000_000));
    queue.trim();
    assertThat(queue.lanes()).as("lanes that are left").isEmpty();
    assertThat(messageRows("model")).isZero();
    assertThat(load.deaths()).as("producers and consumers that died").isPositive();
    // Results outlive the lanes.
    load.checkResults();
  }

  @Test
  void allIsDeliveredThoughARegionServerAborts() throws Exception {
    Random random = new Random(Seed.get());
    HRegionServer victim = cluster.util.getMiniHBaseCluster().startRegionServer().getRegionServer();
    moveTo(victim);
    Queue queue = create("abort");
    QueueLoad load = new QueueLoad(queues(), queue, "abort", CLOCK, random.nextLong());
    CountDownLatch aborted = load.pauseAt(1200);
    load.start(600);
    MiniCluster.await("a third of the messages", () -> load.appended() > 600);
    victim.abort("A test");
    assertThat(load.isAppending()).as("in the middle").isTrue();
    aborted.countDown();
    load.finish();
    assertThat(load.appended()).isEqualTo(1800);
    assertThat(victim.isStopped()).isTrue();
  }

  /** All regions of the table. Until its znode is there the master moves nothing to a server. */
  private static void moveTo(HRegionServer server) {
    MiniCluster.await(
        "the regions to move",
        () -> {
          for (HRegion region : cluster.regions(TABLE)) {
            if (!server.getRegions(TABLE).contains(region)) {
              move(region, server);
            }
          }
          return server.getRegions(TABLE).size() == SHARDS;
        });
  }

  private static void move(HRegion region, HRegionServer server) {
    try {
      cluster
          .util
          .getAdmin()
          .move(region.getRegionInfo().getEncodedNameAsBytes(), server.getServerName());
      cluster.util.waitUntilNoRegionsInTransition();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Test
  void aProducerThatDiesLeavesAllOfABatchOrNothing() throws Exception {
    for (Step step : List.of(Step.APPEND_REST, Step.APPEND_DOOR)) {
      for (boolean done : new boolean[] {false, true}) {
        String name = "producer-" + step + "-" + done;
        Queue queue = create(name);
        queue.createGroup("g", GroupOptions.atLeastOnce(VISIBILITY));
        Producer victim = dying(name, step, done).producer();
        dies(() -> victim.append(bodies(0, 5)));
        boolean there = step == Step.APPEND_DOOR && done;
        // Another's later messages do not make anybody skip what is to come.
        try (Producer other = queue.producer()) {
          other.append(bodies(5, 7));
        }
        assertThat(queue.depth("g")).isEqualTo(there ? 7 : 2);
        assertThat(drain(queue, "g")).isEqualTo(there ? expected(0, 7) : expected(5, 7));
        queue.seal(victim.lane());
        queue.trim();
        assertThat(queue.lanes()).isEmpty();
        assertThat(queue.depth("g")).isZero();
      }
    }
  }

  /** The classic trap: numbers below those that were read are still to come. */
  @Test
  void aSlowProducersMessagesAreNotSkipped() throws Exception {
    Queue queue = create("slow");
    queue.createGroup("g", GroupOptions.atLeastOnce(VISIBILITY));
    queue.createGroup("e", GroupOptions.exactlyOnce());
    boolean[] slow = {true};
    Steps steps =
        (step, done) -> {
          if (slow[0] && step == Step.APPEND_DOOR) {
            throw new IOException("dead");
          }
        };
    Producer producer = queues().with(steps).open("slow").producer();
    dies(() -> producer.append(bodies(0, 50)));
    refuses(Code.BATCH_PENDING, () -> producer.append(bodies(90, 91)));
    try (Producer other = queue.producer()) {
      other.append(bodies(50, 60));
    }
    assertThat(drain(queue, "g")).isEqualTo(expected(50, 60));
    ExactlyOnceConsumer exactlyOnce = queue.exactlyOnceConsumer("e");
    ExactlyOnceConsumer.Handler count = (messages, effects) -> effects.add("n", messages.size());
    assertThat(exactlyOnce.process(100, count)).isEqualTo(10);
    assertThat(exactlyOnce.process(100, count)).isZero();
    queue.trim();
    slow[0] = false;
    assertThat(producer.resume()).isZero();
    assertThat(producer.append(Bytes.toBytes("m60"))).isEqualTo(50);
    producer.close();
    refuses(Code.CLOSED, () -> producer.append(Bytes.toBytes("m")));
    List<String> late = new ArrayList<>(expected(0, 50));
    late.add("m60");
    Collections.sort(late);
    assertThat(drain(queue, "g")).isEqualTo(late);
    assertThat(exactlyOnce.process(100, count)).isEqualTo(51);
    assertThat(queue.sums("e")).isEqualTo(Map.of("n", 61L));
  }

  @Test
  void aSealFencesAProducer() throws Exception {
    for (Step step : List.of(Step.SEAL, Step.SEAL_NOTED)) {
      String name = "fenced-" + step;
      Queue queue = create(name);
      queue.createGroup("g", GroupOptions.atLeastOnce(VISIBILITY));
      Producer producer = queue.producer();
      producer.append(bodies(0, 3));
      // Who seals dies, too.
      dies(() -> dying(name, step, step == Step.SEAL).seal(producer.lane()));
      refuses(Code.PRODUCER_FENCED, () -> producer.append(bodies(3, 6)));
      refuses(Code.PRODUCER_FENCED, () -> producer.append(bodies(3, 6)));
      refuses(Code.PRODUCER_FENCED, () -> producer.append(bodies(3, 6)));
      queue.seal(producer.lane());
      producer.close();
      assertThat(messageRows(name)).as("nothing of what was refused").isEqualTo(3);
      assertThat(drain(queue, "g")).isEqualTo(expected(0, 3));
      queue.trim();
      refuses(Code.NO_SUCH_LANE, () -> queue.seal(producer.lane()));
      refuses(Code.PRODUCER_FENCED, producer::resume);
    }
  }

  @Test
  void aConsumerThatDiesLosesNothing() throws Exception {
    for (Step step : List.of(Step.CLAIM, Step.SETTLE)) {
      for (boolean done : new boolean[] {false, true}) {
        String name = "consumer-" + step + "-" + done;
        Queue queue = create(name);
        queue.createGroup("g", GroupOptions.atLeastOnce(VISIBILITY));
        try (Producer producer = queue.producer()) {
          producer.append(bodies(0, 10));
        }
        Consumer victim = dying(name, step, done).consumer("g");
        if (step == Step.CLAIM) {
          dies(() -> victim.receive(6));
        } else {
          List<Delivery> claimed = victim.receive(6);
          assertThat(texts(claimed)).isEqualTo(expected(0, 6));
          dies(() -> victim.acknowledge(claimed.subList(0, 5)));
        }
        // What it has claimed, or acknowledged.
        int first = step == Step.CLAIM && !done ? 0 : 6;
        assertThat(drain(queue, "g")).isEqualTo(expected(first, 10));
        CLOCK.addAndGet(VISIBILITY.toMillis());
        int again = step == Step.SETTLE && done ? 5 : 0;
        Consumer heir = queue.consumer("g");
        List<Delivery> redelivered = heir.receive(100);
        assertThat(texts(redelivered)).isEqualTo(expected(Math.min(again, first), first));
        assertThat(redelivered).allMatch(one -> one.attempt() == 2);
        heir.acknowledge(redelivered);
        assertThat(queue.depth("g")).isZero();
      }
    }
  }

  @Test
  void aMessageThatKillsConsumersBecomesADeadLetter() throws Exception {
    for (Step step : List.of(Step.CLAIM, Step.BURY, Step.SETTLE, Step.COMMIT)) {
      String name = "poison-" + step;
      Queue queue = create(name);
      queue.createGroup("g", GroupOptions.atLeastOnce(VISIBILITY).deadLettersAfter(2));
      try (Producer producer = queue.producer()) {
        producer.append(bodies(0, 3));
      }
      Consumer consumer = queue.consumer("g");
      List<Delivery> first = consumer.receive(10);
      consumer.acknowledge(List.of(first.get(0), first.get(2)));
      consumer.release(List.of(first.get(1)));
      List<Delivery> second = consumer.receive(10);
      assertThat(texts(second)).containsExactly("m1");
      assertThat(second.get(0).attempt()).isEqualTo(2);
      CLOCK.addAndGet(VISIBILITY.toMillis());
      assertThat(queue.deadLetters("g")).isEmpty();
      if (step != Step.COMMIT) {
        dies(() -> dying(name, step, true).consumer("g").receive(10));
        CLOCK.addAndGet(VISIBILITY.toMillis());
      }
      refuses(Code.CLAIM_EXPIRED, () -> consumer.acknowledge(second));
      assertThat(consumer.receive(10)).isEmpty();
      List<DeadLetter> letters = queue.deadLetters("g");
      assertThat(letters).hasSize(1);
      assertThat(letters.get(0).attempts()).isEqualTo(2);
      assertThat(Bytes.toString(letters.get(0).message().body())).isEqualTo("m1");
      assertThat(queue.depth("g")).isZero();
    }
  }

  /** To bury many takes no longer than to bury one: others were claimed with them. */
  @Test
  void deadLettersDoNotUseUpTheTimeOfOthers() throws Exception {
    Queue queue = create("graves");
    queue.createGroup("g", GroupOptions.atLeastOnce(VISIBILITY).deadLettersAfter(1));
    try (Producer producer = queue.producer()) {
      producer.append(bodies(0, 5));
      assertThat(queue.consumer("g").receive(5)).hasSize(5);
      CLOCK.addAndGet(VISIBILITY.toMillis());
      producer.append(bodies(5, 6));
    }
    Steps slow =
        (step, done) -> {
          if (step == Step.BURY && done) {
            CLOCK.addAndGet(VISIBILITY.toMillis() / 3);
          }
        };
    Consumer consumer = queues().with(slow).open("graves").consumer("g");
    List<Delivery> good = consumer.receive(10);
    assertThat(texts(good)).containsExactly("m5");
    assertThat(good.get(0).deadlineMillis()).isGreaterThan(CLOCK.get());
    consumer.acknowledge(good);
    assertThat(queue.deadLetters("g")).hasSize(5);
  }

  @Test
  void effectsAreAppliedOnceWhoeverDies() throws Exception {
    for (boolean done : new boolean[] {false, true}) {
      String name = "effects-" + done;
      Queue queue = create(name);
      queue.createGroup("e", GroupOptions.exactlyOnce());
      try (Producer producer = queue.producer()) {
        producer.append(bodies(0, 10));
      }
      List<Message> handled = new ArrayList<>();
      ExactlyOnceConsumer.Handler handler =
          (messages, effects) -> {
            handled.addAll(messages);
            effects.add("n", messages.size());
            for (Message message : messages) {
              byte[] before = effects.value("text");
              effects.set("text", Bytes.add(before == null ? new byte[0] : before, message.body()));
            }
          };
      ExactlyOnceConsumer victim = dying(name, Step.COMMIT, done).exactlyOnceConsumer("e");
      dies(() -> victim.process(4, handler));
      assertThat(queue.depth("e")).isEqualTo(done ? 6 : 10);
      ExactlyOnceConsumer heir = queue.exactlyOnceConsumer("e");
      assertThatThrownBy(
              () ->
                  heir.process(
                      4,
                      (messages, effects) -> {
                        effects.add("n", 1);
                        throw new IOException("of the handler");
                      }))
          .hasMessage("of the handler");
      while (heir.process(4, handler) > 0) {
        // The next.
      }
      assertThat(handled).hasSize(done ? 10 : 14);
      assertThat(queue.sums("e")).isEqualTo(Map.of("n", 10L));
      assertThat(Bytes.toString(queue.values("e").get(0L).get("text")))
          .isEqualTo("m0m1m2m3m4m5m6m7m8m9");
    }
  }

  @Test
  void aTrimThatDiesIsDoneByTheNext() throws Exception {
    for (Step step :
        List.of(Step.TRIM_GROUPS, Step.TRIM_FLOOR, Step.TRIM_DELETE, Step.TRIM_NOTED)) {
      for (boolean done : new boolean[] {false, true}) {
        String name = "trim-" + step + "-" + done;
        Queue queue = create(name);
        queue.createGroup("g", GroupOptions.atLeastOnce(VISIBILITY));
        queue.createGroup("e", GroupOptions.exactlyOnce());
        Producer producer = queue.producer();
        producer.append(bodies(0, 10));
        Instant later = Instant.ofEpochMilli(CLOCK.addAndGet(10));
        producer.append(bodies(10, 20));
        queue.consumer("g").receive(5);
        dies(() -> dying(name, step, done).trimBefore(later));
        assertThat(queue.trim() + queue.trimBefore(later)).isLessThanOrEqualTo(10);
        assertThat(messageRows(name)).isEqualTo(10);
        assertThat(drain(queue, "g")).isEqualTo(expected(10, 20));
        ExactlyOnceConsumer rest = queue.exactlyOnceConsumer("e");
        assertThat(rest.process(100, (messages, effects) -> {})).isEqualTo(10);
        producer.append(bodies(20, 21));
        assertThat(queue.trim()).isEqualTo(10);
        assertThat(queue.depth("g")).isEqualTo(1);
        queue.seekToStart("g");
        assertThat(drain(queue, "g")).isEqualTo(expected(20, 21));
        producer.close();
      }
    }
  }

  @Test
  void aMessageThatCannotBeHandledStopsItsLaneOnly() throws Exception {
    Queue queue = create("stuck");
    queue.createGroup("e", GroupOptions.exactlyOnce());
    Producer stuck = queue.producer();
    stuck.append(bodies(0, 1));
    Producer other = queue.producer();
    other.append(bodies(1, 5));
    ExactlyOnceConsumer consumer = queue.exactlyOnceConsumer("e");
    ExactlyOnceConsumer.Handler handler =
        (messages, effects) -> {
          effects.add("n", messages.size());
          if (messages.get(0).lane() == stuck.lane()) {
            effects.add("half a pair: \ud800", 1);
          }
        };
    int refused = 0;
    for (int i = 0; i < 8; i++) {
      try {
        assertThat(consumer.process(1, handler)).isEqualTo(1);
      } catch (IllegalArgumentException e) {
        assertThat(e).hasMessageContaining("half a pair");
        refused++;
      }
    }
    assertThat(refused).isEqualTo(4);
    assertThat(queue.sums("e")).isEqualTo(Map.of("n", 4L));
    assertThat(queue.depth("e")).isEqualTo(1);
  }

  /** What a consumer has of a lane cannot be read. */
  private static void damageProgress(String queue, long lane) throws IOException {
    try (Table table = cluster.connection().getTable(TABLE);
        ResultScanner rows =
            table.getScanner(new Scan().addColumn(Bytes.toBytes("s"), Bytes.toBytes("p")))) {
      int damaged = 0;
      for (Result row : rows) {
        byte[] key = row.getRow();
        if (Bytes.toStringBinary(key).contains(queue)
            && Bytes.toLong(key, key.length - Long.BYTES) == lane) {
          table.put(new Put(key).addColumn(Bytes.toBytes("s"), Bytes.toBytes("p"), new byte[] {1}));
          damaged++;
        }
      }
      assertThat(damaged).isPositive();
    }
  }

  @Test
  void aLaneThatCannotBeReadStopsNoOther() throws Exception {
    Queue queue = create("unreadable");
    queue.createGroup("e", GroupOptions.exactlyOnce());
    queue.createGroup("g", GroupOptions.atLeastOnce(VISIBILITY));
    Producer unreadable = queue.producer();
    unreadable.append(bodies(0, 1));
    queue.exactlyOnceConsumer("e").process(1, (messages, effects) -> effects.add("n", 0));
    queue.consumer("g").receive(1);
    Producer other = queue.producer();
    other.append(bodies(1, 5));
    damageProgress("unreadable", unreadable.lane());
    ExactlyOnceConsumer exactly = queue.exactlyOnceConsumer("e");
    Consumer atLeast = queue.consumer("g");
    List<Delivery> got = new ArrayList<>();
    int refused = 0;
    for (int i = 0; i < 8; i++) {
      try {
        assertThat(exactly.process(1, (messages, effects) -> effects.add("n", messages.size())))
            .isEqualTo(1);
      } catch (IOException e) {
        refused++;
      }
      try {
        got.addAll(atLeast.receive(1));
      } catch (IOException e) {
        refused++;
      }
    }
    assertThat(refused).isEqualTo(8);
    assertThat(texts(got)).isEqualTo(expected(1, 5));
  }

  @Test
  void whatALaneGaveIsNotLostWhenTheNextOneFails() throws Exception {
    Queue queue = create("half");
    queue.createGroup("g", GroupOptions.atLeastOnce(VISIBILITY).deadLettersAfter(1));
    for (int i = 0; i < 2; i++) {
      try (Producer producer = queue.producer()) {
        producer.append(bodies(i, i + 1));
      }
    }
    int[] claims = new int[1];
    Steps second =
        (step, done) -> {
          if (step == Step.CLAIM && !done && ++claims[0] == 2) {
            throw new IOException("dead");
          }
        };
    Consumer consumer = queues().with(second).open("half").consumer("g");
    List<Delivery> got = new ArrayList<>(consumer.receive(10));
    assertThat(got).hasSize(1);
    dies(() -> consumer.receive(10));
    got.addAll(consumer.receive(10));
    assertThat(texts(got)).isEqualTo(expected(0, 2));
    assertThat(queue.deadLetters("g")).isEmpty();
  }

  @Test
  void seekingTheEndTakesNobodyBack() throws Exception {
    Queue queue = create("end");
    queue.createGroup("e", GroupOptions.exactlyOnce());
    Producer producer = queue.producer();
    producer.append(bodies(0, 3));
    ExactlyOnceConsumer consumer = queue.exactlyOnceConsumer("e");
    ExactlyOnceConsumer.Handler handler = (messages, effects) -> effects.add("n", messages.size());
    boolean[] isBusy = new boolean[1];
    Steps busy =
        (step, done) -> {
          if (step == Step.SETTLE && !isBusy[0]) {
            isBusy[0] = true;
            consumer.process(10, handler);
            producer.append(bodies(3, 6));
            consumer.process(10, handler);
          }
        };
    queues().with(busy).open("end").seekToEnd("e");
    assertThat(consumer.process(10, handler)).isZero();
    assertThat(queue.sums("e")).isEqualTo(Map.of("n", 6L));
  }

  /** Of the last batch the first messages are gone when its end is looked for. */
  @Test
  void seekingTheEndBesideATrimTakesNobodyBack() throws Exception {
    Queue queue = create("end-trim");
    queue.createGroup("e", GroupOptions.exactlyOnce());
    queue.createGroup("h", GroupOptions.atLeastOnce(VISIBILITY));
    Producer producer = queue.producer();
    producer.append(bodies(0, 3));
    ExactlyOnceConsumer consumer = queue.exactlyOnceConsumer("e");
    ExactlyOnceConsumer.Handler handler = (messages, effects) -> effects.add("n", messages.size());
    boolean[] isBusy = new boolean[1];
    Steps busy =
        (step, done) -> {
          if (step == Step.SETTLE && !isBusy[0]) {
            isBusy[0] = true;
            consumer.process(10, handler);
            producer.append(bodies(3, 8));
            consumer.process(10, handler);
            Consumer other = queue.consumer("h");
            other.acknowledge(other.receive(5));
            assertThat(queue.trim()).isEqualTo(5);
          }
        };
    queues().with(busy).open("end-trim").seekToEnd("e");
    assertThat(isBusy[0]).isTrue();
    assertThat(consumer.process(10, handler)).isZero();
    assertThat(queue.sums("e")).isEqualTo(Map.of("n", 8L));
  }

  @Test
  void aClaimThatExpiresAtOnceIsDeliveredOnceInACall() throws Exception {
    Queue queue = create("brief");
    queue.createGroup("g", GroupOptions.atLeastOnce(VISIBILITY).deadLettersAfter(2));
    try (Producer producer = queue.producer()) {
      producer.append(bodies(0, 3));
    }
    AtomicLong leaping = new AtomicLong(CLOCK.get());
    Queue slow =
        queues()
            .with(() -> Instant.ofEpochMilli(leaping.addAndGet(VISIBILITY.toMillis())))
            .open("brief");
    Consumer consumer = slow.consumer("g");
    for (int attempt = 1; attempt <= 2; attempt++) {
      List<Delivery> got = consumer.receive(10);
      assertThat(texts(got)).isEqualTo(expected(0, 3));
      assertThat(got).extracting(Delivery::attempt).containsOnly(attempt);
    }
    assertThat(queue.deadLetters("g")).isEmpty();
  }

  @Test
  void aReplayBesideATrimKeepsItsMessages() throws Exception {
    Queue queue = create("beside");
    queue.createGroup("g", GroupOptions.atLeastOnce(VISIBILITY));
    try (Producer producer = queue.producer()) {
      producer.append(bodies(0, 10));
    }
    assertThat(drain(queue, "g")).isEqualTo(expected(0, 10));
    boolean[] sought = new boolean[1];
    Steps seekFirst =
        (step, done) -> {
          if (step == Step.TRIM_FLOOR && !sought[0]) {
            sought[0] = true;
            queue.seekToStart("g");
          }
        };
    assertThat(queues().with(seekFirst).open("beside").trim()).isZero();
    assertThat(sought[0]).isTrue();
    assertThat(drain(queue, "g")).isEqualTo(expected(0, 10));
    assertThat(queue.trim()).isEqualTo(10);
  }

  @Test
  void aBusyLaneIsNotSealedAsIdle() throws Exception {
    Queue queue = create("busy");
    queue.createGroup("g", GroupOptions.atLeastOnce(VISIBILITY));
    Producer idle = queue.producer();
    Producer busy = queue.producer();
    CLOCK.addAndGet(10);
    boolean[] first = {true};
    Steps appendAndTrim =
        (step, done) -> {
          if (step == Step.SEAL && first[0]) {
            first[0] = false;
            busy.append(bodies(0, 3));
            assertThat(drain(queue, "g")).isEqualTo(expected(0, 3));
            // The idle lane goes while it is sealed, too.
            idle.close();
            assertThat(queue.trim()).isEqualTo(3);
          }
        };
    Queue janitor = queues().with(appendAndTrim).open("busy");
    assertThat(janitor.sealIdle(Duration.ofMillis(5))).isZero();
    assertThat(first[0]).isFalse();
    assertThat(queue.lanes()).containsExactly(busy.lane());
    assertThat(busy.append(bodies(3, 4))).isEqualTo(3);
    assertThat(queue.depth("g")).isEqualTo(1);
  }

  /** Its message comes just as the lane is thought idle. */
  @Test
  void aLaneThatIsAppendedToMeanwhileIsNotSealedAsIdle() throws Exception {
    Queue queue = create("awoken");
    Producer producer = queue.producer();
    CLOCK.addAndGet(10);
    boolean[] first = {true};
    Steps append =
        (step, done) -> {
          if (step == Step.SEAL && !done && first[0]) {
            first[0] = false;
            producer.append(bodies(0, 1));
          }
        };
    assertThat(queues().with(append).open("awoken").sealIdle(Duration.ofMillis(5))).isZero();
    assertThat(first[0]).isFalse();
    producer.append(bodies(1, 2));
    // For ever nothing is idle.
    assertThat(queue.sealIdle(Duration.ofSeconds(Long.MAX_VALUE))).isZero();
    queue.createGroup("g", GroupOptions.atLeastOnce(VISIBILITY));
    queue.seekToTime("g", Instant.MAX);
    assertThat(queue.depth("g")).isZero();
    queue.seekToTime("g", Instant.MIN);
    assertThat(queue.depth("g")).isEqualTo(2);
    assertThat(queue.trimBefore(Instant.MAX)).isEqualTo(2);
  }

  /** A seal that comes late stands where a message was, which everybody has had. */
  @Test
  void aSealInPlaceOfATrimmedMessageFencesNobody() throws Exception {
    Queue queue = create("stray");
    queue.createGroup("g", GroupOptions.atLeastOnce(VISIBILITY));
    Producer producer =
        sealedLate(
            "stray",
            () -> {
              Consumer consumer = queue.consumer("g");
              consumer.acknowledge(consumer.receive(1));
              assertThat(queue.trim()).isEqualTo(1);
            });
    assertThat(producer.resume()).isZero();
    assertThat(drain(queue, "g")).isEqualTo(expected(1, 3));
  }

  /**
   * A producer that does not know of its three messages, whose lane was sealed; {@code meanwhile}
   * is what happened between them and the seal.
   */
  private Producer sealedLate(String name, ThrowingCallable meanwhile) throws Exception {
    boolean[] hasDied = new boolean[1];
    Steps losesAnAnswer =
        (step, done) -> {
          if (step == Step.APPEND_DOOR && done && !hasDied[0]) {
            hasDied[0] = true;
            throw new IOException("dead");
          }
        };
    Producer producer = queues().with(losesAnAnswer).open(name).producer();
    boolean[] first = {true};
    Steps appendsFirst =
        (step, done) -> {
          if (step == Step.SEAL && first[0]) {
            first[0] = false;
            dies(() -> producer.append(bodies(0, 3)));
            assertThatCode(meanwhile).doesNotThrowAnyException();
          }
        };
    queues().with(appendsFirst).open(name).seal(producer.lane());
    assertThat(first[0]).isFalse();
    return producer;
  }

  /** The same where all of the lane has been had, and it has gone. */
  @Test
  void aSealInPlaceOfATrimmedMessageFencesNobodyOfALaneThatIsGone() throws Exception {
    Queue queue = create("gone");
    queue.createGroup("g", GroupOptions.atLeastOnce(VISIBILITY));
    Producer producer =
        sealedLate(
            "gone",
            () -> {
              assertThat(drain(queue, "g")).isEqualTo(expected(0, 3));
              assertThat(queue.trim()).isEqualTo(3);
            });
    queue.trim();
    assertThat(queue.lanes()).isEmpty();
    assertThat(producer.resume()).isZero();
    refuses(Code.PRODUCER_FENCED, () -> producer.append(bodies(3, 4)));
  }

  @Test
  void anIdlePollLooksOnceIntoEachLane() throws Exception {
    Queue queue = create("idle");
    queue.createGroup("g", GroupOptions.atLeastOnce(VISIBILITY));
    queue.createGroup("e", GroupOptions.exactlyOnce());
    for (int i = 0; i < 3; i++) {
      queue.producer();
    }
    Consumer consumer = queue.consumer("g");
    long[] before = counts(queue);
    assertThat(consumer.receive(10)).isEmpty();
    assertThat(since(before, counts(queue))).isEqualTo("5 gets, 3 scans of 0 rows, 0 swaps");
    ExactlyOnceConsumer exactlyOnce = queue.exactlyOnceConsumer("e");
    before = counts(queue);
    assertThat(exactlyOnce.process(10, (messages, effects) -> {})).isZero();
    assertThat(since(before, counts(queue))).isEqualTo("5 gets, 3 scans of 0 rows, 0 swaps");
  }

  @Test
  void isReplayedFromAPositionOrATime() throws Exception {
    Queue queue = create("replay");
    queue.createGroup("g", GroupOptions.atLeastOnce(VISIBILITY));
    Producer one = queue.producer();
    Producer two = queue.producer();
    List<Instant> times = new ArrayList<>();
    for (int i = 0; i < 10; i++) {
      times.add(Instant.ofEpochMilli(CLOCK.addAndGet(10)));
      one.append(bodies(10 * i, 10 * i + 7));
      two.append(bodies(10 * i + 7, 10 * i + 10));
    }
    assertThat(drain(queue, "g")).isEqualTo(expected(0, 100));
    for (int i = 0; i < 10; i++) {
      queue.seekToTime("g", times.get(i));
      assertThat(drain(queue, "g")).isEqualTo(expected(10 * i, 100));
    }
    queue.seekToTime("g", times.get(9).plusMillis(1));
    assertThat(drain(queue, "g")).isEmpty();
    queue.seek("g", one.lane(), 69);
    assertThat(drain(queue, "g")).containsExactly("m96");
    queue.seek("g", one.lane(), 1000);
    one.append(bodies(100, 101));
    assertThat(drain(queue, "g")).containsExactly("m100");
    queue.createGroup("new", GroupOptions.atLeastOnce(VISIBILITY));
    queue.seekToEnd("new");
    assertThat(drain(queue, "new")).isEmpty();
    two.append(bodies(101, 102));
    assertThat(drain(queue, "new")).containsExactly("m101");
    // A claim from before does not acknowledge what is delivered anew.
    queue.seekToStart("new");
    Consumer consumer = queue.consumer("new");
    List<Delivery> before = consumer.receive(1);
    queue.seekToStart("new");
    refuses(Code.CLAIM_EXPIRED, () -> consumer.acknowledge(before));
    assertThat(drain(queue, "new")).isEqualTo(expected(0, 102));
    queue.seekToStart("new");
    assertThat(queue.trimBefore(times.get(5))).isEqualTo(50);
    queue.seekToTime("g", times.get(0));
    assertThat(drain(queue, "g")).isEqualTo(expected(50, 102));
  }

  @Test
  void badInputIsRefusedAndLeavesNothing() throws Exception {
    refuses(Code.NO_SUCH_QUEUE, () -> queues().open("none"));
    refuses(
        Code.NO_SUCH_QUEUE,
        () -> new Queues(cluster.connection(), TableName.valueOf("none")).open("none"));
    refuses(Code.BAD_NAME, () -> queues().open("a/b"));
    refuses(Code.BAD_NAME, () -> create(""));
    for (Duration visibility :
        List.of(
            Duration.ZERO,
            Duration.ofMillis(-1),
            GroupOptions.MAX_VISIBILITY.plusMillis(1),
            Duration.ofSeconds(Long.MAX_VALUE))) {
      assertThatThrownBy(() -> GroupOptions.atLeastOnce(visibility))
          .isInstanceOf(IllegalArgumentException.class);
    }
    Queue queue = create("bad");
    refuses(Code.ALREADY_EXISTS, () -> create("bad"));
    queue.createGroup("g", GroupOptions.atLeastOnce(VISIBILITY));
    queue.createGroup("e", GroupOptions.exactlyOnce());
    refuses(Code.ALREADY_EXISTS, () -> queue.createGroup("g", GroupOptions.exactlyOnce()));
    refuses(Code.BAD_NAME, () -> queue.createGroup("g\0", GroupOptions.exactlyOnce()));
    refuses(Code.NO_SUCH_GROUP, () -> queue.consumer("h"));
    refuses(Code.NO_SUCH_GROUP, () -> queue.depth("h"));
    refuses(Code.WRONG_MODE, () -> queue.consumer("e"));
    refuses(Code.WRONG_MODE, () -> queue.exactlyOnceConsumer("g"));
    refuses(Code.NO_SUCH_LANE, () -> queue.seek("g", 7, 0));
    Producer producer = queue.producer();
    byte[] good = {1};
    refuses(Code.EMPTY_BODY, () -> producer.append(List.of(good, new byte[0])));
    refuses(
        Code.BODY_TOO_LARGE, () -> producer.append(List.of(good, new byte[MAX_BODY_BYTES + 1])));
    refuses(Code.BAD_BATCH, () -> producer.append(List.of()));
    refuses(
        Code.BAD_BATCH, () -> producer.append(Collections.nCopies(Producer.MAX_BATCH + 1, good)));
    assertThat(queue.depth("g")).isZero();
    assertThat(messageRows("bad")).isZero();
    assertThat(producer.append(new byte[MAX_BODY_BYTES])).isZero();
    Consumer consumer = queue.consumer("g");
    List<Delivery> claimed = consumer.receive(1);
    assertThat(consumer.receive(1)).isEmpty();
    CLOCK.addAndGet(VISIBILITY.toMillis());
    refuses(Code.CLAIM_EXPIRED, () -> consumer.acknowledge(claimed));
    refuses(Code.CLAIM_EXPIRED, () -> consumer.release(claimed));
    List<Delivery> again = queue.consumer("g").receive(1);
    assertThat(again.get(0).attempt()).isEqualTo(2);
    refuses(Code.CLAIM_EXPIRED, () -> consumer.acknowledge(claimed));
    consumer.acknowledge(again);
    refuses(Code.CLAIM_EXPIRED, () -> consumer.acknowledge(again));
    assertThat(queue.depth("g")).isZero();
  }

  @Test
  void aDequeueCostsTheSameHoweverManyMessagesPassed() throws Exception {
    Queues.createTable(
        cluster.util.getAdmin(),
        Queues.describe(PASSED_TABLE)
            .setValue(MiniCluster.READ, MiniCluster.IN_STORAGE)
            .setValue("ishbase.memstore", "auto")
            .setCompactionEnabled(false),
        SHARDS);
    passedQueues().create("passed", SHARDS, MAX_BODY_BYTES);
    Queue queue = passedQueues().open("passed");
    queue.createGroup("g", GroupOptions.atLeastOnce(Duration.ofDays(1)));
    queue.createGroup("e", GroupOptions.exactlyOnce());
    Producer producer = queue.producer();
    pass(queue, producer, PASSED / 10);
    String early = costOfADequeue(producer);
    assertThat(early)
        .isEqualTo(
            "at least once: 3 gets, 1 scans of 10 rows, 2 swaps;"
                + " exactly once: 2 gets, 1 scans of 10 rows, 1 swaps; cells: 20");
    pass(queue, producer, PASSED - PASSED / 10);
    // The tombstones that are walked by who does not remember where the head is.
    assertThat(cells(producer.lane(), 0, PASSED)).isGreaterThanOrEqualTo(PASSED);
    assertThat(costOfADequeue(producer)).isEqualTo(early);
    cluster.util.flush(PASSED_TABLE);
    assertThat(costOfADequeue(producer)).isEqualTo(early);
  }

  private static void pass(Queue queue, Producer producer, int messages) throws IOException {
    Consumer consumer = queue.consumer("g");
    ExactlyOnceConsumer exactlyOnce = queue.exactlyOnceConsumer("e");
    int chunk = 5_000;
    List<byte[]> bodies = Collections.nCopies(chunk, new byte[] {1});
    for (int done = 0; done < messages; done += chunk) {
      producer.append(bodies);
      List<Delivery> claimed = consumer.receive(chunk);
      assertThat(claimed).hasSize(chunk);
      consumer.acknowledge(claimed);
      assertThat(exactlyOnce.process(chunk, (some, effects) -> effects.add("n", some.size())))
          .isEqualTo(chunk);
      assertThat(queue.trim()).isGreaterThanOrEqualTo(chunk);
    }
  }

  /** Of consumers that know nothing yet. */
  private static String costOfADequeue(Producer producer) throws IOException {
    long first = producer.append(bodies(0, 10));
    Queue atLeastOnce = passedQueues().open("passed");
    Consumer consumer = atLeastOnce.consumer("g");
    long[] before = counts(atLeastOnce);
    List<Delivery> claimed = consumer.receive(10);
    assertThat(claimed).hasSize(10);
    consumer.acknowledge(claimed);
    String cost = "at least once: " + since(before, counts(atLeastOnce));
    Queue exactlyOnce = passedQueues().open("passed");
    ExactlyOnceConsumer other = exactlyOnce.exactlyOnceConsumer("e");
    before = counts(exactlyOnce);
    assertThat(other.process(10, (some, effects) -> effects.add("n", some.size()))).isEqualTo(10);
    return cost
        + "; exactly once: "
        + since(before, counts(exactlyOnce))
        + "; cells: "
        + cells(producer.lane(), first, first + 10);
  }

  private static long[] counts(Queue queue) {
    var counters = queue.counters();
    return new long[] {counters.gets(), counters.scans(), counters.rowsScanned(), counters.swaps()};
  }

  private static String since(long[] before, long[] now) {
    return String.format(
        "%d gets, %d scans of %d rows, %d swaps",
        now[0] - before[0], now[1] - before[1], now[2] - before[2], now[3] - before[3]);
  }

  /** All cells and tombstones of messages of the queue "passed". */
  private static int cells(long lane, long from, long to) throws IOException {
    byte[] prefix =
        Bytes.add(
            new byte[] {(byte) (lane % SHARDS)}, Bytes.toBytes("passed\0m"), Bytes.toBytes(lane));
    int cells = 0;
    try (Table table = cluster.connection().getTable(PASSED_TABLE);
        ResultScanner scanner =
            table.getScanner(
                new Scan()
                    .withStartRow(Bytes.add(prefix, Bytes.toBytes(from)))
                    .withStopRow(Bytes.add(prefix, Bytes.toBytes(to)))
                    .addFamily(Bytes.toBytes("m"))
                    .setCaching(10_000)
                    .setRaw(true))) {
      for (Result row : scanner) {
        cells += row.size();
      }
    }
    return cells;
  }
}
