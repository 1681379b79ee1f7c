package io.ishbase.dist.attach;

import io.ishbase.core.Setting;
import io.ishbase.dist.SupportedHBase;
import io.ishbase.dist.SupportedHBase.Standing;
import io.ishbase.dist.attach.Wanted.ShortCircuit;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;

/** What stands in the way of an attachment, each with its reason and a way out. */
final class Obstacles {
  private static final String SECURITY = "hbase.security.authentication";
  private static final String KERBEROS = "kerberos";
  private static final List<String> KEYTAB =
      List.of("hbase.regionserver.keytab.file", "hbase.regionserver.kerberos.principal");

  private final ExistingConfig config;
  private final Wanted wanted;
  private final List<String> found = new ArrayList<>();

  private Obstacles(ExistingConfig config, Wanted wanted) {
    this.config = config;
    this.wanted = wanted;
  }

  /** Those of a configuration, a line each; none if it can be attached. */
  static List<String> of(ExistingConfig config, Wanted wanted) {
    Obstacles obstacles = new Obstacles(config, wanted);
    obstacles.release();
    obstacles.fileSystem();
    obstacles.dataNodes();
    obstacles.classes();
    obstacles.security();
    obstacles.settings();
    return obstacles.found;
  }

  static boolean isSecured(ExistingConfig config) {
    return config.get(SECURITY).equalsIgnoreCase(KERBEROS);
  }

  private void release() {
    config
        .release()
        .filter(release -> SupportedHBase.of(release) == Standing.UNSUPPORTED)
        .flatMap(SupportedHBase::objection)
        .ifPresent(objection -> found.add(objection + ": its classes would not load"));
  }

  private void fileSystem() {
    String root = config.get("hbase.rootdir");
    String fileSystem = root.contains(":") ? root : config.get("fs.defaultFS");
    if (root.isEmpty()) {
      found.add(
          "hbase.rootdir is not set: HBase stores its files on one machine, and IS-HBase is for"
              + " HBase on HDFS");
    } else if (!fileSystem.startsWith("hdfs:")) {
      found.add(
          "hbase.rootdir = "
              + root
              + " is not on HDFS: there are no DataNodes beside which a daemon could stand");
    }
    if (config.get("hbase.cluster.distributed").isEmpty()
        || config.get("hbase.cluster.distributed").equals("false")) {
      found.add(
          "hbase.cluster.distributed is not true: master and region server share a process, which"
              + " is for trying HBase out");
    }
  }

  /** A file of our lines alone, in the place of DataNodes' own, would take their disks away. */
  private void dataNodes() {
    List<Edit> edits =
        Changes.attaching(config, wanted).edits().stream()
            .filter(edit -> edit.file().equals(ExistingConfig.HDFS))
            .toList();
    if (!edits.isEmpty() && !Files.exists(config.hdfs().origin())) {
      found.add(
          "There is no "
              + config.hdfs().origin()
              + ", in which --short-circuit would be set: name the directory of the DataNodes' with"
              + " --hadoop-conf, or --short-circuit=keep");
    }
    for (Edit edit : edits) {
      String ofHBase = config.hbase().properties().get(edit.key());
      if (ofHBase != null && !ofHBase.equals(edit.after())) {
        found.add(
            "hbase-site.xml has the last word with "
                + edit.key()
                + " = "
                + ofHBase
                + ": take it out there, or --short-circuit=keep");
      }
    }
  }

  private void classes() {
    foreign(
        PlugIn.REGION,
        "two classes cannot both make the regions; what it is needed for must go, or IS-HBase stay"
            + " away");
    if (wanted.compactions()) {
      PlugIn.COMPACTIONS.forEach(
          place ->
              foreign(
                  place,
                  "its compactions would become HBase's; --reads-only leaves compactions as they"
                      + " are"));
    }
  }

  private void foreign(PlugIn place, String why) {
    String value = config.get(place.key());
    if (!value.isEmpty() && !value.startsWith(PlugIn.OURS) && !value.equals(place.stock())) {
      found.add(place.key() + " = " + value + ": " + why);
    }
  }

  private void security() {
    if (!isSecured(config)) {
      return;
    }
    List<String> missing = KEYTAB.stream().filter(key -> config.get(key).isEmpty()).toList();
    if (!missing.isEmpty()) {
      found.add(
          SECURITY
              + " = kerberos, and "
              + String.join(" and ", missing)
              + " not set in hbase-site.xml: a daemon logs in with them as region servers do");
    }
    if (!config.get("hadoop.security.authentication").equalsIgnoreCase(KERBEROS)) {
      found.add(
          SECURITY
              + " = kerberos without hadoop.security.authentication = kerberos in core-site.xml: a"
              + " daemon does not start so; name its directory with --hadoop-conf");
    }
    if (wanted.shortCircuit() == ShortCircuit.LEGACY) {
      found.add(
          "--short-circuit legacy opens the DataNode's files, which does not work with Kerberos:"
              + " choose domain-socket");
    }
  }

  /** What is set already, and a region server or daemon would not take. */
  private void settings() {
    Setting.faults(config::known)
        .forEach(fault -> found.add(fault + "; docs/settings.md has all settings"));
    if (config.get(Setting.MEMORY.key()).equals("auto") && Remarks.heapIsTuned(config)) {
      found.add(
          Setting.MEMORY.key()
              + " = auto beside ranges for HBase's HeapMemoryManager: only one of them can move"
              + " memory; take the ranges or the setting away");
    }
  }
}
