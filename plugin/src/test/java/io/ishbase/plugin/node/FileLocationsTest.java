package io.ishbase.plugin.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.ishbase.core.Distance;
import io.ishbase.core.Reason;
import io.ishbase.core.Topology;
import io.ishbase.core.WriteTargets;
import io.ishbase.core.compaction.Worker;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.apache.hadoop.fs.BlockLocation;
import org.apache.hadoop.fs.HdfsBlockLocation;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RawLocalFileSystem;
import org.apache.hadoop.fs.StorageType;
import org.apache.hadoop.hbase.ServerName;
import org.apache.hadoop.hbase.util.EnvironmentEdgeManager;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo.AdminStates;
import org.apache.hadoop.hdfs.protocol.DatanodeInfoWithStorage;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class FileLocationsTest {
  private static final long BLOCK_BYTES = 128 << 20;
  private static final Path FILE = new Path("/hbase/data/t/r/f/1");

  /** The DataNodes of each block of every file. */
  private final List<List<String>> blocks = new ArrayList<>();

  private int asked;
  private boolean isFailing;
  private final Map<StorageNode, Integer> usualMillis = new HashMap<>();
  private final Map<StorageNode, Double> begun = new HashMap<>();
  private final Set<StorageNode> doubted = new HashSet<>();
  private final Map<String, String> racks = new HashMap<>();

  /** What the NameNode calls machines, by addresses of DataNodes; empty: it does not say. */
  private final Map<String, String> hosts = new HashMap<>();

  /** What the NameNode says of each DataNode; empty: nothing. */
  private final Map<String, DatanodeInfoWithStorage> states = new HashMap<>();

  private int replication = 1;
  private double draw;
  private long nanos;

  private final RawLocalFileSystem fs =
      new RawLocalFileSystem() {
        @Override
        public long getDefaultBlockSize(Path path) {
          return BLOCK_BYTES;
        }

        @Override
        public short getDefaultReplication(Path path) {
          return (short) replication;
        }

        @Override
        public BlockLocation[] getFileBlockLocations(Path path, long start, long bytes)
            throws IOException {
          asked++;
          if (isFailing) {
            throw new IOException("safe mode");
          }
          return blocks.stream()
              .map(FileLocationsTest.this::location)
              .toArray(BlockLocation[]::new);
        }
      };

  private BlockLocation location(List<String> names) {
    if (states.isEmpty()) {
      return plain(names);
    }
    DatanodeInfo[] holders =
        names.stream().map(states::get).toArray(DatanodeInfoWithStorage[]::new);
    return new HdfsBlockLocation(plain(names), new LocatedBlock(new ExtendedBlock(), holders));
  }

  private BlockLocation plain(List<String> names) {
    return new BlockLocation(
        names.toArray(String[]::new),
        hosts.isEmpty() ? null : names.stream().map(hosts::get).toArray(String[]::new),
        names.stream()
            .map(name -> racks.getOrDefault(name, "/default-rack") + "/" + name)
            .toArray(String[]::new),
        0,
        1);
  }

  private final WriteTargets targets = new WriteTargets();
  private final Topology topology = new Topology(Set.of("10.0.0.9"), () -> {});
  private final List<ServerName> reconnected = new ArrayList<>();
  private final NodeHealth health = new NodeHealth(reconnected::add);
  private final StorageNode busy = node(1, 80);
  private final StorageNode idle = node(2, 10);
  private final StorageNode other = node(3, 0);
  private final Deque<Runnable> later = new ArrayDeque<>();
  private final FileLocations locations = locations(() -> List.of(busy, idle, other));

  /** Nobody is left alone for a shorter time because the machine stood still. */
  @BeforeEach
  void stopTheClock() {
    EnvironmentEdgeManager.injectEdge(() -> 1_000_000);
  }

  @AfterEach
  void resetTheClock() {
    EnvironmentEdgeManager.reset();
  }

  private FileLocations locations(Supplier<List<StorageNode>> readers) {
    return new FileLocations(
        readers,
        health,
        topology,
        targets,
        node -> usualMillis.getOrDefault(node, 0) * 1_000_000L,
        doubted::contains,
        node -> begun.getOrDefault(node, 1.0),
        () -> draw,
        new Remembered<>(
            100, places -> !places.areComplete(), () -> nanos, Runnable::run, later::add),
        new Remembered<>(100, path -> false, () -> nanos, Runnable::run, later::add));
  }

  static StorageNode node(int number, int loadPercent) {
    ServerName address = ServerName.valueOf("host" + number, 16, number);
    String dataNode = "10.0.0." + number + ":9866";
    return new StorageNode(
        address,
        dataNode,
        dataNode,
        loadPercent,
        true,
        new Worker(address.toString(), 0, 0, 0, 0, 0, 0, 0, false, 0),
        0,
        false,
        false);
  }

  private StorageNode chosen(StorageNode... preferred) {
    return locations.nodeFor(fs, FILE, Set.of(preferred), new WaitBudget());
  }

  /** In a machine with several networks this server looks its name up as another address. */
  @Test
  void aDataNodeIsKnownByItsNameToo() {
    StorageNode named = named(4, "dn4:9866", "192.0.2.4:9866");
    List<StorageNode> all = List.of(busy, named, idle);
    FileLocations several = locations(() -> all);
    hosts.put("10.0.0.4:9866", "dn4");
    blocks.add(List.of("10.0.0.4:9866"));
    assertThat(several.nodeFor(fs, FILE, Set.of(), new WaitBudget())).isEqualTo(named);
    assertThat(several.holders(fs, FILE, new WaitBudget())).contains("dn4:9866");
  }

  @Test
  void aNameOfSeveralMachinesIsOfNone() {
    StorageNode first = named(4, "localhost:9866", "10.0.0.4:9866");
    StorageNode second = named(5, "localhost:9866", "10.0.0.5:9866");
    FileLocations several = locations(() -> List.of(first, second));
    hosts.put("10.0.0.5:9866", "localhost");
    blocks.add(List.of("10.0.0.5:9866"));
    assertThat(several.nodeFor(fs, FILE, Set.of(), new WaitBudget())).isEqualTo(second);
  }

  private static DatanodeInfoWithStorage state(int number, AdminStates admin, long remaining) {
    DatanodeInfo state =
        new DatanodeInfo.DatanodeInfoBuilder()
            .setIpAddr("10.0.0." + number)
            .setHostName("dn" + number)
            .setXferPort(9866)
            .setCapacity(100 * BLOCK_BYTES)
            .setRemaining(remaining)
            .setAdminState(admin)
            .build();
    return new DatanodeInfoWithStorage(state, "", StorageType.DISK);
  }

  /** HDFS gives no new block to one that goes out of service, or is full. */
  @Test
  void itIsLearntWhichDataNodesTakeBlocks() {
    states.put(busy.dataNodeIp(), state(1, AdminStates.NORMAL, BLOCK_BYTES));
    states.put(idle.dataNodeIp(), state(2, AdminStates.NORMAL, BLOCK_BYTES - 1));
    states.put(other.dataNodeIp(), state(3, AdminStates.DECOMMISSION_INPROGRESS, 9 * BLOCK_BYTES));
    blocks.add(List.copyOf(states.keySet()));
    chosen();
    long now = EnvironmentEdgeManager.currentTime();
    assertThat(targets.takesBlocks(busy.dataNodeIp(), now)).isTrue();
    assertThat(targets.takesBlocks("dn1:9866", now)).isTrue();
    assertThat(targets.takesBlocks(idle.dataNodeIp(), now)).isFalse();
    assertThat(targets.takesBlocks("dn2:9866", now)).isFalse();
    assertThat(targets.takesBlocks(other.dataNodeIp(), now)).isFalse();
    // It is not so again until there is room for more than a few.
    for (int room : new int[] {9, 10}) {
      states.put(other.dataNodeIp(), state(3, AdminStates.NORMAL, room * BLOCK_BYTES));
      locations.forget(List.of(FILE.toUri().getPath()));
      chosen();
      assertThat(targets.takesBlocks(other.dataNodeIp(), now)).isEqualTo(room == 10);
    }
  }

  private static StorageNode named(int number, String dataNode, String dataNodeIp) {
    StorageNode node = node(number, 0);
    return new StorageNode(
        node.address(), dataNode, dataNodeIp, 90, true, node.worker(), 0, false, false);
  }

  /** DataNodes say a moment after a file was written that they have it. */
  @Test
  void whatIsNotCompleteYetIsAskedAgainSoon() {
    replication = 2;
    blocks.add(List.of(busy.dataNodeIp()));
    assertThat(chosen()).isEqualTo(busy);
    blocks.set(0, List.of(busy.dataNodeIp(), idle.dataNodeIp()));
    nanos += TimeUnit.SECONDS.toNanos(10);
    assertThat(chosen()).isEqualTo(busy);
    later.remove().run();
    assertThat(chosen()).isEqualTo(idle);
    nanos += TimeUnit.MINUTES.toNanos(9);
    assertThat(chosen()).isEqualTo(idle);
    assertThat(later).isEmpty();
  }

  /** One whose family wants fewer replicas is not asked for all the time. */
  @Test
  void whatStaysIncompleteIsAskedForMoreAndMoreSeldom() {
    replication = 3;
    blocks.add(List.of(busy.dataNodeIp()));
    for (int second = 0; second < 600; second++) {
      chosen();
      while (!later.isEmpty()) {
        later.remove().run();
      }
      nanos += TimeUnit.SECONDS.toNanos(1);
    }
    // After 10 s, 20, 40, ...
    assertThat(asked).isEqualTo(6);
  }

  @Test
  void theLeastLoadedHolderReads() {
    blocks.add(List.of(busy.dataNodeIp(), idle.dataNodeIp()));
    assertThat(chosen()).isEqualTo(idle);
  }

  @Test
  void theNearestHolderReadsThenTheLeastLoaded() {
    blocks.add(List.of(busy.dataNodeIp(), idle.dataNodeIp(), other.dataNodeIp()));
    racks.put(busy.dataNodeIp(), "/near");
    topology.ownRack("/near");
    // The first asks where they are.
    chosen();
    assertThat(chosen()).isEqualTo(busy);
    assertThat(topology.rack(idle.dataNodeIp())).isEqualTo("/default-rack");
    assertThat(locations.other(busy, false, List.of(FILE.toUri().getPath()))).isEqualTo(other);
    health.failed(busy, List.of(), Reason.UNREACHABLE);
    assertThat(chosen()).isEqualTo(other);
    assertThat(new Topology(Set.of("10.0.0.2"), () -> {}).distance(idle.dataNodeIp()))
        .isEqualTo(Distance.SAME_HOST);
  }

  @Test
  void aHolderThatReadsOtherFilesOfTheStoreComesFirst() {
    blocks.add(List.of(busy.dataNodeIp(), idle.dataNodeIp()));
    assertThat(chosen(busy, other)).isEqualTo(busy);
  }

  @Test
  void aHolderHasEveryBlock() {
    blocks.add(List.of(busy.dataNodeIp(), idle.dataNodeIp()));
    blocks.add(List.of(busy.dataNodeIp(), other.dataNodeIp()));
    assertThat(locations.holders(fs, FILE, new WaitBudget())).containsExactly(busy.dataNodeIp());
    assertThat(chosen()).isEqualTo(busy);
  }

  @Test
  void aQuarantinedHolderIsAskedOnlyIfThereIsNoOther() {
    blocks.add(List.of(busy.dataNodeIp(), idle.dataNodeIp()));
    health.failed(idle, List.of(), Reason.UNREACHABLE);
    assertThat(reconnected).containsExactly(idle.address());
    health.failed(idle, List.of(), Reason.UNREACHABLE);
    assertThat(reconnected).as("its connection was cut with the other's").hasSize(1);
    assertThat(chosen()).isEqualTo(busy);
    health.failed(busy, List.of(), Reason.BUSY);
    assertThat(reconnected).hasSize(1);
    assertThat(chosen()).isEqualTo(idle);
  }

  /** Else all reads go home, which is what makes the one that is left late. */
  @Test
  void whereAllAreLeftAloneTheOneInDoubtIsAskedNotTheOneThatFailed() {
    blocks.add(List.of(busy.dataNodeIp(), idle.dataNodeIp()));
    health.failed(idle, List.of(), Reason.UNREACHABLE);
    doubted.add(busy);
    assertThat(chosen()).isEqualTo(busy);
  }

  @Test
  void aHolderThatIsMuchSlowerIsAskedLessOften() {
    blocks.add(List.of(busy.dataNodeIp(), idle.dataNodeIp()));
    usualMillis.put(busy, 2);
    usualMillis.put(idle, 20);
    draw = 0.05;
    assertThat(chosen()).isEqualTo(idle);
    draw = 0.15;
    assertThat(chosen()).isEqualTo(busy);
    assertThat(chosen(idle)).as("that is asked for other files").isEqualTo(idle);
    health.failed(busy, List.of(), Reason.UNREACHABLE);
    assertThat(chosen()).as("the slow one rather than the one that failed").isEqualTo(idle);
  }

  @Test
  void aHolderThatHasJustBegunIsAskedEverMoreOften() {
    blocks.add(List.of(busy.dataNodeIp(), idle.dataNodeIp()));
    begun.put(idle, 0.2);
    draw = 0.1;
    assertThat(chosen()).isEqualTo(idle);
    draw = 0.3;
    assertThat(chosen()).isEqualTo(busy);
    begun.put(busy, 0.2);
    assertThat(chosen()).as("where both have").isEqualTo(idle);
    begun.remove(busy);
    doubted.add(busy);
    assertThat(chosen()).as("where the other answers nobody").isEqualTo(idle);
    doubted.clear();
    health.failed(busy, List.of(), Reason.UNREACHABLE);
    assertThat(chosen()).as("where the other has failed").isEqualTo(idle);
    health.succeeded(busy, List::of);
    begun.put(busy, 0.2);
    doubted.add(idle);
    assertThat(chosen()).as("where both have begun, and the other answers nobody").isEqualTo(busy);
    doubted.clear();
    begun.clear();
    assertThat(chosen()).isEqualTo(idle);
  }

  /** Else a fast node that has died would keep reads from the only one that can answer. */
  @Test
  void nobodyIsSlowBesideOneThatFailed() {
    blocks.add(List.of(busy.dataNodeIp(), idle.dataNodeIp()));
    usualMillis.put(busy, 20);
    usualMillis.put(idle, 2);
    draw = 0.15;
    assertThat(chosen()).isEqualTo(idle);
    doubted.add(idle);
    assertThat(chosen()).isEqualTo(busy);
    doubted.clear();
    health.failed(idle, List.of(), Reason.UNREACHABLE);
    assertThat(chosen()).isEqualTo(busy);
  }

  @Test
  void aHolderThatAnswersNobodyNowIsAskedOnlyIfThereIsNoOther() {
    blocks.add(List.of(busy.dataNodeIp(), idle.dataNodeIp()));
    doubted.add(idle);
    assertThat(chosen()).isEqualTo(busy);
    assertThat(locations.other(busy, false, List.of(FILE.toUri().getPath()))).isNull();
    doubted.add(busy);
    assertThat(chosen()).isEqualTo(idle);
  }

  /** Else who waits for one that has died fetches a block for himself. */
  @Test
  void oneThatIsInDoubtIsBetterThanNone() {
    List<String> path = List.of(FILE.toUri().getPath());
    blocks.add(List.of(busy.dataNodeIp(), idle.dataNodeIp()));
    assertThat(chosen()).isEqualTo(idle);
    doubted.add(idle);
    assertThat(locations.other(busy, false, path)).as("of one that is merely late").isNull();
    assertThat(locations.other(busy, true, path)).as("of one that is away").isEqualTo(idle);
    doubted.add(busy);
    assertThat(locations.other(busy, false, path)).as("of one that is in doubt").isEqualTo(idle);
    health.failed(idle, List.of(), Reason.UNREACHABLE);
    assertThat(locations.other(busy, true, path)).as("where the other has failed").isNull();
  }

  @Test
  void anotherHolderHoldsAllFilesAndIsNotQuarantined() {
    List<String> path = List.of(FILE.toUri().getPath());
    blocks.add(List.of(busy.dataNodeIp(), idle.dataNodeIp()));
    assertThat(locations.other(busy, false, path)).as("before it is known where they lie").isNull();
    assertThat(chosen()).isEqualTo(idle);
    assertThat(locations.other(idle, false, path)).isEqualTo(busy);
    assertThat(locations.other(other, false, path)).isEqualTo(idle);
    assertThat(locations.other(idle, false, List.of(path.get(0), "/hbase/data/t/r/f/2"))).isNull();
    health.failed(busy, List.of(), Reason.UNREACHABLE);
    assertThat(locations.other(idle, false, path)).isNull();
  }

  @Test
  void aFileWithoutAHolderIsReadByOneThatIsNotQuarantined() {
    StorageNode first = chosen();
    assertThat(chosen()).isEqualTo(first);
    health.failed(first, List.of(), Reason.TIMEOUT);
    assertThat(chosen()).isNotEqualTo(first);
    health.succeeded(first, List::of);
    assertThat(chosen()).isEqualTo(first);
  }

  @Test
  void aNameNodeThatFailedIsAskedAgainAfterSeconds() {
    blocks.add(List.of(busy.dataNodeIp()));
    isFailing = true;
    assertThat(locations.holders(fs, FILE, new WaitBudget())).isEmpty();
    isFailing = false;
    assertThat(locations.holders(fs, FILE, new WaitBudget())).isEmpty();
    assertThat(asked).isEqualTo(1);
    nanos += TimeUnit.SECONDS.toNanos(5);
    assertThat(locations.holders(fs, FILE, new WaitBudget())).containsExactly(busy.dataNodeIp());
    nanos += TimeUnit.MINUTES.toNanos(10) - 1;
    locations.holders(fs, FILE, new WaitBudget());
    assertThat(asked).isEqualTo(2);
    assertThat(later).isEmpty();
  }

  /** It may take minutes to fail over, and readers hold locks. */
  @Test
  void nobodyWaitsForANameNodeThatIsAskedAnew() {
    blocks.add(List.of(busy.dataNodeIp()));
    locations.holders(fs, FILE, new WaitBudget());
    blocks.set(0, List.of(idle.dataNodeIp()));
    nanos += TimeUnit.MINUTES.toNanos(10);
    isFailing = true;
    for (int i = 0; i < 3; i++) {
      assertThat(locations.holders(fs, FILE, new WaitBudget())).containsExactly(busy.dataNodeIp());
    }
    assertThat(later).hasSize(1);
    later.remove().run();
    assertThat(asked).isEqualTo(2);
    isFailing = false;
    assertThat(locations.holders(fs, FILE, new WaitBudget())).containsExactly(busy.dataNodeIp());
    assertThat(later).as("a moment after it failed").isEmpty();
    nanos += TimeUnit.SECONDS.toNanos(5);
    assertThat(locations.holders(fs, FILE, new WaitBudget())).containsExactly(busy.dataNodeIp());
    later.remove().run();
    assertThat(locations.holders(fs, FILE, new WaitBudget())).containsExactly(idle.dataNodeIp());
    assertThat(asked).isEqualTo(3);
  }

  @Test
  void whatNobodyAskedForAnHourIsWaitedFor() {
    blocks.add(List.of(busy.dataNodeIp()));
    locations.holders(fs, FILE, new WaitBudget());
    blocks.set(0, List.of(idle.dataNodeIp()));
    nanos += TimeUnit.HOURS.toNanos(1);
    assertThat(locations.holders(fs, FILE, new WaitBudget())).containsExactly(idle.dataNodeIp());
    assertThat(later).isEmpty();
  }

  @Test
  void whatWasForgottenMeanwhileStaysSo() {
    blocks.add(List.of(busy.dataNodeIp()));
    locations.holders(fs, FILE, new WaitBudget());
    nanos += TimeUnit.MINUTES.toNanos(10);
    locations.holders(fs, FILE, new WaitBudget());
    locations.forget(List.of(FILE.toUri().getPath()));
    later.remove().run();
    blocks.set(0, List.of(idle.dataNodeIp()));
    assertThat(locations.holders(fs, FILE, new WaitBudget())).containsExactly(idle.dataNodeIp());
  }

  @Test
  void theNameNodeIsAskedOnceUntilForgotten() {
    chosen();
    chosen();
    assertThat(asked).isEqualTo(1);
    locations.forget(List.of(FILE.toUri().getPath()));
    chosen();
    assertThat(asked).isEqualTo(2);
  }
}
