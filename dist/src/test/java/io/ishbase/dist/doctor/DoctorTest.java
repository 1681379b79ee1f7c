package io.ishbase.dist.doctor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ishbase.cluster.sample.ClockOffset;
import io.ishbase.core.Reason;
import io.ishbase.dist.attach.PlugIn;
import io.ishbase.dist.doctor.ClusterFacts.Answer;
import io.ishbase.dist.doctor.ClusterFacts.Daemon;
import io.ishbase.dist.doctor.ClusterFacts.HdfsReads;
import io.ishbase.dist.doctor.ClusterFacts.Master;
import io.ishbase.dist.doctor.ClusterFacts.Memory;
import io.ishbase.dist.doctor.ClusterFacts.PlugInFacts;
import io.ishbase.dist.doctor.ClusterFacts.RegionServer;
import io.ishbase.dist.doctor.ClusterFacts.Table;
import io.ishbase.dist.doctor.ClusterFacts.Trial;
import io.ishbase.dist.doctor.Finding.Level;
import io.ishbase.protocol.Protocol;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalLong;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.Test;

class DoctorTest {
  private static final Answer SILENT = new Answer(Answer.Kind.SILENT, "connection refused");
  private static final Answer ANSWERED = new Answer(Answer.Kind.ANSWERED, "");

  private final Facts facts = Facts.healthy();

  /** The only bad finding of a check, as its lines. */
  private String bad(Check check, Level level) {
    List<Finding> bad =
        check.check(facts.facts()).stream().filter(finding -> finding.level() != Level.OK).toList();
    assertThat(bad).hasSize(1);
    assertThat(bad.get(0).level()).isEqualTo(level);
    assertThat(bad.get(0).todo()).isNotEmpty();
    return String.join("\n", Doctor.text(bad));
  }

  private void isFine(Check check) {
    assertThat(check.check(facts.facts())).extracting(Finding::level).containsOnly(Level.OK);
  }

  @Test
  void aFindingIsALine() {
    assertThat(Doctor.text(List.of(Finding.fail("daemons", "\033[2J\nok    all", "\007ask"))))
        .containsExactly("fail  daemons: ?[2J?ok    all", "      -> ?ask", "0 ok, 0 warn, 1 fail");
  }

  @Test
  void ofAHealthyClusterEachCheckSaysOk() {
    List<Finding> findings = Doctor.examine(facts.facts());
    assertThat(findings).extracting(Finding::level).containsOnly(Level.OK);
    assertThat(findings).hasSizeGreaterThan(12);
    assertThat(Doctor.hasFailures(findings)).isFalse();
    assertThat(Doctor.text(findings)).last().isEqualTo(findings.size() + " ok, 0 warn, 0 fail");
  }

  @Test
  void releasesOfHBase() {
    isFine(new HBaseReleases());
    facts.master = new Master("m,16000", "2.6.3", List.of());
    assertThat(bad(new HBaseReleases(), Level.WARN))
        .contains("2.6.3 at master m,16000: not tested");
    facts.master = new Master("m,16000", ClusterFacts.UNKNOWN, List.of());
    assertThat(bad(new HBaseReleases(), Level.WARN)).contains("master m,16000 was not seen");
    facts.master = new Master("m,16000", "2.6.0-hadoop3", List.of());
    assertThat(bad(new HBaseReleases(), Level.FAIL)).contains("2.6.0-hadoop3 at master m,16000");
  }

  @Test
  void pagesThatAreNotShown() {
    assertThat(new Pages().check(facts.facts())).isEmpty();
    facts.regionServers.set(0, Facts.unseen("r1,16020"));
    assertThat(bad(new Pages(), Level.WARN)).contains("not looked into: r1,16020: 401");
    // What is not seen is no failure of anything else.
    assertThat(Doctor.hasFailures(Doctor.examine(facts.facts()))).isFalse();
  }

  @Test
  void aClusterWithoutThePlugInIsToldSoAndNothingElse() {
    facts.regionServers.set(
        0,
        new RegionServer(
            "r1,16020",
            "2.6.4",
            Seen.of(Map.of()),
            Seen.not("no bean"),
            Seen.not("-"),
            Seen.not("-")));
    facts.daemons.clear();
    facts.tables.clear();
    facts.tables.add(new Table("t", Map.of(), Map.of("f", Map.of()), Seen.not("")));
    assertThat(bad(new RegionClass(), Level.WARN)).contains("no region server has it");
    List<Finding> findings = Doctor.examine(facts.facts());
    assertThat(findings).hasSize(3);
    assertThat(Doctor.hasFailures(findings)).isFalse();

    facts.tables.set(0, Facts.table("t", Map.of("ishbase.read", "in-storage"), 1, 0));
    assertThat(bad(new RegionClass(), Level.FAIL)).contains("tables are set otherwise: t");
  }

  @Test
  void aRegionServerWithoutThePlugIn() {
    isFine(new RegionClass());
    facts.regionServers.add(Facts.server("r2,16020", Map.of(), Facts.plugIn(0, Map.of())));
    assertThat(bad(new RegionClass(), Level.FAIL)).contains("not at r2,16020");
    facts.regionServers.set(
        1,
        new RegionServer(
            "r2,16020",
            "2.6.4",
            Seen.of(Facts.settings()),
            Seen.not("no bean"),
            Seen.not("-"),
            Seen.not("-")));
    assertThat(bad(new RegionClass(), Level.WARN)).contains("r2,16020 shows nothing of it yet");
  }

  @Test
  void releasesOfIsHBase() {
    isFine(new Releases());
    facts.regionServers.set(
        0,
        Facts.server(
            "r1,16020",
            Facts.settings(),
            new PlugInFacts("2", List.of(), List.of(), 0, 0, Map.of())));
    assertThat(bad(new Releases(), Level.WARN)).contains("1 at s1,16060,1 s2,16060,1; 2 at r1");
    facts.regionServers.clear();
    facts.daemons.set(0, speaking(Protocol.VERSION - 1));
    assertThat(bad(new Releases(), Level.FAIL)).contains("protocol version").contains("s1,16060");
  }

  private static Daemon speaking(int protocol) {
    Daemon daemon = Facts.daemon(Facts.DAEMON, Facts.DATA_NODE);
    return new Daemon(
        daemon.name(),
        "",
        "1",
        protocol,
        daemon.dataNode(),
        2,
        daemon.answer(),
        daemon.trial(),
        daemon.settings(),
        daemon.hdfsReads(),
        daemon.clock());
  }

  private void firstDaemon(Answer answer, Trial trial) {
    facts.daemons.set(0, Facts.daemon(Facts.DAEMON, Facts.DATA_NODE, answer, trial, Facts.NOW));
  }

  @Test
  void daemonsThatAreNotThere() {
    isFine(new Daemons());
    firstDaemon(SILENT, Trial.NONE);
    assertThat(bad(new Daemons(), Level.FAIL))
        .contains("daemon s1,16060,1: registered, and does not answer: connection refused");
    firstDaemon(new Answer(Answer.Kind.REFUSED, "who are you"), Trial.NONE);
    assertThat(bad(new Daemons(), Level.WARN)).contains("turns this user away: who are you");
    facts.daemons.clear();
    assertThat(bad(new Daemons(), Level.FAIL)).contains("none is registered");
    facts.tables.clear();
    assertThat(bad(new Daemons(), Level.WARN)).contains("none is registered");
    facts.registry = "no rights";
    assertThat(bad(new Daemons(), Level.FAIL)).contains("no rights");
  }

  @Test
  void aRegistrationThatIsNotSound() {
    Daemon daemon = Facts.daemon(Facts.DAEMON, Facts.DATA_NODE);
    facts.daemons.set(
        0,
        new Daemon(
            daemon.name(),
            "its host is no name",
            "",
            Protocol.VERSION,
            "",
            0,
            SILENT,
            Trial.NONE,
            Seen.not("-"),
            Seen.not("-"),
            Seen.not("-")));
    assertThat(bad(new Daemons(), Level.FAIL)).contains("is ignored: its host is no name");
  }

  @Test
  void aDaemonThatARegionServerDoesNotReach() {
    isFine(new DaemonsInUse());
    facts.regionServers.set(
        0,
        Facts.server(
            "r1,16020",
            Facts.settings(),
            new PlugInFacts("1", List.of(Facts.PEER), List.of(), 0, 0, Map.of())));
    assertThat(bad(new DaemonsInUse(), Level.FAIL))
        .contains("r1,16020 does not use what answers here: s1,16060,1");
  }

  @Test
  void dataNodesAndDaemonsThatAreAlone() {
    isFine(new DataNodes());
    facts.dataNodes = Seen.of(List.of(Facts.DATA_NODE, Facts.PEER_NODE, "10.0.0.3:9866"));
    assertThat(bad(new DataNodes(), Level.WARN)).contains("without a daemon: 10.0.0.3:9866");
    facts.dataNodes = Seen.of(List.of(Facts.PEER_NODE));
    assertThat(bad(new DataNodes(), Level.FAIL)).contains("DataNode 10.0.0.1:9866 is none");
    facts.dataNodes = Seen.not("superuser privilege is required");
    assertThat(bad(new DataNodes(), Level.WARN)).contains("superuser privilege is required");
  }

  @Test
  void whatADaemonCannotRead() {
    firstDaemon(ANSWERED, new Trial("/hbase/f", "OK", ""));
    isFine(new Rights());
    firstDaemon(ANSWERED, new Trial("/hbase/f", "FAILED", "Permission denied"));
    assertThat(bad(new Rights(), Level.FAIL))
        .contains("daemon s1,16060,1: cannot read /hbase/f: FAILED: Permission denied");
  }

  private void firstDaemon(Map<String, String> settings, HdfsReads reads) {
    facts.daemons.set(
        0,
        new Daemon(
            Facts.DAEMON,
            "",
            "1",
            Protocol.VERSION,
            Facts.DATA_NODE,
            2,
            ANSWERED,
            Trial.NONE,
            Seen.of(settings),
            Seen.of(reads),
            Seen.of(Facts.NOW)));
  }

  @Test
  void shortCircuitReads() {
    isFine(new ShortCircuit());
    firstDaemon(Map.of(), new HdfsReads(100, 0));
    assertThat(bad(new ShortCircuit(), Level.WARN)).contains("off at daemon s1,16060,1");
    Map<String, String> on = Map.of("dfs.client.read.shortcircuit", "true");
    firstDaemon(on, new HdfsReads(0, 0));
    assertThat(bad(new ShortCircuit(), Level.WARN)).contains("dfs.domain.socket.path is not set");
    Map<String, String> legacy = Facts.with(on, "dfs.client.use.legacy.blockreader.local", "true");
    firstDaemon(legacy, new HdfsReads(100, 0));
    assertThat(bad(new ShortCircuit(), Level.WARN)).contains("of 100 bytes none came so");
    firstDaemon(legacy, new HdfsReads(0, 0));
    isFine(new ShortCircuit());
  }

  @Test
  void blocksWithoutADaemon() {
    isFine(new Replicas());
    facts.tables.set(0, Facts.table("t", Map.of("ishbase.read", "auto"), 10, 7));
    assertThat(bad(new Replicas(), Level.WARN)).contains("3 of 10 blocks have no replica");
    facts.tables.set(0, Facts.table("t", Map.of("ishbase.read", "auto"), 10, 0));
    assertThat(bad(new Replicas(), Level.FAIL)).contains("10 of 10 blocks");
    facts.tables.set(
        0,
        new Table(
            "t", Map.of("ishbase.read", "auto"), Map.of("f", Map.of()), Seen.not("no rights")));
    assertThat(bad(new Replicas(), Level.WARN)).contains("no rights");
    facts.tables.set(0, Facts.table("t", Map.of("ishbase.read", "stock"), 10, 0));
    assertThat(new Replicas().check(facts.facts())).isEmpty();
  }

  @Test
  void theWordOfAFamilyStandsBeforeItsTables() {
    facts.tables.set(
        0,
        new Table(
            "t",
            Map.of("ishbase.read", "auto", "ishbase.compaction", "offload"),
            Map.of("f", Map.of("ishbase.read", "stock", "ishbase.compaction", "stock")),
            Seen.not("")));
    assertThat(new Replicas().check(facts.facts())).isEmpty();
    assertThat(new Compactions().check(facts.facts())).isEmpty();
  }

  @Test
  void compactionsThatNobodyTakes() {
    isFine(new Compactions());
    facts.hasManager = false;
    assertThat(bad(new Compactions(), Level.WARN)).contains("it is not registered");
    facts.hasManager = true;
    facts.regionServers.set(
        0,
        Facts.server(
            "r1,16020",
            Map.of(PlugIn.REGION.key(), PlugIn.REGION.own()),
            Facts.plugIn(1, Map.of())));
    assertThat(bad(new Compactions(), Level.FAIL)).contains("r1,16020 do it themselves");
    facts.regionServers.clear();
    facts.daemons.clear();
    assertThat(bad(new Compactions(), Level.FAIL)).contains("no daemon takes compactions");
  }

  /**
   * What a table says of its compactor is in force there, and large objects have one of their own.
   */
  @Test
  void compactorsOfTables() {
    Map<String, String> offload = Map.of("ishbase.compaction", "offload");
    Map<String, String> own = new HashMap<>(offload);
    own.put(PlugIn.COMPACTOR.key(), PlugIn.COMPACTOR.own());
    facts.regionServers.set(
        0,
        Facts.server(
            "r1,16020",
            Map.of(PlugIn.REGION.key(), PlugIn.REGION.own()),
            Facts.plugIn(1, Map.of())));
    facts.tables.clear();
    facts.tables.add(new Table("own", own, Map.of("f", Map.of()), Seen.not("")));
    isFine(new Compactions());
    facts.tables.add(new Table("large", own, Map.of("f", Map.of("IS_MOB", "true")), Seen.not("")));
    assertThat(bad(new Compactions(), Level.FAIL))
        .contains("large to be offloaded, and r1,16020 do it themselves")
        .contains(PlugIn.MOB_COMPACTOR.key());
  }

  @Test
  void nameNodesThatNoFileNames() {
    Configuration conf = new Configuration(false);
    conf.set("hbase.rootdir", "hdfs://nowhere/hbase");
    assertThatThrownBy(() -> new StoredFiles(conf).dataNodes())
        .isInstanceOf(IOException.class)
        .hasMessageContaining("--hadoop-conf");
  }

  @Test
  void settingsThatAreNotObeyed() {
    isFine(new WrongSettings());
    facts.tables.set(
        0, new Table("t", Map.of("ishbase.read", "fast"), Map.of("f", Map.of()), Seen.not("")));
    assertThat(bad(new WrongSettings(), Level.FAIL))
        .contains("table t: ishbase.read = 'fast': must be one of");
    facts.tables.set(
        0, new Table("t", Map.of(), Map.of("f", Map.of("ishbase.cache.bytes", "7")), Seen.not("")));
    assertThat(bad(new WrongSettings(), Level.FAIL))
        .contains("table t, family f: ishbase.cache.bytes is no setting of a family");
    facts.tables.clear();
    facts.regionServers.set(
        0,
        Facts.server(
            "r1,16020",
            Facts.with(Facts.settings(), "ishbase.hedge.percent", "99"),
            Facts.plugIn(1, Map.of())));
    assertThat(bad(new WrongSettings(), Level.FAIL)).contains("r1,16020: ishbase.hedge.percent");
    facts.regionServers.set(
        0,
        Facts.server(
            "r1,16020",
            // Of a daemon's settings a region server's file has those too.
            Facts.with(
                Facts.with(Facts.settings(), "ishbase.issn.handlers", "9"),
                "ishbase.cache.byte",
                "0"),
            Facts.plugIn(1, Map.of())));
    assertThat(bad(new WrongSettings(), Level.FAIL))
        .contains("r1,16020: ishbase.cache.byte is no setting");
  }

  @Test
  void whatIsLeftAlone() {
    isFine(new Quarantine());
    shows(new PlugInFacts("1", List.of(), List.of("s1,16060,1"), 1, 0, Map.of()));
    assertThat(bad(new Quarantine(), Level.WARN)).contains("r1,16020 leaves alone: s1,16060,1");
    shows(new PlugInFacts("1", List.of(), List.of("reads of 0a1b/f"), 1, 0, Map.of()));
    assertThat(bad(new Quarantine(), Level.FAIL))
        .contains("r1,16020 does not read in-storage: reads of 0a1b/f")
        .contains("-> report it");
  }

  @Test
  void readsThatDifferedAreAFaultHoweverLongAgo() {
    shows(new PlugInFacts("1", List.of(), List.of(), 10, 2, Map.of()));
    assertThat(bad(new Fallbacks(), Level.FAIL))
        .contains("2 reads at r1,16020 had other cells than HBase reads")
        .contains("-> report it");
  }

  private void shows(PlugInFacts plugIn) {
    facts.regionServers.set(0, Facts.server("r1,16020", Facts.settings(), plugIn));
  }

  private void fallbacks(long answers, Reason reason, long count) {
    facts.regionServers.set(
        0,
        Facts.server("r1,16020", Facts.settings(), Facts.plugIn(answers, Map.of(reason, count))));
  }

  @Test
  void fallbacksAndWhatTheyMean() {
    isFine(new Fallbacks());
    fallbacks(10, Reason.BUSY, 7);
    assertThat(bad(new Fallbacks(), Level.WARN))
        .contains("7 of fallbacks_busy since the start: the storage daemon has too many requests")
        .contains("-> ishbase.issn.handlers, or more storage nodes");
    fallbacks(10, Reason.WARMING_UP, 7);
    isFine(new Fallbacks());
    fallbacks(0, Reason.LATE, 7);
    assertThat(bad(new Fallbacks(), Level.WARN)).contains("7 of fallbacks_late");
    fallbacks(10, Reason.TIMEOUT, 5);
    isFine(new Fallbacks());
    fallbacks(0, Reason.RESTORED_HALF, 700);
    assertThat(bad(new Fallbacks(), Level.FAIL))
        .contains("no read has been answered by a daemon at r1,16020")
        .contains("read in-storage: t");
  }

  @Test
  void directMemoryThatDoesNotSuffice() {
    isFine(new DirectMemoryFits());
    RegionServer server = facts.regionServers.get(0);
    facts.regionServers.set(
        0,
        new RegionServer(
            server.name(),
            server.release(),
            server.settings(),
            server.plugIn(),
            Seen.of(new Memory(1L << 30, OptionalLong.of(1L << 30))),
            server.clock()));
    assertThat(bad(new DirectMemoryFits(), Level.WARN))
        .contains("r1,16020: The JVM has 1024 MB of direct memory, too little for 1024 MB segment");
  }

  @Test
  void clocksThatDiffer() {
    isFine(new Clocks());
    // A date that is cut to seconds may be anywhere in them.
    facts.daemons.set(
        0,
        Facts.daemon(
            Facts.DAEMON,
            Facts.DATA_NODE,
            ANSWERED,
            Trial.NONE,
            ClockOffset.of(1_001_000, 1_000_400, 1_000_410)));
    isFine(new Clocks());
    facts.daemons.set(
        0,
        Facts.daemon(
            Facts.DAEMON,
            Facts.DATA_NODE,
            ANSWERED,
            Trial.NONE,
            ClockOffset.of(1_005_000, 1_000_400, 1_000_410)));
    assertThat(bad(new Clocks(), Level.WARN)).contains("differ by 3990 ms at least");
  }

  /** The manual's table and the doctor say the same. */
  @Test
  void theRemediesAreThoseOfTheManual() throws IOException {
    Map<Reason, String> manual = new EnumMap<>(Reason.class);
    for (String line : Files.readAllLines(Path.of("../docs/operations.md"))) {
      String[] cells = line.split("\\|");
      if (cells.length == 4 && cells[1].contains("`fallbacks_")) {
        Pattern.compile("`(?:fallbacks)?_(\\w+)`")
            .matcher(cells[1])
            .results()
            .map((MatchResult name) -> name.group(1).toUpperCase(Locale.ROOT))
            .forEach(name -> manual.put(Reason.valueOf(name), cells[3].strip().replace("`", "")));
      }
    }
    for (Reason reason : Reason.values()) {
      assertThat(Remedies.of(reason)).as(reason.name()).isEqualTo(manual.get(reason));
    }
  }
}
