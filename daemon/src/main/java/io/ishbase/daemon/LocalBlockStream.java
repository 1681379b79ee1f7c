package io.ishbase.daemon;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.atomic.LongAdder;
import org.apache.hadoop.hdfs.DFSInputStream;
import org.apache.hadoop.hdfs.ReadStatistics;
import org.apache.hadoop.hdfs.client.HdfsDataInputStream;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.jspecify.annotations.Nullable;

/**
 * A file of HDFS of which what lies on this machine is read by position from {@link LocalBlocks},
 * the rest, and all in order, by HDFS's client. By position many threads may read.
 */
final class LocalBlockStream extends HdfsDataInputStream {
  private final LocalBlocks blocks;
  private final LongAdder bytes = new LongAdder();

  /** All of the file, in order; null: nobody has asked yet. */
  private volatile @Nullable List<LocatedBlock> located;

  LocalBlockStream(DFSInputStream stream, LocalBlocks blocks) {
    super(stream);
    this.blocks = blocks;
  }

  @Override
  public int read(long position, ByteBuffer buffer) throws IOException {
    LocatedBlock block = buffer.hasRemaining() ? blockAt(position) : null;
    int read = block == null ? 0 : blocks.read(block, position - block.getStartOffset(), buffer);
    if (read == 0) {
      return super.read(position, buffer);
    }
    bytes.add(read);
    return read;
  }

  /** The block that {@code position} lies in; null: the file ends before it. */
  private @Nullable LocatedBlock blockAt(long position) throws IOException {
    List<LocatedBlock> all = located;
    if (all == null) {
      all = getAllBlocks();
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
    List<LocatedBlock> read = located;
    located = Collections.emptyList();
    try {
      super.close();
    } finally {
      if (read != null) {
        read.forEach(blocks::forget);
      }
    }
  }
}
