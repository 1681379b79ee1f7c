package io.ishbase.archetypes.document;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.BigIntegerNode;
import com.fasterxml.jackson.databind.node.DecimalNode;
import com.fasterxml.jackson.databind.node.IntNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.LongNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.ishbase.archetypes.document.DocumentException.Problem;
import java.io.IOException;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.Iterator;
import java.util.Map;

/**
 * JSON as this library keeps it: whole numbers as the smallest of {@link IntNode}, {@link LongNode}
 * and {@link BigIntegerNode}, all others as {@link DecimalNode} with the digits that were written,
 * members in the order in which they were written.
 */
public final class Json {
  // Names are not interned: they come from strangers.
  private static final JsonFactory FACTORY =
      JsonFactory.builder().disable(JsonFactory.Feature.INTERN_FIELD_NAMES).build();
  static final JsonNodeFactory NODES = JsonNodeFactory.withExactBigDecimals(true);

  /** Characters of a number that are no digits of it: signs, a point, an exponent. */
  private static final int MARKS = 20;

  private Json() {}

  /**
   * The one value in {@code text}.
   *
   * @throws DocumentException if it is not JSON, or beyond the {@link Limits}
   */
  public static JsonNode parse(String text) {
    try (JsonParser parser = FACTORY.createParser(text)) {
      if (parser.nextToken() == null) {
        throw new DocumentException(Problem.INVALID_JSON, "No JSON: the text is empty");
      }
      JsonNode node = read(parser, 0);
      if (parser.nextToken() != null) {
        throw new DocumentException(
            Problem.INVALID_JSON, "No JSON: something behind the value, at " + place(parser));
      }
      return node;
    } catch (JsonProcessingException e) {
      String where =
          e.getLocation() == null
              ? ""
              : " at line " + e.getLocation().getLineNr() + ", " + e.getLocation().getColumnNr();
      throw new DocumentException(
          Problem.INVALID_JSON, "No JSON: " + e.getOriginalMessage() + where, e);
    } catch (IOException | NumberFormatException | ArithmeticException e) {
      throw new DocumentException(Problem.INVALID_JSON, "No JSON: " + e.getMessage(), e);
    }
  }

  private static String place(JsonParser parser) {
    return "line "
        + parser.getTokenLocation().getLineNr()
        + ", "
        + parser.getTokenLocation().getColumnNr();
  }

  private static JsonNode read(JsonParser parser, int depth) throws IOException {
    checkDepth(depth);
    switch (parser.currentToken()) {
      case START_OBJECT:
        ObjectNode object = NODES.objectNode();
        while (parser.nextToken() != JsonToken.END_OBJECT) {
          String name = parser.getCurrentName();
          if (object.has(name)) {
            throw new DocumentException(
                Problem.DUPLICATE_MEMBER,
                "Two members '" + Utf8.shown(name) + "' in one object, at " + place(parser));
          }
          parser.nextToken();
          object.set(name, read(parser, depth + 1));
        }
        return object;
      case START_ARRAY:
        ArrayNode array = NODES.arrayNode();
        while (parser.nextToken() != JsonToken.END_ARRAY) {
          array.add(read(parser, depth + 1));
        }
        return array;
      case VALUE_NUMBER_INT:
        checkDigits(parser.getTextLength() - MARKS);
        return parser.getNumberType() == JsonParser.NumberType.INT
            ? IntNode.valueOf(parser.getIntValue())
            : number(parser.getBigIntegerValue());
      case VALUE_NUMBER_FLOAT:
        // Before it is converted, which takes the square of the digits.
        checkDigits(parser.getTextLength() - MARKS);
        return number(parser.getDecimalValue());
      case VALUE_STRING:
        return NODES.textNode(parser.getText());
      case VALUE_TRUE:
        return NODES.booleanNode(true);
      case VALUE_FALSE:
        return NODES.booleanNode(false);
      case VALUE_NULL:
        return NODES.nullNode();
      default:
        throw new DocumentException(Problem.INVALID_JSON, "No JSON at " + place(parser));
    }
  }

  /**
   * {@code node} as this library keeps it: what {@link #parse} of its text gives.
   *
   * @throws DocumentException if JSON has no such value, or it is beyond the {@link Limits}
   */
  public static JsonNode canonical(JsonNode node) {
    return canonical(node, 0);
  }

  private static JsonNode canonical(JsonNode node, int depth) {
    checkDepth(depth);
    switch (node.getNodeType()) {
      case OBJECT:
        ObjectNode object = NODES.objectNode();
        for (Iterator<Map.Entry<String, JsonNode>> members = node.fields(); members.hasNext(); ) {
          Map.Entry<String, JsonNode> member = members.next();
          object.set(member.getKey(), canonical(member.getValue(), depth + 1));
        }
        return object;
      case ARRAY:
        ArrayNode array = NODES.arrayNode();
        for (JsonNode element : node) {
          array.add(canonical(element, depth + 1));
        }
        return array;
      case NUMBER:
        if (node.isIntegralNumber()) {
          return number(node.bigIntegerValue());
        }
        if (!node.isBigDecimal() && !Double.isFinite(node.doubleValue())) {
          throw new DocumentException(Problem.INVALID_JSON, node + " is no number of JSON");
        }
        // A float's decimal value is that of a double, with other digits.
        return number(node.isBigDecimal() ? node.decimalValue() : new BigDecimal(node.asText()));
      case STRING:
      case BOOLEAN:
      case NULL:
        return node;
      default:
        throw new DocumentException(
            Problem.INVALID_JSON, "A node of type " + node.getNodeType() + " is not JSON");
    }
  }

  static JsonNode number(BigInteger value) {
    if (value.bitLength() < Integer.SIZE) {
      return IntNode.valueOf(value.intValue());
    }
    if (value.bitLength() < Long.SIZE) {
      return LongNode.valueOf(value.longValue());
    }
    // A digit is less than four bits.
    int bits = value.bitLength();
    checkDigits(bits > 4 * Limits.NUMBER_DIGITS ? bits / 4 : value.abs().toString().length());
    return BigIntegerNode.valueOf(value);
  }

  private static JsonNode number(BigDecimal value) {
    checkDigits(value.precision());
    checkDigits(Math.abs((long) value.scale()));
    return DecimalNode.valueOf(value);
  }

  private static void checkDigits(long digits) {
    if (digits > Limits.NUMBER_DIGITS) {
      throw new DocumentException(
          Problem.TOO_LARGE,
          "A number of " + digits + " digits or powers of ten: at most " + Limits.NUMBER_DIGITS);
    }
  }

  private static void checkDepth(int depth) {
    if (depth > Limits.DEPTH) {
      throw new DocumentException(
          Problem.TOO_DEEP, "Objects and arrays in each other: at most " + Limits.DEPTH);
    }
  }
}
