package io.ishbase.it.metamorphic;

import io.ishbase.it.Codecs;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Stream;
import org.apache.hadoop.hbase.MemoryCompactionPolicy;
import org.apache.hadoop.hbase.io.encoding.DataBlockEncoding;
import org.apache.hadoop.hbase.regionserver.BloomType;

/**
 * Draws what a file declares before its operations: families, which say what is answered, and what
 * must not change an answer: region servers and configurations of tables.
 */
final class Configurations {
  private static final int PLUGGED_SERVERS = 2;

  private final Random random;

  /** How many times as seldom as in a short file what flushes often does so. */
  private final long seldom;

  /** For a file of so many operations. */
  Configurations(Random random, int operations) {
    this.random = random;
    this.seldom = Math.round(1 / OperationDrawing.shareOfChanges(operations));
  }

  /** Without operations. */
  OperationFile draw(int configurations) {
    Map<String, Map<String, String>> families = new LinkedHashMap<>();
    families.put("f", family());
    families.put("g", family());
    Map<String, Map<String, String>> servers = new LinkedHashMap<>();
    for (int i = 0; i < PLUGGED_SERVERS; i++) {
      servers.put("s" + (i + 1), server());
    }
    Map<String, Map<String, String>> drawn = new LinkedHashMap<>();
    boolean drops =
        families.values().stream()
            .anyMatch(each -> each.containsKey("keep-deleted") || each.containsKey("ttl"));
    for (int i = 0; i < configurations; i++) {
      Map<String, String> configuration = configuration(i, List.copyOf(servers.keySet()));
      // There HBase's compactions drop markers and keep what they hide, which shows again; and a
      // flush of which nothing is left, all having expired, leaves the memstore as it was, with
      // which the region cannot be closed and its server gives up.
      configuration.computeIfPresent("engine", (key, engine) -> drops ? "date-tiered" : engine);
      drawn.put("c" + (i + 1), configuration);
    }
    return new OperationFile(1 + random.nextInt(3), families, servers, drawn, List.of());
  }

  private Map<String, String> family() {
    Map<String, String> family = new LinkedHashMap<>();
    maybe(2, family, "versions", "2", "3", "5", "all");
    maybe(2, family, "ttl", Integer.toString(FileTime.TTL_SECONDS));
    if (family.containsKey("ttl")) {
      maybe(2, family, "min-versions", "1");
    }
    maybe(4, family, "keep-deleted", family.containsKey("ttl") ? "TTL" : "TRUE", "TRUE");
    return family;
  }

  private Map<String, String> server() {
    Map<String, String> server = new LinkedHashMap<>();
    maybe(1, server, "ishbase.cache.bytes", "0", "131072", "131072", "1048576", "8388608");
    maybe(2, server, "ishbase.cache.file.bytes", "4194304");
    maybe(2, server, "ishbase.cache.compression", "zstd", "none");
    maybe(2, server, "ishbase.answer.compression", "zstd", "none");
    maybe(2, server, "ishbase.hedge.percent", "0", "50");
    maybe(3, server, "ishbase.read.share", "false");
    maybe(3, server, "ishbase.memory", "auto");
    maybe(2, server, "ishbase.batch.first.bytes", "256");
    maybe(2, server, "ishbase.batch.max.bytes", "1024", "4096");
    maybe(3, server, "ishbase.cache.prewarm.period", "0", "1");
    maybe(3, server, "dfs.replication", "2");
    maybe(4, server, "hfile.block.cache.size", "0.05");
    return server;
  }

  private Map<String, String> configuration(int number, List<String> servers) {
    Map<String, String> table = new LinkedHashMap<>();
    // Of five one is HBase's own, so that what HBase contradicts shows as such.
    table.put("server", number % 5 == 4 ? Rig.STOCK : one(servers.toArray(String[]::new)));
    if (!table.get("server").equals(Rig.STOCK)) {
      table.put("ishbase.read", one("in-storage", "in-storage", "in-storage", "auto"));
      maybe(4, table, "attribute", "mixed", "in-storage", "auto");
      maybe(3, table, "ishbase.cache", "false");
      maybe(2, table, "ishbase.compaction", "offload");
      maybe(4, table, "ishbase.verify.share", "1", "10");
      maybe(4, table, "ishbase.placement", "false");
      maybe(5, table, "ishbase.batch.first.bytes", "256");
      maybe(6, table, "ishbase.compaction.warmup", "incremental", "pre-switch", "remote");
    }
    maybe(3, table, "codec", Codecs.USABLE.stream().map(Enum::name).toArray(String[]::new));
    maybe(2, table, "encoding", names(DataBlockEncoding.values()));
    maybe(2, table, "bloom", names(BloomType.values()));
    maybe(2, table, "block", "64", "256", "1024", "8192");
    maybe(2, table, "memstore", names(MemoryCompactionPolicy.values()));
    if (!table.containsKey("memstore") && !table.get("server").equals(Rig.STOCK)) {
      maybe(2, table, "ishbase.memstore", "auto");
    }
    maybe(4, table, "engine", "stripe", "date-tiered");
    maybe(3, table, "hbase.store.file-tracker.impl", "FILE");
    maybe(4, table, "mob", "20");
    maybe(5, table, "block-cache", "false");
    maybe(5, table, "tags", "compressed");
    maybe(6, table, "replicas", "2");
    maybe(4, table, "flush-every", Long.toString(3 * seldom), Long.toString(17 * seldom));
    return table;
  }

  private static String[] names(Enum<?>[] values) {
    return Stream.of(values).map(Enum::name).toArray(String[]::new);
  }

  private String one(String... values) {
    return values[random.nextInt(values.length)];
  }

  /** Gives it one of the values, with a chance of one in {@code of}. */
  private void maybe(int of, Map<String, String> options, String key, String... values) {
    if (random.nextInt(of) == 0) {
      options.put(key, one(values));
    }
  }
}
