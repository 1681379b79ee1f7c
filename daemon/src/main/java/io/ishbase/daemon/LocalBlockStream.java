package io.ishbase.daemon;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.atomic.LongAdder;
import org.apache.hadoop.hdfs.DFSInputStream;
import org.apache.hadoop.hdfs.ReadStatistics;
import org.apache.hadoop.hdfs.client.HdfsDataInputStream;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A file of HDFS of which what lies on this machine is read by position from {@link LocalBlocks},
 * the rest, and all in order, by HDFS's client. By position many threads may read.
 */
final class LocalBlockStream extends HdfsDataInputStream {
  private static final Logger LOG = LoggerFactory.getLogger(LocalBlockStream.class);

  private final LocalBlocks blocks;
  private final LongAdder bytes = new LongAdder();

  /** What was known last, for {@link #close}. */
  private volatile List<LocatedBlock> locatedLast = List.of();

  /** All of the file, in order; null: to be asked. */
  private volatile @Nullable List<LocatedBlock> located;

  private volatile long locatedNanos;

  LocalBlockStream(DFSInputStream stream, LocalBlocks blocks) {
    super(stream);
    this.blocks = blocks;
  }

  @Override
  public int read(long position, ByteBuffer buffer) throws IOException {
    int read = readLocal(position, buffer);
    return read == 0 ? super.read(position, buffer) : read;
  }

  /** What HBase calls where Hadoop is older than 3.3. */
  @Override
  public int read(long position, byte[] buffer, int offset, int length) throws IOException {
    int read = readLocal(position, ByteBuffer.wrap(buffer, offset, length));
    return read == 0 ? super.read(position, buffer, offset, length) : read;
  }

  /** As many bytes as were read; 0: HDFS's client is to be asked. */
  private int readLocal(long position, ByteBuffer buffer) {
    LocatedBlock block = buffer.hasRemaining() ? blockAt(position) : null;
    int read = block == null ? 0 : blocks.read(block, position - block.getStartOffset(), buffer);
    if (read == 0 && System.nanoTime() - locatedNanos > LocalBlocks.LEFT_ALONE.toNanos()) {
      // HDFS's client may have learnt of other places, and have new tokens for them.
      located = null;
    }
    bytes.add(read);
    return read;
  }

  /** The block that {@code position} lies in; null: the file ends before it, or it is not known. */
  private @Nullable LocatedBlock blockAt(long position) {
    List<LocatedBlock> all = located;
    if (all == null) {
      all = locate();
      locatedNanos = System.nanoTime();
      locatedLast = all;
      located = all;
    }
    int low = 0;
    int high = all.size() - 1;
    while (low <= high) {
      int middle = (low + high) >>> 1;
      LocatedBlock block = all.get(middle);
      if (position < block.getStartOffset()) {
        high = middle - 1;
      } else if (position >= block.getStartOffset() + block.getBlockSize()) {
        low = middle + 1;
      } else {
        return block;
      }
    }
    return null;
  }

  /** Empty: the NameNode does not say. HDFS's client may know what it asked before. */
  private List<LocatedBlock> locate() {
    try {
      return getAllBlocks();
    } catch (IOException e) {
      LOG.debug("The NameNode does not say where it lies", e);
      return List.of();
    }
  }

  /** With what HDFS's client did not read. */
  @Override
  public ReadStatistics getReadStatistics() {
    long added = bytes.sum();
    return new ReadStatistics(super.getReadStatistics()) {
      @Override
      public synchronized long getTotalBytesRead() {
        return super.getTotalBytesRead() + added;
      }

      @Override
      public synchronized long getTotalLocalBytesRead() {
        return super.getTotalLocalBytesRead() + added;
      }

      @Override
      public synchronized long getTotalShortCircuitBytesRead() {
        return super.getTotalShortCircuitBytesRead() + added;
      }
    };
  }

  @Override
  public void close() throws IOException {
    try {
      super.close();
    } finally {
      locatedLast.forEach(blocks::forget);
    }
  }
}
