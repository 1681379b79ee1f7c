package io.ishbase.daemon;

import io.ishbase.core.AggregatePace;
import io.ishbase.daemon.compaction.CompactionEndpoint;
import io.ishbase.daemon.compaction.CompactionWorker;
import io.ishbase.daemon.rpc.Callers;
import io.ishbase.protocol.DictionaryTrainer;
import io.ishbase.protocol.generated.CompactionProtos.CompactionService;
import io.ishbase.protocol.generated.IssnProtos.IssnService;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hbase.io.ByteBuffAllocator;
import org.apache.hadoop.hbase.io.hfile.CacheConfig;
import org.apache.hadoop.hbase.io.hfile.LruBlockCache;
import org.apache.hadoop.hbase.security.User;
import org.apache.hbase.thirdparty.com.google.protobuf.BlockingService;

/** A daemon's services without its server, with small bounds. */
public final class FuzzedDaemon implements AutoCloseable {
  /** Bytes of an answer. */
  public static final int MAX_BATCH_BYTES = 64 << 10;

  private static final int MAX_OPEN_FILES = 20;

  private final LruBlockCache blockCache = new LruBlockCache(16 << 20, 1 << 10);
  private final HFileReaders readers;
  private final CompactionWorker worker;
  private final BlockingService reads;
  private final BlockingService compactions;

  public FuzzedDaemon(Configuration conf, FileSystem fs, Path root) throws IOException {
    readers =
        new HFileReaders(
            conf,
            fs,
            new CacheConfig(conf, null, blockCache, ByteBuffAllocator.HEAP),
            MAX_OPEN_FILES,
            Duration.ofMinutes(1));
    Callers callers = new Callers(conf, User.getCurrent());
    worker = new CompactionWorker(conf, fs, root, 1, 0, 4 << 20, 1, () -> {});
    reads =
        IssnService.newReflectiveBlockingService(
            new ReadService(
                readers,
                new Filters(conf),
                new DictionaryTrainer(
                    DictionaryTrainer.SMALL_DICTIONARY_BYTES, Runnable::run, System::nanoTime),
                root,
                callers,
                4,
                MAX_BATCH_BYTES,
                TimeUnit.MILLISECONDS.toNanos(500),
                new AggregatePace(() -> 0, System::nanoTime, LockSupport::parkNanos),
                new DaemonMetrics(() -> 0, () -> 0)));
    compactions =
        CompactionService.newReflectiveBlockingService(
            new CompactionEndpoint(worker, callers, 30_000, 0));
  }

  public BlockingService reads() {
    return reads;
  }

  public BlockingService compactions() {
    return compactions;
  }

  /** Whether it holds no more files than it may, or about to be closed. */
  public boolean isWithinBounds() {
    return readers.size() <= 2 * MAX_OPEN_FILES;
  }

  /** Compactions that are at work. */
  public int running() {
    return worker.info().getRunning();
  }

  @Override
  public void close() {
    worker.close();
    readers.close();
    blockCache.shutdown();
  }
}
