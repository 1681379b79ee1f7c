package io.ishbase.plugin.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.ishbase.core.Homes;
import io.ishbase.core.compaction.Worker;
import io.ishbase.plugin.node.StorageNodes.Follower;
import io.ishbase.testing.Await;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.apache.hadoop.fs.BlockLocation;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RawLocalFileSystem;
import org.apache.hadoop.hbase.HBaseConfiguration;
import org.apache.hadoop.hbase.ServerName;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class StorageNodesTest {
  /** As a region: equal to another of its name. */
  private static final class Region implements Follower {
    private volatile int told;

    /** DataNodes among which it chose last. */
    private volatile int known;

    @Override
    public void chooseHome(Homes homes) {
      told++;
      known = homes.choose("region", 100).size();
    }

    @Override
    public boolean equals(Object other) {
      return other instanceof Region;
    }

    @Override
    public int hashCode() {
      return 1;
    }
  }

  /** It answers nobody: who greets it is refused at once. */
  private static StorageNode node(int number) {
    ServerName address = ServerName.valueOf("127.0.0.1", 1, number);
    String dataNode = "10.0.0." + number + ":9866";
    return new StorageNode(
        address,
        dataNode,
        dataNode,
        0,
        true,
        new Worker(address.toString(), 0, 0, 0, 0, 0, 0, 0, false, 0),
        0,
        false,
        false);
  }

  @AfterEach
  void reset() {
    // Else they would be greeted for as long as the process lives.
    StorageNodes.of(HBaseConfiguration.create()).changed(List.of());
    StorageNodes.useFixed(List.<ServerName>of());
  }

  @Test
  void aRegionThatOpensAnewFollowsWhereDaemonsAre() {
    StorageNodes.useFixed(List.of(node(1)), null);
    StorageNodes nodes = StorageNodes.of(HBaseConfiguration.create());
    Region before = new Region();
    Region anew = new Region();
    nodes.follow(before);
    nodes.follow(anew);
    nodes.changed(List.of(node(1), node(2)));
    Await.until("both to be told", () -> anew.told == 2 && before.told == 2);
  }

  /**
   * Where files lie the NameNode says by DataNodes, so a daemon that begins anew changes nothing.
   */
  @Test
  void theNameNodeIsAskedAnewForDataNodesAlone() {
    StorageNodes.useFixed(List.of(node(1), node(2)), null);
    StorageNodes nodes = StorageNodes.of(HBaseConfiguration.create());
    AtomicInteger asked = new AtomicInteger();
    FileSystem fs =
        new RawLocalFileSystem() {
          @Override
          public BlockLocation[] getFileBlockLocations(Path path, long start, long bytes) {
            asked.incrementAndGet();
            return new BlockLocation[0];
          }
        };
    Path file = new Path("/a/b/c");
    assertThat(nodes.locations().nodeFor(fs, file, Set.of(), new WaitBudget())).isNotNull();
    for (int i = 0; i < 3; i++) {
      nodes.changed(List.of(node(1)));
      nodes.changed(List.of(node(1), node(2)));
      assertThat(nodes.locations().nodeFor(fs, file, Set.of(), new WaitBudget())).isNotNull();
    }
    assertThat(asked).hasValue(1);
    nodes.changed(List.of(node(1), node(2), node(3)));
    Await.until(
        "the NameNode to be asked anew",
        () -> {
          nodes.locations().nodeFor(fs, file, Set.of(), new WaitBudget());
          return asked.get() == 2;
        });
  }

  /** A whole cluster of daemons begins at once: regions do not choose for each of them. */
  @Test
  void regionsChooseOnceForMany() {
    StorageNodes.useFixed(List.of(node(1)), null);
    StorageNodes nodes = StorageNodes.of(HBaseConfiguration.create());
    Region region = new Region();
    nodes.follow(region);
    for (int last = 2; last <= 20; last++) {
      nodes.changed(IntStream.rangeClosed(1, last).mapToObj(StorageNodesTest::node).toList());
    }
    Await.until("the last choice", () -> region.known == 20);
    assertThat(region.told).isLessThan(10);
  }
}
