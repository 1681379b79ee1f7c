package io.ishbase.daemon;

import org.apache.hadoop.hbase.exceptions.DeserializationException;
import org.apache.hadoop.hbase.filter.ByteArrayComparable;
import org.apache.hadoop.hbase.filter.LongComparator;
import org.apache.hadoop.hbase.shaded.protobuf.generated.ComparatorProtos;
import org.apache.hadoop.hbase.util.Bytes;
import org.apache.hbase.thirdparty.com.google.protobuf.InvalidProtocolBufferException;

/**
 * What HBase's {@link LongComparator} does with values of eight bytes on the heap, and fails with
 * any other: off the heap HBase 2.6 reads what lies behind a shorter one. {@link Filters} puts it
 * in that class's place.
 */
public final class BoundedLongComparator extends ByteArrayComparable {
  private final long wanted;

  private BoundedLongComparator(byte[] wanted) {
    super(wanted);
    this.wanted = Bytes.toLong(wanted);
  }

  /** From the serialized form of a {@link LongComparator}. HBase calls it by its name. */
  public static BoundedLongComparator parseFrom(byte[] bytes) throws DeserializationException {
    try {
      return new BoundedLongComparator(
          ComparatorProtos.LongComparator.parseFrom(bytes)
              .getComparable()
              .getValue()
              .toByteArray());
    } catch (InvalidProtocolBufferException e) {
      throw new DeserializationException(e);
    }
  }

  @Override
  public int compareTo(byte[] value, int offset, int length) {
    return Long.compare(wanted, Bytes.toLong(value, offset, length));
  }

  @Override
  public byte[] toByteArray() {
    throw new UnsupportedOperationException("Made for one answer");
  }
}
