package io.ishbase.plugin.local;

import static org.assertj.core.api.Assertions.assertThat;

import io.ishbase.core.Reason;
import io.ishbase.core.Setting;
import io.ishbase.plugin.metrics.InStorageMetrics;
import io.ishbase.protocol.Positions;
import io.ishbase.protocol.generated.IssnProtos.Position;
import io.ishbase.protocol.generated.IssnProtos.ReadRequest;
import io.ishbase.protocol.generated.IssnProtos.ReadResponse;
import io.ishbase.protocol.generated.IssnProtos.RowRange;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.hadoop.hbase.ArrayBackedTag;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.KeepDeletedCells;
import org.apache.hadoop.hbase.KeyValue;
import org.apache.hadoop.hbase.MemoryCompactionPolicy;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Append;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Increment;
import org.apache.hadoop.hbase.client.IsolationLevel;
import org.apache.hadoop.hbase.client.PackagePrivateFieldAccessor;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Query;
import org.apache.hadoop.hbase.client.RegionInfo;
import org.apache.hadoop.hbase.client.RegionInfoBuilder;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.filter.Filter;
import org.apache.hadoop.hbase.filter.ParseFilter;
import org.apache.hadoop.hbase.io.encoding.DataBlockEncoding;
import org.apache.hadoop.hbase.regionserver.BloomType;
import org.apache.hadoop.hbase.regionserver.RegionScanner;
import org.apache.hadoop.hbase.util.Bytes;
import org.apache.hadoop.hbase.util.EnvironmentEdgeManager;

/**
 * What the golden files consist of: a command a line, and what each read asked of the storage
 * nodes, what they answered, and what the reader got. Each read is done stock, too, and must give
 * the same.
 *
 * <pre>
 * table [versions=N] [min-versions=N] [ttl=SECONDS] [keep-deleted[-ttl]] [new-versions]
 *       [block=BYTES] [bloom=TYPE] [encoding=NAME] [memory=POLICY] [cache=BYTES] [nodes=N] [copies]
 *       [packed] [start=ROW] [end=ROW] [KEY=VALUE]
 * put ROW COLUMN VALUE [ts=N] [ttl=MILLIS] [tag=TEXT] | fill ROWS COLUMNS VALUE-BYTES
 * increment ROW COLUMN [AMOUNT] | append ROW COLUMN VALUE
 * delete ROW [COLUMN] [ts=N] [version]    without a column: all of f
 * load ROW COLUMN VALUE [ts=N] [times=N]  a file with so many equal cells; values - (of the column),
 *                                         -version, -family, -family-version: a delete marker
 * flush | fail-flush | fail-sync | compact [minor] | split ROW [top] | reopen | forget
 * sleep MILLIS
 * fail FAULT...                           the next answers
 * get ROW [READ]... | multi ROW... [READ]... | scan [from=ROW] [to=ROW] [READ]...
 * explain get ... | explain scan ...      what the read would do
 * open NAME [from=ROW] [READ]... | next NAME ROWS [during="COMMAND"] | close NAME
 * told                                    as when scans hear of the last flush only now
 * replica                                 opens one, or has it look for files
 * replicate [entries=N]                   brings it what was written and flushed since, or some of it
 * mark                                    for scans that are opened again: where reads stand now
 * check                                   the cache against the files
 * routes                                  how the gates of automatic reads stand
 * prefer-blocks                           makes them take blocks for Gets
 * </pre>
 *
 * where a table has the families f and g, a COLUMN is a qualifier of f, {@code g:QUALIFIER}, or
 * without a qualifier ''; a timestamp below 0 counts from now; {@code *100} is a value of a hundred
 * bytes; {@code fail-flush} lets a flush fail once when it has written its file, {@code fail-sync}
 * before it writes one; {@code multi 00..20/5} asks for rows 00, 05 and so on; {@code during} says
 * what happens while a storage node is asked; {@code copies} means that each node holds all files,
 * and that the one which answered last is the busiest; and READ is {@code columns=A,B}, {@code
 * family=F}, {@code versions=N}, {@code time=FROM,TO}, {@code time-of-f=FROM,TO}, {@code raw},
 * {@code reversed}, {@code limit=N}, {@code batch=N}, {@code per-row=N}, {@code offset=N}, {@code
 * pieces=BYTES}, {@code emptied}, {@code marked}, {@code unlike-stock}, {@code of-replica}, {@code
 * on-demand}, {@code no-cache}, {@code auto}, {@code rules=WORDS} where the table is one with
 * {@code rules} ({@link OtherRules}), {@code filter="..."} in HBase's filter language, to which
 * {@link MoreFilters} adds.
 */
final class Script implements AutoCloseable {
  private static final byte[] FAMILY = Bytes.toBytes("f");
  private static final byte[] OTHER_FAMILY = Bytes.toBytes("g");
  private static final List<Reason> DEFECTS =
      List.of(
          Reason.BAD_ANSWER,
          Reason.BAD_REQUEST,
          Reason.CORRUPT_FILE,
          Reason.FAILED,
          Reason.NO_FILE,
          Reason.UNSUPPORTED,
          Reason.REFUSED);
  private static final Map<String, KeyValue.Type> MARKERS =
      Map.of(
          "-",
          KeyValue.Type.DeleteColumn,
          "-version",
          KeyValue.Type.Delete,
          "-family",
          KeyValue.Type.DeleteFamily,
          "-family-version",
          KeyValue.Type.DeleteFamilyVersion);
  private static final byte TAG_TYPE = 70;
  private static final int LONGEST_VALUE = 8;
  private static final int MOST_SHOWN = 6;
  private static final int MOST_RANGES_SHOWN = 12;

  private final Path directory;
  private final StringBuilder out = new StringBuilder();
  private final Map<String, List<RegionScanner>> open = new LinkedHashMap<>();
  private LocalRegion local;
  private long marked;
  private boolean failing;
  private long now = 1_000_000;
  private int tables;
  private boolean unlikeStock;

  /** Whether reads at which stock HBase throws are passed over; not for open scanners. */
  private boolean isLenient;

  private int compared;
  private int explained;

  /** Its regions lie below {@code parent}, apart from those of others. */
  Script(Path parent) throws IOException {
    this.directory = Files.createTempDirectory(parent, "script");
    EnvironmentEdgeManager.injectEdge(() -> now);
    MoreFilters.register();
  }

  /** Does what {@code line} says; what it says of it, lines with their ends. */
  String run(String line) throws Exception {
    out.setLength(0);
    carryOut(line);
    return out.toString();
  }

  private void carryOut(String line) throws Exception {
    Words words = new Words(line);
    switch (words.next()) {
      case "table" -> table(words);
      case "put" -> {
        long ttl = words.number("ttl", 0);
        Put put = new Put(words.bytes(), words.time("ts", now));
        byte[][] column = words.column();
        byte[] tag = words.optional("tag");
        put.add(
            new KeyValue(
                put.getRow(),
                column[0],
                column[1],
                put.getTimestamp(),
                KeyValue.Type.Put,
                words.value(),
                tag.length == 0 ? List.of() : List.of(new ArrayBackedTag(TAG_TYPE, tag))));
        if (ttl > 0) {
          put.setTTL(ttl);
        }
        local.region().put(put);
      }
      case "increment", "append" -> change(line.startsWith("append"), words);
      case "load" -> load(words);
      case "fill" -> fill(words.integer(), words.integer(), words.integer());
      case "delete" -> delete(words);
      case "flush" -> local.flush();
      case "fail-flush" -> {
        SpreadFileSystem.failNextOpen();
        local.region().flush(true);
      }
      case "fail-sync" -> local.failFlushAtSync();
      case "compact" -> local.region().compact(!words.flag("minor"));
      case "split" -> {
        closeScanners();
        local.split(words.bytes(), words.flag("top"));
      }
      case "reopen" -> {
        closeScanners();
        local.reopen();
      }
      case "told" -> local.tellOfFlush();
      case "replica" -> local.refreshReplica();
      case "replicate" -> local.replicate(words.number("entries", Integer.MAX_VALUE));
      case "mark" -> marked = local.region().getReadPoint(IsolationLevel.READ_COMMITTED);
      case "forget" -> local.forgetFailures();
      case "sleep" -> now += Long.parseLong(words.next());
      case "fail" -> {
        failing = true;
        while (words.hasNext()) {
          local.daemons().next(LocalDaemons.Fault.valueOf(words.next()));
        }
      }
      case "lenient" -> isLenient = true;
      case "check" -> assertThat(local.faultsOfCache()).isEmpty();
      case "explain" -> explain(words);
      case "prefer-blocks" -> local.preferBlocks();
      case "routes" ->
          local
              .routes()
              .forEach(
                  (name, lines) ->
                      lines.forEach(l -> say(name + " " + l.replaceAll("[0-9.]+ ms", "N ms"))));
      case "get" -> {
        String mode = words.mode();
        local.readReplica(words.flag("of-replica"));
        Get get = words.get();
        read(
            () -> List.of(nonNull(local.get(get, mode))),
            () -> List.of(nonNull(local.get(get, LocalRegion.STOCK))));
      }
      case "multi" -> {
        String mode = words.mode();
        local.readReplica(words.flag("of-replica"));
        List<String> rows = new ArrayList<>();
        while (words.hasNext()) {
          rows.addAll(rows(words.next()));
        }
        read(() -> multi(rows, words, mode), () -> multi(rows, words, LocalRegion.STOCK));
        words.rest();
      }
      case "scan" -> {
        unlikeStock = words.flag("unlike-stock");
        String mode = words.mode();
        long pieces = words.number("pieces", 0);
        local.readReplica(words.flag("of-replica"));
        Scan scan = words.scan(marked);
        read(() -> scan(scan, mode, pieces), () -> scan(scan, LocalRegion.STOCK, pieces));
      }
      case "open" -> {
        String name = words.next();
        String mode = words.mode();
        local.readReplica(words.flag("of-replica"));
        Scan scan = words.scan(marked);
        close(name);
        open.put(name, List.of(local.open(scan, mode), local.open(scan, LocalRegion.STOCK)));
        local.readReplica(false);
      }
      case "next" -> {
        List<RegionScanner> both = open.get(words.next());
        int count = words.integer();
        String during = words.text("during", null);
        if (both != null) {
          if (during != null) {
            local.daemons().duringNext(() -> carryOut(during));
          }
          read(
              () -> LocalRegion.next(both.get(0), count),
              () -> LocalRegion.next(both.get(1), count));
        }
      }
      case "close" -> close(words.next());
      default -> throw new IllegalArgumentException(line);
    }
    words.end();
  }

  private List<List<Cell>> scan(Scan scan, String mode, long pieces) throws IOException {
    return pieces > 0 ? local.scanInPieces(scan, mode, pieces) : local.scan(scan, mode);
  }

  /** Increments or appends, which read what is there over the storage nodes. */
  private void change(boolean appends, Words words) throws IOException {
    byte[] row = words.bytes();
    byte[][] column = words.column();
    Get get = new Get(row).addColumn(column[0], column[1]);
    byte[] before = value(local.get(get, LocalRegion.STOCK));
    byte[] expected;
    List<Cell> result;
    if (appends) {
      byte[] more = words.bytes();
      expected = before == null ? more : Bytes.add(before, more);
      result =
          local.region().append(new Append(row).addColumn(column[0], column[1], more)).listCells();
    } else {
      long amount = words.hasNext() ? words.integer() : 1;
      if (before != null && before.length != Long.BYTES) {
        return;
      }
      expected = Bytes.toBytes((before == null ? 0 : Bytes.toLong(before)) + amount);
      result =
          local
              .region()
              .increment(new Increment(row).addColumn(column[0], column[1], amount))
              .listCells();
    }
    assertThat(Bytes.toStringBinary(value(result))).isEqualTo(Bytes.toStringBinary(expected));
    local.daemons().taken();
  }

  private static byte[] value(List<Cell> cells) {
    return cells == null || cells.isEmpty() ? null : CellUtil.cloneValue(cells.get(0));
  }

  private void load(Words words) throws IOException {
    long ts = words.time("ts", now);
    long times = words.number("times", 1);
    byte[] row = words.bytes();
    byte[][] column = words.column();
    byte[] value = words.bytes();
    KeyValue.Type type = MARKERS.getOrDefault(Bytes.toString(value), KeyValue.Type.Put);
    boolean isMarker = type != KeyValue.Type.Put;
    boolean isOfFamily =
        type == KeyValue.Type.DeleteFamily || type == KeyValue.Type.DeleteFamilyVersion;
    List<Cell> cells = new ArrayList<>();
    for (int i = 0; i < times; i++) {
      cells.add(
          new KeyValue(
              row,
              column[0],
              isOfFamily ? new byte[0] : column[1],
              ts,
              type,
              isMarker ? new byte[0] : i == 0 ? value : Bytes.add(value, Bytes.toBytes("#" + i))));
    }
    local.bulkLoad(column[0], cells);
  }

  private void close(String name) throws IOException {
    List<RegionScanner> both = open.remove(name);
    if (both != null) {
      for (RegionScanner scanner : both) {
        scanner.close();
      }
    }
  }

  private void explain(Words words) throws IOException {
    String name = "explained" + ++explained;
    String mode = words.mode();
    if (words.next().equals("get")) {
      Get get = words.get();
      get.setAttribute("ishbase.explain", Bytes.toBytes(name));
      local.get(get, mode);
    } else {
      Scan scan = words.scan(marked);
      scan.setAttribute("ishbase.explain", Bytes.toBytes(name));
      local.scan(scan, mode);
    }
    for (String line : local.explanation(name)) {
      say(line.replaceAll("/\\S*/", "").replaceAll("[0-9a-f]{32}", "FILE"));
    }
  }

  private List<List<Cell>> multi(List<String> rows, Words words, String mode) throws IOException {
    List<Get> gets = new ArrayList<>();
    for (String row : rows) {
      gets.add(words.like(new Get(Bytes.toBytes(row))));
    }
    return local.multiGet(gets, mode).stream().map(Script::nonNull).toList();
  }

  private static List<Cell> nonNull(List<Cell> cells) {
    return cells == null ? List.of() : cells;
  }

  private void table(Words words) throws IOException {
    closeRegion();
    ColumnFamilyDescriptorBuilder family =
        ColumnFamilyDescriptorBuilder.newBuilder(FAMILY)
            .setMaxVersions((int) words.number("versions", 1))
            .setMinVersions((int) words.number("min-versions", 0))
            .setNewVersionBehavior(words.flag("new-versions"))
            .setBloomFilterType(BloomType.valueOf(words.text("bloom", "ROW")))
            .setDataBlockEncoding(DataBlockEncoding.valueOf(words.text("encoding", "NONE")))
            .setBlocksize((int) words.number("block", 256));
    String memory = words.text("memory", "NONE");
    if (memory.equals("AUTO")) {
      family.setConfiguration(Setting.MEMSTORE.key(), "auto");
    } else {
      family.setInMemoryCompaction(MemoryCompactionPolicy.valueOf(memory));
    }
    long ttl = words.number("ttl", 0);
    if (ttl > 0) {
      family.setTimeToLive((int) ttl);
    }
    if (words.flag("keep-deleted")) {
      family.setKeepDeletedCells(KeepDeletedCells.TRUE);
    }
    if (words.flag("keep-deleted-ttl")) {
      family.setKeepDeletedCells(KeepDeletedCells.TTL);
    }
    boolean hasTwoFamilies = words.flag("two");
    long cacheBytes = words.number("cache", 0);
    int nodes = (int) words.number("nodes", 1);
    boolean copies = words.flag("copies");
    boolean packed = words.flag("packed");
    boolean byOtherRules = words.flag("rules");
    TableName name = TableName.valueOf("t" + ++tables);
    RegionInfo info =
        RegionInfoBuilder.newBuilder(name)
            .setRegionId(1)
            .setStartKey(words.optional("start"))
            .setEndKey(words.optional("end"))
            .build();
    TableDescriptorBuilder table = TableDescriptorBuilder.newBuilder(name);
    words.rest().forEach(table::setValue);
    table.setColumnFamily(family.build());
    if (hasTwoFamilies) {
      ColumnFamilyDescriptorBuilder other =
          ColumnFamilyDescriptorBuilder.newBuilder(OTHER_FAMILY)
              .setMaxVersions(2)
              .setBlocksize(256);
      if (ttl > 0) {
        other.setTimeToLive((int) ttl);
      }
      table.setColumnFamily(other.build());
    }
    local = new LocalRegion(directory, info, table.build(), nodes, copies, cacheBytes);
    if (packed) {
      local.daemons().pack();
    }
    if (byOtherRules) {
      local.readByOtherRules();
    }
  }

  private void fill(int rows, int columns, int valueBytes) throws IOException {
    for (int row = 0; row < rows; row++) {
      Put put = new Put(Bytes.toBytes(String.format("%04d", row)), now);
      for (int column = 0; column < columns; column++) {
        put.addColumn(FAMILY, Bytes.toBytes("q" + column), new byte[valueBytes]);
      }
      local.region().put(put);
    }
  }

  /** The rows of a word such as {@code 00..20/5}, or the one that it names. */
  private static List<String> rows(String word) {
    Matcher range = Pattern.compile("(\\d+)\\.\\.(\\d+)/(\\d+)").matcher(word);
    if (!range.matches()) {
      return List.of(word);
    }
    String format = "%0" + range.group(1).length() + "d";
    List<String> rows = new ArrayList<>();
    int last = Integer.parseInt(range.group(2));
    for (int row = Integer.parseInt(range.group(1));
        row <= last;
        row += Integer.parseInt(range.group(3))) {
      rows.add(String.format(format, row));
    }
    return rows;
  }

  private void delete(Words words) throws IOException {
    long ts = words.time("ts", now);
    boolean ofVersion = words.flag("version");
    Delete delete = new Delete(words.bytes(), ts);
    if (words.hasNext()) {
      byte[][] column = words.column();
      if (ofVersion) {
        delete.addColumn(column[0], column[1], ts);
      } else {
        delete.addColumns(column[0], column[1], ts);
      }
    } else if (ofVersion) {
      delete.addFamilyVersion(FAMILY, ts);
    } else {
      delete.addFamily(FAMILY, ts);
    }
    local.region().delete(delete);
  }

  /** How many reads were compared with stock HBase's. */
  int compared() {
    return compared;
  }

  private boolean throwsAtStock(LocalRegion.Read stock) {
    try {
      stock.rows();
      return false;
    } catch (IOException | RuntimeException e) {
      return true;
    }
  }

  private void read(LocalRegion.Read inStorage, LocalRegion.Read stock) throws IOException {
    if (isLenient && throwsAtStock(stock)) {
      local.readReplica(false);
      return;
    }
    compared++;
    boolean isTold = failing;
    failing = false;
    Map<Reason, Long> before = fallbacks();
    long gaps = InStorageMetrics.get().gapsEntered();
    List<List<Cell>> rows = inStorage.rows();
    for (LocalDaemons.Exchange exchange : local.daemons().taken()) {
      say("ask   " + exchange.daemon().getHostname() + ": " + describe(exchange.request()));
      say("given " + describe(exchange.response()));
    }
    long entered = InStorageMetrics.get().gapsEntered() - gaps;
    if (entered > 0) {
      say("gaps  " + entered);
    }
    fallbacks()
        .forEach(
            (reason, count) -> {
              if (count > before.get(reason)) {
                say("stock " + reason + " " + (count - before.get(reason)));
              }
            });
    if (!isTold) {
      for (Reason reason : DEFECTS) {
        assertThat(fallbacks().get(reason)).as("%s", reason).isEqualTo(before.get(reason));
      }
    }
    if (unlikeStock) {
      assertThat(texts(rows)).isNotEqualTo(texts(stock.rows()));
      unlikeStock = false;
    } else {
      assertThat(texts(rows)).isEqualTo(texts(stock.rows()));
    }
    local.readReplica(false);
    if (open.isEmpty()) {
      assertThat(InStorageMetrics.get().openScanners()).as("open scanners").isZero();
    }
    List<String> got = rows.stream().map(Script::describe).toList();
    if (got.size() > MOST_SHOWN) {
      say("row   " + got.get(0));
      say("... " + (got.size() - 2) + " rows");
      say("row   " + got.get(got.size() - 1));
    } else {
      got.forEach(row -> say("row   " + row));
    }
  }

  private static List<List<String>> texts(List<List<Cell>> rows) {
    return rows.stream()
        .map(
            cells ->
                cells.stream()
                    .map(
                        cell ->
                            // A client is not told the sequence id.
                            CellUtil.getCellKeyAsString(cell).replaceAll("/seqid=[0-9]+", "")
                                + "="
                                + Bytes.toStringBinary(CellUtil.cloneValue(cell)))
                    .toList())
        .toList();
  }

  private void say(String line) {
    out.append(line.stripTrailing()).append('\n');
  }

  private static Map<Reason, Long> fallbacks() {
    Map<Reason, Long> counts = new EnumMap<>(Reason.class);
    for (Reason reason : Reason.values()) {
      counts.put(reason, InStorageMetrics.get().fallbacks(reason));
    }
    return counts;
  }

  private static String describe(List<Cell> cells) {
    if (cells.isEmpty()) {
      return "none";
    }
    return Bytes.toStringBinary(CellUtil.cloneRow(cells.get(0)))
        + ": "
        + cells.stream()
            .limit(MOST_SHOWN)
            .map(Script::describe)
            .collect(Collectors.joining(" ", "", cells.size() > MOST_SHOWN ? " ..." : ""));
  }

  private static String describe(Cell cell) {
    byte[] value = CellUtil.cloneValue(cell);
    return Bytes.toStringBinary(CellUtil.cloneQualifier(cell))
        + "@"
        + cell.getTimestamp()
        + (CellUtil.isDelete(cell)
            ? "!" + cell.getType()
            : "="
                + (value.length > LONGEST_VALUE
                    ? "<" + value.length + " bytes>"
                    : Bytes.toStringBinary(value)));
  }

  private static String describe(ReadRequest request) {
    List<String> words = new ArrayList<>();
    words.add(request.getFileCount() + (request.getFileCount() == 1 ? " file" : " files"));
    List<String> ranges = request.getRangeList().stream().map(Script::describe).toList();
    if (ranges.size() > MOST_RANGES_SHOWN) {
      words.add(ranges.size() + " ranges from " + ranges.get(0));
      words.add("to " + ranges.get(ranges.size() - 1));
    } else {
      words.addAll(ranges);
    }
    if (request.hasFrom()) {
      words.add("from " + describe(request.getFrom()));
    }
    if (request.getColumnCount() > 0) {
      words.add(
          request.getColumnList().stream()
              .map(column -> Bytes.toStringBinary(column.toByteArray()))
              .collect(Collectors.joining(" ", "columns ", "")));
    }
    words.add(request.getMaxBytes() + " bytes");
    if (request.hasMaxRows()) {
      words.add(request.getMaxRows() + " rows");
    }
    if (request.getReversed()) {
      words.add("reversed");
    }
    if (request.hasMinTimestamp() || request.hasMaxTimestamp()) {
      words.add("time " + request.getMinTimestamp() + " to " + request.getMaxTimestamp());
    }
    if (request.hasOldestUnexpired()) {
      words.add("unexpired from " + request.getOldestUnexpired());
    }
    if (request.hasFilter()) {
      words.add("filter " + request.getFilterScope());
    }
    if (request.getNoValues()) {
      words.add("no values");
    }
    if (request.hasMaxVersions()) {
      words.add(request.getMaxVersions() + " versions");
    }
    if (request.hasTrimVersions()) {
      words.add("trim to " + request.getTrimVersions() + " versions");
    }
    if (request.hasTrimColumns()) {
      words.add("trim to " + request.getTrimColumns() + " columns");
    }
    if (request.getTrimBehindColumns()) {
      words.add("trim behind columns");
    }
    return String.join(", ", words);
  }

  private static String describe(RowRange range) {
    return (range.getIncludeStart() ? "[" : "(")
        + Bytes.toStringBinary(range.getStartRow().toByteArray())
        + ", "
        + Bytes.toStringBinary(range.getStopRow().toByteArray())
        + (range.getIncludeStop() ? "]" : ")");
  }

  private static String describe(Position position) {
    if (!Positions.isSound(position)) {
      return "nowhere";
    }
    Cell key = new KeyValue.KeyOnlyKeyValue(position.getKey().toByteArray());
    return Bytes.toStringBinary(CellUtil.cloneRow(key))
        + "/"
        + Bytes.toStringBinary(CellUtil.cloneQualifier(key))
        + (position.hasFile() ? " of file " + position.getFile() : "")
        + (position.getAfter() ? ", after it" : "");
  }

  private static String describe(ReadResponse response) {
    if (response == null) {
      return "nothing";
    }
    return switch (response.getCode()) {
      case OK ->
          response.getCellCount()
              + " cells, "
              + response.getCells().size()
              + " bytes"
              + (response.hasUnpackedBytes() ? " packed from " + response.getUnpackedBytes() : "")
              + (response.hasNext() ? ", next " + describe(response.getNext()) : "");
      default -> response.getCode().toString();
    };
  }

  @Override
  public void close() throws IOException {
    EnvironmentEdgeManager.reset();
    closeRegion();
  }

  private void closeScanners() throws IOException {
    for (String name : List.copyOf(open.keySet())) {
      close(name);
    }
  }

  private void closeRegion() throws IOException {
    closeScanners();
    if (local != null) {
      local.close();
    }
  }

  /** A line's words; those of the form {@code KEY=VALUE}, and flags, apart. */
  private static final class Words {
    private static final List<String> FLAGS =
        List.of(
            "raw",
            "reversed",
            "keep-deleted",
            "new-versions",
            "copies",
            "packed",
            "rules",
            "version",
            "no-cache",
            "auto",
            "uncommitted",
            "keep-deleted-ttl",
            "two",
            "minor",
            "top",
            "marked",
            "unlike-stock",
            "of-replica",
            "on-demand",
            "emptied");

    private final List<String> plain = new ArrayList<>();
    private final Map<String, String> options = new LinkedHashMap<>();
    private int next;

    Words(String line) {
      for (String word : line.split(" +(?=(?:[^\"]*\"[^\"]*\")*[^\"]*$)")) {
        int equals = word.indexOf('=');
        if (equals > 0) {
          options.put(word.substring(0, equals), word.substring(equals + 1).replace("\"", ""));
        } else if (FLAGS.contains(word)) {
          options.put(word, "");
        } else {
          plain.add(word);
        }
      }
    }

    boolean hasNext() {
      return next < plain.size();
    }

    String next() {
      return plain.get(next++);
    }

    byte[] bytes() {
      String word = next();
      return word.equals("''") ? new byte[0] : Bytes.toBytesBinary(word);
    }

    /** {@code *100}: a hundred bytes. */
    byte[] value() {
      byte[] value = bytes();
      return value.length > 0 && value[0] == '*'
          ? new byte[Integer.parseInt(Bytes.toString(value, 1))]
          : value;
    }

    /** Family and qualifier. */
    byte[][] column() {
      return column(next());
    }

    private static byte[][] column(String text) {
      boolean isOther = text.startsWith("g:");
      String qualifier = isOther ? text.substring(2) : text;
      return new byte[][] {
        isOther ? OTHER_FAMILY : FAMILY,
        qualifier.equals("''") ? new byte[0] : Bytes.toBytesBinary(qualifier)
      };
    }

    String text(String key, String otherwise) {
      String text = options.remove(key);
      return text == null ? otherwise : text;
    }

    int integer() {
      return Integer.parseInt(next());
    }

    long number(String key, long otherwise) {
      String text = options.remove(key);
      return text == null ? otherwise : Long.parseLong(text);
    }

    /** A time; one below 0 counts from now. */
    long time(String key, long now) {
      return absolute(number(key, now), now);
    }

    private static long absolute(long time, long now) {
      return time < 0 ? now + time : time;
    }

    byte[] optional(String key) {
      String text = options.remove(key);
      return text == null ? new byte[0] : Bytes.toBytesBinary(text);
    }

    String mode() {
      return flag("auto") ? "auto" : LocalRegion.IN_STORAGE;
    }

    boolean flag(String key) {
      return options.remove(key) != null;
    }

    Map<String, String> rest() {
      Map<String, String> rest = new LinkedHashMap<>(options);
      options.clear();
      return rest;
    }

    private Stream<byte[][]> columns() {
      String columns = options.remove("columns");
      return columns == null ? Stream.of() : Stream.of(columns.split(",")).map(Words::column);
    }

    private Filter filter() throws IOException {
      String filter = options.remove("filter");
      return filter == null ? null : new ParseFilter().parseFilterString(filter);
    }

    private void rules(Query read) {
      String rules = options.remove("rules");
      if (rules != null) {
        read.setAttribute(OtherRules.ATTRIBUTE, Bytes.toBytes(rules));
      }
    }

    private long[] time(String key) {
      String time = options.remove(key);
      return time == null
          ? null
          : Stream.of(time.split(","))
              .mapToLong(Long::parseLong)
              .map(each -> absolute(each, EnvironmentEdgeManager.currentTime()))
              .toArray();
    }

    Get get() throws IOException {
      Get get = like(new Get(bytes()));
      options.clear();
      return get;
    }

    /** {@code get} with what the line says of reads, which it goes on saying. */
    Get like(Get get) throws IOException {
      Map<String, String> said = new LinkedHashMap<>(options);
      String family = options.remove("family");
      if (family != null) {
        get.addFamily(Bytes.toBytes(family));
      }
      columns().forEach(column -> get.addColumn(column[0], column[1]));
      get.readVersions((int) number("versions", 1)).setFilter(filter());
      get.setCacheBlocks(!flag("no-cache"));
      rules(get);
      long[] time = time("time");
      if (time != null) {
        get.setTimeRange(time[0], time[1]);
      }
      long[] ofFamily = time("time-of-f");
      if (ofFamily != null) {
        get.setColumnFamilyTimeRange(FAMILY, ofFamily[0], ofFamily[1]);
      }
      get.setRowOffsetPerColumnFamily((int) number("offset", 0));
      get.setMaxResultsPerColumnFamily((int) number("per-row", -1));
      options.putAll(said);
      return get;
    }

    /**
     * @param marked read point of a scan that is opened again
     */
    Scan scan(long marked) throws IOException {
      Scan scan = new Scan();
      boolean reversed = flag("reversed");
      String from = options.remove("from");
      String behind = options.remove("behind");
      String to = options.remove("to");
      String through = options.remove("through");
      scan.setReversed(reversed);
      if (from != null) {
        scan.withStartRow(Bytes.toBytesBinary(from));
      } else if (behind != null) {
        scan.withStartRow(Bytes.toBytesBinary(behind), false);
      }
      if (to != null) {
        scan.withStopRow(Bytes.toBytesBinary(to));
      } else if (through != null) {
        scan.withStopRow(Bytes.toBytesBinary(through), true);
      }
      String family = options.remove("family");
      if (family != null) {
        scan.addFamily(Bytes.toBytes(family));
      }
      columns().forEach(column -> scan.addColumn(column[0], column[1]));
      if (flag("emptied")) {
        // As HBase's endpoint for aggregates does, which then means all columns.
        scan.getFamilyMap().values().forEach(NavigableSet::clear);
      }
      scan.readVersions((int) number("versions", 1)).setFilter(filter()).setRaw(flag("raw"));
      scan.setCacheBlocks(!flag("no-cache"));
      rules(scan);
      long[] time = time("time");
      if (time != null) {
        scan.setTimeRange(time[0], time[1]);
      }
      long[] ofFamily = time("time-of-f");
      if (ofFamily != null) {
        scan.setColumnFamilyTimeRange(FAMILY, ofFamily[0], ofFamily[1]);
      }
      if (flag("marked") && marked > 0) {
        PackagePrivateFieldAccessor.setMvccReadPoint(scan, marked);
      }
      if (flag("on-demand")) {
        scan.setLoadColumnFamiliesOnDemand(true);
      }
      scan.setLimit((int) number("limit", -1));
      long batch = number("batch", 0);
      if (batch > 0) {
        scan.setBatch((int) batch);
      }
      if (flag("uncommitted")) {
        scan.setIsolationLevel(IsolationLevel.READ_UNCOMMITTED);
      }
      scan.setRowOffsetPerColumnFamily((int) number("offset", 0));
      scan.setMaxResultsPerColumnFamily((int) number("per-row", -1));
      return scan;
    }

    void end() {
      if (hasNext() || !options.isEmpty()) {
        throw new IllegalArgumentException(
            "What are " + plain.subList(next, plain.size()) + options.keySet() + "?");
      }
    }
  }
}
