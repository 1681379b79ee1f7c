package io.ishbase.it.metamorphic;

import java.io.IOException;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.regionserver.LazySeek;
import org.apache.hbase.thirdparty.com.google.common.util.concurrent.Uninterruptibles;

/** The table of one configuration, to which the operations are done. */
final class Subject implements AutoCloseable {
  private static final String[] MODES = {"stock", "in-storage", "auto"};

  /** So many operations to one that a client reads, where most are read at regions. */
  private static final int BY_CLIENT = 10;

  private static final int TRIES = 8;
  private static final long PAUSE_MILLIS = 20;

  private final String name;
  private final Map<String, String> options;
  private final Changes changes;
  private final boolean keepsExpired;
  private final Table table;

  /** Null: a client reads all. */
  private final RegionTable atRegions;

  private final Reads reads;
  private final Writes writes;
  private boolean isChanged;

  /** Makes its table. */
  Subject(
      Rig rig,
      String name,
      TableName tableName,
      Map<String, Map<String, String>> families,
      Map<String, String> options,
      FileTime clock)
      throws Exception {
    this.name = name;
    this.options = options;
    keepsExpired =
        families.values().stream()
            .anyMatch(family -> family.containsKey("ttl") && family.containsKey("min-versions"));
    reads = new Reads(clock);
    writes = new Writes(clock, reads);
    changes =
        new Changes(
            rig,
            TableOptions.descriptor(tableName, families, options),
            options.getOrDefault("server", OperationFile.PLAIN),
            clock);
    table = rig.cluster().connection().getTable(tableName);
    atRegions = rig.readsAtRegions() ? new RegionTable(changes::regions) : null;
  }

  String name() {
    return name;
  }

  Map<String, String> options() {
    return options;
  }

  /** Whether a family of the table has a time to live and a least number of versions. */
  boolean keepsExpired() {
    return keepsExpired;
  }

  /** Whether nothing of IS-HBase has ever had to do with its table. */
  boolean isStock() {
    return Rig.STOCK.equals(options.get("server"));
  }

  Answer run(Line line) throws Exception {
    if (flushesBefore(line)) {
      changes.flush();
      isChanged = true;
    }
    if (Reads.isRead(line)) {
      if (isChanged) {
        changes.awaitMemstores();
        isChanged = false;
      }
      return again(line);
    }
    isChanged = true;
    return Writes.isWrite(line) ? writes.of(table, line) : changes.of(line);
  }

  /** Whether it flushes its table first. */
  boolean flushesBefore(Line line) {
    String flushes = options.get("flush-every");
    return flushes != null && Math.floorMod(line.hashCode(), Integer.parseInt(flushes)) == 0;
  }

  /** The attribute of an operation. What is left of the others does not change it. */
  private String mode(Line line) {
    String attribute = options.get("attribute");
    return "mixed".equals(attribute)
        ? MODES[Math.floorMod(line.hashCode() / 31, MODES.length)]
        : attribute;
  }

  /** What it answers to a read a second time. */
  Answer again(Line line) {
    return read(line, mode(line));
  }

  private Answer read(Line line, String mode) {
    boolean byClient =
        atRegions == null
            || line.verb().equals("gets")
            || Math.floorMod(line.hashCode() / 7, BY_CLIENT) == 0;
    if (byClient) {
      return reads.of(table, line, mode);
    }
    Answer answer = reads.of(atRegions, line, mode);
    // HBase's pipeline lets go of a segment before it takes it out: a client asks again, later.
    for (int i = 1; i < TRIES && answer.threwIn("IllegalReferenceCountException"); i++) {
      Uninterruptibles.sleepUninterruptibly(PAUSE_MILLIS, TimeUnit.MILLISECONDS);
      answer = reads.of(atRegions, line, mode);
    }
    return answer;
  }

  /** What HBase's own path answers to a read, over the same files. */
  Answer stock(Line line) {
    return read(line, "stock");
  }

  /** The same, without HBase's lazy seeks. */
  Answer stockWithoutLazySeeks(Line line) {
    LazySeek.enable(false);
    try {
      return stock(line);
    } finally {
      LazySeek.enable(true);
    }
  }

  @Override
  public void close() throws IOException {
    table.close();
    changes.close();
  }
}
