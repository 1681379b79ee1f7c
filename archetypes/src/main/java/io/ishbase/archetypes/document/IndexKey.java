package io.ishbase.archetypes.document;

import com.fasterxml.jackson.databind.JsonNode;
import io.ishbase.archetypes.document.DocumentException.Problem;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import org.apache.hadoop.hbase.util.Bytes;

/**
 * Rows of the index: the pattern's {@link PathBytes} with {@link PathBytes#OWN}, the value so that
 * its end is seen, the document's id. Numbers that are equal are one value, however written; of a
 * long value stands its SHA-256.
 */
final class IndexKey {
  private static final int LONGEST = 200;

  private IndexKey() {}

  /** What the entries of all documents with that value at the pattern begin with. */
  static byte[] prefix(Path pattern, JsonNode value) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    out.writeBytes(Columns.ownName(PathBytes.encode(pattern)));
    byte[] text = text(value);
    if (text.length > LONGEST) {
      text = Bytes.add(new byte[] {'h'}, sha256(text));
    }
    PathBytes.terminated(out, text);
    return out.toByteArray();
  }

  private static byte[] text(JsonNode value) {
    switch (value.getNodeType()) {
      case NULL:
        return new byte[] {'0'};
      case BOOLEAN:
        return new byte[] {(byte) (value.booleanValue() ? 'T' : 'F')};
      case STRING:
        return Bytes.add(new byte[] {'s'}, Utf8.encode(value.textValue(), Problem.INVALID_JSON));
      default:
        String number = value.decimalValue().stripTrailingZeros().toString();
        return ("d" + number).getBytes(StandardCharsets.US_ASCII);
    }
  }

  private static byte[] sha256(byte[] bytes) {
    try {
      return MessageDigest.getInstance("SHA-256").digest(bytes);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("Every Java has SHA-256", e);
    }
  }

  static Path pattern(byte[] key) throws IOException {
    return PathBytes.decode(key, 0);
  }

  /** The row of the document. */
  static byte[] id(byte[] key) throws IOException {
    int value = PathBytes.encode(pattern(key)).length + 1;
    return Arrays.copyOfRange(key, PathBytes.end(key, value), key.length);
  }
}
