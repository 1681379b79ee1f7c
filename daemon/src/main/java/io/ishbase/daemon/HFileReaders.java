package io.ishbase.daemon;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import com.github.benmanes.caffeine.cache.RemovalCause;
import com.github.benmanes.caffeine.cache.Scheduler;
import com.github.benmanes.caffeine.cache.Ticker;
import io.ishbase.core.Patience;
import io.ishbase.daemon.rpc.RequestException;
import io.ishbase.protocol.generated.IssnProtos.Code;
import io.opentelemetry.context.Context;
import java.io.Closeable;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import java.util.SortedSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.LongAdder;
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
import org.apache.hbase.thirdparty.com.google.common.util.concurrent.ThreadFactoryBuilder;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The HFiles that the daemon has open. A file is opened for the first request that names it and
 * closed when nobody has read it for a while, or when there are too many. An HFile never changes
 * and its name is never used again, so what is open is never stale.
 *
 * <p>Files are opened by threads of their own, and requests wait for these no longer than for the
 * NameNode: while it is away, what is open is read.
 *
 * <p>A file that is dropped while requests read it stays open until the last of them releases it:
 * {@link Lease#leases} counts the holders, the cache itself being one. The count and its end are
 * guarded by the lease's monitor.
 */
final class HFileReaders implements Closeable {
  private static final Logger LOG = LoggerFactory.getLogger(HFileReaders.class);

  /** Of the heap the indexes of open files may take this part. */
  static final int INDEX_SHARE = 4;

  /** What an open file takes beside its index. */
  private static final int BYTES_OF_FILE = 8 << 10;

  /**
   * HDFS's streams never come back to a DataNode that they have once found away, and may be of
   * blocks that were moved since. What is older is read until it has been opened anew.
   */
  private static final long MOST_AGE_NANOS = TimeUnit.HOURS.toNanos(1);

  /** After a failure it is tried again so much later. */
  private static final long RETRY_NANOS = TimeUnit.MINUTES.toNanos(1);

  private static final int OPENING_AT_ONCE = 16;

  private static final int PASSED_FOR_TRUST = 256;

  /** Of so many Gets its Bloom filter is asked about one. */
  private static final int ASKED_OF_TRUSTED = 16;

  private final Configuration conf;
  private final FileSystem fs;
  private final CacheConfig cacheConfig;
  private final BloomFilterMetrics bloomFilterMetrics = new BloomFilterMetrics();

  /** Under way or open. */
  private final Cache<String, CompletableFuture<Lease>> open;

  private final Ticker ticker;
  private final long patienceNanos;
  private final LongAdder opened = new LongAdder();
  private final ThreadPoolExecutor openers =
      new ThreadPoolExecutor(
          OPENING_AT_ONCE,
          OPENING_AT_ONCE,
          1,
          TimeUnit.MINUTES,
          new LinkedBlockingQueue<>(),
          new ThreadFactoryBuilder().setDaemon(true).setNameFormat("issn-open-%d").build());

  HFileReaders(
      Configuration conf, FileSystem fs, CacheConfig cacheConfig, int maxFiles, Duration idleTime) {
    this(
        conf,
        fs,
        cacheConfig,
        maxFiles,
        Runtime.getRuntime().maxMemory() / INDEX_SHARE,
        idleTime,
        Patience.NAMENODE_NANOS,
        Ticker.systemTicker());
  }

  /**
   * @param maxFiles that stay open, of those whose indexes are small
   * @param maxIndexBytes that the indexes of all may take on the heap
   * @param patienceNanos that a request waits for a file to be opened
   * @param ticker tells the time
   */
  HFileReaders(
      Configuration conf,
      FileSystem fs,
      CacheConfig cacheConfig,
      int maxFiles,
      long maxIndexBytes,
      Duration idleTime,
      long patienceNanos,
      Ticker ticker) {
    this.ticker = ticker;
    this.patienceNanos = patienceNanos;
    openers.allowCoreThreadTimeOut(true);
    this.conf = conf;
    this.fs = fs;
    this.cacheConfig = cacheConfig;
    long least = Math.max(1, maxIndexBytes / maxFiles);
    this.open =
        Caffeine.newBuilder()
            .maximumWeight(least * maxFiles)
            .weigher(
                (String path, CompletableFuture<Lease> lease) ->
                    (int) Math.min(Integer.MAX_VALUE, Math.max(least, heapBytes(lease))))
            .ticker(ticker)
            .expireAfterAccess(idleTime)
            .scheduler(Scheduler.systemScheduler())
            .executor(Runnable::run)
            .removalListener(
                (String path, CompletableFuture<Lease> lease, RemovalCause cause) ->
                    lease.thenAccept(Lease::release))
            .build();
  }

  /** 0: it is not open yet. */
  private static long heapBytes(CompletableFuture<Lease> lease) {
    return lease.isDone() && !lease.isCompletedExceptionally()
        ? lease.join().reader().indexSize() + BYTES_OF_FILE
        : 0;
  }

  /** An open file that its holder must {@link #release()}. */
  static final class Lease {
    private final String path;
    private final HStoreFile file;

    /** When it is to be opened anew, by the ticker. */
    private volatile long endsNanos;

    private final AtomicBoolean isRenewed = new AtomicBoolean();

    private int leases = 1;

    /** Gets that it may have cells for, one after the other; a lost update costs nothing. */
    private volatile int passedInTurn;

    /** Null: nobody has asked yet. */
    private volatile @Nullable Boolean isEncrypted;

    private Lease(String path, HStoreFile file, long endsNanos) {
      this.endsNanos = endsNanos;
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

    /** Itself, for one more holder; empty: it is closed. */
    private synchronized Optional<Lease> share() {
      if (leases == 0) {
        return Optional.empty();
      }
      leases++;
      return Optional.of(this);
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

  /** A file that was asked for: whoever did either takes it or forgets it. */
  static final class Asked {
    private final String path;
    private final CompletableFuture<Lease> file;

    /** Who waits has his share before the cache may let it go; empty: it is closed already. */
    private final CompletableFuture<Optional<Lease>> share;

    private Asked(String path, CompletableFuture<Lease> file) {
      this.path = path;
      this.file = file;
      this.share = file.thenApply(Lease::share);
    }

    void forget() {
      share.thenAccept(late -> late.ifPresent(Lease::release));
    }
  }

  /** Begins to open {@code path} unless it is open. */
  Asked ask(String path) {
    CompletableFuture<Lease> present = open.getIfPresent(path);
    if (present != null) {
      return new Asked(path, present);
    }
    CompletableFuture<Lease> mine = new CompletableFuture<>();
    present = open.asMap().putIfAbsent(path, mine);
    if (present != null) {
      return new Asked(path, present);
    }
    Asked asked = new Asked(path, mine);
    openers.execute(Context.current().wrap(() -> openFile(path, mine)));
    return asked;
  }

  /** Until when a request that begins now waits for its files, by {@link System#nanoTime}. */
  long deadline() {
    return System.nanoTime() + patienceNanos;
  }

  /**
   * The file that was asked for.
   *
   * @throws RequestException if it is not there, is of a kind that is not read here, is corrupt, or
   *     is not open by then
   */
  Lease take(Asked asked, long deadlineNanos) throws RequestException {
    while (true) {
      Optional<Lease> lease = await(asked.path, asked.share, deadlineNanos, asked::forget);
      if (lease.isPresent()) {
        renewIfOld(asked.path, asked.file, lease.get());
        return lease.get();
      }
      // Closed between the look-up and the acquisition: the entry is on its way out.
      open.asMap().remove(asked.path, asked.file);
      asked = ask(asked.path);
    }
  }

  /** As {@link #take}, of {@code path}. */
  Lease acquire(String path) throws RequestException {
    return take(ask(path), deadline());
  }

  /**
   * What HDFS says of {@code path} in time.
   *
   * @param forget is run if it does not
   */
  private static <T> T await(
      String path, CompletableFuture<T> answer, long deadlineNanos, Runnable forget)
      throws RequestException {
    try {
      return answer.get(Math.max(0, deadlineNanos - System.nanoTime()), TimeUnit.NANOSECONDS);
    } catch (ExecutionException e) {
      if (e.getCause() instanceof OutOfMemoryError outOfMemory) {
        throw outOfMemory;
      }
      throw RequestException.classified(path, e.getCause());
    } catch (TimeoutException e) {
      forget.run();
      throw new RequestException(Code.FAILED, "HDFS does not open it in time: " + path);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      forget.run();
      throw new RequestException(Code.FAILED, "Interrupted while it is opened: " + path);
    }
  }

  private void renewIfOld(String path, CompletableFuture<Lease> present, Lease old) {
    if (ticker.read() - old.endsNanos < 0 || !old.isRenewed.compareAndSet(false, true)) {
      return;
    }
    CompletableFuture<Lease> next = new CompletableFuture<>();
    next.whenComplete(
        (lease, failure) -> {
          if (failure != null) {
            old.endsNanos = ticker.read() + RETRY_NANOS;
            old.isRenewed.set(false);
            return;
          }
          lease.isEncrypted = old.isEncrypted;
          if (!open.asMap().replace(path, present, next)) {
            lease.release();
          }
        });
    openers.execute(() -> openFile(path, next));
  }

  /**
   * As {@link #acquire(String)}.
   *
   * @param mayBeEncrypted whether it is given if HBase or HDFS encrypts it
   */
  Lease acquire(String path, boolean mayBeEncrypted) throws RequestException {
    long deadlineNanos = deadline();
    Lease lease = take(ask(path), deadlineNanos);
    if (mayBeEncrypted) {
      return lease;
    }
    CompletableFuture<Boolean> isEncrypted = isEncrypted(lease);
    boolean isGiven = false;
    try {
      // The lease is held until whoever asks is done with it.
      if (await(path, isEncrypted, deadlineNanos, () -> {})) {
        throw new RequestException(Code.REFUSED, path + " is encrypted");
      }
      isGiven = true;
      return lease;
    } finally {
      if (!isGiven) {
        isEncrypted.whenComplete((answer, failure) -> lease.release());
      }
    }
  }

  private CompletableFuture<Boolean> isEncrypted(Lease lease) {
    Boolean known = lease.isEncrypted;
    if (known != null) {
      return CompletableFuture.completedFuture(known);
    }
    CompletableFuture<Boolean> asked = new CompletableFuture<>();
    openers.execute(
        () -> {
          try {
            asked.complete(lease.isEncrypted(fs));
          } catch (IOException | RuntimeException | Error e) {
            asked.completeExceptionally(e);
          }
        });
    return asked;
  }

  /** Forgets {@code path}, so that the next request opens it afresh. */
  void drop(String path) {
    open.invalidate(path);
  }

  /** Files open now. */
  long size() {
    return open.estimatedSize();
  }

  /** Threads that open files now. */
  int opening() {
    return openers.getActiveCount();
  }

  /** Files that were opened so far. */
  long opened() {
    return opened.sum();
  }

  @Override
  public void close() {
    openers.shutdownNow();
    open.invalidateAll();
  }

  private void openFile(String path, CompletableFuture<Lease> lease) {
    try {
      Path file = new Path(path);
      // The family's own Bloom type is not known here and only decides whether the filter is
      // loaded.
      HStoreFile storeFile =
          new HStoreFile(info(file), BloomType.ROW, cacheConfig, bloomFilterMetrics);
      storeFile.initReader();
      checkBlocks(storeFile);
      // Not all at once that were opened at once.
      long age = MOST_AGE_NANOS - ThreadLocalRandom.current().nextLong(MOST_AGE_NANOS / 4);
      opened.increment();
      lease.complete(new Lease(path, storeFile, ticker.read() + age));
    } catch (IOException | RuntimeException | Error e) {
      open.asMap().remove(path, lease);
      lease.completeExceptionally(e);
      return;
    }
    // What it takes is known now.
    open.asMap().computeIfPresent(path, (same, present) -> present);
  }

  private static void checkBlocks(HStoreFile file) throws IOException {
    try {
      BlockBuffers.check(file.getReader().getHFileReader());
    } catch (RequestException e) {
      file.closeStoreFile(false);
      throw e;
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
