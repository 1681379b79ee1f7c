package io.ishbase.plugin.aggregate;

import com.google.protobuf.ByteString;
import com.google.protobuf.Message;
import java.io.IOException;
import java.util.List;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.coprocessor.ColumnInterpreter;
import org.apache.hadoop.hbase.util.Bytes;
import org.jspecify.annotations.Nullable;

/**
 * Sums over rows of which a client makes an average, a deviation or a median, as HBase's {@code
 * AggregateImplementation} forms them. They depend on how often the region's scanner was asked, so
 * they are formed of what it gives only. For use by one thread.
 *
 * @param <T> what a cell's value is read as
 * @param <S> what values are added up as
 */
@SuppressWarnings("NullAway") // HBase's interpreters take and give null
final class RowStatistics<T, S> implements RegionAggregates.Rows {
  private final ColumnInterpreter<T, S, ?, ?, ?> interpreter;
  private final byte[] family;
  private final byte @Nullable [] qualifier;
  private final byte @Nullable [] weightQualifier;
  private final Kind kind;
  private @Nullable S sum;
  private @Nullable S sumOfSquares;
  private @Nullable S sumOfWeights;
  private long calls;

  /** What a client makes of the sums. */
  enum Kind {
    AVERAGE,
    DEVIATION,
    MEDIAN
  }

  /**
   * @param qualifier of the values; null: the read names none
   * @param weightQualifier of their weights; null: it names no other
   */
  RowStatistics(
      ColumnInterpreter<T, S, ?, ?, ?> interpreter,
      byte[] family,
      byte @Nullable [] qualifier,
      byte @Nullable [] weightQualifier,
      Kind kind) {
    this.interpreter = interpreter;
    this.family = family;
    this.qualifier = qualifier;
    this.weightQualifier = weightQualifier;
    this.kind = kind;
  }

  @Override
  public void add(List<Cell> cells) throws IOException {
    calls++;
    if (kind == Kind.AVERAGE) {
      for (Cell cell : cells) {
        sum = interpreter.add(sum, value(qualifier, cell));
      }
      return;
    }
    S ofRow = null;
    S weight = null;
    for (Cell cell : cells) {
      ofRow = interpreter.add(ofRow, value(qualifier, cell));
      if (kind == Kind.MEDIAN && weightQualifier != null) {
        weight = interpreter.add(weight, value(weightQualifier, cell));
      }
    }
    sum = interpreter.add(sum, ofRow);
    if (kind == Kind.DEVIATION) {
      sumOfSquares = interpreter.add(sumOfSquares, interpreter.multiply(ofRow, ofRow));
    } else {
      sumOfWeights = interpreter.add(sumOfWeights, weight);
    }
  }

  private S value(byte @Nullable [] of, Cell cell) throws IOException {
    return interpreter.castToReturnType(interpreter.getValue(family, of, cell));
  }

  /**
   * What the client is told; null: there was no value.
   *
   * @throws IOException if there was none to make a median of
   */
  @Nullable Message result() throws IOException {
    if (sum == null) {
      if (kind == Kind.MEDIAN) {
        throw new IOException("There is no value in the region");
      }
      return null;
    }
    return switch (kind) {
      case AVERAGE -> AggregateMessages.response(List.of(bytes(sum)), count());
      case DEVIATION ->
          AggregateMessages.response(List.of(bytes(sum), bytes(sumOfSquares)), count());
      case MEDIAN -> AggregateMessages.response(List.of(bytes(sum), bytes(weights())), null);
    };
  }

  private S weights() {
    return sumOfWeights == null
        ? interpreter.castToReturnType(interpreter.getMinValue())
        : sumOfWeights;
  }

  private ByteString bytes(S value) {
    return interpreter.getProtoForPromotedType(value).toByteString();
  }

  private ByteString count() {
    return ByteString.copyFrom(Bytes.toBytes(calls));
  }
}
