package io.ishbase.daemon.compaction;

import io.ishbase.daemon.RequestException;
import io.ishbase.protocol.AttemptDirectory;
import io.ishbase.protocol.WriterSettings;
import io.ishbase.protocol.generated.CompactionProtos.Attempt;
import io.ishbase.protocol.generated.CompactionProtos.CompactRequest;
import io.ishbase.protocol.generated.CompactionProtos.CompactionState;
import io.ishbase.protocol.generated.CompactionProtos.Entry;
import io.ishbase.protocol.generated.CompactionProtos.ProgressResponse;
import io.ishbase.protocol.generated.IssnProtos.Code;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hbase.MemoryCompactionPolicy;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.RegionInfo;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.exceptions.DeserializationException;
import org.apache.hadoop.hbase.net.Address;
import org.apache.hadoop.hbase.regionserver.HStoreFile;
import org.apache.hadoop.hbase.regionserver.IssnRegionFileSystem;
import org.apache.hadoop.hbase.regionserver.MemStoreLAB;
import org.apache.hadoop.hbase.regionserver.compactions.CompactionRequestImpl;
import org.apache.hadoop.hbase.security.User;
import org.apache.hadoop.hbase.util.CommonFSUtils;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One attempt at a compaction. Its region server asks after it at least once in its lease; when it
 * does not, or says so, the attempt is cancelled. What it has written it deletes itself, unless it
 * has told the region server of it: from then on that is the region server's. A region server that
 * gives up on an attempt deletes the directory, and then no write into it succeeds.
 *
 * <p>One thread runs it; {@code state}, {@code refusal} and {@code told} are guarded by this.
 */
final class CompactionJob implements Runnable {
  private static final Logger LOG = LoggerFactory.getLogger(CompactionJob.class);

  private final CompactRequest request;
  private final Configuration conf;
  private final FileSystem fs;
  private final TableDescriptor table;
  private final RegionInfo region;
  private final Path tableDirectory;
  private final Path directory;
  private final JobThrottle throttle;
  private final CountDownLatch ended = new CountDownLatch(1);

  private final long startNanos = System.nanoTime();
  private volatile boolean cancelled;
  private volatile long askedNanos = startNanos;
  private volatile long totalCells;
  private CompactionState state = CompactionState.RUNNING;
  private RequestException refusal;
  private List<String> output = List.of();
  private boolean told;

  /**
   * Prepares a compaction.
   *
   * @param neutral the daemon's configuration without what the request decides
   * @throws RequestException if the request is not sound
   */
  CompactionJob(CompactRequest request, Configuration neutral, FileSystem fs, Path root)
      throws RequestException {
    this.request = request;
    this.fs = fs;
    this.conf = new Configuration(neutral);
    for (Entry entry : request.getSettingList()) {
      if (!WriterSettings.decides(entry.getKey())) {
        throw new RequestException(Code.BAD_REQUEST, "Setting '" + entry.getKey() + "'");
      }
      conf.set(entry.getKey(), entry.getValue());
    }
    // The store's memstore stays empty.
    conf.setBoolean(MemStoreLAB.USEMSLAB_KEY, false);
    try {
      table =
          withoutMemoryCompaction(
              TableDescriptorBuilder.parseFrom(request.getTable().toByteArray()));
      region = RegionInfo.parseFrom(request.getRegion().toByteArray());
      tableDirectory = CommonFSUtils.getTableDir(root, table.getTableName());
      directory =
          AttemptDirectory.of(
              new Path(tableDirectory, region.getEncodedName()), request.getAttempt());
    } catch (DeserializationException | IllegalArgumentException e) {
      throw new RequestException(Code.BAD_REQUEST, "Not a compaction: " + e.getMessage(), e);
    }
    if (table.getColumnFamilyCount() != 1 || !table.getTableName().equals(region.getTable())) {
      throw new RequestException(Code.BAD_REQUEST, "Not one family of one region");
    }
    throttle = new JobThrottle(request.getMaxBytesPerSecond(), () -> !cancelled);
  }

  private static TableDescriptor withoutMemoryCompaction(TableDescriptor table) {
    TableDescriptorBuilder builder = TableDescriptorBuilder.newBuilder(table);
    for (var family : table.getColumnFamilies()) {
      builder.modifyColumnFamily(
          ColumnFamilyDescriptorBuilder.newBuilder(family)
              .setInMemoryCompaction(MemoryCompactionPolicy.NONE)
              .build());
    }
    return builder.build();
  }

  @Override
  public void run() {
    try {
      List<String> files = compact();
      end(CompactionState.DONE, null, files);
    } catch (IOException | RuntimeException e) {
      RequestException reason =
          cancelled
              ? new RequestException(Code.STOPPING, "Cancelled")
              : RequestException.classified(describe(), e);
      if (!cancelled) {
        LOG.warn("Cannot compact {}", describe(), e);
      }
      deleteOutput();
      end(CompactionState.ENDED, reason, List.of());
    } catch (Error e) {
      end(CompactionState.ENDED, new RequestException(Code.FAILED, e.toString(), e), List.of());
      throw e;
    }
  }

  private List<String> compact() throws IOException {
    CompactionRegion owner =
        new CompactionRegion(
            new IssnRegionFileSystem(conf, fs, tableDirectory, region, directory),
            conf,
            table,
            request.getReadPoint(),
            favoredNodes(),
            request.getCompactedList(),
            () -> !cancelled);
    CompactionStore store = owner.store();
    List<HStoreFile> files = new ArrayList<>();
    try {
      long cells = 0;
      for (String name : request.getFileList()) {
        HStoreFile file = store.open(name);
        files.add(file);
        cells += file.getReader().getEntries();
      }
      totalCells = cells;
      // The region server made the directory. If it is gone, so is the interest in this attempt,
      // and to write would make a region's directory anew that may have been archived.
      if (cancelled || !fs.exists(directory)) {
        throw new IOException("The attempt is over");
      }
      CompactionRequestImpl compaction = new CompactionRequestImpl(files);
      compaction.setIsMajor(request.getMajor(), request.getAllFiles());
      List<Path> written = store.compactor().compact(compaction, throttle, User.getCurrent());
      List<String> names = new ArrayList<>();
      for (Path path : written) {
        names.add(path.getParent().getName() + "/" + path.getName());
      }
      return names;
    } finally {
      for (HStoreFile file : files) {
        file.closeStoreFile(false);
      }
    }
  }

  private InetSocketAddress[] favoredNodes() {
    return request.getFavoredNodeCount() == 0
        ? null
        : request.getFavoredNodeList().stream()
            .map(Address::fromString)
            .map(address -> new InetSocketAddress(address.getHostName(), address.getPort()))
            .toArray(InetSocketAddress[]::new);
  }

  private void end(CompactionState newState, RequestException reason, List<String> files) {
    synchronized (this) {
      LOG.info(
          "Compaction of {}: {} -> {}{}, {} cells, {} bytes",
          describe(),
          state,
          newState,
          reason == null ? "" : " (" + reason.getMessage() + ")",
          throttle.cells(),
          throttle.bytes());
      state = newState;
      refusal = reason;
      output = files;
    }
    ended.countDown();
  }

  /** Makes it end soon, without a result. */
  void cancel() {
    cancelled = true;
  }

  /** Takes note that the region server wants it to go on, at that rate; 0: any. */
  void askedFor(long maxBytesPerSecond) {
    askedNanos = System.nanoTime();
    throttle.limit(maxBytesPerSecond);
  }

  /** Waits until it has ended, at the longest so long. */
  void await(long millis) throws InterruptedException {
    ended.await(millis, TimeUnit.MILLISECONDS);
  }

  boolean hasEnded() {
    return ended.getCount() == 0;
  }

  /** Whether nobody has asked after it for longer than its lease. */
  boolean isForgotten() {
    return System.nanoTime() - askedNanos > TimeUnit.MILLISECONDS.toNanos(request.getLeaseMillis());
  }

  /** Deletes a result of which the region server was not told. */
  void discard() {
    synchronized (this) {
      if (told || state != CompactionState.DONE) {
        return;
      }
      state = CompactionState.ENDED;
      refusal = new RequestException(Code.STOPPING, "Nobody asked for the result");
    }
    deleteOutput();
  }

  private void deleteOutput() {
    try {
      fs.delete(directory, true);
    } catch (IOException e) {
      LOG.warn("Cannot delete {}; its region server will", directory, e);
    }
  }

  /** What the region server is told. */
  synchronized ProgressResponse tell() {
    told |= state == CompactionState.DONE;
    return progress();
  }

  private synchronized ProgressResponse progress() {
    ProgressResponse.Builder answer =
        ProgressResponse.newBuilder()
            .setState(state)
            .setCells(throttle.cells())
            .setTotalCells(totalCells)
            .setBytes(throttle.bytes())
            .addAllOutput(output);
    if (refusal != null) {
      answer.setCode(refusal.code()).setMessage(String.valueOf(refusal.getMessage()));
    }
    return answer.build();
  }

  Attempt attempt() {
    return Attempt.newBuilder()
        .setAttempt(request.getAttempt())
        .setStore(store())
        .setRegionServer(request.getRegionServer())
        .setFiles(request.getFileCount())
        .setBytes(request.getBytes())
        .setAgeMillis(ageMillis())
        .setProgress(progress())
        .build();
  }

  long ageMillis() {
    return TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - startNanos);
  }

  /** Bytes of the files that are not compacted yet, by the share of the cells that are. */
  long backlogBytes() {
    long total = totalCells;
    return total == 0
        ? request.getBytes()
        : (long) (request.getBytes() * Math.max(0, 1 - (double) throttle.cells() / total));
  }

  String name() {
    return request.getAttempt();
  }

  /** Bytes of the files that it compacts. */
  long bytes() {
    return request.getBytes();
  }

  synchronized boolean isDone() {
    return state == CompactionState.DONE;
  }

  private String store() {
    return table.getTableName()
        + "/"
        + region.getEncodedName()
        + "/"
        + table.getColumnFamilies()[0].getNameAsString();
  }

  private String describe() {
    return store() + ", attempt " + request.getAttempt() + " of " + request.getRegionServer();
  }
}
