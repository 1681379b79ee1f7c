package io.ishbase.protocol;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.ByteString;
import com.google.protobuf.Message;
import io.ishbase.protocol.generated.IssnProtos.AggregateFunction;
import io.ishbase.protocol.generated.IssnProtos.ValueType;
import io.ishbase.testing.Seed;
import java.io.IOException;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.KeyValue;
import org.apache.hadoop.hbase.client.coprocessor.BigDecimalColumnInterpreter;
import org.apache.hadoop.hbase.client.coprocessor.DoubleColumnInterpreter;
import org.apache.hadoop.hbase.client.coprocessor.LongColumnInterpreter;
import org.apache.hadoop.hbase.protobuf.generated.HBaseProtos.BigDecimalMsg;
import org.apache.hadoop.hbase.util.Bytes;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class ValuesTest {
  private static final byte[] FAMILY = Bytes.toBytes("f");
  private static final List<AggregateFunction> FUNCTIONS =
      List.of(AggregateFunction.SUM, AggregateFunction.MIN, AggregateFunction.MAX);

  private static Cell cell(byte[] value) {
    return new KeyValue(Bytes.toBytes("r"), FAMILY, Bytes.toBytes("q"), 1, value);
  }

  private static byte[] value(ValueType type, Random random) {
    if (random.nextInt(8) == 0 && type != ValueType.BIG_DECIMAL) {
      return new byte[random.nextInt(7)];
    }
    return switch (type) {
      case LONG -> Bytes.toBytes(random.nextLong());
      case DOUBLE -> Bytes.toBytes(random.nextGaussian());
      case BIG_DECIMAL -> decimal(random.nextInt(5), random.nextInt(7) - 3);
    };
  }

  private static byte[] decimal(long unscaled, int scale) {
    return Bytes.toBytes(new BigDecimal(BigInteger.valueOf(unscaled), scale));
  }

  @ParameterizedTest
  @EnumSource
  void partsInAnyOrderMakeTheWhole(ValueType type) throws IOException {
    Random random = new Random(Seed.get());
    for (int i = 0; i < 2_000; i++) {
      AggregateFunction function = FUNCTIONS.get(random.nextInt(FUNCTIONS.size()));
      if (Values.of(type).isOrderFree(function)) {
        checkParts(Values.of(type), function, random);
      }
    }
  }

  private static <T> void checkParts(Values<T> values, AggregateFunction function, Random random)
      throws IOException {
    Tally<T, T> whole = values.tally(function, FAMILY, null);
    List<Tally<T, T>> parts = new ArrayList<>();
    for (int part = random.nextInt(4); part >= 0; part--) {
      // The last part comes first.
      parts.add(0, values.tally(function, FAMILY, null));
      for (int i = random.nextInt(4); i > 0; i--) {
        Cell cell = cell(value(values.type(), random));
        whole.add(cell);
        parts.get(0).add(cell);
      }
    }
    Tally<T, T> joined = values.tally(function, FAMILY, null);
    for (Tally<T, T> part : parts) {
      Message result = part.result();
      if (result != null) {
        joined.addValue(values.parse(result.toByteArray()));
      }
    }
    assertThat(joined.result()).as("%s", function).isEqualTo(whole.result());
  }

  @Test
  void ofEqualDecimalsAnyIsTheLeast() throws IOException {
    for (AggregateFunction function : FUNCTIONS) {
      Values<?> decimals = Values.of(ValueType.BIG_DECIMAL);
      Tally<?, ?> tally = decimals.tally(function, FAMILY, null);
      tally.add(cell(decimal(10, 1)));
      tally.add(cell(decimal(100, 2)));
      Tally<?, ?> other = decimals.tally(function, FAMILY, null);
      other.add(cell(decimal(100, 2)));
      other.add(cell(decimal(10, 1)));
      assertThat(tally.result()).isEqualTo(other.result());
    }
  }

  @Test
  void aSumOfDoublesDependsOnTheOrder() {
    assertThat(Values.of(ValueType.DOUBLE).isOrderFree(AggregateFunction.SUM)).isFalse();
    assertThat(Values.of(ValueType.DOUBLE).isOrderFree(AggregateFunction.MIN)).isTrue();
  }

  @Test
  void goesBackToAMark() throws IOException {
    for (AggregateFunction function : FUNCTIONS) {
      Tally<?, ?> tally = Values.of(ValueType.LONG).tally(function, FAMILY, null);
      tally.mark();
      tally.add(cell(Bytes.toBytes(5L)));
      tally.toMark();
      assertThat(tally.result()).isNull();
      tally.add(cell(Bytes.toBytes(7L)));
      Message one = tally.result();
      tally.mark();
      tally.add(cell(Bytes.toBytes(-9L)));
      tally.add(cell(Bytes.toBytes(9L)));
      tally.toMark();
      assertThat(tally.result()).isEqualTo(one);
    }
  }

  @Test
  void areKnownByHBasesInterpretersOnly() {
    assertThat(Values.readBy(LongColumnInterpreter.class.getName()))
        .isSameAs(Values.of(ValueType.LONG));
    assertThat(Values.readBy(DoubleColumnInterpreter.class.getName()))
        .isSameAs(Values.of(ValueType.DOUBLE));
    assertThat(Values.readBy(BigDecimalColumnInterpreter.class.getName()))
        .isSameAs(Values.of(ValueType.BIG_DECIMAL));
    assertThat(Values.readBy("java.lang.Object")).isNull();
    for (ValueType type : ValueType.values()) {
      assertThat(Values.of(type).type()).isEqualTo(type);
    }
  }

  @ParameterizedTest
  @EnumSource
  void noMessageIsNoValue(ValueType type) {
    Values<?> values = Values.of(type);
    assertThatThrownBy(() -> values.parse(new byte[] {'?'})).isInstanceOf(IOException.class);
    assertThatThrownBy(() -> values.parse(new byte[0])).isInstanceOf(IOException.class);
  }

  /** To add such a number to another one, so many zeros are written out. */
  @ParameterizedTest
  @ValueSource(ints = {Integer.MIN_VALUE, -1_000_000_000, 1, 3, 1_000_000_000, Integer.MAX_VALUE})
  void aDecimalOfAnotherScaleIsNoResult(int scale) {
    byte[] message =
        BigDecimalMsg.newBuilder()
            .setBigdecimalMsg(ByteString.copyFrom(decimal(1, scale)))
            .build()
            .toByteArray();
    assertThatThrownBy(() -> Values.of(ValueType.BIG_DECIMAL).parse(message))
        .isInstanceOf(IOException.class);
  }

  @Test
  void longDecimalsAreNotBounded() {
    Values<?> decimals = Values.of(ValueType.BIG_DECIMAL);
    assertThat(decimals.isBounded(cell(decimal(1, 4096)))).isTrue();
    assertThat(decimals.isBounded(cell(decimal(1, -4096)))).isTrue();
    assertThat(decimals.isBounded(cell(decimal(1, 4097)))).isFalse();
    assertThat(decimals.isBounded(cell(decimal(1, -4097)))).isFalse();
    assertThat(decimals.isBounded(cell(decimal(1, Integer.MIN_VALUE)))).isFalse();
    assertThat(decimals.isBounded(cell(new byte[4]))).isFalse();
    assertThat(decimals.isBounded(cell(new byte[1025]))).isFalse();
    assertThat(Values.of(ValueType.LONG).isBounded(cell(new byte[1 << 20]))).isTrue();
  }
}
