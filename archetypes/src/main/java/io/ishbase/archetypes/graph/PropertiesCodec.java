package io.ishbase.archetypes.graph;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.Map;
import java.util.TreeMap;

/**
 * Properties as one value: a byte of version, then names and values in the order of the names, each
 * with its length ahead. Never empty, so that HBase's checks can tell it from no cell at all.
 */
final class PropertiesCodec {
  private static final byte VERSION = 1;

  private PropertiesCodec() {}

  /**
   * Writes them down.
   *
   * @throws IllegalArgumentException if a name is empty, something is no text, or it is too much
   */
  static byte[] encode(Map<String, String> properties) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (DataOutputStream out = new DataOutputStream(bytes)) {
      out.writeByte(VERSION);
      for (Map.Entry<String, String> property : new TreeMap<>(properties).entrySet()) {
        if (property.getKey().isEmpty()) {
          throw new IllegalArgumentException("The name of a property is empty");
        }
        write(out, Limits.utf8("The name of a property", property.getKey()));
        write(out, Limits.utf8("Property " + property.getKey(), property.getValue()));
        if (out.size() > Limits.PROPERTIES_BYTES) {
          throw new IllegalArgumentException(
              "The properties have more than the " + Limits.PROPERTIES_BYTES + " bytes allowed");
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException("Not in memory", e);
    }
    return bytes.toByteArray();
  }

  private static void write(DataOutputStream out, byte[] text) throws IOException {
    out.writeInt(text.length);
    out.write(text);
  }

  /**
   * Reads what {@link #encode} wrote.
   *
   * @throws IOException if it is something else
   */
  static Map<String, String> decode(byte[] value) throws IOException {
    Map<String, String> properties = new TreeMap<>();
    try (DataInputStream in = new DataInputStream(new ByteArrayInputStream(value))) {
      if (in.readByte() != VERSION) {
        throw new IOException("Properties of an unknown version: " + value[0]);
      }
      while (in.available() > 0) {
        properties.put(read(in), read(in));
      }
    }
    return Collections.unmodifiableMap(properties);
  }

  private static String read(DataInputStream in) throws IOException {
    int length = in.readInt();
    if (length < 0 || length > in.available()) {
      throw new IOException("Properties that end too early");
    }
    return new String(in.readNBytes(length), StandardCharsets.UTF_8);
  }
}
