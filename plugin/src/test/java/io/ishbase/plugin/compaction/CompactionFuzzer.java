package io.ishbase.plugin.compaction;

import static org.assertj.core.api.Assertions.assertThat;

import io.ishbase.plugin.fuzz.Fuzzer;
import io.ishbase.plugin.node.Reports;
import io.ishbase.plugin.node.StorageNodes;
import io.ishbase.protocol.AttemptDirectory;
import io.ishbase.protocol.Protocol;
import io.ishbase.protocol.generated.CompactionProtos.CompactRequest;
import io.ishbase.protocol.generated.CompactionProtos.CompactionService;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.HBaseConfiguration;
import org.apache.hadoop.hbase.ServerName;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.ipc.FifoRpcScheduler;
import org.apache.hadoop.hbase.ipc.RpcServer.BlockingServiceAndInterface;
import org.apache.hadoop.hbase.ipc.RpcServerFactory;
import org.apache.hadoop.hbase.ipc.RpcServerInterface;
import org.apache.hadoop.hbase.regionserver.HRegion;
import org.apache.hadoop.hbase.regionserver.RegionScanner;
import org.apache.hadoop.hbase.regionserver.compactions.CompactionProgress;
import org.apache.hadoop.hbase.util.Bytes;
import org.apache.hbase.thirdparty.com.google.protobuf.ByteString;

/**
 * Results of compactions at a region server, over a socket: of a worker that says and writes what
 * it likes. What comes of an attempt is either taken, then as the new files that the attempt's
 * directory had, or the compaction is left to the region server; nothing else is moved, changed or
 * left behind.
 */
public final class CompactionFuzzer implements Fuzzer {
  static final byte[] FAMILY = Bytes.toBytes("f");
  private static final int ROWS = 30;
  private static final int FILES = 3;
  private static final int LEASE_MILLIS = 4_000;

  private final Configuration conf = HBaseConfiguration.create();
  private final AtomicLong nanos = new AtomicLong();
  private final Map<String, Long> counts = new TreeMap<>();
  private final HRegion region;
  private final ForgingWorker worker;
  private final RpcServerInterface server;
  private final Path regionDirectory;
  private final List<String> files;
  private final List<String> cells;
  private byte[] input = new byte[0];

  public CompactionFuzzer(Path directory) throws IOException {
    Protocol.register();
    conf.setInt("ishbase.rpc.timeout", 60_000);
    region = OneFamily.region(conf, directory, ColumnFamilyDescriptorBuilder.of(FAMILY));
    for (int file = 0; file < FILES; file++) {
      for (int row = 0; row < ROWS; row++) {
        byte[] key = Bytes.toBytes(String.format(Locale.ROOT, "%02d", row));
        region.put(new Put(key).addColumn(FAMILY, Bytes.toBytes(file), key));
      }
      region.flush(true);
    }
    regionDirectory = Path.of(region.getRegionFileSystem().getRegionDir().toUri());
    worker = new ForgingWorker(conf, region, nanos);
    server =
        RpcServerFactory.createRpcServer(
            null,
            "forger",
            List.of(
                new BlockingServiceAndInterface(
                    CompactionService.newReflectiveBlockingService(worker),
                    CompactionService.BlockingInterface.class)),
            new InetSocketAddress("127.0.0.1", 0),
            conf,
            new FifoRpcScheduler(conf, 2));
    server.start();
    StorageNodes.useFixed(
        List.of(ServerName.valueOf("127.0.0.1", server.getListenerAddress().getPort(), 1)));
    files = files();
    cells = cells();
  }

  private List<String> files() throws IOException {
    try (Stream<Path> all = Files.walk(regionDirectory)) {
      // Beside each stands what the local file system keeps of it.
      return all.filter(Files::isRegularFile)
          .map(file -> regionDirectory.relativize(file).toString())
          .filter(name -> !name.endsWith(".crc"))
          .sorted()
          .toList();
    }
  }

  private List<String> cells() throws IOException {
    List<String> all = new ArrayList<>();
    try (RegionScanner scanner = region.getScanner(new Scan())) {
      List<Cell> row = new ArrayList<>();
      boolean more = true;
      while (more) {
        row.clear();
        more = scanner.next(row);
        row.forEach(cell -> all.add(cell.toString()));
      }
    }
    return all;
  }

  @Override
  public void tryOne(Random random) throws Exception {
    input = ByteBuffer.allocate(8).putLong(random.nextLong()).array();
    tryInput();
  }

  private void tryInput() throws Exception {
    Random random = new Random(ByteBuffer.wrap(input).getLong());
    String attempt = String.format(Locale.ROOT, "%032x", random.nextLong() >>> 1);
    worker.forge(random);
    CompactionInput all =
        new CompactionInput(
            (long) FILES * ROWS,
            100_000,
            ForgingWorker.SEQUENCE_ID,
            ForgingWorker.cell(0),
            ForgingWorker.cell(FILES * ROWS));
    List<org.apache.hadoop.fs.Path> taken;
    try {
      taken = compaction(attempt, all).run();
    } catch (OffloadException e) {
      assertThat(worker.isSound()).as("%s, but it was sound", e.getMessage()).isFalse();
      count(worker.says() + ": " + e.reason());
      assertThat(files()).isEqualTo(files);
      return;
    }
    count(worker.says() + ": taken");
    assertThat(worker.mayBeTaken()).as(worker.says()).isTrue();
    for (org.apache.hadoop.fs.Path file : taken) {
      assertThat(Path.of(file.toUri()).getParent())
          .isEqualTo(regionDirectory.resolve(".tmp").resolve("f"));
      assertThat(region.getFilesystem().delete(file, false)).isTrue();
    }
    assertThat(files()).isEqualTo(files);
    assertThat(regionDirectory.resolve(".tmp").resolve(AttemptDirectory.PREFIX + attempt))
        .doesNotExist();
  }

  private RemoteCompaction compaction(String attempt, CompactionInput of) {
    StorageNodes nodes = StorageNodes.of(conf);
    return new RemoteCompaction(
        region.getStore(FAMILY),
        nodes,
        nodes.live().get(0),
        CompactRequest.newBuilder()
            .setVersion(Protocol.VERSION)
            .setAttempt(attempt)
            .setRegionServer("rs")
            .setTable(ByteString.EMPTY)
            .setRegion(ByteString.EMPTY)
            .setMajor(false)
            .setAllFiles(false)
            .setReadPoint(1)
            .setNow(1)
            .setBytes(1)
            .setLeaseMillis(LEASE_MILLIS)
            .build(),
        of,
        () -> 0,
        new Pressure(() -> 0, () -> 0),
        new CompactionProgress(0),
        results -> {},
        nanos::get);
  }

  private void count(String what) {
    counts.merge(what, 1L, Long::sum);
  }

  @Override
  public void check() throws IOException {
    assertThat(cells()).isEqualTo(cells);
    assertThat(files()).isEqualTo(files);
  }

  @Override
  public byte[] input() {
    return input;
  }

  @Override
  public void retry(byte[] again) throws Exception {
    input = again;
    tryInput();
  }

  @Override
  public Map<String, Long> counts() {
    return counts;
  }

  @Override
  public void close() throws IOException {
    Reports.gone(conf);
    server.stop();
    region.close();
  }
}
