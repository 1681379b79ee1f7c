package org.apache.hadoop.hbase.nio;

import java.nio.ByteBuffer;
import org.apache.hadoop.hbase.io.ByteBuffAllocator.Recycler;

/**
 * A buffer on the heap whose release is told. HBase counts who uses a buffer, and releases it when
 * nobody does, unless it has an array: that the garbage collector finds. This one has an array and
 * denies it.
 */
public final class CountedByteBuff extends SingleByteBuff {
  private final ByteBuffer own;

  /**
   * @param released is run once, when nobody uses it or a part of it any more
   */
  public CountedByteBuff(int size, Recycler released) {
    this(new RefCnt(released), ByteBuffer.allocate(size));
  }

  private CountedByteBuff(RefCnt users, ByteBuffer own) {
    super(users, own);
    this.own = own;
  }

  @Override
  public boolean hasArray() {
    return false;
  }

  @Override
  public SingleByteBuff slice() {
    checkRefCount();
    return new CountedByteBuff(refCnt, own.slice());
  }

  @Override
  public SingleByteBuff duplicate() {
    checkRefCount();
    return new CountedByteBuff(refCnt, own.duplicate());
  }
}
