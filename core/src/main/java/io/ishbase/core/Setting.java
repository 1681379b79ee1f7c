package io.ishbase.core;

import static io.ishbase.core.SettingDeclaration.anyText;
import static io.ishbase.core.SettingDeclaration.choice;
import static io.ishbase.core.SettingDeclaration.flag;
import static io.ishbase.core.SettingDeclaration.number;
import static io.ishbase.core.SettingScope.DAEMON;
import static io.ishbase.core.SettingScope.FAMILY;
import static io.ishbase.core.SettingScope.OPERATION;
import static io.ishbase.core.SettingScope.SITE;
import static io.ishbase.core.SettingScope.TABLE;

import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * One setting of IS-HBase: its key, type, default, scopes and meaning. This table is the only place
 * where a setting is declared; {@code docs/settings.md} is made from it.
 *
 * <p>A wrong value never stops a server, a region or a compaction: the default is used in its
 * place, and {@link SettingFaults} says so in the log, once. Only the storage daemon refuses to
 * start, with all {@link #faults} of its own settings together.
 */
public enum Setting {
  READ(
      choice("ishbase.read", "stock", "auto", "in-storage")
          .of(SITE, TABLE, FAMILY, OPERATION)
          .atRunTime()
          .means(
              "How reads are answered: as HBase does; over the better route, found out by"
                  + " measuring; from the storage nodes in any case.")),
  READ_WARM_UP(
      number("ishbase.read.warm.up", 200, "reads")
          .between(0, 1_000_000)
          .of(SITE)
          .means(
              "By the first so many in-storage reads of a region server, of Gets, multi-gets and"
                  + " scans of each size, auto does not judge: they wait for code that is being"
                  + " compiled and connections that open.")),
  RPC_TIMEOUT(
      number("ishbase.rpc.timeout", 5000, "ms")
          .between(10, 600_000)
          .of(SITE)
          .means(
              "Longest wait of a region server for one answer of a storage daemon; then"
                  + " HBase's own read path takes over.")),
  HEDGE_PERCENT(
      number("ishbase.hedge.percent", 5, "%")
          .between(0, 50)
          .of(SITE)
          .means(
              "Of the requests of a region server to a storage daemon so many in a hundred may be"
                  + " asked of another one, or read over HBase's own path, because the answer is"
                  + " late. A daemon that answers nobody is left alone besides. 0: an answer is"
                  + " waited for until its deadline.")),
  READ_SHARE(
      flag("ishbase.read.share", true)
          .of(SITE)
          .means(
              "Whether reads of a region server that ask one storage daemon at the same time share"
                  + " requests.")),
  AGGREGATE(
      choice("ishbase.aggregate", "auto", "stock")
          .of(SITE, TABLE, FAMILY)
          .atRunTime()
          .means(
              "Where the endpoint AggregateEndpoint counts rows, adds up and compares: at the"
                  + " storage nodes, for rows that only files of one of them hold, if reads of the"
                  + " family may go there; always at the region server.")),
  VERIFY_SHARE(
      number("ishbase.verify.share", 10_000, "reads")
          .between(0, 1_000_000_000)
          .of(SITE, TABLE, FAMILY)
          .atRunTime()
          .means(
              "Of so many reads that storage nodes or the segment cache answer, one is answered over"
                  + " HBase's own path as well, and compared. Where they differ the client gets"
                  + " HBase's cells, and the store is read over HBase's path for a while. 0:"
                  + " none.")),
  SLOW_REQUEST(
      number("ishbase.slow.request", 1000, "ms")
          .between(1, 600_000)
          .of(SITE)
          .means(
              "A request to a storage daemon that takes longer stands in the region server's"
                  + " log, one a second.")),
  BATCH_FIRST(
      number("ishbase.batch.first.bytes", 16384, "bytes")
          .between(256, 16 << 20)
          .of(SITE, TABLE, FAMILY)
          .atRunTime()
          .means(
              "Size of the first batch of a scan; later ones grow with what the scan has"
                  + " read.")),
  BATCH_MAX(
      number("ishbase.batch.max.bytes", 245760, "bytes")
          .between(256, 16 << 20)
          .of(SITE, TABLE, FAMILY)
          .atRunTime()
          .means("Largest batch that a region server asks a storage daemon for.")),
  SCAN_BUFFER(
      number("ishbase.scan.buffer.bytes", 134217728, "bytes")
          .between(0, Integer.MAX_VALUE)
          .of(SITE)
          .means(
              "What scans and calls of many Gets of a region server may hold of answers that are on"
                  + " their way or not read yet. Beyond it they fetch only what they wait for, in"
                  + " small batches.")),
  ANSWER_COMPRESSION(
      choice("ishbase.answer.compression", "auto", "none", "zstd")
          .of(SITE)
          .means(
              "Whether storage nodes make their answers smaller, so that cells do not repeat what"
                  + " they share, with Zstandard: where the line between compute and storage is"
                  + " measured to be short; never; always.")),
  ENCRYPTED(
      flag("ishbase.encrypted", false)
          .of(SITE)
          .means(
              "Whether what HBase or HDFS encrypts, at rest or in flight, is read in-storage although its"
                  + " cells then cross the network to the region server in the clear. Where region servers and"
                  + " daemons talk over TLS, or with Kerberos and hbase.rpc.protection=privacy, it is in any"
                  + " case. The daemons need the cluster's key provider.")),
  CELL_LOCAL_FILTERS(
      anyText("ishbase.filters.cell.local", "", "class names, by commas")
          .of(SITE, DAEMON)
          .means(
              "Filter classes of your own that storage daemons may run: whether they include"
                  + " a cell must depend on that cell alone. Needed at the region servers and, with"
                  + " the classes, at the daemons.")),
  CACHE(
      flag("ishbase.cache", true)
          .of(SITE, TABLE, FAMILY)
          .means(
              "Whether rows that were read in-storage are kept in the segment cache. What a"
                  + " read may leave in it follows setCacheBlocks and the family's BLOCKCACHE.")),
  CACHE_BYTES(
      number("ishbase.cache.bytes", -1, "bytes")
          .between(-1, Long.MAX_VALUE)
          .of(SITE)
          .means(
              "Memory of a region server's segment cache, nearly all of it off the heap; 0:"
                  + " none; -1, or more than the JVM has of direct memory"
                  + " (-XX:MaxDirectMemorySize): a quarter of that, and no more than half of what"
                  + " block cache and memstores off the heap leave of it.")),
  CACHE_COMPRESSION(
      choice("ishbase.cache.compression", "auto", "none", "zstd")
          .of(SITE)
          .means(
              "Whether the segment cache holds rows smaller than they are: once it is nearly full;"
                  + " never; always. Those that Gets bring are compressed with Zstandard and what"
                  + " rows of the family have in common; of those that scans bring, names and keys"
                  + " are held once. What does not shrink by a quarter is held as it is.")),
  CACHE_FILE(
      anyText("ishbase.cache.file", "", "absolute path")
          .of(SITE)
          .means(
              "File on a disk of the machine, an SSD, for rows that leave the segment cache's"
                  + " memory, in the clear and its owner's alone; what is encrypted at rest never"
                  + " comes there. It belongs to one region server and is made anew when that"
                  + " starts. Its index takes 2.5 % of its size of the JVM's direct memory, beside"
                  + " ishbase.cache.bytes. Empty: none.")),
  CACHE_FILE_BYTES(
      number("ishbase.cache.file.bytes", 0, "bytes")
          .between(0, Long.MAX_VALUE)
          .of(SITE)
          .means("Size of that file; 0: ten times ishbase.cache.bytes.")),
  CACHE_PREWARM(
      number("ishbase.cache.prewarm", 268435456, "bytes/s")
          .between(0, Integer.MAX_VALUE)
          .of(SITE, TABLE, FAMILY)
          .means(
              "How fast, at most, the rows that were hot in a region before it moved are fetched into"
                  + " the segment cache where it opens, in the background; slower where others want"
                  + " the line or the daemon, and as long as the cache has room or holds what is"
                  + " colder; 0: not at all.")),
  CACHE_PREWARM_PERIOD(
      number("ishbase.cache.prewarm.period", 1800, "s")
          .between(0, 86_400)
          .of(SITE, TABLE, FAMILY)
          .means(
              "How often an open store writes down which of its rows are hot, for the case"
                  + " that its region server dies; 0: only when it closes.")),
  CACHE_RESTART_DIRECTORY(
      anyText("ishbase.cache.restart.directory", "", "absolute path")
          .of(SITE)
          .means(
              "Directory of the machine, its owner's alone, where a region server that stops leaves"
                  + " what its segment cache holds, in the clear, for the one that starts in its"
                  + " place: there it is cached again of stores whose files are the same. Not of"
                  + " what is encrypted at rest. Empty: nowhere.")),
  PLACEMENT(
      choice("ishbase.placement", "auto", "true", "false")
          .of(SITE, TABLE)
          .means(
              "Whether a region of a user table gets a home DataNode, to which its flushes"
                  + " and compactions go. `auto`: one of a table that settings have read by"
                  + " storage nodes or compacted by workers, unless HBase's balancer has given it"
                  + " favoured nodes; `true`: any.")),
  MEMSTORE(
      choice("ishbase.memstore", "stock", "auto")
          .of(SITE, TABLE, FAMILY)
          .means(
              "Who compacts a memstore in memory: HBase, by the policy that it is set to; a policy"
                  + " that finds out what pays. A family that names HBase's policy"
                  + " (IN_MEMORY_COMPACTION) keeps it unless it names this setting as well.")),
  MEMORY(
      choice("ishbase.memory", "stock", "auto")
          .of(SITE)
          .means(
              "Who divides a region server's memory among memstores, block cache and segment cache:"
                  + " whoever configures it, once; the region server, while it runs, by what more"
                  + " memory would save each of them. docs/memory.md has it.")),
  MEMORY_MEMSTORES_MIN(
      number("ishbase.memory.memstores.min", 10, "%")
          .between(1, 100)
          .of(SITE)
          .means("The least that the memstores may have of the memory that is moved.")),
  MEMORY_MEMSTORES_MAX(
      number("ishbase.memory.memstores.max", 80, "%")
          .between(1, 100)
          .of(SITE)
          .means("The most that the memstores may have of the memory that is moved.")),
  MEMORY_BLOCK_CACHE_MIN(
      number("ishbase.memory.block-cache.min", 5, "%")
          .between(1, 100)
          .of(SITE)
          .means("The least that the block cache may have of the memory that is moved.")),
  MEMORY_BLOCK_CACHE_MAX(
      number("ishbase.memory.block-cache.max", 90, "%")
          .between(1, 100)
          .of(SITE)
          .means("The most that the block cache may have of the memory that is moved.")),
  MEMORY_SEGMENT_CACHE_MIN(
      number("ishbase.memory.segment-cache.min", 5, "%")
          .between(1, 100)
          .of(SITE)
          .means("The least that the segment cache may have of the memory that is moved.")),
  MEMORY_SEGMENT_CACHE_MAX(
      number("ishbase.memory.segment-cache.max", 90, "%")
          .between(1, 100)
          .of(SITE)
          .means("The most that the segment cache may have of the memory that is moved.")),
  COMPACTION(
      choice("ishbase.compaction", "stock", "offload")
          .of(SITE, TABLE, FAMILY)
          .atRunTime()
          .means(
              "Where compactions are carried out: by the region server; by a storage daemon,"
                  + " if one takes it. Needs hbase.hstore.defaultengine.compactor.class, see"
                  + " docs/compaction.md.")),
  COMPACTION_MIN(
      number("ishbase.compaction.min.bytes", 1048576, "bytes")
          .between(0, Integer.MAX_VALUE)
          .of(SITE, TABLE, FAMILY)
          .atRunTime()
          .means("A compaction of files that are smaller together stays at the region server.")),
  COMPACTION_LEASE(
      number("ishbase.compaction.lease", 20000, "ms")
          .between(100, 3_600_000)
          .of(SITE, TABLE, FAMILY)
          .atRunTime()
          .means(
              "How long a region server goes on asking a worker that does not answer before"
                  + " it compacts by itself, and how long a worker goes on when nobody asks.")),
  ISSN_COMPACTIONS(
      number("ishbase.issn.compactions", 2, "compactions")
          .between(0, 1024)
          .of(DAEMON)
          .means("Compactions that the storage daemon carries out at once; 0: none.")),
  MANAGER_PORT(
      number("ishbase.manager.port", 16062, "")
          .between(0, 65_535)
          .of(SITE)
          .means("RPC port of the compaction manager in the master; 0: any free one.")),
  COMPACTION_PATIENCE(
      number("ishbase.compaction.patience", 10000, "ms")
          .between(0, 3_600_000)
          .of(SITE, TABLE, FAMILY)
          .atRunTime()
          .means(
              "How long a region server waits for a free worker before it compacts by itself."
                  + " A store that blocks writes does not wait.")),
  COMPACTION_VERIFY_SHARE(
      number("ishbase.compaction.verify.share", 100, "bytes")
          .between(0, 1_000_000_000)
          .of(SITE, TABLE, FAMILY)
          .atRunTime()
          .means(
              "Of so many bytes that a worker compacts, one is compacted by the region server as"
                  + " well, and compared before the new file is taken: from a random row on, 64 KB"
                  + " at least. Where they differ the compaction is the region server's, as are all"
                  + " others for an hour. 0: none; 1: all.")),
  ISSN_COMPACTION_MEMORY(
      number("ishbase.issn.compactions.memory", 0, "MB")
          .between(0, Integer.MAX_VALUE)
          .of(DAEMON)
          .means(
              "Memory of the storage daemon for the files that it compacts: it gets no more"
                  + " compactions at once than fit; 0: as many as it has slots.")),
  ISSN_COMPACTION_SHARE(
      number("ishbase.issn.compactions.share", 1, "%")
          .between(1, 100)
          .of(DAEMON)
          .means(
              "Share of the machine's processors that the storage daemon's compactions get"
                  + " however busy these are with reads. What is idle they get but for 30 %, and"
                  + " more when a store has many files; 100: they never hold back. A dedicated"
                  + " compaction server never does.")),
  ISSN_COMPACTION_COPY(
      choice("ishbase.issn.compactions.copy", "auto", "none")
          .of(DAEMON)
          .means(
              "Whether the storage daemon's compactions copy blocks as they lie, where no other"
                  + " file has their rows and none of their cells has to leave; none: all are"
                  + " merged.")),
  COMPACTION_NETWORK(
      number("ishbase.compaction.network", 100, "MB/s")
          .between(1, 1_000_000)
          .of(SITE, TABLE, FAMILY)
          .atRunTime()
          .means("What a worker is expected to get of files that do not lie beside it.")),
  COMPACTION_WARMUP(
      choice(
              "ishbase.compaction.warmup",
              "none",
              "remote",
              "pre-switch",
              "incremental",
              "throttled")
          .of(SITE, TABLE, FAMILY)
          .atRunTime()
          .means(
              "What keeps the block cache warm through compactions that a storage daemon"
                  + " carried out, where reads are stock: nothing; misses are answered from the"
                  + " daemon's memory; blocks are fetched before reads switch to the new file; the"
                  + " same row by row; the same, throttled.")),
  COMPACTION_WARMUP_RATE(
      number("ishbase.compaction.warmup.rate", 8, "MB/s")
          .between(1, 1_000_000)
          .of(SITE)
          .means("What a throttled warm-up fetches at most.")),
  TRACE(
      number("ishbase.trace", 0, "of 1000 neighbourhoods")
          .between(0, 1000)
          .of(SITE, TABLE)
          .means(
              "Of which share of a table's rows operations are recorded, for the simulator: of so"
                  + " many of a thousand neighbourhoods of rows; 1000: of all; 0: of none. Row"
                  + " keys are written, values are not. The site's"
                  + " takes effect where a region opens. docs/traces.md has it.")),
  TRACE_BYTES(
      number("ishbase.trace.bytes", 64 << 20, "bytes")
          .between(0, 1L << 40)
          .of(SITE)
          .means(
              "What a region server's recorded operations may take below the HBase root, in"
                  + " .ishbase-trace, all files of the same host and port together. What does not"
                  + " fit is not recorded.")),
  ISSN_REMOTE_CACHE(
      number("ishbase.issn.remote.cache", 0, "MB")
          .between(0, 1_000_000)
          .of(DAEMON)
          .means(
              "Memory in which the storage daemon keeps what its compactions wrote, for the"
                  + " block caches of region servers, three quarters of its heap at most, for which"
                  + " its block cache makes room; 0: they read it from HDFS.")),
  ISSN_BIND_ADDRESS(
      anyText("ishbase.issn.bind.address", "0.0.0.0", "")
          .of(DAEMON)
          .means("Address that the storage daemon binds to.")),
  ISSN_HOSTNAME(
      anyText("ishbase.issn.hostname", "", "")
          .of(DAEMON)
          .means("Name under which the storage daemon registers; empty: the machine's.")),
  ISSN_PORT(
      number("ishbase.issn.port", 16060, "")
          .between(0, 65_535)
          .of(DAEMON)
          .means("RPC port of the storage daemon; 0: any free one.")),
  ISSN_ADVERTISED_PORT(
      number("ishbase.issn.advertised.port", 0, "")
          .between(0, 65_535)
          .of(DAEMON)
          .means(
              "Port under which the storage daemon registers, where a forwarder stands before"
                  + " it; 0: the RPC port.")),
  ISSN_INFO_PORT(
      number("ishbase.issn.info.port", 16061, "")
          .between(-1, 65_535)
          .of(DAEMON)
          .means("Port of the storage daemon's web page; -1: none.")),
  ISSN_DATANODE(
      anyText("ishbase.issn.datanode", "", "host:port")
          .of(DAEMON)
          .means(
              "Data-transfer address of the DataNode beside the storage daemon; empty: from"
                  + " dfs.datanode.hostname and dfs.datanode.address; none: there is no DataNode,"
                  + " the daemon is a dedicated compaction server and answers no reads.")),
  ISSN_HANDLERS(
      number("ishbase.issn.handlers", 16, "threads")
          .between(1, 1024)
          .of(DAEMON)
          .means(
              "Reads that the storage daemon works on at once; aggregates have threads of their own.")),
  ISSN_QUEUE(
      number("ishbase.issn.queue.length", 256, "requests")
          .between(1, 100_000)
          .of(DAEMON)
          .means("Requests that may wait at the storage daemon; one more is answered BUSY.")),
  ISSN_BATCH_MAX(
      number("ishbase.issn.batch.max.bytes", 2097152, "bytes")
          .between(1024, 64 << 20)
          .of(DAEMON)
          .means(
              "Largest batch that the storage daemon sends, whatever it is asked for. A"
                  + " single cell may exceed it.")),
  ISSN_BATCH_TIME(
      number("ishbase.issn.batch.time", 500, "ms")
          .between(1, 60_000)
          .of(DAEMON)
          .means(
              "Longest time the storage daemon works on one batch before it sends what it"
                  + " has, and no more than half of what the region server waits.")),
  ISSN_READERS_IDLE(
      number("ishbase.issn.readers.idle", 300, "s")
          .between(1, 86_400)
          .of(DAEMON)
          .means("Time after which the storage daemon closes an HFile that nobody reads.")),
  ISSN_READERS_MAX(
      number("ishbase.issn.readers.max", 4096, "files")
          .between(1, 1_000_000)
          .of(DAEMON)
          .means(
              "HFiles that the storage daemon keeps open at most; fewer where their indexes would take"
                  + " more than a quarter of its heap."));

  /** What the text of a setting must look like. */
  public enum Type {
    TEXT,
    CHOICE,
    INTEGER,
    BOOLEAN
  }

  private static final int MAX_SHOWN = 100;

  private final SettingDeclaration declaration;

  Setting(SettingDeclaration declaration) {
    this.declaration = declaration;
  }

  /** The key in {@code hbase-site.xml}, and of a table's or family's value. */
  public String key() {
    return declaration.key();
  }

  public Type type() {
    return declaration.type();
  }

  /** The default as it would stand in {@code hbase-site.xml}; empty if there is none. */
  public String defaultValue() {
    return declaration.defaultValue();
  }

  /** The unit of a number; empty if there is none. */
  public String unit() {
    return declaration.unit();
  }

  /** What a choice has to choose from; else empty. */
  public List<String> choices() {
    return declaration.choices();
  }

  /** Where a value may stand. */
  public Set<SettingScope> scopes() {
    return declaration.scopes();
  }

  /** Whether a new value takes effect without a restart, by HBase's {@code update_config}. */
  public boolean isDynamic() {
    return declaration.isDynamic();
  }

  /** The first version that knows it. */
  public String since() {
    return declaration.since();
  }

  public String description() {
    return declaration.description();
  }

  /**
   * The value in force, trimmed: the default if the configured one is wrong. {@code lookup} gives
   * the configured text of a key, or null.
   */
  public String text(UnaryOperator<String> lookup) {
    String value;
    try {
      value = lookup.apply(key());
    } catch (IllegalStateException e) {
      // Of Hadoop's: variables in it refer to one another in a circle.
      value = null;
    }
    return value == null || declaration.requirement(value.trim()) != null
        ? defaultValue()
        : value.trim();
  }

  /** The value in force, as a number. */
  public int integer(UnaryOperator<String> lookup) {
    return Math.toIntExact(longInteger(lookup));
  }

  /** The value in force, as a number that may be a large one. */
  public long longInteger(UnaryOperator<String> lookup) {
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
  public @Nullable String fault(UnaryOperator<String> lookup) {
    String value;
    try {
      value = lookup.apply(key());
    } catch (IllegalStateException e) {
      return key() + " cannot be read: " + printable(String.valueOf(e.getMessage()));
    }
    if (value == null) {
      return null;
    }
    String requirement = declaration.requirement(value.trim());
    return requirement == null
        ? null
        : key() + " = '" + printable(value.trim()) + "': must be " + requirement;
  }

  /** One line of a log, whatever stands in it. */
  private static String printable(String value) {
    String cut = value.length() > MAX_SHOWN ? value.substring(0, MAX_SHOWN) + "..." : value;
    return cut.replaceAll("[^\\x20-\\x7e]", "?");
  }

  /** All faults of a configuration, one line each; empty if it is sound. */
  public static List<String> faults(UnaryOperator<String> lookup) {
    return faults(Arrays.stream(values()), lookup);
  }

  /** The same of the settings of a scope. */
  public static List<String> faults(SettingScope scope, UnaryOperator<String> lookup) {
    return faults(
        Arrays.stream(values()).filter(setting -> setting.scopes().contains(scope)), lookup);
  }

  private static List<String> faults(Stream<Setting> settings, UnaryOperator<String> lookup) {
    return settings.map(setting -> setting.fault(lookup)).filter(Objects::nonNull).toList();
  }
}
