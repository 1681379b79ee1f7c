package io.ishbase.core;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

/**
 * One setting of IS-HBase: its key in {@code hbase-site.xml}, type, default, unit and meaning. This
 * table is the only place where a setting is declared; {@code docs/settings.md} is made from it.
 */
public enum Setting {
  READ(
      "ishbase.read",
      Type.CHOICE,
      "stock",
      "stock | auto | in-storage",
      "How reads are answered: as HBase does; over the better road, found out by measuring; from the"
          + " storage nodes in any case. In hbase-site.xml: the default of the cluster; as a value of a table or"
          + " of a column family: for that one; as an attribute of a Get or Scan: for that operation.",
      0,
      0),
  RPC_TIMEOUT(
      "ishbase.rpc.timeout",
      Type.INTEGER,
      "5000",
      "ms",
      "Longest wait of a region server for one answer of a storage daemon; then HBase's own read path"
          + " takes over.",
      10,
      600_000),
  SLOW_REQUEST(
      "ishbase.slow.request",
      Type.INTEGER,
      "1000",
      "ms",
      "A request to a storage daemon that takes longer stands in the region server's log.",
      1,
      600_000),
  BATCH_FIRST(
      "ishbase.batch.first.bytes",
      Type.INTEGER,
      "16384",
      "bytes",
      "Size of the first batch of a scan; later ones grow with what the scan has read.",
      256,
      16 << 20),
  BATCH_MAX(
      "ishbase.batch.max.bytes",
      Type.INTEGER,
      "1048576",
      "bytes",
      "Largest batch that a region server asks a storage daemon for.",
      256,
      16 << 20),
  SCAN_BUFFER(
      "ishbase.scan.buffer.bytes",
      Type.INTEGER,
      "134217728",
      "bytes",
      "What the scans of a region server may hold of batches that are on their way or not read yet. Beyond"
          + " it scans fetch only what they wait for, in small batches.",
      0,
      Integer.MAX_VALUE),
  ENCRYPTED(
      "ishbase.encrypted",
      Type.BOOLEAN,
      "false",
      "",
      "Whether encrypted HFiles are read in-storage although their cells then cross the network to the"
          + " region server in the clear. With Kerberos and hbase.rpc.protection=privacy, which encrypts"
          + " them, they are in any case. The daemons need the cluster's key provider.",
      0,
      0),
  CELL_LOCAL_FILTERS(
      "ishbase.filters.cell.local",
      Type.TEXT,
      "",
      "class names, by commas",
      "Filter classes of your own that storage daemons may run: whether they include a cell must depend on"
          + " that cell alone. Needed at the region servers and, with the classes, at the daemons.",
      0,
      0),
  CACHE(
      "ishbase.cache",
      Type.BOOLEAN,
      "true",
      "",
      "Whether rows that were read in-storage are kept in the segment cache. In hbase-site.xml, or as a"
          + " value of a table or of a column family. What a read may leave in it follows setCacheBlocks and"
          + " the family's BLOCKCACHE.",
      0,
      0),
  CACHE_BYTES(
      "ishbase.cache.bytes",
      Type.INTEGER,
      "-1",
      "bytes",
      "Memory of a region server's segment cache, nearly all of it off the heap; 0: none; -1: a quarter of"
          + " the JVM's direct memory (-XX:MaxDirectMemorySize).",
      -1,
      Long.MAX_VALUE),
  CACHE_PREWARM(
      "ishbase.cache.prewarm",
      Type.INTEGER,
      "8388608",
      "bytes/s",
      "How fast the rows that were hot in a region before it moved are fetched into the segment cache where it"
          + " opens, in the background, as long as the cache has room; 0: not at all. In hbase-site.xml, or as"
          + " a value of a table or of a column family.",
      0,
      Integer.MAX_VALUE),
  CACHE_PREWARM_PERIOD(
      "ishbase.cache.prewarm.period",
      Type.INTEGER,
      "1800",
      "s",
      "How often an open store writes down which of its rows are hot, for the case that its region server"
          + " dies; 0: only when it closes.",
      0,
      86_400),
  PLACEMENT(
      "ishbase.placement",
      Type.BOOLEAN,
      "true",
      "",
      "Whether a region of a user table gets a home DataNode, to which its flushes and compactions go.",
      0,
      0),
  COMPACTION(
      "ishbase.compaction",
      Type.CHOICE,
      "stock",
      "stock | offload",
      "Where compactions are carried out: by the region server; by a storage daemon, if one takes it. In"
          + " hbase-site.xml, or as a value of a table or of a column family. Needs"
          + " hbase.hstore.defaultengine.compactor.class, see docs/compaction.md.",
      0,
      0),
  COMPACTION_MIN(
      "ishbase.compaction.min.bytes",
      Type.INTEGER,
      "1048576",
      "bytes",
      "A compaction of files that are smaller together stays at the region server.",
      0,
      Integer.MAX_VALUE),
  COMPACTION_LEASE(
      "ishbase.compaction.lease",
      Type.INTEGER,
      "20000",
      "ms",
      "How long a region server goes on asking a worker that does not answer before it compacts by itself,"
          + " and how long a worker goes on when nobody asks.",
      100,
      3_600_000),
  ISSN_COMPACTIONS(
      "ishbase.issn.compactions",
      Type.INTEGER,
      "2",
      "compactions",
      "Compactions that the storage daemon carries out at once; 0: none.",
      0,
      1024),
  MANAGER_PORT(
      "ishbase.manager.port",
      Type.INTEGER,
      "16062",
      "",
      "RPC port of the compaction manager in the master; 0: any free one.",
      0,
      65_535),
  COMPACTION_PATIENCE(
      "ishbase.compaction.patience",
      Type.INTEGER,
      "10000",
      "ms",
      "How long a region server waits for a free worker before it compacts by itself. A store that blocks"
          + " writes does not wait.",
      0,
      3_600_000),
  ISSN_COMPACTION_MEMORY(
      "ishbase.issn.compactions.memory",
      Type.INTEGER,
      "0",
      "MB",
      "Memory of the storage daemon for the files that it compacts: it gets no more compactions at once than"
          + " fit; 0: as many as it has slots.",
      0,
      Integer.MAX_VALUE),
  ISSN_COMPACTION_SHARE(
      "ishbase.issn.compactions.share",
      Type.INTEGER,
      "1",
      "%",
      "Share of the machine's processors that the storage daemon's compactions get however busy these are"
          + " with reads. What is idle they get but for 30 %, and more when a store has many files; 100:"
          + " they never hold back. A dedicated compaction server never does.",
      1,
      100),
  COMPACTION_NETWORK(
      "ishbase.compaction.network",
      Type.INTEGER,
      "100",
      "MB/s",
      "What a worker is expected to get of files that do not lie beside it.",
      1,
      1_000_000),
  COMPACTION_WARMUP(
      "ishbase.compaction.warmup",
      Type.CHOICE,
      "none",
      "none | remote | pre-switch | incremental | throttled",
      "What keeps the block cache warm through compactions that a storage daemon carried out, where reads are"
          + " stock: nothing; misses are answered from the daemon's memory; blocks are fetched before reads"
          + " switch to the new file; the same row by row; the same, throttled. In hbase-site.xml, or as a value"
          + " of a table or of a column family.",
      0,
      0),
  COMPACTION_WARMUP_RATE(
      "ishbase.compaction.warmup.rate",
      Type.INTEGER,
      "8",
      "MB/s",
      "What a throttled warm-up fetches at most. Read once for a region server, from hbase-site.xml.",
      1,
      1_000_000),
  ISSN_REMOTE_CACHE(
      "ishbase.issn.remote.cache",
      Type.INTEGER,
      "0",
      "MB",
      "Memory in which the storage daemon keeps what its compactions wrote, for the block caches of region"
          + " servers; 0: they read it from HDFS.",
      0,
      1_000_000),
  ISSN_BIND_ADDRESS(
      "ishbase.issn.bind.address",
      Type.TEXT,
      "0.0.0.0",
      "",
      "Address that the storage daemon binds to.",
      0,
      0),
  ISSN_HOSTNAME(
      "ishbase.issn.hostname",
      Type.TEXT,
      "",
      "",
      "Name under which the storage daemon registers; empty: the machine's.",
      0,
      0),
  ISSN_PORT(
      "ishbase.issn.port",
      Type.INTEGER,
      "16060",
      "",
      "RPC port of the storage daemon; 0: any free one.",
      0,
      65_535),
  ISSN_ADVERTISED_PORT(
      "ishbase.issn.advertised.port",
      Type.INTEGER,
      "0",
      "",
      "Port under which the storage daemon registers, where a forwarder stands before it; 0: the RPC"
          + " port.",
      0,
      65_535),
  ISSN_INFO_PORT(
      "ishbase.issn.info.port",
      Type.INTEGER,
      "16061",
      "",
      "Port of the storage daemon's web page; -1: none.",
      -1,
      65_535),
  ISSN_DATANODE(
      "ishbase.issn.datanode",
      Type.TEXT,
      "",
      "host:port",
      "Data-transfer address of the DataNode beside the storage daemon; empty: from"
          + " dfs.datanode.hostname and dfs.datanode.address; none: there is no DataNode, the daemon is a"
          + " dedicated compaction server and answers no reads.",
      0,
      0),
  ISSN_HANDLERS(
      "ishbase.issn.handlers",
      Type.INTEGER,
      "16",
      "threads",
      "Requests that the storage daemon works on at once.",
      1,
      1024),
  ISSN_QUEUE(
      "ishbase.issn.queue.length",
      Type.INTEGER,
      "256",
      "requests",
      "Requests that may wait at the storage daemon; one more is answered BUSY.",
      1,
      100_000),
  ISSN_BATCH_MAX(
      "ishbase.issn.batch.max.bytes",
      Type.INTEGER,
      "2097152",
      "bytes",
      "Largest batch that the storage daemon sends, whatever it is asked for. A single cell may exceed"
          + " it.",
      1024,
      64 << 20),
  ISSN_BATCH_TIME(
      "ishbase.issn.batch.time",
      Type.INTEGER,
      "500",
      "ms",
      "Longest time the storage daemon works on one batch before it sends what it has.",
      1,
      60_000),
  ISSN_READERS_IDLE(
      "ishbase.issn.readers.idle",
      Type.INTEGER,
      "300",
      "s",
      "Time after which the storage daemon closes an HFile that nobody reads.",
      1,
      86_400),
  ISSN_READERS_MAX(
      "ishbase.issn.readers.max",
      Type.INTEGER,
      "4096",
      "files",
      "HFiles that the storage daemon keeps open at most.",
      1,
      1_000_000);

  /** What the text of a setting must look like. */
  public enum Type {
    TEXT,
    CHOICE,
    INTEGER,
    BOOLEAN
  }

  private final String key;
  private final Type type;
  private final String defaultValue;
  private final String unit;
  private final String description;
  private final long min;
  private final long max;

  Setting(
      String key,
      Type type,
      String defaultValue,
      String unit,
      String description,
      long min,
      long max) {
    this.key = key;
    this.type = type;
    this.defaultValue = defaultValue;
    this.unit = unit;
    this.description = description;
    this.min = min;
    this.max = max;
  }

  /** The key in {@code hbase-site.xml}. */
  public String key() {
    return key;
  }

  public Type type() {
    return type;
  }

  /** The default as it would stand in {@code hbase-site.xml}; empty if there is none. */
  public String defaultValue() {
    return defaultValue;
  }

  /** The unit, or for a choice its alternatives; empty if there is none. */
  public String unit() {
    return unit;
  }

  public String description() {
    return description;
  }

  /** The value in force, trimmed. {@code lookup} gives the configured text of a key, or null. */
  public String text(UnaryOperator<String> lookup) {
    String value = lookup.apply(key);
    return value == null ? defaultValue : value.trim();
  }

  /**
   * The value in force, as a number.
   *
   * @throws IllegalArgumentException if it is none or out of bounds; the message names key and
   *     value
   */
  public int integer(UnaryOperator<String> lookup) {
    return Math.toIntExact(longInteger(lookup));
  }

  /**
   * The value in force, as a number that may be a large one.
   *
   * @throws IllegalArgumentException as {@link #integer}
   */
  public long longInteger(UnaryOperator<String> lookup) {
    String fault = fault(lookup);
    if (fault != null) {
      throw new IllegalArgumentException(fault);
    }
    return Long.parseLong(text(lookup));
  }

  /** The value in force, as a list that commas part; empty if it is empty. */
  public List<String> list(UnaryOperator<String> lookup) {
    return Stream.of(text(lookup).split(","))
        .map(String::trim)
        .filter(item -> !item.isEmpty())
        .toList();
  }

  /** The value in force, as a truth value. */
  public boolean isTrue(UnaryOperator<String> lookup) {
    return Boolean.parseBoolean(text(lookup));
  }

  /** What is wrong with the configured value, or null. */
  private String fault(UnaryOperator<String> lookup) {
    String value = text(lookup);
    switch (type) {
      case INTEGER:
        try {
          long number = Long.parseLong(value);
          if (number >= min && number <= max) {
            return null;
          }
        } catch (NumberFormatException e) {
          // said below
        }
        return key + " = '" + value + "': must be a whole number from " + min + " to " + max;
      case BOOLEAN:
        String lower = value.toLowerCase(Locale.ROOT);
        return lower.equals("true") || lower.equals("false")
            ? null
            : key + " = '" + value + "': must be true or false";
      case CHOICE:
        return List.of(unit.split(" \\| ")).contains(value)
            ? null
            : key + " = '" + value + "': must be one of " + unit;
      default:
        return null;
    }
  }

  /** All faults of a configuration, one line each; empty if it is sound. */
  public static List<String> faults(UnaryOperator<String> lookup) {
    List<String> faults = new ArrayList<>();
    for (Setting setting : values()) {
      String fault = setting.fault(lookup);
      if (fault != null) {
        faults.add(fault);
      }
    }
    return faults;
  }
}
