package io.ishbase.dist.attach;

import io.ishbase.core.Setting;
import io.ishbase.core.sizing.DirectMemory;
import io.ishbase.dist.attach.Wanted.ShortCircuit;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;

/** What changes in the files of a configuration, as edits and as new texts. */
final class Changes {
  private static final String SHORT_CIRCUIT = "dfs.client.read.shortcircuit";
  private static final String SOCKET = "dfs.domain.socket.path";
  private static final String USUAL_SOCKET = "/var/lib/hadoop-hdfs/dn_socket";
  private static final String LEGACY = "dfs.client.use.legacy.blockreader.local";
  private static final String LEGACY_USER = "dfs.block.local-path-access.user";
  private static final Set<String> OF_HDFS = Set.of(SHORT_CIRCUIT, SOCKET, LEGACY, LEGACY_USER);

  private final ExistingConfig config;
  private final List<Edit> edits = new ArrayList<>();

  /** Whether what HDFS is to have is looked for in its own file alone. */
  private boolean isOfDataNodes;

  private SiteText hbase;
  private SiteText hdfs;
  private EnvText environment;

  private Changes(ExistingConfig config) {
    this.config = config;
    this.hbase = config.hbase();
    this.hdfs = config.hdfs();
    this.environment = config.environment();
  }

  /** Nothing. */
  static Changes none(ExistingConfig config) {
    return new Changes(config);
  }

  /** What attaches it; nothing if it is attached. */
  static Changes attaching(ExistingConfig config, Wanted wanted) {
    Changes changes = new Changes(config);
    changes.ofHBase(PlugIn.REGION.key(), PlugIn.REGION.own(), PlugIn.REGION.why());
    if (wanted.compactions()) {
      PlugIn.COMPACTIONS.forEach(place -> changes.ofHBase(place.key(), place.own(), place.why()));
      changes.add(PlugInList.MASTER_COPROCESSORS);
    }
    changes.add(PlugInList.PAGES);
    if (wanted.segmentCacheBytes() >= 0) {
      changes.ofHBase(
          Setting.CACHE_BYTES.key(),
          Long.toString(wanted.segmentCacheBytes()),
          "memory of each region server's segment cache");
    }
    changes.shortCircuit(wanted);
    changes.environment(wanted);
    return changes;
  }

  /** What takes the plug-in out again; nothing if it is not there. */
  static Changes detaching(ExistingConfig config) {
    Changes changes = new Changes(config);
    // In whatever place: once the jars are gone, who looks there does not begin.
    new TreeSet<>(changes.hbase.properties().keySet())
        .stream().filter(key -> !key.startsWith("ishbase.")).forEach(changes::removeClasses);
    // What somebody has written there since is not ours.
    for (String key : between(changes.hbase)) {
      if (key.startsWith("ishbase.")) {
        changes.removed(key);
      }
    }
    for (String key : between(changes.hdfs)) {
      if (OF_HDFS.contains(key)) {
        String before = changes.hdfs.properties().get(key);
        changes.hdfs = changes.hdfs.without(key);
        changes.edits.add(
            new Edit(ExistingConfig.HDFS, key, before, null, "came with ./ishbase attach"));
      }
    }
    changes.environment(List.of(), "came with ./ishbase attach");
    if (!changes.edits.isEmpty()) {
      changes.hbase = changes.hbase.withoutMarks();
      changes.hdfs = changes.hdfs.withoutMarks();
    }
    return changes;
  }

  private void removed(String key) {
    String before = hbase.properties().get(key);
    hbase = hbase.without(key);
    edits.add(new Edit(ExistingConfig.HBASE, key, before, null, "HBase's own takes its place"));
  }

  /** Keys between the marks that an attachment leaves. */
  private static List<String> between(SiteText site) {
    int begin = site.text().indexOf(SiteText.BEGIN);
    int end = site.text().indexOf(SiteText.END, Math.max(0, begin));
    if (begin < 0 || end < 0) {
      return List.of();
    }
    return new SiteText(
            site.name(),
            site.origin(),
            "<configuration>" + site.text().substring(begin, end) + "</configuration>")
        .properties().keySet().stream().sorted().toList();
  }

  private void ofHBase(String key, String value, String why) {
    String before = hbase.properties().get(key);
    if (!config.get(key).equals(value)) {
      hbase = hbase.with(key, value);
      edits.add(new Edit(ExistingConfig.HBASE, key, before, value, why));
    }
  }

  private void add(PlugInList list) {
    List<String> classes = classes(list);
    if (!classes.contains(list.own())) {
      ofHBase(
          list.key(),
          String.join(",", Stream.concat(classes.stream(), Stream.of(list.own())).toList()),
          list.why());
    }
  }

  private void removeClasses(String key) {
    List<String> classes = List.of(config.inForce().getTrimmedStrings(key));
    List<String> others = classes.stream().filter(each -> !each.startsWith(PlugIn.OURS)).toList();
    if (others.size() == classes.size()) {
      return;
    }
    if (others.equals(PlugInList.stock(key))) {
      removed(key);
    } else {
      ofHBase(key, String.join(",", others), "the others stay as they are");
    }
  }

  private List<String> classes(PlugInList list) {
    List<String> set = List.of(config.inForce().getTrimmedStrings(list.key()));
    return set.isEmpty() ? list.stock() : set;
  }

  /** Whether nothing is wanted, and DataNodes have no socket to be used. */
  static boolean isLeft(ExistingConfig config, Wanted wanted) {
    return wanted.shortCircuit() == ShortCircuit.USUAL && config.get(SOCKET).isEmpty();
  }

  private void shortCircuit(Wanted wanted) {
    if (wanted.shortCircuit() == ShortCircuit.KEEP || isLeft(config, wanted)) {
      return;
    }
    // What is asked for in words DataNodes get in their own file.
    isOfDataNodes = wanted.shortCircuit() != ShortCircuit.USUAL;
    ofHdfs(SHORT_CIRCUIT, "true", "daemons read the blocks beside them without the DataNode");
    if (wanted.shortCircuit() != ShortCircuit.LEGACY) {
      String socket = config.get(SOCKET);
      if (socket.isEmpty() || isOfDataNodes) {
        ofHdfs(
            SOCKET,
            socket.isEmpty() ? USUAL_SOCKET : socket,
            "over which it passes them; its directory is the DataNode's user's, and nobody else may"
                + " write there");
      }
    } else {
      ofHdfs(LEGACY, "true", "daemons open the DataNode's files, without a native library");
      List<String> users = List.of(config.inForce().getTrimmedStrings(LEGACY_USER));
      if (!users.contains(wanted.user())) {
        ofHdfs(
            LEGACY_USER,
            String.join(",", Stream.concat(users.stream(), Stream.of(wanted.user())).toList()),
            "whom the DataNode tells where they lie; that user must be able to read them");
      }
    }
  }

  private void ofHdfs(String key, String value, String why) {
    String before = hdfs.properties().get(key);
    if (!value.equals(isOfDataNodes ? before : config.get(key))) {
      hdfs = hdfs.with(key, value);
      edits.add(new Edit(ExistingConfig.HDFS, key, before, value, why));
    }
  }

  private void environment(Wanted wanted) {
    List<String> lines = new ArrayList<>();
    EnvText others = environment.withoutBlock();
    if (!others.hasOnClassPath(wanted.lib().toString())) {
      lines.add(EnvText.CLASS_PATH + wanted.lib() + "/*\"");
    }
    long segments =
        wanted.segmentCacheBytes() >= 0
            ? wanted.segmentCacheBytes()
            : Setting.CACHE_BYTES.longInteger(config::known);
    if (segments > 0) {
      long needed = DirectMemory.of(config::known).neededBytes(segments);
      OptionalLong direct = others.directBytes();
      if (direct.isEmpty() || direct.getAsLong() < needed) {
        lines.add(EnvText.DIRECT + ((needed + (1 << 20) - 1) >> 20) + "m\"");
      }
    }
    environment(lines, "the plug-in's jars, and direct memory for what lies off the heap");
  }

  private void environment(List<String> lines, String why) {
    List<String> before = environment.block();
    if (lines.equals(before)) {
      return;
    }
    environment = environment.with(lines);
    before.stream()
        .filter(line -> !lines.contains(line))
        .forEach(line -> edits.add(new Edit(ExistingConfig.ENVIRONMENT, line, "", null, why)));
    lines.stream()
        .filter(line -> !before.contains(line))
        .forEach(
            line ->
                edits.add(
                    new Edit(
                        ExistingConfig.ENVIRONMENT,
                        line,
                        null,
                        "",
                        line.startsWith(EnvText.DIRECT)
                            ? "direct memory for what lies off the heap"
                            : "the plug-in's jars")));
  }

  List<Edit> edits() {
    return edits;
  }

  SiteText hbase() {
    return hbase;
  }

  SiteText hdfs() {
    return hdfs;
  }

  EnvText environment() {
    return environment;
  }
}
