package io.ishbase.protocol;

import com.google.protobuf.InvalidProtocolBufferException;
import io.ishbase.protocol.generated.IssnProtos.AggregateFunction;
import io.ishbase.protocol.generated.IssnProtos.ValueType;
import java.io.IOException;
import java.math.BigDecimal;
import java.util.List;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.PrivateCellUtil;
import org.apache.hadoop.hbase.client.coprocessor.BigDecimalColumnInterpreter;
import org.apache.hadoop.hbase.client.coprocessor.DoubleColumnInterpreter;
import org.apache.hadoop.hbase.client.coprocessor.LongColumnInterpreter;
import org.apache.hadoop.hbase.coprocessor.ColumnInterpreter;
import org.apache.hadoop.hbase.protobuf.generated.HBaseProtos.BigDecimalMsg;
import org.apache.hadoop.hbase.protobuf.generated.HBaseProtos.DoubleMsg;
import org.apache.hadoop.hbase.protobuf.generated.HBaseProtos.LongMsg;
import org.apache.hadoop.hbase.util.Bytes;
import org.jspecify.annotations.Nullable;

/**
 * The values that storage daemons aggregate: those of HBase's own interpreters. A value is read,
 * added up and sent as one type. No class is chosen by a name that came over the wire.
 *
 * @param <T> what a value is read as
 */
public abstract sealed class Values<T> {
  private static final List<Values<?>> ALL = List.of(new Longs(), new Doubles(), new BigDecimals());

  private final ValueType type;
  private final ColumnInterpreter<T, T, ?, ?, ?> interpreter;

  private Values(ValueType type, ColumnInterpreter<T, T, ?, ?, ?> interpreter) {
    this.type = type;
    this.interpreter = interpreter;
  }

  /** Those of {@code type}. */
  public static Values<?> of(ValueType type) {
    return ALL.get(type.ordinal());
  }

  /** Those that an interpreter of that class reads; null: it is none of HBase's own. */
  public static @Nullable Values<?> readBy(String interpreterClass) {
    for (Values<?> values : ALL) {
      if (values.interpreter.getClass().getName().equals(interpreterClass)) {
        return values;
      }
    }
    return null;
  }

  public final ValueType type() {
    return type;
  }

  /**
   * Whether {@code function} gives the same whatever parts the values come in, and in whatever
   * order. A sum of doubles does not. Of decimal numbers HBase's interpreter rounds each to two
   * places, so equal ones are the same.
   */
  public boolean isOrderFree(AggregateFunction function) {
    return true;
  }

  /**
   * Whether {@code cell} can be read and counted in without much time and memory, which is to be
   * asked where the cell is not one's own.
   */
  public boolean isBounded(Cell cell) {
    return true;
  }

  /** A tally of such values. */
  public final Tally<T, T> tally(
      AggregateFunction function, byte[] family, byte @Nullable [] qualifier) {
    return new Tally<>(function, interpreter, family, qualifier);
  }

  /**
   * What the message of a tally's result holds.
   *
   * @throws IOException if it is no such message
   */
  public final T parse(byte[] message) throws IOException {
    try {
      return parsed(message);
    } catch (RuntimeException e) {
      throw new InvalidProtocolBufferException("No " + type + ": " + e);
    }
  }

  abstract T parsed(byte[] message) throws IOException;

  private static final class Longs extends Values<Long> {
    Longs() {
      super(ValueType.LONG, new LongColumnInterpreter());
    }

    @Override
    Long parsed(byte[] message) throws IOException {
      return LongMsg.parseFrom(message).getLongMsg();
    }
  }

  private static final class Doubles extends Values<Double> {
    Doubles() {
      super(ValueType.DOUBLE, new DoubleColumnInterpreter());
    }

    @Override
    public boolean isOrderFree(AggregateFunction function) {
      return function != AggregateFunction.SUM;
    }

    @Override
    Double parsed(byte[] message) throws IOException {
      return DoubleMsg.parseFrom(message).getDoubleMsg();
    }
  }

  private static final class BigDecimals extends Values<BigDecimal> {
    private static final int MAX_BYTES = 1024;

    /** To add two numbers, zeros are written out for what their scales differ by. */
    private static final int MAX_SCALE = 4096;

    /** To which HBase's interpreter rounds, so that sums and extremes have it, too. */
    private static final int SCALE_OF_RESULT = 2;

    BigDecimals() {
      super(ValueType.BIG_DECIMAL, new BigDecimalColumnInterpreter());
    }

    @Override
    public boolean isBounded(Cell cell) {
      // HBase's interpreter fails at what is shorter.
      if (cell.getValueLength() <= Bytes.SIZEOF_INT || cell.getValueLength() > MAX_BYTES) {
        return false;
      }
      int scale = PrivateCellUtil.getValueAsInt(cell);
      return scale >= -MAX_SCALE && scale <= MAX_SCALE;
    }

    @Override
    BigDecimal parsed(byte[] message) throws IOException {
      BigDecimal value =
          Bytes.toBigDecimal(BigDecimalMsg.parseFrom(message).getBigdecimalMsg().toByteArray());
      if (value == null || value.scale() != SCALE_OF_RESULT) {
        throw new InvalidProtocolBufferException("No decimal number that was rounded");
      }
      return value;
    }
  }
}
