package org.apache.hadoop.hbase.nio;

import java.lang.ref.Cleaner;
import java.nio.ByteBuffer;

/**
 * A buffer on the heap whose release is told. HBase counts who uses a buffer, and releases it when
 * nobody does, unless it has an array: that the garbage collector finds. This one has an array and
 * denies it. Where HBase loses a buffer, as it does that of a block which cannot be unpacked, the
 * garbage collector finds this one, too.
 */
public final class CountedByteBuff extends SingleByteBuff {
  private static final Cleaner LOST = Cleaner.create();

  private final ByteBuffer own;

  /**
   * A buffer of {@code size} bytes.
   *
   * @param released is run once, when nobody uses it or a part of it any more; must not refer to it
   */
  public static CountedByteBuff of(int size, Runnable released) {
    ByteBuffer own = ByteBuffer.allocate(size);
    Cleaner.Cleanable[] once = new Cleaner.Cleanable[1];
    RefCnt users = new RefCnt(() -> once[0].clean());
    once[0] = LOST.register(users, released);
    return new CountedByteBuff(users, own);
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
