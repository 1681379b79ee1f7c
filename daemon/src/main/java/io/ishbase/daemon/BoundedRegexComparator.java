package io.ishbase.daemon;

import io.ishbase.protocol.UnreadSteps;
import java.nio.charset.Charset;
import java.util.regex.Pattern;
import org.apache.hadoop.hbase.exceptions.DeserializationException;
import org.apache.hadoop.hbase.filter.ByteArrayComparable;
import org.apache.hadoop.hbase.filter.RegexStringComparator;
import org.apache.hadoop.hbase.shaded.protobuf.generated.ComparatorProtos;
import org.apache.hadoop.hbase.util.Bytes;
import org.apache.hbase.thirdparty.com.google.protobuf.InvalidProtocolBufferException;

/**
 * What HBase's {@link RegexStringComparator} with Java's engine does, within a time: some
 * expressions need hours for thirty characters. Those that may need them without reading one
 * ({@link UnreadSteps}) are not evaluated. {@link Filters} puts it in that class's place.
 */
public final class BoundedRegexComparator extends ByteArrayComparable {
  private static final int CHARS_PER_CLOCK = 1024;

  /** On one text, between two looks at the clock; about a second. */
  private static final long MAX_UNREAD_STEPS = 200_000_000;

  private final Pattern pattern;
  private final UnreadSteps unread;
  private final Charset charset;

  private BoundedRegexComparator(Pattern pattern, UnreadSteps unread, Charset charset) {
    super(Bytes.toBytes(pattern.pattern()));
    this.pattern = pattern;
    this.unread = unread;
    this.charset = charset;
  }

  /** From the serialized form of a {@link RegexStringComparator}. HBase calls it by its name. */
  public static BoundedRegexComparator parseFrom(byte[] bytes) throws DeserializationException {
    ComparatorProtos.RegexStringComparator message;
    try {
      message = ComparatorProtos.RegexStringComparator.parseFrom(bytes);
    } catch (InvalidProtocolBufferException e) {
      throw new DeserializationException(e);
    }
    return new BoundedRegexComparator(
        Pattern.compile(message.getPattern(), message.getPatternFlags()),
        UnreadSteps.of(message.getPattern(), message.getPatternFlags()),
        Charset.forName(message.getCharset()));
  }

  @Override
  public int compareTo(byte[] value, int offset, int length) {
    EvaluationTime.check();
    Long end = EvaluationTime.end();
    String text = new String(value, offset, length, charset);
    if (unread.on(text.length()) > MAX_UNREAD_STEPS) {
      throw new IllegalStateException("The expression might take too long and cannot be stopped");
    }
    return pattern.matcher(end == null ? text : new Watched(text, end)).find() ? 0 : 1;
  }

  @Override
  public byte[] toByteArray() {
    throw new UnsupportedOperationException("Made for one answer");
  }

  /** A text that looks at the clock while it is read. */
  private static final class Watched implements CharSequence {
    private final String text;
    private final long endNanos;
    private int looks;

    Watched(String text, long endNanos) {
      this.text = text;
      this.endNanos = endNanos;
    }

    @Override
    public char charAt(int index) {
      if (++looks % CHARS_PER_CLOCK == 0) {
        EvaluationTime.check(endNanos);
      }
      return text.charAt(index);
    }

    @Override
    public int length() {
      return text.length();
    }

    @Override
    public CharSequence subSequence(int start, int end) {
      return text.substring(start, end);
    }

    @Override
    public String toString() {
      return text;
    }
  }
}
