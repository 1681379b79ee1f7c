package io.ishbase.dist.cluster;

import java.util.Properties;

/** Finds networks again. */
final class Networks {
  static final String KIND = "network";

  private Networks() {}

  /** The network that {@link Network#save} wrote down. */
  static Network open(Properties state) {
    return NamespaceNetwork.KIND.equals(state.getProperty(KIND))
        ? NamespaceNetwork.open(state)
        : new LoopbackNetwork();
  }
}
