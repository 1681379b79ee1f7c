package io.ishbase.dist.doctor;

import io.ishbase.cluster.sample.ClockOffset;
import io.ishbase.core.Reason;
import io.ishbase.dist.attach.PlugIn;
import io.ishbase.dist.doctor.ClusterFacts.Answer;
import io.ishbase.dist.doctor.ClusterFacts.Daemon;
import io.ishbase.dist.doctor.ClusterFacts.Files;
import io.ishbase.dist.doctor.ClusterFacts.HdfsReads;
import io.ishbase.dist.doctor.ClusterFacts.Master;
import io.ishbase.dist.doctor.ClusterFacts.Memory;
import io.ishbase.dist.doctor.ClusterFacts.PlugInFacts;
import io.ishbase.dist.doctor.ClusterFacts.RegionServer;
import io.ishbase.dist.doctor.ClusterFacts.Table;
import io.ishbase.dist.doctor.ClusterFacts.Trial;
import io.ishbase.protocol.Protocol;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;

/** Facts of a cluster in which all is well, of which a test changes one thing. */
final class Facts {
  static final String DAEMON = "s1,16060,1";
  static final String DATA_NODE = "10.0.0.1:9866";
  static final String PEER = "s2,16060,1";
  static final String PEER_NODE = "10.0.0.2:9866";
  static final ClockOffset NOW = ClockOffset.of(1_000_000, 1_000_400, 1_000_410);

  Master master = new Master("m,16000", "2.6.4-hadoop3", List.of("CompactionManager"));
  String registry = "";
  boolean hasManager = true;
  Seen<List<String>> dataNodes = Seen.of(List.of(DATA_NODE, PEER_NODE));
  final List<RegionServer> regionServers = new ArrayList<>();
  final List<Daemon> daemons = new ArrayList<>();
  final List<Table> tables = new ArrayList<>();

  /** One region server, two daemons, a table read in-storage and compacted elsewhere. */
  static Facts healthy() {
    Facts facts = new Facts();
    facts.regionServers.add(server("r1,16020", settings(), plugIn(10, Map.of())));
    facts.daemons.add(daemon(DAEMON, DATA_NODE));
    facts.daemons.add(daemon(PEER, PEER_NODE));
    facts.tables.add(
        table("t", Map.of("ishbase.read", "auto", "ishbase.compaction", "offload"), 10, 10));
    return facts;
  }

  static Map<String, String> settings() {
    Map<String, String> settings = new HashMap<>();
    settings.put(PlugIn.REGION.key(), PlugIn.REGION.own());
    settings.put(PlugIn.COMPACTOR.key(), PlugIn.COMPACTOR.own());
    return settings;
  }

  static Map<String, String> with(Map<String, String> settings, String key, String value) {
    Map<String, String> more = new HashMap<>(settings);
    more.put(key, value);
    return more;
  }

  static PlugInFacts plugIn(long answers, Map<Reason, Long> fallbacks) {
    return new PlugInFacts("1", List.of(DAEMON, PEER), List.of(), answers, 0, fallbacks);
  }

  static RegionServer server(String name, Map<String, String> settings, PlugInFacts plugIn) {
    return new RegionServer(
        name,
        "2.6.4-hadoop3",
        Seen.of(settings),
        Seen.of(plugIn),
        Seen.of(new Memory(4L << 30, OptionalLong.of(1L << 30))),
        Seen.of(NOW));
  }

  static RegionServer unseen(String name) {
    return new RegionServer(
        name, "2.6.4-hadoop3", Seen.not("401"), Seen.not("401"), Seen.not("401"), Seen.not("401"));
  }

  static Daemon daemon(String name, String dataNode) {
    return daemon(name, dataNode, new Answer(Answer.Kind.ANSWERED, ""), Trial.NONE, NOW);
  }

  static Daemon daemon(
      String name, String dataNode, Answer answer, Trial trial, ClockOffset clock) {
    return new Daemon(
        name,
        "",
        "1",
        Protocol.VERSION,
        dataNode,
        2,
        answer,
        trial,
        Seen.of(
            Map.of(
                "dfs.client.read.shortcircuit", "true", "dfs.domain.socket.path", "/run/socket")),
        Seen.of(new HdfsReads(100, 100)),
        Seen.of(clock));
  }

  static Table table(String name, Map<String, String> values, long blocks, long atDaemons) {
    return new Table(name, values, Map.of("f", Map.of()), Seen.of(new Files(blocks, atDaemons)));
  }

  ClusterFacts facts() {
    return new ClusterFacts(
        master, regionServers, registry, hasManager, daemons, dataNodes, tables);
  }
}
