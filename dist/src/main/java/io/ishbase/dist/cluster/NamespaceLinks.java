package io.ishbase.dist.cluster;

import java.io.Closeable;
import java.io.IOException;
import java.util.function.IntFunction;
import java.util.function.UnaryOperator;

/**
 * Links between namespaces. The bridge's port to a node is switched off to cut both ways; to lose
 * one, the sender is told a link address of the receiver that nobody has.
 */
final class NamespaceLinks implements Links {
  private static final String NOBODY = "02:00:00:00:00:01";
  private static final String BRIDGES = "b";

  private final UnaryOperator<String> namespaces;
  private final IntFunction<String> regionServers;
  private final IntFunction<String> storageAddresses;
  private final IntFunction<String> regionServerAddresses;

  /**
   * @param namespaces by nodes
   * @param regionServers their nodes
   * @param storageAddresses of storage nodes
   * @param regionServerAddresses of region servers' nodes, for storage nodes
   */
  NamespaceLinks(
      UnaryOperator<String> namespaces,
      IntFunction<String> regionServers,
      IntFunction<String> storageAddresses,
      IntFunction<String> regionServerAddresses) {
    this.namespaces = namespaces;
    this.regionServers = regionServers;
    this.storageAddresses = storageAddresses;
    this.regionServerAddresses = regionServerAddresses;
  }

  @Override
  public Closeable cutStorage(int node) throws IOException {
    return cut(storage(node));
  }

  @Override
  public Closeable cutRegionServer(int number) throws IOException {
    return cut(regionServers.apply(number));
  }

  @Override
  public Closeable loseAnswers(int node, int regionServer) throws IOException {
    return lose(storage(node), regionServerAddresses.apply(regionServer));
  }

  @Override
  public Closeable loseRequests(int node, int regionServer) throws IOException {
    return lose(regionServers.apply(regionServer), storageAddresses.apply(node));
  }

  private static String storage(int node) {
    return "s" + node;
  }

  private Closeable cut(String node) throws IOException {
    String port = "ip -n " + namespaces.apply(BRIDGES) + " link set " + node;
    Commands.runLine(port + " down");
    return () -> Commands.runLine(port + " up");
  }

  private Closeable lose(String sender, String receiver) throws IOException {
    String neighbour = "ip -n " + namespaces.apply(sender) + " neigh ";
    String link = receiver + " dev stor0";
    Commands.runLine(neighbour + "replace " + link + " lladdr " + NOBODY + " nud permanent");
    return () -> Commands.runLine(neighbour + "del " + link);
  }
}
