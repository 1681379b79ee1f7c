package io.ishbase.daemon;

import java.util.Locale;
import org.apache.hadoop.hbase.exceptions.DeserializationException;
import org.apache.hadoop.hbase.filter.ByteArrayComparable;
import org.apache.hadoop.hbase.filter.SubstringComparator;
import org.apache.hadoop.hbase.shaded.protobuf.generated.ComparatorProtos;
import org.apache.hadoop.hbase.util.Bytes;
import org.apache.hbase.thirdparty.com.google.protobuf.InvalidProtocolBufferException;
import org.jspecify.annotations.Nullable;

/**
 * What HBase's {@link SubstringComparator} does, in a time that grows with the lengths of text and
 * substring, not with their product: of some megabytes of one letter that product is hours. {@link
 * Filters} puts it in that class's place.
 */
public final class BoundedSubstringComparator extends ByteArrayComparable {
  /** Up to here Java's own search is the faster one. */
  private static final int SHORT = 32;

  private final String wanted;

  /**
   * At each length of a beginning of {@code wanted}: how long its longest shorter beginning is that
   * it ends with (Knuth, Morris, Pratt). Null: it is a short one.
   */
  private final int @Nullable [] borders;

  private BoundedSubstringComparator(String wanted) {
    super(Bytes.toBytes(wanted));
    this.wanted = wanted;
    this.borders = wanted.length() > SHORT ? borders(wanted) : null;
  }

  private static int[] borders(String text) {
    int[] borders = new int[text.length() + 1];
    borders[0] = -1;
    int border = -1;
    for (int end = 0; end < text.length(); end++) {
      while (border >= 0 && text.charAt(border) != text.charAt(end)) {
        border = borders[border];
      }
      borders[end + 1] = ++border;
    }
    return borders;
  }

  /** From the serialized form of a {@link SubstringComparator}. HBase calls it by its name. */
  public static BoundedSubstringComparator parseFrom(byte[] bytes) throws DeserializationException {
    try {
      return new BoundedSubstringComparator(
          ComparatorProtos.SubstringComparator.parseFrom(bytes)
              .getSubstr()
              .toLowerCase(Locale.ROOT));
    } catch (InvalidProtocolBufferException e) {
      throw new DeserializationException(e);
    }
  }

  @Override
  public int compareTo(byte[] value, int offset, int length) {
    EvaluationTime.check();
    return isIn(Bytes.toString(value, offset, length).toLowerCase(Locale.ROOT)) ? 0 : 1;
  }

  private boolean isIn(String text) {
    if (borders == null) {
      return text.contains(wanted);
    }
    int matched = 0;
    for (int i = 0; i < text.length() && matched < wanted.length(); i++) {
      while (matched >= 0 && wanted.charAt(matched) != text.charAt(i)) {
        matched = borders[matched];
      }
      matched++;
    }
    return matched == wanted.length();
  }

  @Override
  public byte[] toByteArray() {
    throw new UnsupportedOperationException("Made for one answer");
  }
}
