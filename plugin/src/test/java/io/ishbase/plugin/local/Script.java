package io.ishbase.plugin.local;

import static org.assertj.core.api.Assertions.assertThat;

import io.ishbase.core.Reason;
import io.ishbase.plugin.metrics.InStorageMetrics;
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
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.KeepDeletedCells;
import org.apache.hadoop.hbase.KeyValue;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.IsolationLevel;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.RegionInfo;
import org.apache.hadoop.hbase.client.RegionInfoBuilder;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.filter.Filter;
import org.apache.hadoop.hbase.filter.ParseFilter;
import org.apache.hadoop.hbase.regionserver.RegionScanner;
import org.apache.hadoop.hbase.util.Bytes;
import org.apache.hadoop.hbase.util.EnvironmentEdgeManager;

/**
 * What the golden files consist of: a command a line, and what each read asked of the storage
 * nodes, what they answered, and what the reader got. Each read is done stock, too, and must give
 * the same.
 *
 * <pre>
 * table [versions=N] [min-versions=N] [ttl=SECONDS] [keep-deleted] [new-versions] [block=BYTES]
 *       [cache=BYTES] [nodes=N] [copies] [start=ROW] [end=ROW] [KEY=VALUE]
 * put ROW QUALIFIER VALUE [ts=N]          fill ROWS COLUMNS VALUE-BYTES
 * delete ROW [QUALIFIER] [ts=N] [version]
 * flush | compact | forget | sleep MILLIS
 * fail FAULT...                           the next answers
 * get ROW [READ]... | multi ROW... [READ]... | scan [from=ROW] [to=ROW] [READ]...
 * explain get ... | explain scan ...      what the read would do
 * open NAME [from=ROW] [READ]... | next NAME ROWS | close NAME
 * check                                   the cache against the files
 * routes                                  how the gates of automatic reads stand
 * </pre>
 *
 * where {@code copies} means that each node holds all files, and that the one which answered last
 * is the busiest, and READ is {@code columns=A,B}, {@code versions=N}, {@code time=FROM,TO}, {@code
 * raw}, {@code reversed}, {@code limit=N}, {@code batch=N}, {@code per-row=N}, {@code no-cache},
 * {@code auto}, {@code filter="..."} in HBase's filter language.
 */
final class Script implements AutoCloseable {
  private static final byte[] FAMILY = Bytes.toBytes("f");
  private static final int LONGEST_VALUE = 8;
  private static final int MOST_SHOWN = 6;

  private final Path directory;
  private final StringBuilder out = new StringBuilder();
  private final Map<String, List<RegionScanner>> open = new LinkedHashMap<>();
  private LocalRegion local;
  private long now = 1_000_000;
  private int tables;
  private int explained;

  /** Its regions lie below {@code parent}, apart from those of others. */
  Script(Path parent) throws IOException {
    this.directory = Files.createTempDirectory(parent, "script");
    EnvironmentEdgeManager.injectEdge(() -> now);
  }

  /** Does what {@code line} says; what it says of it, lines with their ends. */
  String run(String line) throws Exception {
    out.setLength(0);
    Words words = new Words(line);
    switch (words.next()) {
      case "table" -> table(words);
      case "put" ->
          local
              .region()
              .put(
                  new Put(words.bytes(), words.number("ts", now))
                      .addColumn(FAMILY, words.bytes(), words.bytes()));
      case "fill" -> fill(words.integer(), words.integer(), words.integer());
      case "delete" -> delete(words);
      case "flush" -> local.region().flush(true);
      case "compact" -> local.region().compact(true);
      case "forget" -> local.forgetFailures();
      case "sleep" -> now += words.integer();
      case "fail" -> {
        while (words.hasNext()) {
          local.daemons().next(LocalDaemons.Fault.valueOf(words.next()));
        }
      }
      case "check" -> assertThat(local.faultsOfCache()).isEmpty();
      case "explain" -> explain(words);
      case "routes" ->
          local
              .routes()
              .forEach(
                  (name, lines) ->
                      lines.forEach(l -> say(name + " " + l.replaceAll("[0-9.]+ ms", "N ms"))));
      case "get" -> {
        String mode = words.mode();
        Get get = words.get();
        read(
            () -> List.of(nonNull(local.get(get, mode))),
            () -> List.of(nonNull(local.get(get, LocalRegion.STOCK))));
      }
      case "multi" -> {
        String mode = words.mode();
        List<String> rows = new ArrayList<>();
        while (words.hasNext()) {
          rows.add(words.next());
        }
        read(() -> multi(rows, words, mode), () -> multi(rows, words, LocalRegion.STOCK));
        words.rest();
      }
      case "scan" -> {
        String mode = words.mode();
        Scan scan = words.scan();
        read(() -> local.scan(scan, mode), () -> local.scan(scan, LocalRegion.STOCK));
      }
      case "open" -> {
        String name = words.next();
        String mode = words.mode();
        Scan scan = words.scan();
        close(name);
        open.put(name, List.of(local.open(scan, mode), local.open(scan, LocalRegion.STOCK)));
      }
      case "next" -> {
        List<RegionScanner> both = open.get(words.next());
        int count = words.integer();
        if (both != null) {
          read(
              () -> LocalRegion.next(both.get(0), count),
              () -> LocalRegion.next(both.get(1), count));
        }
      }
      case "close" -> close(words.next());
      default -> throw new IllegalArgumentException(line);
    }
    words.end();
    return out.toString();
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
      Scan scan = words.scan();
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
            .setBlocksize((int) words.number("block", 256));
    long ttl = words.number("ttl", 0);
    if (ttl > 0) {
      family.setTimeToLive((int) ttl);
    }
    if (words.flag("keep-deleted")) {
      family.setKeepDeletedCells(KeepDeletedCells.TRUE);
    }
    long cacheBytes = words.number("cache", 0);
    int nodes = (int) words.number("nodes", 1);
    boolean copies = words.flag("copies");
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
    local = new LocalRegion(directory, info, table.build(), nodes, copies, cacheBytes);
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

  private void delete(Words words) throws IOException {
    long ts = words.number("ts", now);
    boolean ofVersion = words.flag("version");
    Delete delete = new Delete(words.bytes(), ts);
    if (!words.hasNext()) {
      delete.addFamily(FAMILY, ts);
    } else if (ofVersion) {
      delete.addColumn(FAMILY, words.bytes(), ts);
    } else {
      delete.addColumns(FAMILY, words.bytes(), ts);
    }
    local.region().delete(delete);
  }

  private void read(LocalRegion.Read inStorage, LocalRegion.Read stock) throws IOException {
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
    assertThat(texts(rows)).isEqualTo(texts(stock.rows()));
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
                            CellUtil.getCellKeyAsString(cell)
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
    request.getRangeList().stream().map(Script::describe).forEach(words::add);
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
              + (response.hasNext() ? ", next " + describe(response.getNext()) : "");
      default -> response.getCode().toString();
    };
  }

  @Override
  public void close() throws IOException {
    EnvironmentEdgeManager.reset();
    closeRegion();
  }

  private void closeRegion() throws IOException {
    for (String name : List.copyOf(open.keySet())) {
      close(name);
    }
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
            "version",
            "no-cache",
            "auto",
            "uncommitted");

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
      return Bytes.toBytesBinary(next());
    }

    int integer() {
      return Integer.parseInt(next());
    }

    long number(String key, long otherwise) {
      String text = options.remove(key);
      return text == null ? otherwise : Long.parseLong(text);
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

    private Stream<byte[]> columns() {
      String columns = options.remove("columns");
      return columns == null ? Stream.of() : Stream.of(columns.split(",")).map(Bytes::toBytes);
    }

    private Filter filter() throws IOException {
      String filter = options.remove("filter");
      return filter == null ? null : new ParseFilter().parseFilterString(filter);
    }

    private long[] time() {
      String time = options.remove("time");
      return time == null ? null : Stream.of(time.split(",")).mapToLong(Long::parseLong).toArray();
    }

    Get get() throws IOException {
      Get get = like(new Get(bytes()));
      options.clear();
      return get;
    }

    /** {@code get} with what the line says of reads, which it goes on saying. */
    Get like(Get get) throws IOException {
      Map<String, String> said = new LinkedHashMap<>(options);
      columns().forEach(column -> get.addColumn(FAMILY, column));
      get.readVersions((int) number("versions", 1)).setFilter(filter());
      get.setCacheBlocks(!flag("no-cache"));
      long[] time = time();
      if (time != null) {
        get.setTimeRange(time[0], time[1]);
      }
      options.putAll(said);
      return get;
    }

    Scan scan() throws IOException {
      Scan scan = new Scan();
      boolean reversed = flag("reversed");
      String from = options.remove("from");
      String to = options.remove("to");
      scan.setReversed(reversed);
      if (from != null) {
        scan.withStartRow(Bytes.toBytesBinary(from));
      }
      if (to != null) {
        scan.withStopRow(Bytes.toBytesBinary(to));
      }
      columns().forEach(column -> scan.addColumn(FAMILY, column));
      scan.readVersions((int) number("versions", 1)).setFilter(filter()).setRaw(flag("raw"));
      scan.setCacheBlocks(!flag("no-cache"));
      long[] time = time();
      if (time != null) {
        scan.setTimeRange(time[0], time[1]);
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
