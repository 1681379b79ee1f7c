package io.ishbase.daemon;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import com.github.benmanes.caffeine.cache.RemovalCause;
import com.github.benmanes.caffeine.cache.Scheduler;
import io.ishbase.daemon.rpc.RequestException;
import io.ishbase.protocol.generated.IssnProtos.Code;
import java.io.Closeable;
import java.io.IOException;
import java.time.Duration;
import java.util.SortedSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.io.HFileLink;
import org.apache.hadoop.hbase.io.Reference;
import org.apache.hadoop.hbase.io.hfile.BloomFilterMetrics;
import org.apache.hadoop.hbase.io.hfile.CacheConfig;
import org.apache.hadoop.hbase.regionserver.BloomType;
import org.apache.hadoop.hbase.regionserver.HStoreFile;
import org.apache.hadoop.hbase.regionserver.IssnStoreFileAccess;
import org.apache.hadoop.hbase.regionserver.StoreFileInfo;
import org.apache.hadoop.hbase.regionserver.StoreFileReader;
import org.apache.hadoop.hbase.regionserver.StoreFileScanner;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The HFiles that the daemon has open. A file is opened by the first request that names it and
 * closed when nobody has read it for a while, or when there are too many. An HFile never changes
 * and its name is never used again, so what is open is never stale.
 *
 * <p>A file that is dropped while requests read it stays open until the last of them releases it:
 * {@link Lease#leases} counts the holders, the cache itself being one. The count and its end are
 * guarded by the lease's monitor.
 */
final class HFileReaders implements Closeable {
  private static final Logger LOG = LoggerFactory.getLogger(HFileReaders.class);

  private static final int PASSED_FOR_TRUST = 256;

  /** Of so many Gets its Bloom filter is asked about one. */
  private static final int ASKED_OF_TRUSTED = 16;

  private final Configuration conf;
  private final FileSystem fs;
  private final CacheConfig cacheConfig;
  private final BloomFilterMetrics bloomFilterMetrics = new BloomFilterMetrics();

  /** Under way or open. */
  private final Cache<String, CompletableFuture<Lease>> open;

  HFileReaders(
      Configuration conf, FileSystem fs, CacheConfig cacheConfig, int maxFiles, Duration idleTime) {
    this.conf = conf;
    this.fs = fs;
    this.cacheConfig = cacheConfig;
    this.open =
        Caffeine.newBuilder()
            .maximumSize(maxFiles)
            .expireAfterAccess(idleTime)
            .scheduler(Scheduler.systemScheduler())
            .executor(Runnable::run)
            .removalListener(
                (String path, CompletableFuture<Lease> lease, RemovalCause cause) ->
                    lease.thenAccept(Lease::release))
            .build();
  }

  /** An open file that its holder must {@link #release()}. */
  static final class Lease {
    private final String path;
    private final HStoreFile file;
    private int leases = 1;

    /** Gets that it may have cells for, one after the other; a lost update costs nothing. */
    private volatile int passedInTurn;

    /** Null: nobody has asked yet. */
    private volatile @Nullable Boolean isEncrypted;

    private Lease(String path, HStoreFile file) {
      this.path = path;
      this.file = file;
    }

    String path() {
      return path;
    }

    StoreFileReader reader() {
      return file.getReader();
    }

    /**
     * Whether the file may have cells that {@code scan} wants, by its Bloom filter. One that has
     * passed so many Gets that it has most of the rows that are asked for is asked about a few of
     * them only, until it says no again.
     */
    boolean passesBloomFilter(Scan scan, @Nullable SortedSet<byte[]> columns) {
      int passed = passedInTurn;
      if (scan.isGetScan() && passed >= PASSED_FOR_TRUST && passed % ASKED_OF_TRUSTED != 0) {
        passedInTurn = (passed + 1) & Integer.MAX_VALUE;
        return true;
      }
      boolean passes = IssnStoreFileAccess.passesBloomFilter(reader(), scan, columns);
      if (scan.isGetScan()) {
        passedInTurn = passes ? (passed + 1) & Integer.MAX_VALUE : 0;
      }
      return passes;
    }

    /** The greatest sequence id of its cells. */
    long maxSequenceId() {
      return file.getMaxMemStoreTS();
    }

    /** A scanner of its own. */
    StoreFileScanner scanner(boolean cacheBlocks, long readPoint) {
      return file.getPreadScanner(cacheBlocks, readPoint, 0, false);
    }

    /** Whether HBase or HDFS encrypts it. */
    private boolean isEncrypted(FileSystem fs) throws IOException {
      Boolean known = isEncrypted;
      if (known == null) {
        known =
            reader().getHFileReader().getTrailer().getEncryptionKey() != null
                || fs.getFileStatus(new Path(path)).isEncrypted();
        isEncrypted = known;
      }
      return known;
    }

    private synchronized boolean acquire() {
      if (leases == 0) {
        return false;
      }
      leases++;
      return true;
    }

    void release() {
      synchronized (this) {
        if (--leases > 0) {
          return;
        }
      }
      try {
        file.closeStoreFile(false);
      } catch (IOException e) {
        LOG.warn("Cannot close {}", path, e);
      }
    }
  }

  /**
   * The open file at {@code path}.
   *
   * @throws RequestException if it is not there, is of a kind that is not read here, or is corrupt
   */
  Lease acquire(String path) throws RequestException {
    while (true) {
      CompletableFuture<Lease> mine = new CompletableFuture<>();
      CompletableFuture<Lease> present = open.asMap().putIfAbsent(path, mine);
      if (present == null) {
        // Outside of the cache's locks: other files must not wait for this one.
        openFile(path, mine);
        present = mine;
      }
      Lease lease;
      try {
        lease = present.join();
      } catch (CompletionException e) {
        if (e.getCause() instanceof OutOfMemoryError outOfMemory) {
          throw outOfMemory;
        }
        throw RequestException.classified(path, e.getCause());
      }
      if (lease.acquire()) {
        return lease;
      }
      // Closed between the look-up and the acquisition: the entry is on its way out.
      open.asMap().remove(path, present);
    }
  }

  /**
   * As {@link #acquire(String)}.
   *
   * @param mayBeEncrypted whether it is given if HBase or HDFS encrypts it
   */
  Lease acquire(String path, boolean mayBeEncrypted) throws RequestException {
    Lease lease = acquire(path);
    RequestException refusal;
    try {
      if (mayBeEncrypted || !lease.isEncrypted(fs)) {
        return lease;
      }
      refusal = new RequestException(Code.REFUSED, path + " is encrypted");
    } catch (IOException e) {
      refusal = RequestException.classified(path, e);
    }
    lease.release();
    throw refusal;
  }

  /** Forgets {@code path}, so that the next request opens it afresh. */
  void drop(String path) {
    open.invalidate(path);
  }

  /** Files open now. */
  long size() {
    return open.estimatedSize();
  }

  @Override
  public void close() {
    open.invalidateAll();
  }

  private void openFile(String path, CompletableFuture<Lease> opened) {
    try {
      Path file = new Path(path);
      // The family's own Bloom type is not known here and only decides whether the filter is
      // loaded.
      HStoreFile storeFile =
          new HStoreFile(info(file), BloomType.ROW, cacheConfig, bloomFilterMetrics);
      storeFile.initReader();
      opened.complete(new Lease(path, storeFile));
    } catch (IOException | RuntimeException | Error e) {
      open.asMap().remove(path, opened);
      opened.completeExceptionally(e);
    }
  }

  /** What {@code file} is: an HFile, or half of its parent region's file after a split. */
  private StoreFileInfo info(Path file) throws IOException {
    if (StoreFileInfo.isHFile(file) && !HFileLink.isHFileLink(file)
        || StoreFileInfo.isMobFile(file)) {
      return IssnStoreFileAccess.info(conf, fs, file, null, null);
    }
    if (!StoreFileInfo.isReference(file)) {
      throw new RequestException(Code.UNSUPPORTED, "Neither an HFile nor a reference: " + file);
    }
    Path whole = StoreFileInfo.getReferredToFile(file);
    HFileLink link =
        HFileLink.isHFileLink(whole) ? HFileLink.buildFromHFileLinkPattern(conf, whole) : null;
    return IssnStoreFileAccess.info(conf, fs, file, Reference.read(fs, file), link);
  }
}
