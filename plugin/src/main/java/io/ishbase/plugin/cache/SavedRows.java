package io.ishbase.plugin.cache;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.ishbase.core.cache.Cursor;
import io.ishbase.core.cache.Fill;
import io.ishbase.core.cache.StoreCache;
import io.ishbase.core.cache.Ticket;
import io.ishbase.core.cache.memory.Pin;
import io.ishbase.protocol.RowPacking;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * What the segment cache holds of a store, written down and read back. All of it follows from the
 * store's files, which never change, and from its rules: who has the same may put it into the cache
 * again.
 *
 * <p>A block is its length, the CRC-32C of the rest, and the rest. The first one says from what it
 * follows. Those behind it have records in the order of rows: a row, or a gap, and at last that
 * nothing follows. Between two records there is nothing. Each block is of use without those behind
 * it.
 */
public final class SavedRows {
  private static final int MAGIC = 0x49535231;

  /** A block is ended when it has so many. */
  static final int BLOCK_BYTES = 1 << 20;

  private static final int ROWS_OF_A_PIN = 1_000;
  private static final byte ROW = 1;
  private static final byte GAP = 2;
  private static final byte END = 3;
  private static final int IS_CLEAN = 1;
  private static final int STARTS_INCLUSIVE = 1;
  private static final int HAS_END = 2;
  private static final int ENDS_INCLUSIVE = 4;

  private final CachedRows cache;
  private final List<String> origin;

  /**
   * Of a store.
   *
   * @param origin what its rows follow from: names of files, and rules
   */
  public SavedRows(CachedRows cache, List<String> origin) {
    this.cache = cache;
    this.origin = origin;
  }

  /**
   * Writes down the rows that are cached as a whole, up to where it is told to stop.
   *
   * @param out is not closed
   * @param goesOn asked between blocks
   */
  public void save(OutputStream out, BooleanSupplier goesOn) throws IOException {
    Blocks blocks = new Blocks(new DataOutputStream(out));
    blocks.record.writeInt(MAGIC);
    blocks.record.writeInt(origin.size());
    for (String each : origin) {
      write(blocks.record, each.getBytes(UTF_8));
    }
    blocks.end();
    try (Pin pin = cache.rows().pin()) {
      Cursor cursor = cache.rows().cursor(pin, false).quietly();
      Cursor.State state = cursor.seek(new byte[0], true, null, false);
      boolean isKnown = true;
      for (int rows = 0; state != Cursor.State.END; rows++) {
        if (state == Cursor.State.ROW) {
          row(blocks.record, cursor);
        } else {
          gap(blocks.record, cursor);
          isKnown = cursor.gapEnd() != null;
        }
        if (blocks.isFull()) {
          blocks.end();
          if (!goesOn.getAsBoolean()) {
            return;
          }
        }
        if (rows % ROWS_OF_A_PIN == 0) {
          pin.renew();
        }
        state = cursor.next();
      }
      if (isKnown) {
        blocks.record.writeByte(END);
      }
      blocks.end();
    }
  }

  private void row(DataOutputStream record, Cursor cursor) throws IOException {
    byte[] row = cursor.row().copyRow();
    byte[] payload = cursor.row().copyPayload();
    if (!RowCodec.isOpen(cursor.row())) {
      // What it was made smaller with ends with the process.
      payload = cache.codec().opened(row, payload);
    }
    record.writeByte(ROW);
    record.writeByte(cursor.row().isClean() ? IS_CLEAN : 0);
    write(record, row);
    write(record, payload);
  }

  private static void gap(DataOutputStream record, Cursor cursor) throws IOException {
    byte[] end = cursor.gapEnd();
    record.writeByte(GAP);
    record.writeByte(
        (cursor.gapStartInclusive() ? STARTS_INCLUSIVE : 0)
            + (end == null ? 0 : HAS_END)
            + (end != null && cursor.gapEndInclusive() ? ENDS_INCLUSIVE : 0));
    write(record, cursor.gapStart());
    if (end != null) {
      write(record, end);
    }
  }

  private static void write(DataOutputStream record, byte[] bytes) throws IOException {
    record.writeInt(bytes.length);
    record.write(bytes);
  }

  /** Of records. */
  private static final class Blocks {
    private final DataOutputStream out;
    private final ByteArrayOutputStream block = new ByteArrayOutputStream(BLOCK_BYTES + (1 << 16));
    private final DataOutputStream record = new DataOutputStream(block);

    Blocks(DataOutputStream out) {
      this.out = out;
    }

    boolean isFull() {
      return block.size() >= BLOCK_BYTES;
    }

    void end() throws IOException {
      if (block.size() > 0) {
        out.writeInt(block.size());
        out.writeInt(checksum(block.toByteArray()));
        block.writeTo(out);
        block.reset();
      }
    }
  }

  private static int checksum(byte[] bytes) {
    CRC32C crc = new CRC32C();
    crc.update(bytes);
    return (int) crc.getValue();
  }

  /**
   * Puts what was written down into the cache.
   *
   * @param ticket taken before it was asked for the origin
   * @param goesOn asked between blocks
   * @return the rows that are cached by it; 0 if it is of another origin
   * @throws IOException if it cannot be read, or is damaged; what came before that is cached
   */
  public long load(InputStream in, Ticket ticket, BooleanSupplier goesOn) throws IOException {
    DataInputStream blocks = new DataInputStream(in);
    byte[] first = block(blocks);
    if (first == null || !isOfSameOrigin(first)) {
      return 0;
    }
    Loading loading = new Loading(ticket);
    byte[] block;
    do {
      block = goesOn.getAsBoolean() && cache.rows().isGood(ticket) ? block(blocks) : null;
    } while (block != null && loading.take(block));
    return loading.rows;
  }

  /** Null behind the last one. */
  private byte @Nullable [] block(DataInputStream in) throws IOException {
    int length;
    try {
      length = in.readInt();
    } catch (EOFException e) {
      return null;
    }
    int largestRow = Math.max(RowPacking.MAX_ROW_BYTES, cache.rows().maxRowBytes());
    long most = BLOCK_BYTES + largestRow + 4L * StoreCache.MAX_ROW_BYTES;
    if (length <= 0 || length > most) {
      throw new IOException("a block of " + length + " bytes");
    }
    int checksum = in.readInt();
    byte[] block = in.readNBytes(length);
    if (block.length < length || checksum(block) != checksum) {
      throw new IOException("a damaged block");
    }
    return block;
  }

  private boolean isOfSameOrigin(byte[] block) throws IOException {
    DataInputStream record = new DataInputStream(new ByteArrayInputStream(block));
    if (record.readInt() != MAGIC || record.readInt() != origin.size()) {
      return false;
    }
    for (String each : origin) {
      if (!each.equals(new String(bytes(record), UTF_8))) {
        return false;
      }
    }
    return true;
  }

  private static byte[] bytes(DataInputStream record) throws IOException {
    int length = record.readInt();
    if (length < 0 || length > record.available()) {
      throw new IOException(length + " bytes in a block");
    }
    return record.readNBytes(length);
  }

  /** Fills the cache with records. */
  private final class Loading {
    private final Ticket ticket;

    /** Of what lies behind the last gap; null: that has no end. */
    private @Nullable Fill fill;

    private long rows;

    Loading(Ticket ticket) {
      this.ticket = ticket;
      fill = cache.rows().fill(ticket, new byte[0], true);
    }

    /** Whether more may follow. */
    boolean take(byte[] block) throws IOException {
      DataInputStream record = new DataInputStream(new ByteArrayInputStream(block));
      try {
        while (record.available() > 0) {
          byte kind = record.readByte();
          Fill known = fill;
          if (known == null) {
            throw new IOException("a record behind the end");
          } else if (kind == END) {
            known.reachedEnd();
            return false;
          } else if (kind == ROW) {
            row(record, known);
          } else if (kind == GAP) {
            gap(record, known);
          } else {
            throw new IOException("a record of kind " + kind);
          }
        }
        return fill != null;
      } catch (IllegalArgumentException | IllegalStateException e) {
        throw new IOException(e);
      }
    }

    private void row(DataInputStream record, Fill known) throws IOException {
      boolean isClean = record.readByte() == IS_CLEAN;
      byte[] row = bytes(record);
      byte[] payload = cache.codec().encode(bytes(record), row);
      if (known.row(row, payload, 0, payload.length, isClean)) {
        rows++;
      }
    }

    private void gap(DataInputStream record, Fill known) throws IOException {
      int flags = record.readByte();
      byte[] start = bytes(record);
      if (start.length == 0) {
        // Nothing is known yet.
      } else if ((flags & STARTS_INCLUSIVE) != 0) {
        known.reachedBefore(start);
      } else {
        known.reachedThrough(start);
      }
      fill =
          (flags & HAS_END) == 0
              ? null
              : cache.rows().fill(ticket, bytes(record), (flags & ENDS_INCLUSIVE) == 0);
    }
  }
}
