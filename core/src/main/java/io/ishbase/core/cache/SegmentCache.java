package io.ishbase.core.cache;

import io.ishbase.core.KeyHash;
import io.ishbase.core.cache.file.FileCache;
import io.ishbase.core.cache.memory.Arena;
import io.ishbase.core.cache.memory.Entries;
import io.ishbase.core.cache.memory.Epochs;
import io.ishbase.core.cache.memory.Pin;
import io.ishbase.core.cache.policy.Hand;
import io.ishbase.core.cache.policy.Policy;
import io.ishbase.core.cache.policy.Upgrades;
import io.ishbase.core.memory.ReuseCurve;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A cache of the rows of stores, in the logical key space of each store rather than that of its
 * files, off the Java heap, with one hard budget over all. Thread safe.
 *
 * <p><b>Structure.</b> A store's key space is divided into {@linkplain Segment segments}, each with
 * a sorted array of addresses of entries. An entry has all cells of a row, or of some columns of
 * it, or marks an edge. A link between two neighbours says that nothing lies between them, so what
 * a scan has filled is a chain of linked entries, and an entry that leaves breaks the chain and
 * makes nothing wrong. Entries lie in {@linkplain Arena chunks}, into which they are appended;
 * {@link Hand} decides which stay.
 *
 * <p><b>Threads.</b> Lookups and cursors take no lock and allocate nothing, but for those of the
 * sample where a {@link ReuseCurve} is told of them. A {@link Pin} keeps the memory they look at
 * from being used again ({@link Epochs}). All changes, of any store, hold one lock, as any of them
 * may have to move entries of any other store to make room; a change is short next to the read from
 * storage that comes before it. The lock is held while a {@link Merge} is called; it is otherwise
 * the innermost but for the monitor of {@link Upgrades}. Nothing blocks on pins: if they hold all
 * memory that could be given up, fills are refused.
 *
 * <p><b>What is never wrong.</b> A fill lands only if the files that it read are still those of the
 * store ({@link Ticket}). A flush puts its cells into covered rows before readers can see its file;
 * a reader who began before may see them twice.
 */
public final class SegmentCache implements AutoCloseable {
  /** A cache is nearly full when less than that part of it is unused. */
  private static final int NEARLY = 8;

  /** The smallest budget, in bytes. */
  public static final long MIN_BUDGET_BYTES = 64 << 10;

  /** Estimate of the heap that a store takes, index segments apart. */
  private static final long STORE_BYTES = 1 << 10;

  /** The first budget is this many times the smallest that it may become. */
  private static final int SHRINKS_TO = 8;

  /** Chunks that may be given up without the memory in use becoming less. */
  private static final int CHUNKS_OF_TRY = 32;

  /** For how long those who wait for the lock get it, between two chunks that are given up. */
  private static final long PAUSE_NANOS = 50_000;

  /** Of a change of the budget, after which it has to be asked for again. */
  private static final long LONGEST_RESIZE_NANOS = 1_000_000_000;

  private static final long STRETCH_BYTES = 64 << 10;

  private final Arena arena;
  private final Hand hand;
  private final Upgrades upgrades = new Upgrades();
  private final Epochs epochs = new Epochs(this::makeRoom);
  private final ReentrantLock lock = new ReentrantLock();
  private final LongSupplier nanoClock;
  private final long minBudgetBytes;
  private final long maxBudgetBytes;

  /** Written under the lock. */
  private volatile long budgetBytes;

  /** Takes what leaves the memory; null: nobody does. */
  private volatile @Nullable FileCache file;

  /** Told of what is asked for; null: nobody wants to know. */
  private volatile @Nullable ReuseCurve curve;

  // Guarded by the lock.
  /** By store id; null where a store was closed. */
  private final List<@Nullable StoreCache> stores = new ArrayList<>();

  private CacheStats ofClosedStores = CacheStats.NONE;
  private boolean closed;

  /**
   * An empty cache.
   *
   * @param budgetBytes bound of all memory, on and off the heap
   * @param nanoClock monotonous time in nanoseconds
   * @throws IllegalArgumentException if the budget is below {@link #MIN_BUDGET_BYTES}
   */
  public SegmentCache(long budgetBytes, LongSupplier nanoClock) {
    this(budgetBytes, nanoClock, Policy.DEFAULT);
  }

  /**
   * An empty cache that goes by another policy than the one that ships, to compare them.
   *
   * @throws IllegalArgumentException if the budget is below {@link #MIN_BUDGET_BYTES}
   */
  public SegmentCache(long budgetBytes, LongSupplier nanoClock, Policy policy) {
    this(budgetBytes, budgetBytes, nanoClock, policy);
  }

  /**
   * An empty cache whose budget may change.
   *
   * @param maxBudgetBytes the most that it may become
   * @throws IllegalArgumentException if the budget is below {@link #MIN_BUDGET_BYTES}, or more than
   *     it may become
   */
  public SegmentCache(long budgetBytes, long maxBudgetBytes, LongSupplier nanoClock) {
    this(budgetBytes, maxBudgetBytes, nanoClock, Policy.DEFAULT);
  }

  private SegmentCache(
      long budgetBytes, long maxBudgetBytes, LongSupplier nanoClock, Policy policy) {
    if (budgetBytes < MIN_BUDGET_BYTES) {
      throw new IllegalArgumentException(
          "A segment cache needs " + MIN_BUDGET_BYTES + " bytes at least, not " + budgetBytes);
    }
    if (maxBudgetBytes < budgetBytes) {
      throw new IllegalArgumentException(budgetBytes + " bytes, of at most " + maxBudgetBytes);
    }
    this.budgetBytes = budgetBytes;
    this.maxBudgetBytes = maxBudgetBytes;
    this.minBudgetBytes = Math.max(MIN_BUDGET_BYTES, budgetBytes / SHRINKS_TO);
    this.nanoClock = nanoClock;
    hand = new Hand(budgetBytes, policy);
    Eviction eviction = new Eviction(lock, stores, hand);
    arena = new Arena(budgetBytes, maxBudgetBytes, hand.heapBytes(), epochs, eviction, lock);
  }

  /**
   * From now on rows that leave the memory go to a file, of stores that are opened and {@link
   * StoreCache#goOnInFile may}.
   */
  public void goOnIn(FileCache newFile) {
    file = newFile;
  }

  /** Where rows that leave the memory go; null: nowhere. */
  public @Nullable FileCache file() {
    return file;
  }

  /**
   * Adds a store, to be closed by the caller.
   *
   * @throws IllegalStateException if the cache is closed, has too many stores, or pins leave it no
   *     memory for one
   */
  public StoreCache open(String name) {
    lock.lock();
    try {
      if (closed) {
        throw new IllegalStateException("The cache is closed");
      }
      if (!arena.allocateHeap(STORE_BYTES)) {
        throw new IllegalStateException("The cache has no memory for another store");
      }
      int id = stores.indexOf(null);
      if (id < 0) {
        if (stores.size() == Entries.MAX_STORES) {
          arena.heapGrew(-STORE_BYTES);
          throw new IllegalStateException(
              "No more than " + Entries.MAX_STORES + " stores share a cache");
        }
        id = stores.size();
        stores.add(null);
      }
      FileCache toFile = file;
      StoreCache store = new StoreCache(this, name, id, toFile == null ? null : toFile.openStore());
      stores.set(id, store);
      return store;
    } finally {
      lock.unlock();
    }
  }

  /**
   * Changes the budget. If rows have to leave for it, they do so chunk by chunk, and the lock is
   * held for one chunk at a time.
   *
   * @param bytes the new budget; less than an eighth of the first one counts as that, more than the
   *     most as the most
   * @return the budget now: larger than asked for where pins hold memory, or where it takes more
   *     than a second, so that this is to be tried again
   */
  public long resize(long bytes) {
    long wanted = Math.max(minBudgetBytes, Math.min(maxBudgetBytes, bytes));
    boolean isDone = false;
    long before = Long.MAX_VALUE;
    long start = nanoClock.getAsLong();
    while (!isDone && budgetBytes < before && !isLate(start)) {
      before = budgetBytes;
      for (int i = 0; i < CHUNKS_OF_TRY && !isDone && !isLate(start); i++) {
        lock.lock();
        try {
          isDone = arena.resize(wanted);
          budgetBytes = arena.budgetBytes();
        } finally {
          lock.unlock();
        }
        if (!isDone && lock.hasQueuedThreads()) {
          // Else who comes back at once would mostly get the lock before those who wait.
          LockSupport.parkNanos(PAUSE_NANOS);
        }
      }
    }
    return budgetBytes;
  }

  private boolean isLate(long start) {
    return nanoClock.getAsLong() - start > LONGEST_RESIZE_NANOS;
  }

  /** The least that the budget may become. */
  public long minBudgetBytes() {
    return minBudgetBytes;
  }

  /** What all memory, on and off the heap, may be in use now. */
  public long budgetBytes() {
    return budgetBytes;
  }

  /** The most that the budget may become. */
  public long maxBudgetBytes() {
    return maxBudgetBytes;
  }

  /** From now on {@code newCurve} is told which rows are asked for. */
  public void watch(ReuseCurve newCurve) {
    curve = newCurve;
  }

  /** Takes note of a lookup of a row. */
  void accessed(int storeId, byte[] row) {
    ReuseCurve told = curve;
    if (told != null) {
      told.accessed(KeyHash.of(storeId, row));
    }
  }

  /** Takes note of how long it took to fetch a row that was not cached. */
  public void missTook(long nanos) {
    ReuseCurve told = curve;
    if (told != null) {
      told.missTook(nanos);
    }
  }

  /** Takes note of bytes that came from storage: the more, the less eagerly is fetched. */
  public void traffic(long bytes) {
    upgrades.traffic(bytes, nanoClock.getAsLong());
  }

  /** Counters over all stores, those that were closed included. */
  public CacheStats stats() {
    CacheStats sum;
    List<StoreCache> open;
    lock.lock();
    try {
      sum = CacheStats.ofMemory(arena.usedBytes(), budgetBytes).plus(ofClosedStores);
      open = stores.stream().filter(Objects::nonNull).toList();
    } finally {
      lock.unlock();
    }
    // One at a time: there may be thousands, and what is read is not to wait for them.
    return open.stream().map(StoreCache::stats).reduce(sum, CacheStats::plus);
  }

  /** Whether rows have to leave, or soon will have to, for others to come. */
  public boolean isNearlyFull() {
    return !hasRoomFor(budgetBytes / NEARLY);
  }

  /** Whether rows of so many bytes find room without others having to leave. */
  public boolean hasRoomFor(long bytes) {
    lock.lock();
    try {
      return arena.unusedBytes() >= bytes;
    } finally {
      lock.unlock();
    }
  }

  Arena arena() {
    return arena;
  }

  Upgrades upgrades() {
    return upgrades;
  }

  /** The longest stretch that is fetched in place of a row: an HFile block, if there is room. */
  long stretchBytes() {
    return Math.min(STRETCH_BYTES, budgetBytes / 64);
  }

  long nanos() {
    return nanoClock.getAsLong();
  }

  Epochs epochs() {
    return epochs;
  }

  ReentrantLock lock() {
    return lock;
  }

  Hand hand() {
    return hand;
  }

  /** Makes room on the heap, if pins do not hold it all. */
  private void makeRoom(long bytes) {
    lock.lock();
    try {
      if (arena.allocateHeap(bytes)) {
        arena.heapGrew(-bytes);
      }
    } finally {
      lock.unlock();
    }
  }

  void closed(StoreCache store, int id) {
    assert lock.isHeldByCurrentThread();
    ofClosedStores = ofClosedStores.plus(store.stats());
    stores.set(id, null);
    arena.heapGrew(-STORE_BYTES);
  }

  /** Closes all stores. Closing it again does nothing. */
  @Override
  public void close() {
    List<StoreCache> open;
    lock.lock();
    try {
      closed = true;
      open = stores.stream().filter(Objects::nonNull).toList();
    } finally {
      lock.unlock();
    }
    open.forEach(StoreCache::close);
    lock.lock();
    try {
      arena.trim();
    } finally {
      lock.unlock();
    }
  }
}
