package io.ishbase.dist.cluster;

import java.util.Properties;

/** Chooses and finds networks. */
final class Networks {
  static final String KIND = "network";

  private Networks() {}

  /** A network that is not there yet. */
  static Network choose(boolean loopback, int regionServers, int compactionServers) {
    return loopback
        ? new LoopbackNetwork()
        : NamespaceNetwork.withFreeNames(regionServers, compactionServers);
  }

  /** The network that {@link Network#save} wrote down. */
  static Network open(Properties state) {
    return NamespaceNetwork.KIND.equals(state.getProperty(KIND))
        ? NamespaceNetwork.open(state)
        : new LoopbackNetwork();
  }
}
