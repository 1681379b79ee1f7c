package io.ishbase.protocol;

import com.google.protobuf.Message;
import io.ishbase.protocol.generated.IssnProtos.AggregateFunction;
import java.io.IOException;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.coprocessor.ColumnInterpreter;
import org.jspecify.annotations.Nullable;

/**
 * A sum, a minimum or a maximum of the values of cells, as HBase's {@code AggregateImplementation}
 * forms it, with one of its interpreters. For use by one thread.
 *
 * @param <T> what a cell's value is read as
 * @param <S> what values are added up as
 */
public final class Tally<T, S> {
  private final AggregateFunction function;
  private final ColumnInterpreter<T, S, ?, ?, ?> interpreter;
  private final byte[] family;
  private final byte @Nullable [] qualifier;
  private @Nullable T extreme;
  private @Nullable S sum;
  private @Nullable T markedExtreme;
  private @Nullable S markedSum;

  /**
   * @param function any but ROWS
   * @param family as the interpreter gets it
   * @param qualifier as the interpreter gets it; null: the read names none
   */
  public Tally(
      AggregateFunction function,
      ColumnInterpreter<T, S, ?, ?, ?> interpreter,
      byte[] family,
      byte @Nullable [] qualifier) {
    this.function = function;
    this.interpreter = interpreter;
    this.family = family;
    this.qualifier = qualifier;
  }

  /** Counts in the value of {@code cell}, if the interpreter sees one. */
  @SuppressWarnings("NullAway") // HBase's interpreters take and give null
  public void add(Cell cell) throws IOException {
    addValue(interpreter.getValue(family, qualifier, cell));
  }

  /**
   * Counts in a value, or what became of others: for the types of {@link Values} it is the same.
   */
  public void addValue(@Nullable T value) {
    if (value == null) {
      return;
    }
    switch (function) {
      case SUM -> addUp(value);
      case MIN -> extreme = extreme == null || compare(value, extreme) < 0 ? value : extreme;
      case MAX -> extreme = extreme == null || compare(value, extreme) > 0 ? value : extreme;
      case ROWS -> throw new IllegalStateException("Rows have no value");
    }
  }

  @SuppressWarnings("NullAway")
  private void addUp(T value) {
    sum = interpreter.add(sum, interpreter.castToReturnType(value));
  }

  private int compare(T left, T right) {
    return interpreter.compare(left, right);
  }

  /** Keeps what there is, for {@link #toMark}. */
  public void mark() {
    markedExtreme = extreme;
    markedSum = sum;
  }

  /** Goes back to what there was at the last {@link #mark}, or at the beginning. */
  public void toMark() {
    extreme = markedExtreme;
    sum = markedSum;
  }

  /** What came out, in the interpreter's message; null: there was no value. */
  public @Nullable Message result() {
    if (function == AggregateFunction.SUM) {
      return sum == null ? null : interpreter.getProtoForPromotedType(sum);
    }
    return extreme == null ? null : interpreter.getProtoForCellType(extreme);
  }
}
