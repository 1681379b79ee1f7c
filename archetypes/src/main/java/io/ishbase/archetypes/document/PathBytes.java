package io.ishbase.archetypes.document;

import io.ishbase.archetypes.document.DocumentException.Problem;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.hbase.util.Bytes;

/**
 * Paths as bytes that sort as the paths do. A step is a tag and what belongs to it:
 *
 * <pre>
 * 10..14  an element: as many bytes of its number, big-endian, as the tag says beyond 10
 * 18      all elements
 * 20      a member: its name in UTF-8, 00 and 01 in it as 01 01 and 01 02, then 00
 * </pre>
 *
 * No step's bytes begin another's, so all places in a place have its bytes as a prefix, and nothing
 * else has. The place itself ends in {@link #OWN}, which sorts before every tag.
 */
final class PathBytes {
  /** Ends a path: the place itself, not what lies in it. */
  static final byte OWN = 0;

  private static final int ELEMENT = 0x10;
  private static final int EVERY = 0x18;
  private static final int MEMBER = 0x20;

  private PathBytes() {}

  /** The bytes of the steps of {@code path}, which begin all that lies in it. */
  static byte[] encode(Path path) {
    byte[] bytes = new byte[0];
    for (Path.Step step : path.steps()) {
      bytes = child(bytes, step);
    }
    return bytes;
  }

  /**
   * The bytes of the place one step from {@code parent}.
   *
   * @throws DocumentException if they are too many
   */
  static byte[] child(byte[] parent, Path.Step step) {
    ByteArrayOutputStream out = new ByteArrayOutputStream(parent.length + 16);
    out.writeBytes(parent);
    if (step instanceof Path.Element element) {
      int length = (Integer.SIZE - Integer.numberOfLeadingZeros(element.index()) + 7) / 8;
      out.write(ELEMENT + length);
      out.write(Bytes.toBytes(element.index()), Integer.BYTES - length, length);
    } else if (step instanceof Path.Member member) {
      out.write(MEMBER);
      terminated(out, Utf8.encode(member.name(), Problem.INVALID_JSON));
    } else {
      out.write(EVERY);
    }
    if (out.size() > Limits.PATH_BYTES) {
      throw new DocumentException(
          Problem.TOO_LARGE, "A path of more than " + Limits.PATH_BYTES + " bytes");
    }
    return out.toByteArray();
  }

  /** Writes {@code bytes} so that their end is seen, and shorter ones sort first. */
  static void terminated(ByteArrayOutputStream out, byte[] bytes) {
    for (byte each : bytes) {
      if (each == 0 || each == 1) {
        out.write(1);
        out.write(each + 1);
      } else {
        out.write(each);
      }
    }
    out.write(0);
  }

  /** Where what {@link #terminated} wrote at {@code offset} ends, its last byte included. */
  static int end(byte[] bytes, int offset) throws IOException {
    int at = offset;
    while (at < bytes.length && bytes[at] != 0) {
      at++;
    }
    if (at == bytes.length) {
      throw corrupt(bytes);
    }
    return at + 1;
  }

  /**
   * The step whose bytes begin at {@code offset}.
   *
   * @throws IOException if there is none
   */
  static Path.Step step(byte[] bytes, int offset) throws IOException {
    int tag = offset < bytes.length ? bytes[offset] : -1;
    if (tag == EVERY) {
      return new Path.Every();
    }
    if (tag == MEMBER) {
      return new Path.Member(name(bytes, offset + 1, end(bytes, offset + 1) - 1));
    }
    int length = tag - ELEMENT;
    if (length < 0 || length > Integer.BYTES || offset + 1 + length > bytes.length) {
      throw corrupt(bytes);
    }
    int index = 0;
    for (int i = 1; i <= length; i++) {
      index = index << 8 | bytes[offset + i] & 0xff;
    }
    return new Path.Element(index);
  }

  private static String name(byte[] bytes, int from, int to) throws IOException {
    byte[] name = new byte[to - from];
    int length = 0;
    for (int i = from; i < to; i++) {
      if (bytes[i] == 1) {
        if (++i == to) {
          throw corrupt(bytes);
        }
        name[length++] = (byte) (bytes[i] - 1);
      } else {
        name[length++] = bytes[i];
      }
    }
    return Utf8.decode(name, 0, length);
  }

  /** The path whose bytes begin at {@code offset} and end at {@link #OWN}. */
  static Path decode(byte[] bytes, int offset) throws IOException {
    List<Path.Step> steps = new ArrayList<>();
    int at = offset;
    while (at < bytes.length && bytes[at] != OWN) {
      Path.Step step = step(bytes, at);
      steps.add(step);
      at = next(bytes, at, step);
    }
    if (at >= bytes.length) {
      throw corrupt(bytes);
    }
    return Path.ofSteps(steps);
  }

  /** Where the bytes behind {@code step}, which is at {@code offset}, begin. */
  static int next(byte[] bytes, int offset, Path.Step step) throws IOException {
    if (step instanceof Path.Member) {
      return end(bytes, offset + 1);
    }
    return step instanceof Path.Every ? offset + 1 : offset + 1 + bytes[offset] - ELEMENT;
  }

  static IOException corrupt(byte[] bytes) {
    return new IOException("Not written by this library: " + Bytes.toStringBinary(bytes));
  }
}
