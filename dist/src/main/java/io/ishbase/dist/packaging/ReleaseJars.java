package io.ishbase.dist.packaging;

import java.io.IOException;
import java.util.Collections;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * The jars of a release: what a stock HBase lacks.
 *
 * @param plugin for region servers and masters
 * @param daemon for storage daemons
 * @param cli for the command line, beside the other two
 */
record ReleaseJars(
    SortedSet<Dependency> plugin, SortedSet<Dependency> daemon, SortedSet<Dependency> cli) {
  /** What HBase's binary tarball is built around, logging included. */
  private static final Set<String> STOCK =
      Set.of("org.apache.hbase:hbase-server", "org.apache.hbase:hbase-logging");

  private static final String STOCK_LOGGING = "org.apache.logging.log4j";

  /** For commands that a release does not have: servers, codecs, input of examples. */
  private static final Set<String> SOURCE_TREE_ONLY =
      Set.of(
          "org.ow2.asm:asm",
          "org.apache.hadoop:hadoop-hdfs",
          "org.apache.kerby:kerb-simplekdc",
          "org.apache.hbase:hbase-compression-snappy",
          "org.apache.hbase:hbase-compression-zstd");

  static ReleaseJars of(ResolvedDependencies resolved) throws IOException {
    Set<Dependency> stock = stock(resolved);
    SortedSet<Dependency> plugin = module(resolved, "io.ishbase:plugin", stock);
    SortedSet<Dependency> daemon = module(resolved, "io.ishbase:daemon", stock);
    Set<Dependency> direct = resolved.direct();
    SortedSet<Dependency> cli =
        resolved.closure(each -> direct.contains(each) && !SOURCE_TREE_ONLY.contains(each.id()));
    cli.add(resolved.own());
    cli.removeAll(stock);
    cli.removeAll(plugin);
    cli.removeAll(daemon);
    return new ReleaseJars(plugin, daemon, cli);
  }

  /** What is in the {@code lib} of an HBase as it comes. */
  static SortedSet<Dependency> stock(ResolvedDependencies resolved) throws IOException {
    return resolved.closure(
        each -> STOCK.contains(each.id()) || each.group().equals(STOCK_LOGGING));
  }

  private static SortedSet<Dependency> module(
      ResolvedDependencies resolved, String id, Set<Dependency> stock) throws IOException {
    SortedSet<Dependency> jars = resolved.closure(each -> each.id().equals(id));
    jars.removeAll(stock);
    return jars;
  }

  /** Each jar once. */
  SortedSet<Dependency> all() {
    SortedSet<Dependency> all = new TreeSet<>(plugin);
    all.addAll(daemon);
    all.addAll(cli);
    return Collections.unmodifiableSortedSet(all);
  }
}
