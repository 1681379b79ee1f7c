package io.ishbase.dist.cluster;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;

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
    WORKER_1(16060),
    WORKER_INFO_1(16061),
    WORKER_2(16060),
    WORKER_INFO_2(16061),
    WORKER_3(16060),
    WORKER_INFO_3(16061);

    private final int usual;

    Port(int usual) {
      this.usual = usual;
    }

    /** The port that number {@code node} of several servers has for what is {@code first}'s use. */
    static Port ofNode(Port first, int node) {
      return valueOf(first.name().replace("_1", "_" + node));
    }
  }

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
  static Ports free() throws IOException {
    Ports ports = new Ports();
    List<ServerSocket> held = new ArrayList<>();
    try {
      for (Port port : Port.values()) {
        ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        held.add(socket);
        ports.numbers.put(port, socket.getLocalPort());
      }
    } finally {
      for (ServerSocket socket : held) {
        socket.close();
      }
    }
    return ports;
  }

  static Ports open(Properties state) {
    Ports ports = new Ports();
    for (Port port : Port.values()) {
      ports.numbers.put(port, Integer.valueOf(state.getProperty("port." + port)));
    }
    return ports;
  }

  void save(Properties state) {
    numbers.forEach((port, number) -> state.setProperty("port." + port, number.toString()));
  }

  int of(Port port) {
    return numbers.get(port);
  }
}
