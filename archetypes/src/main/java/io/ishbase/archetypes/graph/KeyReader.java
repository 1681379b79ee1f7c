package io.ishbase.archetypes.graph;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/** Reads what {@link KeyWriter} wrote; anything else is an {@link IOException}. */
final class KeyReader {
  private final ByteBuffer bytes;

  KeyReader(byte[] key) {
    bytes = ByteBuffer.wrap(key);
  }

  byte tag() throws IOException {
    require(1);
    return bytes.get();
  }

  String text() throws IOException {
    ByteArrayOutputStream text = new ByteArrayOutputStream();
    while (true) {
      byte next = tag();
      if (next != 0) {
        text.write(next);
        continue;
      }
      byte escape = tag();
      if (escape == KeyWriter.END) {
        return text.toString(StandardCharsets.UTF_8);
      }
      if (escape != KeyWriter.ESCAPED) {
        throw new IOException("No key of a graph: a zero byte that is neither text nor an end");
      }
      text.write(0);
    }
  }

  long number() throws IOException {
    require(Long.BYTES);
    return bytes.getLong() ^ Long.MIN_VALUE;
  }

  void end() throws IOException {
    if (bytes.hasRemaining()) {
      throw new IOException("No key of a graph: " + bytes.remaining() + " bytes too many");
    }
  }

  private void require(int count) throws IOException {
    if (bytes.remaining() < count) {
      throw new IOException("No key of a graph: it ends too early");
    }
  }
}
