package io.ishbase.daemon;

import io.ishbase.daemon.rpc.RequestException;
import io.ishbase.protocol.generated.IssnProtos.Code;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.io.ByteBuffAllocator;
import org.apache.hadoop.hbase.io.hfile.HFile;
import org.apache.hadoop.hbase.nio.ByteBuff;
import org.apache.hadoop.hbase.nio.CountedByteBuff;
import org.apache.hadoop.hbase.regionserver.IssnStoreFileAccess;

/**
 * What blocks of HFiles are read into: pooled buffers off the heap, and the heap beyond them. A
 * block has the size that its table's owner likes, and is there as it lies on the disk and
 * unpacked, of each file of each request: what large ones take together is bounded, and who finds
 * no room for one more is refused.
 *
 * <p>Thread safe.
 */
final class BlockBuffers extends ByteBuffAllocator {
  /** Somewhat more than the usual 64 KB: a block ends behind the cell that fills it. */
  static final int BUFFER_BYTES = 80 << 10;

  /** Larger blocks are counted, and have a piece of the heap each. */
  static final int LARGE_BYTES = 4 * BUFFER_BYTES;

  /** Files of larger ones, on the mean, are not read here. */
  static final long MOST_BYTES = 2L * LargeCells.MOST_BYTES;

  /** Of the heap, for large blocks that are in use: a part of so many. */
  static final int HEAP_SHARE = 8;

  /** Of the pool's buffers, those that may be lost: a part of so many. */
  private static final int LOST_SHARE = 4;

  private final int pooled;
  private final long most;
  private final AtomicLong held = new AtomicLong();

  /** Refused since there was a new pool. */
  private final AtomicInteger refused = new AtomicInteger();

  private volatile ByteBuffAllocator pool;

  /** There is no room for a block now. */
  static final class NoRoomException extends RuntimeException {
    private static final long serialVersionUID = 1;

    private NoRoomException(int size) {
      super("No memory for one more block of " + size + " bytes now");
    }
  }

  /**
   * @param pooled buffers at most
   * @param most bytes of large blocks that are in use
   */
  BlockBuffers(int pooled, long most) {
    super(true, pooled, BUFFER_BYTES, BUFFER_BYTES / 6);
    this.pooled = pooled;
    this.most = most;
    this.pool = pool();
  }

  private ByteBuffAllocator pool() {
    Configuration conf = new Configuration(false);
    conf.setInt(BUFFER_SIZE_KEY, BUFFER_BYTES);
    conf.setInt(MAX_BUFFER_COUNT_KEY, pooled);
    return create(conf, true);
  }

  /**
   * {@inheritDoc}
   *
   * @throws NoRoomException if large blocks have all that they may have
   */
  @Override
  public ByteBuff allocate(int size) {
    if (size <= LARGE_BYTES) {
      return pool.allocate(size);
    }
    if (held.addAndGet(size) > most) {
      held.addAndGet(-size);
      refused();
      throw new NoRoomException(size);
    }
    boolean isMade = false;
    try {
      ByteBuff made = CountedByteBuff.of(size, () -> held.addAndGet(-size));
      isMade = true;
      return made;
    } finally {
      if (!isMade) {
        held.addAndGet(-size);
      }
    }
  }

  /**
   * A block that finds no room to be unpacked is never given back as it lies, with up to four
   * buffers of the pool, which would miss them for ever: before it misses many there is another.
   */
  private void refused() {
    int atOnce = LARGE_BYTES / BUFFER_BYTES;
    if (refused.incrementAndGet() >= Math.max(1, pooled / (atOnce * LOST_SHARE))) {
      refused.set(0);
      pool = pool();
    }
  }

  @Override
  public int getUsedBufferCount() {
    return pool.getUsedBufferCount();
  }

  @Override
  public int getFreeBufferCount() {
    return pool.getFreeBufferCount();
  }

  /** Bytes of large blocks that are in use. */
  long held() {
    return held.get();
  }

  /**
   * Looks whether blocks of a file may be read here.
   *
   * @throws RequestException if they are too large
   */
  static void check(HFile.Reader file) throws RequestException {
    long mean = IssnStoreFileAccess.meanBlockBytes(file);
    if (mean > MOST_BYTES) {
      throw new RequestException(
          Code.UNSUPPORTED,
          "Blocks of " + mean + " bytes, and daemons read up to " + MOST_BYTES + ": " + file);
    }
  }
}
