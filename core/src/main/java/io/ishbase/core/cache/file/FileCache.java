package io.ishbase.core.cache.file;

import static java.util.Objects.requireNonNull;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Function;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Rows that left the memory of a cache, in a file of fixed size on a disk of the machine. Thread
 * safe.
 *
 * <p><b>Structure.</b> The file is a ring of blocks, a log: rows are appended, and the oldest block
 * is overwritten. {@link FileIndex} says where a row lies, by its hash; who reads there finds
 * whether it is that row. A row that was asked for is appended once more when its block's turn
 * comes, up to a half of the block; so this is a clock, whose hand is the log's end.
 *
 * <p>A position counts bytes from the beginning of the log and never falls: block {@code n} of the
 * log lies in the ring's block {@code n % count}. A record, at a multiple of {@value #UNIT} bytes:
 *
 * <pre>
 *  0 length of the payload (4); zero behind the last record of a block is not one: no key is empty
 *  4 CRC-32C of all that follows (4)
 *  8 position (8)
 * 16 generation (4)
 * 20 length of the key (2)
 * 22 flags (1)
 * 24 [position of the record that this one changes (8)], key, payload
 * </pre>
 *
 * <p><b>What is never wrong.</b> A row is found by one slot, which is taken away before anybody may
 * see files that say something else of it ({@link FiledRows#forget}); what else the log has of it
 * is garbage. What is forgotten at once, a store or what is not clean of it, has a generation that
 * no record has any longer. A record that is copied keeps its generation, and gets the slot only if
 * that still names the one it was copied from. A reader that is overtaken by the log's end finds
 * another position, or a checksum that does not fit.
 *
 * <p><b>Threads.</b> Rows are written to blocks in memory, under the monitor, and to the disk by a
 * thread. A row for which no block is free is lost: nobody waits for the disk but who reads from
 * it. An error of the disk ends its use.
 */
public final class FileCache implements AutoCloseable {
  /** The smallest size of a file. */
  public static final long MIN_BYTES = 4 << 20;

  private static final Logger LOG = LoggerFactory.getLogger(FileCache.class);

  static final int UNIT = 16;
  private static final int HEADER = 24;
  private static final int CLEAN = 1;
  private static final int TRIMMED = 2;
  private static final int CHANGE = 4;
  private static final int BEFORE_BYTES = Long.BYTES;

  /** Of a row: each is a read of the disk. */
  private static final int MAX_CHANGES = 8;

  private static final int MAX_BLOCK_BYTES = 1 << 20;
  private static final int LEAST_BLOCKS = 16;
  private static final int BLOCKS_IN_MEMORY = 8;

  /** Of the file, for each slot of the index: it takes 2.5 % of the file's size. */
  private static final int BYTES_OF_A_ROW = 320;

  private static final int MEMORY_TO_DISK = 10;

  /** What is read at once, in the hope that it has the row. */
  private static final int READ_BYTES = 4 << 10;

  private static final long MILLIS_OF_CLOSING = 10_000;

  private final Path path;
  private final long blockBytes;
  private final long blockCount;
  private final FileIndex index;
  private final CacheFile file;
  private final Thread writer;
  private final Block[] blocks = new Block[BLOCKS_IN_MEMORY];

  /** Used by the writer. */
  private final ByteBuffer overwritten;

  private final AtomicInteger lastGeneration = new AtomicInteger();

  /** Of open stores, by the generations that their records have. */
  private final Map<Integer, FiledRows> stores = new ConcurrentHashMap<>();

  /** Whether the disk failed, or the cache is closed. */
  private volatile boolean isBroken;

  /** What lies before has been overwritten, or is being. */
  private volatile long begin;

  /** Of the block that was begun last. */
  private volatile long end;

  /** The first block of the log that is not on the disk. */
  private volatile long firstInMemory = 1;

  // Guarded by the monitor.
  private final ArrayDeque<Block> free = new ArrayDeque<>();
  private final ArrayDeque<Block> full = new ArrayDeque<>();
  private @Nullable Block open;
  private long nextNumber = 1;
  private boolean isClosed;

  private final LongAdder hits = new LongAdder();
  private final LongAdder misses = new LongAdder();
  private final LongAdder reads = new LongAdder();
  private final LongAdder damaged = new LongAdder();
  private long writtenRows;
  private long keptRows;
  private long lostRows;
  private long writtenBytes;

  /** A block of the log in memory. */
  private static final class Block {
    final ByteBuffer buffer;

    /** In the log; -1: none. */
    volatile long number = -1;

    int used;

    Block(int bytes) {
      buffer = ByteBuffer.allocateDirect(bytes);
    }
  }

  /**
   * An empty cache.
   *
   * @param path of the file; what another process of ours left there is overwritten
   * @param bytes of the file, at least {@link #MIN_BYTES}
   * @param threads makes and starts a thread
   * @throws IOException if the file is not to be had, or no memory for its index; the message says
   *     why
   */
  public FileCache(Path path, long bytes, Function<Runnable, Thread> threads) throws IOException {
    if (bytes < MIN_BYTES) {
      throw new IOException(bytes + " bytes: " + MIN_BYTES + " at least are of use");
    }
    this.path = path;
    blockBytes = Math.min(MAX_BLOCK_BYTES, Long.highestOneBit(bytes / LEAST_BLOCKS));
    blockCount = bytes / blockBytes;
    begin = blockBytes;
    file = CacheFile.open(path, blockCount * blockBytes);
    try {
      index = new FileIndex(bytes / BYTES_OF_A_ROW);
      for (int i = 0; i < blocks.length; i++) {
        blocks[i] = new Block((int) blockBytes);
        free.add(blocks[i]);
      }
      overwritten = ByteBuffer.allocateDirect((int) blockBytes);
    } catch (IllegalArgumentException | OutOfMemoryError e) {
      file.close();
      throw new IOException(
          "no memory for an index of %,d bytes (-XX:MaxDirectMemorySize)"
              .formatted(bytes / BYTES_OF_A_ROW * FileIndex.SLOT_BYTES),
          e);
    }
    writer = threads.apply(this::writeBlocks);
  }

  /** The size of a file where none is configured, behind a cache of so many bytes. */
  public static long usualBytes(long cacheBytes) {
    return MEMORY_TO_DISK * cacheBytes;
  }

  /** The direct memory that a file of so many bytes takes. */
  public static long memoryBytes(long bytes) {
    return bytes / BYTES_OF_A_ROW * FileIndex.SLOT_BYTES
        + (BLOCKS_IN_MEMORY + 1L) * MAX_BLOCK_BYTES;
  }

  /** A store that opens, to be closed by the caller. */
  public FiledRows openStore() {
    return new FiledRows(this);
  }

  /** A number that records of a store have from now on. */
  int newGeneration(FiledRows store) {
    int generation = lastGeneration.incrementAndGet();
    stores.put(generation, store);
    return generation;
  }

  /** No record is of that generation any longer. */
  void retire(int generation) {
    stores.remove(generation);
  }

  /** Whether the disk is in use. */
  boolean isInUse() {
    return !isBroken;
  }

  // Lookups.

  /** Where a row seems to lie; 0: nowhere. */
  long find(long hash) {
    return isBroken ? 0 : position(index.find(hash));
  }

  /** The position in a slot; 0: it has been overwritten. */
  private long position(long slot) {
    if (slot == 0) {
      return 0;
    }
    // The end is read last: what has a slot lies before it.
    long position = UNIT * FileIndex.before(end / UNIT, slot);
    return position < begin ? 0 : position;
  }

  boolean isAt(long hash, long position) {
    return find(hash) == position;
  }

  /** Reads a row. */
  @Nullable FiledRow read(FiledRows store, byte[] row, long hash) {
    long slot = isBroken ? 0 : index.find(hash);
    long position = position(slot);
    FiledRow found = position == 0 ? null : read(store, row, hash, position);
    if (found == null) {
      misses.increment();
      return null;
    }
    index.asked(hash, slot);
    hits.increment();
    return found;
  }

  /** The same for who only looks: it counts nowhere. */
  @Nullable FiledRow peek(FiledRows store, byte[] row, long hash) {
    long position = find(hash);
    return position == 0 ? null : read(store, row, hash, position);
  }

  private @Nullable FiledRow read(FiledRows store, byte[] row, long hash, long position) {
    List<byte[]> payloads = new ArrayList<>(1);
    boolean trimmed = false;
    boolean clean = true;
    long at = position;
    try {
      while (at > 0) {
        Part part = at < begin ? null : part(store, row, at);
        if (part == null) {
          if (at < position) {
            // It is of no use any more, and would keep the row from being written again.
            forget(hash);
          }
          return null;
        }
        payloads.add(part.payload);
        trimmed |= part.trimmed;
        clean &= part.clean;
        at = part.before;
      }
      return new FiledRow(payloads, clean, trimmed, position);
    } catch (EOFException | DamagedRecordException e) {
      // Unless the end of the log came by meanwhile.
      if (at >= begin) {
        damaged(hash, e);
      }
    } catch (IOException e) {
      broke(e);
    } catch (OutOfMemoryError e) {
      // Of direct memory, which reading takes: the store's files have the row too.
      return null;
    }
    return null;
  }

  /**
   * A record.
   *
   * @param before the position of the one that it changes; 0: none
   */
  @SuppressWarnings("ArrayRecordComponent")
  private record Part(byte[] payload, boolean clean, boolean trimmed, long before) {}

  /** What the disk gave back is not what was written to it. */
  private static final class DamagedRecordException extends IOException {
    private static final long serialVersionUID = 1;

    DamagedRecordException(long position) {
      super("a damaged record at " + position);
    }
  }

  private void damaged(long hash, IOException e) {
    if (damaged.sum() == 0) {
      LOG.warn("{}: {}; its readers go to the store's files", path, e.getMessage());
    }
    damaged.increment();
    forget(hash);
  }

  /** Null if it is no record of the row that is still true. */
  private @Nullable Part part(FiledRows store, byte[] row, long position) throws IOException {
    int room = (int) (blockBytes - position % blockBytes);
    int guess = Math.min(room, Math.max(READ_BYTES, HEADER + BEFORE_BYTES + row.length));
    ByteBuffer record = bytes(position, guess);
    int keyLength = record.getShort(20) & 0xffff;
    int key = keyOffset(record, 0);
    long length = (long) key + keyLength + record.getInt(0);
    if (record.getLong(8) != position || length > room || length < HEADER) {
      throw new DamagedRecordException(position);
    }
    if (keyLength != row.length) {
      return null;
    }
    if (length > guess) {
      record = bytes(position, (int) length);
    }
    if (checksum(record, 0, (int) length) != record.getInt(4)) {
      throw new DamagedRecordException(position);
    }
    if (!record.slice(key, keyLength).equals(ByteBuffer.wrap(row))) {
      return null;
    }
    boolean clean = (record.get(22) & CLEAN) != 0;
    if (record.getInt(16) != store.generation(clean)) {
      // A compaction came by. Else the row would not be written again.
      forget(store.hash(row));
      return null;
    }
    byte[] payload = new byte[(int) length - key - keyLength];
    record.get(key + keyLength, payload);
    return new Part(
        payload,
        clean,
        (record.get(22) & TRIMMED) != 0,
        key == HEADER ? 0 : record.getLong(HEADER));
  }

  private static int keyOffset(ByteBuffer buffer, int record) {
    return (buffer.get(record + 22) & CHANGE) == 0 ? HEADER : HEADER + BEFORE_BYTES;
  }

  private static int checksum(ByteBuffer buffer, int record, int length) {
    CRC32C crc = new CRC32C();
    crc.update(buffer.slice(record + 8, length - 8));
    return (int) crc.getValue();
  }

  /** Bytes of the log, which do not go beyond a block. */
  private ByteBuffer bytes(long position, int length) throws IOException {
    byte[] bytes = new byte[length];
    ByteBuffer buffer = ByteBuffer.wrap(bytes);
    long number = position / blockBytes;
    int offset = (int) (position % blockBytes);
    if (number >= firstInMemory) {
      for (Block block : blocks) {
        if (block.number == number) {
          block.buffer.get(offset, bytes);
          if (block.number == number) {
            return buffer;
          }
        }
      }
    }
    // It was written to the disk before its block was taken for another.
    reads.increment();
    file.read(buffer, number % blockCount * blockBytes + offset);
    return buffer;
  }

  // Changes.

  /**
   * Appends a row, unless it lies here already: what has a slot is as it would be written.
   *
   * @return whether it has a slot now
   */
  boolean write(
      FiledRows store,
      byte[] row,
      long hash,
      ByteBuffer entry,
      int payload,
      int length,
      boolean clean,
      boolean trimmed) {
    if (isBroken || find(hash) != 0) {
      return !isBroken;
    }
    int flags = (clean ? CLEAN : 0) | (trimmed ? TRIMMED : 0);
    synchronized (this) {
      return append(store, row, hash, entry, payload, length, flags, 0, 0);
    }
  }

  /** Appends what a flush adds to a row. It is not clean: a compaction drops what it hides. */
  boolean append(FiledRows store, byte[] row, long hash, byte[] payload, boolean trimmed) {
    synchronized (this) {
      long slot = isBroken ? 0 : index.find(hash);
      long before = position(slot);
      int changes = FileIndex.changes(slot) + 1;
      if (before == 0 || changes > MAX_CHANGES) {
        return false;
      }
      int flags = CHANGE | (trimmed ? TRIMMED : 0);
      ByteBuffer added = ByteBuffer.wrap(payload);
      return append(store, row, hash, added, 0, payload.length, flags, before, changes);
    }
  }

  private boolean append(
      FiledRows store,
      byte[] row,
      long hash,
      ByteBuffer entry,
      int payload,
      int length,
      int flags,
      long before,
      int changes) {
    int key = (flags & CHANGE) == 0 ? HEADER : HEADER + BEFORE_BYTES;
    int bytes = key + row.length + length;
    long position = place(bytes);
    if (position == 0) {
      lostRows++;
      return false;
    }
    ByteBuffer buffer = block(position).buffer;
    int record = (int) (position % blockBytes);
    buffer.putInt(record, length);
    buffer.putInt(record + 16, store.generation((flags & CLEAN) != 0));
    buffer.putShort(record + 20, (short) row.length);
    buffer.put(record + 22, (byte) flags);
    if (key > HEADER) {
      buffer.putLong(record + HEADER, before);
    }
    buffer.put(record + key, row);
    buffer.put(record + key + row.length, entry, payload, length);
    publish(hash, position, changes, buffer, record, bytes);
    writtenRows++;
    return true;
  }

  private void publish(
      long hash, long position, int changes, ByteBuffer buffer, int record, int bytes) {
    buffer.putLong(record + 8, position);
    buffer.putInt(record + 4, checksum(buffer, record, bytes));
    index.put(hash, position / UNIT, changes, end / UNIT);
  }

  private Block block(long position) {
    Block block = requireNonNull(open, "no block is open");
    assert block.number == position / blockBytes;
    return block;
  }

  /** Makes room for a record. Returns its position; 0: there is no room. */
  private long place(int bytes) {
    assert Thread.holdsLock(this);
    if (isClosed || bytes > blockBytes) {
      return 0;
    }
    Block block = open;
    if (block == null || block.used + bytes > blockBytes) {
      block = next();
      if (block == null) {
        return 0;
      }
    }
    long position = block.number * blockBytes + block.used;
    block.used = (block.used + bytes + UNIT - 1) / UNIT * UNIT;
    return position;
  }

  /** Begins a block; null if none is free. */
  private @Nullable Block next() {
    Block last = open;
    if (last != null) {
      for (int at = last.used; at < Math.min(blockBytes, last.used + HEADER); at++) {
        last.buffer.put(at, (byte) 0);
      }
      full.add(last);
      notifyAll();
    }
    open = free.poll();
    if (open != null) {
      open.used = 0;
      open.number = nextNumber++;
      end = (open.number + 1) * blockBytes;
    }
    return open;
  }

  synchronized void forget(long hash) {
    index.remove(hash);
  }

  // The writer.

  private void writeBlocks() {
    try {
      for (Block block = nextFull(); block != null; block = nextFull()) {
        long oldest = block.number - blockCount;
        if (oldest > 0) {
          keepAsked(oldest);
        }
        begin = Math.max(blockBytes, (oldest + 1) * blockBytes);
        file.write(block.buffer.duplicate().clear(), block.number % blockCount * blockBytes);
        firstInMemory = block.number + 1;
        synchronized (this) {
          writtenBytes += blockBytes;
          block.number = -1;
          free.add(block);
          notifyAll();
        }
      }
    } catch (IOException | RuntimeException | OutOfMemoryError e) {
      broke(e);
    } catch (InterruptedException e) {
      broke(e);
      Thread.currentThread().interrupt();
    }
  }

  private synchronized @Nullable Block nextFull() throws InterruptedException {
    while (full.isEmpty() && !isClosed) {
      wait();
    }
    return isClosed ? null : full.remove();
  }

  /** Appends what was asked for of a block that is about to be overwritten. */
  private void keepAsked(long number) throws IOException {
    ByteBuffer block = overwritten;
    file.read(block.clear(), number % blockCount * blockBytes);
    int kept = 0;
    int record = 0;
    while (record + HEADER <= blockBytes) {
      int keyLength = block.getShort(record + 20) & 0xffff;
      long length = (long) keyOffset(block, record) + keyLength + block.getInt(record);
      if (keyLength == 0
          || length < HEADER
          || record + length > blockBytes
          || checksum(block, record, (int) length) != block.getInt(record + 4)) {
        return;
      }
      if (kept + length <= blockBytes / 2
          && keepIfAsked(block, record, (int) length, number * blockBytes + record)) {
        kept += (int) length;
      }
      record += (int) (length + UNIT - 1) / UNIT * UNIT;
    }
  }

  private boolean keepIfAsked(ByteBuffer block, int record, int length, long position) {
    FiledRows store = stores.get(block.getInt(record + 16));
    // What a change changes has been overwritten before.
    if (store == null || keyOffset(block, record) > HEADER) {
      return false;
    }
    byte[] key = new byte[block.getShort(record + 20) & 0xffff];
    block.get(record + HEADER, key);
    long hash = store.hash(key);
    synchronized (this) {
      long slot = index.find(hash);
      if (!FileIndex.isAsked(slot) || position(slot) != position) {
        return false;
      }
      long to = place(length);
      if (to == 0) {
        return false;
      }
      ByteBuffer buffer = block(to).buffer;
      int copy = (int) (to % blockBytes);
      buffer.put(copy, block, record, length);
      publish(hash, to, 0, buffer, copy, length);
      keptRows++;
    }
    return true;
  }

  private void broke(Throwable e) {
    synchronized (this) {
      if (isBroken || isClosed) {
        return;
      }
      isBroken = true;
      notifyAll();
    }
    LOG.warn("{} is not used any more, rows are cached in memory alone: {}", path, e.toString());
    closeFile();
  }

  private void closeFile() {
    try {
      file.close();
    } catch (IOException e) {
      LOG.warn("{} is left behind: {}", path, e.toString());
    }
  }

  /** Waits until all full blocks are on the disk, or the disk is not used any more. */
  synchronized void awaitWritten() throws InterruptedException {
    while (free.size() + (open == null ? 0 : 1) < blocks.length && !isBroken) {
      wait();
    }
  }

  /** What it counts. */
  public synchronized FileStats stats() {
    return new FileStats(
        hits.sum(),
        misses.sum(),
        reads.sum(),
        writtenRows,
        writtenBytes,
        keptRows,
        lostRows,
        damaged.sum(),
        isBroken || isClosed ? 0 : blockCount * blockBytes,
        isBroken || isClosed ? 0 : Math.min(writtenBytes, blockCount * blockBytes),
        index.bytes());
  }

  /** Forgets all, and deletes the file. */
  @Override
  public void close() {
    synchronized (this) {
      isClosed = true;
      notifyAll();
    }
    try {
      writer.join(MILLIS_OF_CLOSING);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    isBroken = true;
    closeFile();
  }
}
