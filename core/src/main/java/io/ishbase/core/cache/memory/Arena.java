package io.ishbase.core.cache.memory;

import static java.util.Objects.requireNonNull;

import java.lang.ref.WeakReference;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/**
 * Off-heap memory in chunks, into which entries are appended, and the account of all memory.
 * Entries are never freed one by one: a chunk's entries are moved elsewhere or dropped, the chunk
 * waits until no pin is older, and is used again. So there is no fragmentation beyond the end of a
 * chunk.
 *
 * <p>New entries go to the <em>small</em> queue, those that have proved themselves to the
 * <em>main</em> one. A few chunks are kept free, for what is moved and for fills that come while
 * readers still hold the chunks that were given up last. If pins hold too many, no more is given up
 * for them: fills are refused.
 *
 * <p>Guarded by the cache's lock, but for {@link #chunk}.
 */
public final class Arena {
  /** No address: there is no room. */
  public static final long NONE = 0;

  private static final int CHUNKS = 128;
  private static final int MIN_CHUNK_BYTES = 4 << 10;
  private static final int MAX_CHUNK_BYTES = 1 << 20;

  /** Estimate of the heap of an id that waits to be used again. */
  private static final int ID_BYTES = 4 + 16;

  /** The same of the memory of a chunk that was given up. */
  private static final int GIVEN_UP_BYTES = 56;

  /** A gigabyte of what is new, with chunks of the largest size. */
  static final int RECLAIMS_TO_TRY = 1 << 10;

  private static final int OFFSET_BITS = 24;
  private static final int OFFSET_MASK = (1 << OFFSET_BITS) - 1;

  /** An index may use the highest bit of its elements for itself. */
  private static final long ADDRESS_MASK = Long.MAX_VALUE;

  private final IntFunction<ByteBuffer> process;
  private long budgetBytes;
  private final boolean isFixed;
  private final int chunkBytes;

  /** Chunks of the first budget: the heap of so many ids is taken from the beginning. */
  private final int firstChunks;

  private int chunksKeptFree;
  private int maxRetired;
  private final Epochs epochs;
  private final Evictor evictor;
  private final ReentrantLock lock;

  /** By id, which is the upper part of an address; 0 is not used, so that no address is 0. */
  private final @Nullable Chunk[] chunks;

  /** The same, for readers: they come here with an address, hence after the chunk was set. */
  private final @Nullable ByteBuffer[] buffers;

  /** Ids of chunks that were given up, for those that come next. */
  private final ArrayDeque<Integer> idsGivenUp = new ArrayDeque<>();

  /** The highest id that was ever used. */
  private int lastId;

  private final ArrayDeque<Chunk> free = new ArrayDeque<>();
  private final ArrayDeque<Chunk> retired = new ArrayDeque<>();
  private final ArrayDeque<Chunk> small = new ArrayDeque<>();
  private final ArrayDeque<Chunk> main = new ArrayDeque<>();

  /**
   * Memory of chunks that were given up. The JVM has it back only when the collector has seen that
   * nobody uses it; what it has not seen yet is used again before more is asked for, so that an
   * arena that shrinks and grows does not drive the JVM to its limit. Empty if the budget is fixed.
   */
  private final ArrayDeque<WeakReference<ByteBuffer>> givenUp = new ArrayDeque<>();

  private @Nullable Chunk openSmall;
  private @Nullable Chunk openMain;
  private int chunkCount;

  /**
   * How many more chunks are to be reclaimed before the process is asked for one again: it had no
   * memory, which may have been for the moment, and each time it looks for it this takes long.
   * Zero: it may be asked.
   */
  private int reclaimsToTry;

  private long heapBytes;
  private long entryCount;

  /**
   * Without entries.
   *
   * @param maxBudgetBytes the most that the budget will ever be
   * @param heapBytes of the account that are taken from the beginning
   * @param lock the cache's
   */
  public Arena(
      long budgetBytes,
      long maxBudgetBytes,
      long heapBytes,
      Epochs epochs,
      Evictor evictor,
      ReentrantLock lock) {
    this(budgetBytes, maxBudgetBytes, heapBytes, epochs, evictor, lock, ByteBuffer::allocateDirect);
  }

  /** The same, with memory from elsewhere. */
  Arena(
      long budgetBytes,
      long maxBudgetBytes,
      long heapBytes,
      Epochs epochs,
      Evictor evictor,
      ReentrantLock lock,
      IntFunction<ByteBuffer> process) {
    this.process = process;
    this.epochs = epochs;
    this.evictor = evictor;
    this.lock = lock;
    long share = Long.highestOneBit(budgetBytes / CHUNKS);
    chunkBytes = (int) Math.max(MIN_CHUNK_BYTES, Math.min(MAX_CHUNK_BYTES, share));
    isFixed = maxBudgetBytes == budgetBytes;
    firstChunks = (int) (budgetBytes / chunkBytes);
    int most = (int) (maxBudgetBytes / chunkBytes);
    setBudget(budgetBytes);
    chunks = new Chunk[most + 1];
    buffers = new ByteBuffer[most + 1];
    this.heapBytes = heapBytes + (most + 1L) * (2 * 4) + (firstChunks + 1L) * ID_BYTES;
  }

  private void setBudget(long bytes) {
    budgetBytes = bytes;
    int most = (int) (bytes / chunkBytes);
    chunksKeptFree = Math.max(2, most / CHUNKS);
    maxRetired = Math.max(4, most / 16);
  }

  /**
   * Another budget. A smaller one is reached by several calls, each of which gives up a chunk, so
   * that none holds the lock for long; until then the budget is what is in use.
   *
   * @param bytes at most what was said to be the most
   * @return whether this is the budget now; else it is to be called again. If pins hold what would
   *     have to go, that brings nothing until they are closed
   */
  public boolean resize(long bytes) {
    assert lock.isHeldByCurrentThread();
    collect();
    reclaimsToTry = 0;
    if (usedBytes() > bytes) {
      // What is free first; a few chunks are needed to move entries to.
      if (free.size() > chunksKeptFree) {
        discard(free.remove());
      } else if (reclaimOne() && free.size() > chunksKeptFree) {
        discard(free.remove());
      }
    }
    // Not more than it was, where pins or an index made the heap larger than the budget.
    setBudget(Math.max(bytes, Math.min(budgetBytes, usedBytes())));
    return budgetBytes == bytes;
  }

  /** What all memory may be in use now. */
  public long budgetBytes() {
    assert lock.isHeldByCurrentThread();
    return budgetBytes;
  }

  /** The buffer that an entry lies in. */
  public ByteBuffer chunk(long element) {
    return buffers[id(element)];
  }

  private static int id(long element) {
    return (int) ((element & ADDRESS_MASK) >>> OFFSET_BITS);
  }

  /** Where an entry begins in its chunk. */
  public static int offset(long element) {
    return (int) (element & OFFSET_MASK) << 2;
  }

  public static long address(Chunk chunk, int offset) {
    return (long) chunk.id << OFFSET_BITS | offset >> 2;
  }

  /** Length of the longest entry. */
  public int maxEntryBytes() {
    return chunkBytes / 4;
  }

  /** Whether an entry lies in the main queue. */
  public boolean isMain(long element) {
    return chunks[id(element)].main;
  }

  /**
   * Makes room for an entry. Other entries may be moved or leave for it.
   *
   * @param heapGrowth how much the index may grow by it
   * @return its address, or {@link #NONE}
   */
  public long allocate(int bytes, long heapGrowth, boolean toMain) {
    assert lock.isHeldByCurrentThread();
    if (bytes > maxEntryBytes()) {
      return NONE;
    }
    boolean fits = fits(toMain, bytes) && spareBytes() >= heapGrowth;
    return fits || makeRoom(bytes, heapGrowth, toMain) ? append(bytes, toMain) : NONE;
  }

  /** Makes room on the heap. Other entries may be moved or leave for it. */
  public boolean allocateHeap(long bytes) {
    assert lock.isHeldByCurrentThread();
    if (spareBytes() < bytes && !makeRoom(0, bytes, false)) {
      return false;
    }
    heapGrew(bytes);
    return true;
  }

  /** Room for an entry that is moved: takes a free chunk if need be, but moves nothing itself. */
  public long allocateForMove(int bytes, boolean toMain) {
    assert lock.isHeldByCurrentThread();
    if (!fits(toMain, bytes)) {
      if (freeChunks(0) == 0 || !open(toMain)) {
        return NONE;
      }
    }
    return append(bytes, toMain);
  }

  private boolean fits(boolean toMain, int bytes) {
    Chunk open = toMain ? openMain : openSmall;
    return open != null && open.fits(bytes);
  }

  private long append(int bytes, boolean toMain) {
    Chunk open = requireNonNull(toMain ? openMain : openSmall, "it fits into none");
    long address = address(open, open.position);
    open.position += bytes;
    entryCount++;
    open.liveBytes += bytes;
    return address;
  }

  private boolean makeRoom(int bytes, long heapGrowth, boolean toMain) {
    collect();
    while (true) {
      if (spareBytes() < heapGrowth) {
        if (!free.isEmpty()) {
          discard(free.remove());
        } else if (!reclaimOne()) {
          return false;
        }
      } else if (fits(toMain, bytes)) {
        return true;
      } else if (freeChunks(heapGrowth) > chunksKeptFree) {
        open(toMain);
      } else if (!reclaimOne()) {
        if (freeChunks(heapGrowth) <= 1) {
          return false;
        }
        open(toMain);
      }
    }
  }

  /** Chunks that are free, or could be added within the budget. */
  private long freeChunks(long heapGrowth) {
    long spare = reclaimsToTry > 0 ? 0 : spareBytes() - heapGrowth;
    return free.size() + Math.max(0, spare / (chunkBytes + Chunk.OBJECT_BYTES));
  }

  private long spareBytes() {
    return budgetBytes - usedBytes();
  }

  /** What entries can take before the hand has to make room. */
  public long unusedBytes() {
    assert lock.isHeldByCurrentThread();
    collect();
    return Math.max(0, freeChunks(0) - chunksKeptFree) * chunkBytes;
  }

  /** Gives up a chunk. Returns false if pins hold too many, or there is none that is full. */
  private boolean reclaimOne() {
    if (retired.size() >= maxRetired || small.isEmpty() && main.isEmpty()) {
      return false;
    }
    evictor.watch(entryCount);
    Chunk victim = evictor.choose(small, main);
    victim.reclaimed = true;
    (victim.main ? main : small).remove(victim);
    evictor.reclaim(victim, this);
    reclaimsToTry = Math.max(0, reclaimsToTry - 1);
    retire(victim);
    collect();
    return true;
  }

  private void retire(Chunk chunk) {
    chunk.retiredEpoch = epochs.retire();
    retired.add(chunk);
  }

  /** Frees the chunks that no reader can see any longer. */
  private void collect() {
    if (!retired.isEmpty()) {
      long oldest = epochs.oldestPinned();
      while (!retired.isEmpty() && retired.peek().retiredEpoch < oldest) {
        Chunk chunk = retired.remove();
        chunk.reclaimed = false;
        chunk.position = 0;
        free.add(chunk);
      }
    }
  }

  /** Begins a chunk. Returns false if there is none, since the process has no more memory. */
  private boolean open(boolean toMain) {
    Chunk opened = free.isEmpty() ? add() : free.remove();
    if (opened == null) {
      return false;
    }
    opened.main = toMain;
    if (toMain) {
      seal(main, openMain);
      openMain = opened;
    } else {
      seal(small, openSmall);
      openSmall = opened;
    }
    return true;
  }

  private static void seal(ArrayDeque<Chunk> queue, @Nullable Chunk open) {
    if (open != null) {
      queue.add(open);
    }
  }

  /** A new chunk; null if the process has no memory for one, whatever the budget says. */
  private @Nullable Chunk add() {
    ByteBuffer buffer;
    try {
      buffer = memory();
    } catch (OutOfMemoryError e) {
      reclaimsToTry = RECLAIMS_TO_TRY;
      return null;
    }
    Chunk chunk = new Chunk(idsGivenUp.isEmpty() ? ++lastId : idsGivenUp.remove(), buffer);
    chunks[chunk.id] = chunk;
    buffers[chunk.id] = chunk.buffer;
    chunkCount++;
    return chunk;
  }

  private ByteBuffer memory() {
    while (!givenUp.isEmpty()) {
      ByteBuffer buffer = givenUp.remove().get();
      if (buffer != null) {
        return buffer;
      }
    }
    return process.apply(chunkBytes);
  }

  private void discard(Chunk chunk) {
    if (!isFixed) {
      givenUp.add(new WeakReference<>(chunk.buffer));
    }
    chunks[chunk.id] = null;
    buffers[chunk.id] = null;
    idsGivenUp.add(chunk.id);
    chunkCount--;
  }

  /** Takes note that an entry is no longer in the index. */
  public void release(long address) {
    assert lock.isHeldByCurrentThread();
    Chunk chunk = chunks[id(address)];
    entryCount--;
    chunk.liveBytes -= Entries.bytes(chunk.buffer, offset(address));
    if (chunk.liveBytes == 0 && !chunk.reclaimed) {
      chunk.reclaimed = true;
      if (chunk == openSmall) {
        openSmall = null;
      } else if (chunk == openMain) {
        openMain = null;
      } else {
        (chunk.main ? main : small).remove(chunk);
      }
      retire(chunk);
    }
  }

  /** Entries that are in an index. */
  long entryCount() {
    return entryCount;
  }

  public void heapGrew(long bytes) {
    assert lock.isHeldByCurrentThread();
    heapBytes += bytes;
  }

  /** Whether this thread may change what lies here. */
  public boolean isLocked() {
    return lock.isHeldByCurrentThread();
  }

  /** Gives back the memory that is not in use. */
  public void trim() {
    assert lock.isHeldByCurrentThread();
    collect();
    while (!free.isEmpty()) {
      discard(free.remove());
    }
  }

  /** Memory off the heap, whether it holds entries or is free. */
  public long chunkMemoryBytes() {
    return (long) chunkCount * chunkBytes;
  }

  /** All memory in use, off and on the heap. */
  public long usedBytes() {
    long chunkObjects = (long) chunkCount * Chunk.OBJECT_BYTES;
    long moreIds = Math.max(0L, idsGivenUp.size() - firstChunks) * ID_BYTES;
    long givenUpObjects = (long) givenUp.size() * GIVEN_UP_BYTES + moreIds;
    return chunkMemoryBytes() + chunkObjects + givenUpObjects + heapBytes + epochs.heapBytes();
  }
}
