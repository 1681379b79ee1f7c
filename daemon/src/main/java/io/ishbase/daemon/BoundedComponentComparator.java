package io.ishbase.daemon;

import org.apache.hadoop.hbase.exceptions.DeserializationException;
import org.apache.hadoop.hbase.filter.BinaryComponentComparator;
import org.apache.hadoop.hbase.filter.ByteArrayComparable;
import org.apache.hadoop.hbase.shaded.protobuf.generated.ComparatorProtos;
import org.apache.hadoop.hbase.util.Bytes;
import org.apache.hbase.thirdparty.com.google.protobuf.InvalidProtocolBufferException;

/**
 * What HBase's {@link BinaryComponentComparator} does with values that are long enough to have the
 * component, and fails with any other: HBase 2.6 reads what lies behind a shorter one, or behind
 * the array. {@link Filters} puts it in that class's place.
 */
public final class BoundedComponentComparator extends ByteArrayComparable {
  private final byte[] wanted;
  private final int componentOffset;

  private BoundedComponentComparator(byte[] wanted, int componentOffset) {
    super(wanted);
    this.wanted = wanted;
    this.componentOffset = componentOffset;
  }

  /**
   * From the serialized form of a {@link BinaryComponentComparator}. HBase calls it by its name.
   */
  public static BoundedComponentComparator parseFrom(byte[] bytes) throws DeserializationException {
    try {
      ComparatorProtos.BinaryComponentComparator component =
          ComparatorProtos.BinaryComponentComparator.parseFrom(bytes);
      return new BoundedComponentComparator(
          component.getValue().toByteArray(), component.getOffset());
    } catch (InvalidProtocolBufferException e) {
      throw new DeserializationException(e);
    }
  }

  @Override
  public int compareTo(byte[] value, int offset, int length) {
    if (componentOffset < 0 || componentOffset > length - wanted.length) {
      throw new IllegalArgumentException("No such component in " + length + " bytes");
    }
    return Bytes.compareTo(
        wanted, 0, wanted.length, value, offset + componentOffset, wanted.length);
  }

  @Override
  public byte[] toByteArray() {
    throw new UnsupportedOperationException("Made for one answer");
  }
}
