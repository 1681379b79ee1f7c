package io.ishbase.dist.cluster;

import io.ishbase.dist.CliException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.Properties;

/**
 * The names and addresses that a cluster's directory keeps from one start to the next, in a file.
 */
final class Addresses {
  private final Path file;
  private final Properties kept = new Properties();

  private Addresses(Path file) {
    this.file = file;
  }

  /** Those in {@code file}; none if there is no such file. */
  static Addresses in(Path file) throws IOException {
    Addresses addresses = new Addresses(file);
    if (Files.exists(file)) {
      try (InputStream in = Files.newInputStream(file)) {
        addresses.kept.load(in);
      }
    }
    return addresses;
  }

  /**
   * A network that is not there yet, with the kept names if there are some.
   *
   * @throws CliException if another has these names or addresses
   */
  Network network(boolean loopback, NetworkNodes nodes) {
    if (loopback) {
      return new LoopbackNetwork();
    }
    if (!NamespaceNetwork.hasNames(kept)) {
      return NamespaceNetwork.withFreeNames(nodes);
    }
    NamespaceNetwork network = NamespaceNetwork.withNamesOf(kept, nodes);
    if (network.isTaken()) {
      throw new CliException(
          "The network of this cluster, "
              + network.clientAddress()
              + "/28, is in use by something else on this machine: end that, or "
              + otherwise());
    }
    return network;
  }

  /**
   * Ports on {@code network}: the kept ones if there are some.
   *
   * @throws CliException if another listens on one of these
   */
  Ports ports(Network network) {
    if (network.hasOwnPorts()) {
      return Ports.usual();
    }
    if (!Ports.areIn(kept)) {
      return Ports.free();
    }
    Ports ports = Ports.open(kept);
    Optional<Ports.Port> taken = ports.taken();
    if (taken.isPresent()) {
      throw new CliException(
          "Port "
              + ports.of(taken.get())
              + " ("
              + taken.get()
              + ") of this cluster is in use by another program: end that, or "
              + otherwise());
    }
    return ports;
  }

  private String otherwise() {
    return "delete " + file + ", so that the cluster gets other addresses";
  }

  /** Keeps these, beside what is kept of the other kind of network. */
  void keep(Network network, Ports ports) throws IOException {
    if (network.hasOwnPorts()) {
      network.save(kept);
    } else {
      ports.save(kept);
    }
    try (OutputStream out = Files.newOutputStream(file)) {
      kept.store(out, "Addresses that this cluster has at each start");
    }
  }
}
