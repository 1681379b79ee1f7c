package io.ishbase.dist;

import static org.assertj.core.api.Assertions.assertThat;

import io.ishbase.core.trace.TraceEntry;
import io.ishbase.core.trace.TraceEntry.Operation;
import io.ishbase.sim.trace.TraceFormat;
import io.ishbase.sim.trace.TraceReader;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.hbase.HBaseConfiguration;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.KeyValue;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.shaded.protobuf.ProtobufUtil;
import org.apache.hadoop.hbase.shaded.protobuf.RequestConverter;
import org.apache.hadoop.hbase.util.Bytes;
import org.apache.hadoop.hbase.util.CommonFSUtils;
import org.apache.hadoop.hbase.util.GsonUtil;
import org.apache.hadoop.hbase.wal.FSHLogProvider;
import org.apache.hadoop.hbase.wal.WAL;
import org.apache.hadoop.hbase.wal.WALEdit;
import org.apache.hadoop.hbase.wal.WALKeyImpl;
import org.apache.hadoop.hbase.wal.WALPrettyPrinter;
import org.apache.hbase.thirdparty.com.google.protobuf.Message;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The simulator's readers, on what HBase's own classes print. */
class HBaseTracesTest {
  private static final byte[] ROW = {'r', 0, '"', '\\', (byte) 0xFF, '<'};
  private static final byte[] REGION = Bytes.toBytesBinary("t,a\\x00\\xFF,17.0123456789abcdef.");

  @TempDir private Path dir;

  /** With values or without. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void whatWalPrettyPrinterPrints(boolean values) throws IOException {
    Configuration configuration = HBaseConfiguration.create();
    configuration.setBoolean(CommonFSUtils.UNSAFE_STREAM_CAPABILITY_ENFORCE, false);
    configuration.set("fs.defaultFS", "file:///");
    configuration.set(HConstants.HBASE_DIR, dir.toUri().toString());
    org.apache.hadoop.fs.Path log = new org.apache.hadoop.fs.Path(dir.resolve("log").toUri());
    FileSystem fs = FileSystem.getLocal(configuration);
    WALEdit edit = new WALEdit();
    edit.add(new KeyValue(ROW, Bytes.toBytes("f"), Bytes.toBytes("q1"), 5L, new byte[] {1, '"'}));
    edit.add(new KeyValue(ROW, Bytes.toBytes("f"), Bytes.toBytes("q2"), 6L, new byte[3]));
    edit.add(
        new KeyValue(Bytes.toBytes("s"), Bytes.toBytes("f"), null, 7L, KeyValue.Type.DeleteFamily));
    WALEdit note = new WALEdit();
    note.add(new KeyValue(ROW, WALEdit.METAFAMILY, WALEdit.COMPACTION, 9L, new byte[7]));
    try (var writer = FSHLogProvider.createWriter(configuration, fs, log, true)) {
      writer.append(entry("ns:t", 1, edit));
      writer.append(entry("ns:t", 2, note));
      writer.append(entry("u", 3, edit));
      writer.sync(false);
    }
    Path printed = dir.resolve("printed");
    try (PrintStream out =
        new PrintStream(Files.newOutputStream(printed), true, StandardCharsets.UTF_8)) {
      WALPrettyPrinter printer =
          new WALPrettyPrinter(
              values, true, -1, new HashSet<>(), null, null, null, false, false, out);
      printer.beginPersistentOutput();
      printer.processFile(configuration, log);
      printer.endPersistentOutput();
    }
    String row = new String(ROW, StandardCharsets.ISO_8859_1);
    assertThat(read(TraceFormat.HBASE_WAL, printed))
        .containsExactly(
            new TraceEntry(6000, Operation.PUT, "ns:t", row, 1, 2, 2 * (6 + 1 + 2) + 2 + 3),
            new TraceEntry(7000, Operation.DELETE, "ns:t", "s", 1, 1, 2),
            new TraceEntry(7000, Operation.PUT, "u", row, 1, 2, 2 * (6 + 1 + 2) + 2 + 3),
            new TraceEntry(7000, Operation.DELETE, "u", "s", 1, 1, 2));
  }

  private static WAL.Entry entry(String table, long sequence, WALEdit edit) {
    return new WAL.Entry(
        new WALKeyImpl(
            Bytes.toBytes("0123456789abcdef"),
            TableName.valueOf(table),
            sequence,
            1000,
            HConstants.DEFAULT_CLUSTER_ID),
        edit);
  }

  @Test
  void whatASlowLogSaysOfRequests() throws IOException {
    Path log = dir.resolve("log");
    Files.writeString(
        log,
        line("Get", RequestConverter.buildGetRequest(REGION, new Get(ROW)))
            + line(
                "Mutate",
                RequestConverter.buildMutateRequest(REGION, new Put(ROW).addColumn(ROW, ROW, ROW)))
            + line(
                "Scan",
                RequestConverter.buildScanRequest(REGION, new Scan().withStartRow(ROW), 100, false))
            + line("Scan", RequestConverter.buildScanRequest(REGION, new Scan(), 100, false))
            + line("Scan", RequestConverter.buildScanRequest(7L, 100, false, false)));
    String row = new String(ROW, StandardCharsets.ISO_8859_1);
    assertThat(read(TraceFormat.HBASE_SLOW_LOG, log))
        .extracting(entry -> entry.operation() + " " + entry.table() + " " + entry.row())
        .containsExactly("GET t " + row, "PUT t " + row, "SCAN t " + row, "SCAN t a\0\u00FF");
  }

  /** As {@code RpcServer.logResponse} writes it, which nobody else can call. */
  private static String line(String method, Message param) {
    Map<String, Object> call = new LinkedHashMap<>();
    call.put("starttimems", 1000L);
    call.put("responsesize", 64L);
    call.put("method", method);
    call.put("param", ProtobufUtil.getShortTextFormat(param));
    return "2026 WARN [x] ipc.RpcServer: (responseTooSlow): "
        + GsonUtil.createGsonWithDisableHtmlEscaping().create().toJson(call)
        + "\n";
  }

  private static List<TraceEntry> read(TraceFormat format, Path file) throws IOException {
    List<TraceEntry> entries = new ArrayList<>();
    try (TraceReader reader = format.open(file, "")) {
      for (TraceEntry entry = reader.next(); entry != null; entry = reader.next()) {
        entries.add(entry);
      }
    }
    return entries;
  }
}
