package io.ishbase.it;

import io.ishbase.archetypes.graph.Layout;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;

/** Both layouts of graphs, on a real cluster, read in storage. */
class GraphArchetypeTest {
  private static MiniCluster cluster;

  @BeforeAll
  static void start() throws Exception {
    cluster = MiniCluster.start(conf -> {});
    cluster.startDaemons();
  }

  @AfterAll
  static void stop() throws Exception {
    cluster.close();
  }

  @Nested
  class InRowsOfVertices extends GraphContract {
    InRowsOfVertices() {
      super(cluster, Layout.ADJACENCY);
    }
  }

  @Nested
  class InTablesOfEdges extends GraphContract {
    InTablesOfEdges() {
      super(cluster, Layout.EDGE_TABLE);
    }
  }
}
