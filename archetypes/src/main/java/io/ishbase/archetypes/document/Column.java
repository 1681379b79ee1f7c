package io.ishbase.archetypes.document;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.DecimalNode;
import io.ishbase.archetypes.document.DocumentException.Problem;
import java.io.IOException;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.util.Arrays;
import org.apache.hadoop.hbase.util.Bytes;
import org.jspecify.annotations.Nullable;

/**
 * What is stored of one place. The cell of family {@code d} has a byte for the type, four for its
 * position among the members of its object, and what the type needs:
 *
 * <pre>
 * 0 T F   null, true, false: nothing
 * i       a whole number that a long can hold: 8 bytes
 * b       one that it cannot: two's complement
 * d       another number: 4 bytes of scale, the unscaled number in two's complement
 * s       a string in UTF-8
 * l       a string too, whose UTF-8 is in the column of the same name in family l
 * o       an object: 4 bytes, the position that its next new member gets
 * a       an array: 4 bytes, how many elements it has
 * </pre>
 *
 * @param cell the value of the cell in family {@code d}
 * @param body the value of the cell in family {@code l}, if there is one
 */
record Column(byte[] cell, byte @Nullable [] body) {
  private static final int HEADER = 1 + Integer.BYTES;

  static Column object(int position, int next) {
    return new Column(start('o', position, Integer.BYTES).putInt(next).array(), null);
  }

  static Column array(int position, int length) {
    return new Column(start('a', position, Integer.BYTES).putInt(length).array(), null);
  }

  /**
   * A value that is neither object nor array.
   *
   * @param largeAbove strings of more bytes go into family {@code l}
   */
  static Column scalar(int position, JsonNode value, int largeAbove) {
    switch (value.getNodeType()) {
      case NULL:
        return new Column(start('0', position, 0).array(), null);
      case BOOLEAN:
        return new Column(start(value.booleanValue() ? 'T' : 'F', position, 0).array(), null);
      case STRING:
        byte[] text = Utf8.encode(value.textValue(), Problem.INVALID_JSON);
        return text.length > largeAbove
            ? new Column(start('l', position, 0).array(), text)
            : new Column(start('s', position, text.length).put(text).array(), null);
      default:
        return new Column(number(position, value), null);
    }
  }

  private static byte[] number(int position, JsonNode value) {
    if (value.canConvertToLong() && value.isIntegralNumber()) {
      return start('i', position, Long.BYTES).putLong(value.longValue()).array();
    }
    if (value.isIntegralNumber()) {
      byte[] bytes = value.bigIntegerValue().toByteArray();
      return start('b', position, bytes.length).put(bytes).array();
    }
    BigDecimal decimal = value.decimalValue();
    byte[] unscaled = decimal.unscaledValue().toByteArray();
    return start('d', position, Integer.BYTES + unscaled.length)
        .putInt(decimal.scale())
        .put(unscaled)
        .array();
  }

  private static ByteBuffer start(char type, int position, int more) {
    return ByteBuffer.allocate(HEADER + more).put((byte) type).putInt(position);
  }

  boolean isObject() {
    return cell[0] == 'o';
  }

  boolean isArray() {
    return cell[0] == 'a';
  }

  /** Whether it has, or should have, a body. */
  boolean isLarge() {
    return cell[0] == 'l';
  }

  /** Among the members of its object. */
  int position() {
    return Bytes.toInt(cell, 1);
  }

  /** Of an object, the position of its next new member; of an array, its length. */
  int count() {
    return Bytes.toInt(cell, HEADER);
  }

  Column withCount(int count) {
    return isObject() ? object(position(), count) : array(position(), count);
  }

  /** Of a column that is neither object nor array. */
  JsonNode value() throws IOException {
    int length = cell.length - HEADER;
    switch (cell[0]) {
      case '0':
        return Json.NODES.nullNode();
      case 'T':
        return Json.NODES.booleanNode(true);
      case 'F':
        return Json.NODES.booleanNode(false);
      case 'i':
        return Json.number(BigInteger.valueOf(Bytes.toLong(cell, HEADER)));
      case 'b':
        return Json.number(new BigInteger(cell, HEADER, length));
      case 'd':
        int start = HEADER + Integer.BYTES;
        return DecimalNode.valueOf(
            new BigDecimal(
                new BigInteger(cell, start, cell.length - start), Bytes.toInt(cell, HEADER)));
      case 's':
        return Json.NODES.textNode(Utf8.decode(cell, HEADER, length));
      case 'l':
        if (body == null) {
          throw new IOException("A large string without its column in the other family");
        }
        return Json.NODES.textNode(Utf8.decode(body, 0, body.length));
      default:
        throw PathBytes.corrupt(cell);
    }
  }

  int bytes() {
    return cell.length + (body == null ? 0 : body.length);
  }

  boolean isSame(Column other) {
    return Arrays.equals(cell, other.cell) && Arrays.equals(body, other.body);
  }
}
