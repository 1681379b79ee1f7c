package io.ishbase.dist;

import io.ishbase.core.sizing.Choice;
import io.ishbase.core.sizing.Collector;
import io.ishbase.core.sizing.MemoryPlan;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * The memory of a region server as text: a table of what was chosen, and the files that say so to
 * HBase.
 *
 * @param plan the sizes
 * @param collector the garbage collector
 */
record ServerMemory(MemoryPlan plan, Collector collector) {
  private static final String OPTIONS = "HBASE_REGIONSERVER_OPTS";

  /** All flags of the JVM. */
  List<Choice> flags() {
    List<Choice> flags = new ArrayList<>(plan.flags());
    flags.addAll(collector.flags());
    return flags;
  }

  /** What was chosen and why, a line each. */
  List<String> table() {
    List<String> lines = new ArrayList<>();
    for (Choice part : plan.parts()) {
      lines.add(
          String.format(Locale.ROOT, "  %-14s %9s  %s", part.name(), part.value(), part.why()));
    }
    for (Choice flag : collector.flags()) {
      lines.add(String.format(Locale.ROOT, "  %-24s  %s", flag.name() + flag.value(), flag.why()));
    }
    if (!collector.note().isEmpty()) {
      lines.add("  " + collector.note());
    }
    return lines;
  }

  /** A configuration, to be included in the region servers' {@code hbase-site.xml}. */
  String site(String heading) {
    StringBuilder xml = new StringBuilder("<?xml version=\"1.0\"?>\n");
    xml.append("<!-- ").append(heading).append(" -->\n<configuration>\n");
    for (Choice property : plan.properties()) {
      xml.append("  <!-- ").append(property.why()).append(" -->\n");
      xml.append("  <property><name>").append(property.name());
      xml.append("</name><value>").append(property.value()).append("</value></property>\n");
    }
    return xml.append("</configuration>\n").toString();
  }

  /** Lines of a shell, to be read by the region servers' {@code hbase-env.sh}. */
  String environment(String heading) {
    StringBuilder shell = new StringBuilder("# ").append(heading).append('\n');
    if (!collector.note().isEmpty()) {
      shell.append("# ").append(collector.note()).append('\n');
    }
    for (Choice flag : flags()) {
      shell.append("# ").append(flag.why()).append('\n');
      shell.append("export ").append(OPTIONS).append("=\"$").append(OPTIONS).append(' ');
      shell.append(flag.name()).append(flag.value()).append("\"\n");
    }
    return shell.toString();
  }
}
