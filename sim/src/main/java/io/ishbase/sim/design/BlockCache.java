package io.ishbase.sim.design;

/** Reads by whole blocks, through a cache of them. */
final class BlockCache {
  private final Data data;
  private final Blocks blocks;

  /**
   * An LRU.
   *
   * @param bytes that the blocks may take
   * @param bookkeeping bytes that a block takes besides itself
   */
  BlockCache(Data data, double bytes, double bookkeeping) {
    // The one that is being read is always there.
    this(data, new Lru(Math.max(1, (long) (bytes / (data.blockBytes() + bookkeeping)))));
  }

  BlockCache(Data data, Blocks blocks) {
    this.data = data;
    this.blocks = blocks;
  }

  boolean goesOn(Read read) {
    if (read.hasArrived()) {
      take(read);
    }
    answer(read);
    return !read.isDone() && fetch(read);
  }

  boolean fetch(Read read) {
    return read.fetchBlock(data.block(read.next()), data.blockBytes());
  }

  void take(Read read) {
    blocks.add(read.block());
    read.done += data.rowsInBlock(read.next(), read.rows() - read.done);
  }

  /** Answers rows from the cache, up to the first that is not there. */
  void answer(Read read) {
    while (!read.isDone() && blocks.touch(data.block(read.next()))) {
      read.done += data.rowsInBlock(read.next(), read.rows() - read.done);
    }
  }
}
