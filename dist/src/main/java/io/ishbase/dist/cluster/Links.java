package io.ishbase.dist.cluster;

import java.io.Closeable;
import java.io.IOException;

/** The links of nodes to the network between compute and storage. Closing an answer mends it. */
public interface Links {
  /** Nothing crosses the link of storage node 1, 2, … */
  Closeable cutStorage(int node) throws IOException;

  /** Nothing crosses between the node of region server 1, 2, … and storage. */
  Closeable cutRegionServer(int number) throws IOException;

  /** What a storage node sends to a region server's node is lost, not what it gets from there. */
  Closeable loseAnswers(int node, int regionServer) throws IOException;

  /** What a region server's node sends to a storage node is lost, not what it gets from there. */
  Closeable loseRequests(int node, int regionServer) throws IOException;
}
