package io.ishbase.plugin.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.ishbase.core.Homes;
import io.ishbase.plugin.node.StorageNodes.Follower;
import java.util.List;
import org.apache.hadoop.hbase.HBaseConfiguration;
import org.apache.hadoop.hbase.ServerName;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class StorageNodesTest {
  /** As a region: equal to another of its name. */
  private static final class Region implements Follower {
    private int told;

    @Override
    public void chooseHome(Homes homes) {
      told++;
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

  private static StorageNode node(int number) {
    return FileLocationsTest.node(number, 0);
  }

  @AfterEach
  void reset() {
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
    assertThat(anew.told).isEqualTo(2);
    assertThat(before.told).isEqualTo(2);
  }
}
