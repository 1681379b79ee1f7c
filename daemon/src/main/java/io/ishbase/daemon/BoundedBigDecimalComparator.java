package io.ishbase.daemon;

import java.math.BigDecimal;
import org.apache.hadoop.hbase.exceptions.DeserializationException;
import org.apache.hadoop.hbase.filter.BigDecimalComparator;
import org.apache.hadoop.hbase.filter.ByteArrayComparable;
import org.apache.hadoop.hbase.shaded.protobuf.generated.ComparatorProtos;
import org.apache.hadoop.hbase.util.Bytes;
import org.apache.hbase.thirdparty.com.google.protobuf.InvalidProtocolBufferException;

/**
 * What HBase's {@link BigDecimalComparator} does with numbers that somebody may mean: to compare
 * two of some megabytes takes Java many seconds. {@link Filters} puts it in that class's place.
 */
public final class BoundedBigDecimalComparator extends ByteArrayComparable {
  /** Some 2,400 digits. */
  static final int MAX_BYTES = 1 << 10;

  private final BigDecimal wanted;

  private BoundedBigDecimalComparator(byte[] wanted) {
    super(wanted);
    this.wanted = Bytes.toBigDecimal(wanted);
  }

  /** From the serialized form of a {@link BigDecimalComparator}. HBase calls it by its name. */
  public static BoundedBigDecimalComparator parseFrom(byte[] bytes)
      throws DeserializationException {
    try {
      return new BoundedBigDecimalComparator(
          ComparatorProtos.BigDecimalComparator.parseFrom(bytes)
              .getComparable()
              .getValue()
              .toByteArray());
    } catch (InvalidProtocolBufferException e) {
      throw new DeserializationException(e);
    }
  }

  @Override
  public int compareTo(byte[] value, int offset, int length) {
    EvaluationTime.check();
    if (length > MAX_BYTES) {
      throw new IllegalStateException("A number of " + length + " bytes");
    }
    return wanted.compareTo(Bytes.toBigDecimal(value, offset, length));
  }

  @Override
  public byte[] toByteArray() {
    throw new UnsupportedOperationException("Made for one answer");
  }
}
