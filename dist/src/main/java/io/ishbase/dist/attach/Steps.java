package io.ishbase.dist.attach;

import io.ishbase.dist.attach.Wanted.ShortCircuit;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Who does what, in which order; no client notices but by a restart of its region server. */
final class Steps {
  private static final String RESTART = "     graceful_stop.sh --restart --reload HOST";

  private Steps() {}

  /** Those of an attachment, a line each; lines that belong to a step are indented. */
  static List<String> attaching(ExistingConfig config, Wanted wanted, Changes changes) {
    Numbered steps = new Numbered();
    steps.add(
        "All machines of HBase and all DataNodes: the package ishbase-issn, or the tarball with the"
            + " plug-in's jars in "
            + wanted.lib()
            + ". Nothing uses them yet.");
    if (touches(changes, ExistingConfig.HDFS)) {
      steps.add(
          "DataNodes, one after the other: the new hdfs-site.xml, a restart."
              + (wanted.shortCircuit() == ShortCircuit.DOMAIN_SOCKET
                  ? " Before: `hadoop checknative`, and the directory of dfs.domain.socket.path."
                  : ""),
          "     The next one when `hdfs dfsadmin -report` counts all of them as live.");
    }
    steps.add(
        "Storage nodes: a daemon beside each DataNode, as user "
            + wanted.user()
            + ", with all the new files, hbase-env.sh too: a region server that begins there meanwhile"
            + " needs it:",
        "     systemctl enable --now ishbase-issn, or bin/issn start --daemon",
        "     Region servers and masters reach its port 16060, operators 16061.");
    steps.add(
        "Masters, those on standby first: the new hbase-site.xml and hbase-env.sh, a restart."
            + (wanted.compactions() ? " Region servers reach port 16062." : ""));
    steps.add("Region servers, one after the other: the same files, a restart.", RESTART);
    steps.add("ishbase doctor --hbase-conf DIR says whether all of it works together.");
    steps.add(
        "Tables, in the HBase shell; nothing is read or compacted in-storage before:",
        "     " + alter(wanted));
    return steps.lines;
  }

  /** Those of the way back. */
  static List<String> detaching(Optional<String> table, Changes changes) {
    Numbered steps = new Numbered();
    steps.add(
        "Tables, in the HBase shell, for each that says otherwise (ishbase tables lists them):",
        "     alter '"
            + table.orElse("TABLE")
            + "', CONFIGURATION => {'ishbase.read' => 'stock', 'ishbase.compaction' => 'stock'}",
        "     and families that say otherwise, which ishbase tables lists as F:...");
    steps.add(
        "Tables with a class of IS-HBase, which ishbase tables names: without the jars their region"
            + " servers end, or their regions do not open.",
        "     alter 'TABLE', METHOD => 'table_remove_coprocessor', CLASSNAME => 'CLASS'",
        "     alter 'TABLE', METHOD => 'table_conf_unset', NAME => 'SETTING'",
        "     alter 'TABLE', {NAME => 'FAMILY', CONFIGURATION => {'SETTING' => ''}}");
    steps.add(
        "Region servers, one after the other: the new hbase-site.xml and hbase-env.sh, a restart.",
        RESTART);
    steps.add("Masters, those on standby first: the same files, a restart.");
    steps.add("Storage nodes: stop the daemons, then remove the package.");
    if (touches(changes, ExistingConfig.HDFS)) {
      steps.add("DataNodes: the new hdfs-site.xml, at their next restart. It is in no hurry.");
    } else {
      steps.add(
          "If it was attached with --hadoop-conf: detach with it, for what is in hdfs-site.xml.");
    }
    return steps.lines;
  }

  /** The line for the shell that switches a table. */
  static String alter(Wanted wanted) {
    return "alter '"
        + wanted.table().orElse("TABLE")
        + "', CONFIGURATION => {'ishbase.read' => 'auto'"
        + (wanted.compactions() ? ", 'ishbase.compaction' => 'offload'" : "")
        + "}";
  }

  private static boolean touches(Changes changes, String file) {
    return changes.edits().stream().anyMatch(edit -> edit.file().equals(file));
  }

  private static final class Numbered {
    private final List<String> lines = new ArrayList<>();
    private int number;

    void add(String step, String... more) {
      number++;
      lines.add("  " + number + ". " + step);
      lines.addAll(List.of(more));
    }
  }
}
