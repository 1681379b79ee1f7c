package io.ishbase.dist.cluster;

import io.ishbase.dist.CliException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** The TCP ports of a cluster's servers. */
final class Ports {
  /** A port by its use, with the number it has where the node has all ports to itself. */
  enum Port {
    ZOOKEEPER(2181),
    NAMENODE(8020),
    NAMENODE_HTTP(9870),
    MASTER(16000),
    MASTER_INFO(16010),
    REGIONSERVER_1(16020),
    REGIONSERVER_INFO_1(16030),
    DATANODE_1(9866),
    DATANODE_HTTP_1(9864),
    DATANODE_IPC_1(9867),
    ISSN_1(16060),
    ISSN_INFO_1(16061),
    DATANODE_2(9866),
    DATANODE_HTTP_2(9864),
    DATANODE_IPC_2(9867),
    ISSN_2(16060),
    ISSN_INFO_2(16061),
    REGIONSERVER_2(16020),
    REGIONSERVER_INFO_2(16030),
    REGIONSERVER_3(16020),
    REGIONSERVER_INFO_3(16030),
    REGIONSERVER_4(16020),
    REGIONSERVER_INFO_4(16030),
    REGIONSERVER_5(16020),
    REGIONSERVER_INFO_5(16030),
    REGIONSERVER_6(16020),
    REGIONSERVER_INFO_6(16030),
    WORKER_1(16060),
    WORKER_INFO_1(16061),
    WORKER_2(16060),
    WORKER_INFO_2(16061),
    WORKER_3(16060),
    WORKER_INFO_3(16061),
    DATANODE_3(9866),
    DATANODE_HTTP_3(9864),
    DATANODE_IPC_3(9867),
    ISSN_3(16060),
    ISSN_INFO_3(16061),
    KDC(88);

    private final int usual;

    Port(int usual) {
      this.usual = usual;
    }

    /** The port that number {@code node} of several servers has for what is {@code first}'s use. */
    static Port ofNode(Port first, int node) {
      return valueOf(first.name().replace("_1", "_" + node));
    }
  }

  /** The range to choose from lies below what kernels give to connections by themselves. */
  private static final int FIRST = 20_000;

  private static final int LAST = 32_000;

  /** More than there are uses. */
  private static final int BLOCK = 64;

  private static final int MOST_TRIES = 1_000;
  private static final List<ServerSocket> RESERVED = new CopyOnWriteArrayList<>();

  private final Map<Port, Integer> numbers = new EnumMap<>(Port.class);

  private Ports() {}

  static Ports usual() {
    Ports ports = new Ports();
    for (Port port : Port.values()) {
      ports.numbers.put(port, port.usual);
    }
    return ports;
  }

  /** Ports that are free on this machine now. */
  static Ports free() {
    Ports ports = new Ports();
    ports.addFree();
    return ports;
  }

  /**
   * Gives every use that has no number yet one that is free on this machine now, all of a block.
   * Until they listen no other process of ours takes one of that block.
   */
  private void addFree() {
    List<Port> missing =
        Stream.of(Port.values()).filter(port -> !numbers.containsKey(port)).toList();
    for (int tries = 0; tries < MOST_TRIES && !missing.isEmpty(); tries++) {
      int block = FIRST + BLOCK * ThreadLocalRandom.current().nextInt((LAST - FIRST) / BLOCK);
      // First of all: to look whether a port is free is to listen there for a moment.
      if (reserve(block)
          && IntStream.rangeClosed(block + 1, block + missing.size())
              .noneMatch(number -> numbers.containsValue(number) || isTaken(number))) {
        missing.forEach(port -> numbers.put(port, block + 1 + missing.indexOf(port)));
        return;
      }
    }
    if (!missing.isEmpty()) {
      throw new CliException(
          "No " + missing.size() + " ports in a row are free between " + FIRST + " and " + LAST);
    }
  }

  /** Listens at the first port of a block for as long as this process lives. */
  private static boolean reserve(int block) {
    try {
      RESERVED.add(new ServerSocket(block, 1, InetAddress.getLoopbackAddress()));
      return true;
    } catch (IOException e) {
      return false;
    }
  }

  private static boolean isTaken(int number) {
    try (ServerSocket socket = new ServerSocket(number, 1)) {
      return false;
    } catch (IOException e) {
      return true;
    }
  }

  /** One of its ports that a process on this machine listens on. */
  Optional<Port> taken() {
    return numbers.keySet().stream().filter(port -> isTaken(of(port))).findFirst();
  }

  static boolean areIn(Properties state) {
    return state.containsKey("port." + Port.ZOOKEEPER);
  }

  static Ports open(Properties state) {
    Ports ports = new Ports();
    for (Port port : Port.values()) {
      String number = state.getProperty("port." + port);
      if (number != null) {
        ports.numbers.put(port, Integer.valueOf(number));
      }
    }
    // What an earlier version wrote down lacks the ports of servers that it did not know.
    ports.addFree();
    return ports;
  }

  void save(Properties state) {
    numbers.forEach((port, number) -> state.setProperty("port." + port, number.toString()));
  }

  int of(Port port) {
    return numbers.get(port);
  }
}
