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
import java.util.ArrayList;
import java.util.List;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.function.BooleanSupplier;
import java.util.zip.CRC32C;
import org.apache.hadoop.hbase.util.Bytes;
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
 *
 * <p>It is made up for flushes that came after by a second file, without which it is of no use: the
 * first block says from what both together follow, and from what the first does. Then come the rows
 * that were flushed, as they are now, or gaps of one row each; and the end, with the timestamp
 * before which cells that had expired may be missing in either file.
 */
public final class SavedRows {
  private static final int MAGIC = 0x49535231;
  private static final int MAGIC_OF_FLUSHED = 0x49535247;

  /** A block is ended when it has so many. */
  static final int BLOCK_BYTES = 1 << 20;

  /** Of flushed rows, which are read at once; more are not kept. */
  private static final int MOST_FLUSHED_BYTES = 64 << 20;

  private static final int ROWS_OF_A_PIN = 1_000;
  private static final byte ROW = 1;
  private static final byte GAP = 2;
  private static final byte END = 3;
  private static final int IS_CLEAN = 1;
  private static final int IS_TRIMMED = 2;
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
    origin(blocks.record, origin);
    blocks.end();
    try (Pin pin = cache.rows().pin()) {
      Cursor cursor = cache.rows().cursor(pin, true).quietly();
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

  /**
   * Writes down what is cached now of rows that were flushed since others were written down.
   *
   * @param saved what those follow from
   * @param out is not closed
   */
  public void saveFlushed(FlushedRows flushed, List<String> saved, OutputStream out)
      throws IOException {
    Blocks blocks = new Blocks(new DataOutputStream(out));
    blocks.record.writeInt(MAGIC_OF_FLUSHED);
    origin(blocks.record, origin);
    origin(blocks.record, saved);
    blocks.end();
    long bytes = 0;
    int rows = 0;
    try (Pin pin = cache.rows().pin()) {
      Cursor cursor = cache.rows().cursor(pin, true).quietly();
      for (byte[] row : flushed.rows()) {
        if (bytes < MOST_FLUSHED_BYTES && cursor.seek(row, true, row, true) == Cursor.State.ROW) {
          bytes += row(blocks.record, cursor);
        } else {
          blocks.record.writeByte(GAP);
          write(blocks.record, row);
        }
        if (blocks.isFull()) {
          blocks.end();
        }
        if (++rows % ROWS_OF_A_PIN == 0) {
          pin.renew();
        }
      }
    }
    blocks.record.writeByte(END);
    blocks.record.writeLong(cache.leftOutBefore());
    blocks.end();
  }

  private static void origin(DataOutputStream record, List<String> origin) throws IOException {
    record.writeInt(origin.size());
    for (String each : origin) {
      write(record, each.getBytes(UTF_8));
    }
  }

  /** Returns how many bytes it is. */
  private int row(DataOutputStream record, Cursor cursor) throws IOException {
    byte[] row = cursor.row().copyRow();
    byte[] payload = cursor.row().copyPayload();
    if (!RowCodec.isOpen(cursor.row())) {
      // What it was made smaller with ends with the process.
      payload = cache.codec().opened(row, payload);
    }
    record.writeByte(ROW);
    record.writeByte(
        (cursor.row().isClean() ? IS_CLEAN : 0) + (cursor.row().isTrimmed() ? IS_TRIMMED : 0));
    write(record, row);
    write(record, payload);
    return row.length + payload.length;
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
   * @param flushed what {@link #saveFlushed} wrote down when the store closed
   * @param ticket taken before it was asked for the origin
   * @param goesOn asked between blocks
   * @return the rows that are cached by it; 0 if it is of another origin
   * @throws IOException if it cannot be read, or is damaged; what came before that is cached
   */
  public long load(InputStream in, InputStream flushed, Ticket ticket, BooleanSupplier goesOn)
      throws IOException {
    NavigableMap<byte[], FlushedRow> flushedRows = new TreeMap<>(Bytes.BYTES_COMPARATOR);
    Saved saved = loadFlushed(new DataInputStream(flushed), flushedRows);
    DataInputStream blocks = new DataInputStream(in);
    byte[] first = saved == null ? null : block(blocks);
    if (saved == null || first == null) {
      return 0;
    }
    DataInputStream header = new DataInputStream(new ByteArrayInputStream(first));
    if (header.readInt() != MAGIC || !origin(header).equals(saved.origin)) {
      return 0;
    }
    cache.fillsTrimmed(saved.leftOutBefore);
    Loading loading = new Loading(ticket, flushedRows);
    byte[] block;
    do {
      block = goesOn.getAsBoolean() && cache.rows().isGood(ticket) ? block(blocks) : null;
    } while (block != null && loading.take(block));
    return loading.rows;
  }

  /** A row that was flushed, as it was cached then; without a payload: it was not. */
  private record FlushedRow(byte @Nullable [] payload, int flags) {}

  /**
   * Of rows that were written down.
   *
   * @param origin what they follow from
   * @param leftOutBefore the timestamp before which what had expired may be missing
   */
  private record Saved(List<String> origin, long leftOutBefore) {}

  /**
   * Of rows that were flushed.
   *
   * @return of the others; null: this is of another origin
   */
  private @Nullable Saved loadFlushed(DataInputStream blocks, NavigableMap<byte[], FlushedRow> rows)
      throws IOException {
    byte[] first = block(blocks);
    if (first == null) {
      return null;
    }
    DataInputStream header = new DataInputStream(new ByteArrayInputStream(first));
    if (header.readInt() != MAGIC_OF_FLUSHED || !origin(header).equals(origin)) {
      return null;
    }
    List<String> before = origin(header);
    long bytes = 0;
    for (byte[] block = block(blocks); block != null; block = block(blocks)) {
      bytes += block.length;
      if (bytes > 2L * MOST_FLUSHED_BYTES) {
        throw new IOException(bytes + " bytes of flushed rows, and more");
      }
      DataInputStream record = new DataInputStream(new ByteArrayInputStream(block));
      while (record.available() > 0) {
        switch (record.readByte()) {
          case END -> {
            return new Saved(before, record.readLong());
          }
          case ROW -> {
            int flags = record.readByte();
            rows.put(bytes(record), new FlushedRow(bytes(record), flags));
          }
          case GAP -> rows.put(bytes(record), new FlushedRow(null, 0));
          default -> throw new IOException("neither a row nor a gap nor the end");
        }
      }
    }
    throw new IOException("flushed rows without an end");
  }

  private static List<String> origin(DataInputStream record) throws IOException {
    int size = record.readInt();
    List<String> origin = new ArrayList<>();
    for (int i = 0; i < size; i++) {
      origin.add(new String(bytes(record), UTF_8));
    }
    return origin;
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

    /** That are still to come. */
    private final NavigableMap<byte[], FlushedRow> flushed;

    /** Of what lies behind the last gap; null: that has no end. */
    private @Nullable Fill fill;

    private long rows;

    Loading(Ticket ticket, NavigableMap<byte[], FlushedRow> flushed) {
      this.ticket = ticket;
      this.flushed = flushed;
      fill = cache.rows().fill(ticket, new byte[0], true);
    }

    /** Whether more may follow. */
    boolean take(byte[] block) throws IOException {
      DataInputStream record = new DataInputStream(new ByteArrayInputStream(block));
      try {
        while (record.available() > 0) {
          byte kind = record.readByte();
          if (fill == null) {
            throw new IOException("a record behind the end");
          } else if (kind == END) {
            takeFlushed(flushed);
            fill.reachedEnd();
            return false;
          } else if (kind == ROW) {
            row(record);
          } else if (kind == GAP) {
            gap(record);
          } else {
            throw new IOException("a record of kind " + kind);
          }
        }
        return fill != null;
      } catch (IllegalArgumentException | IllegalStateException e) {
        throw new IOException(e);
      }
    }

    private void row(DataInputStream record) throws IOException {
      int flags = record.readByte();
      byte[] row = bytes(record);
      byte[] payload = bytes(record);
      boolean isFlushed = flushed.containsKey(row);
      takeFlushed(flushed.headMap(row, true));
      if (!isFlushed) {
        row(row, payload, flags);
      }
    }

    private void row(byte[] row, byte[] payload, int flags) {
      if (fill == null) {
        return;
      }
      byte[] held = cache.codec().encode(payload, row);
      boolean isClean = (flags & IS_CLEAN) != 0;
      boolean landed =
          (flags & IS_TRIMMED) == 0
              ? fill.row(row, held, 0, held.length, isClean)
              : fill.trimmedRow(row, held, isClean, cache::mayBeTrimmed);
      rows += landed ? 1 : 0;
    }

    /** Those that lie where all is known. */
    private void takeFlushed(NavigableMap<byte[], FlushedRow> next) {
      next.forEach(
          (row, now) -> {
            if (now.payload != null) {
              row(row, now.payload, now.flags);
            } else if (fill != null) {
              fill.reachedBefore(row);
              fill = cache.rows().fill(ticket, row, false);
            }
          });
      next.clear();
    }

    private void gap(DataInputStream record) throws IOException {
      int flags = record.readByte();
      boolean isInclusive = (flags & STARTS_INCLUSIVE) != 0;
      byte[] start = bytes(record);
      takeFlushed(flushed.headMap(start, !isInclusive));
      if (start.length == 0 || fill == null) {
        // Nothing is known yet.
      } else if (isInclusive) {
        fill.reachedBefore(start);
      } else {
        fill.reachedThrough(start);
      }
      if ((flags & HAS_END) == 0) {
        fill = null;
        return;
      }
      byte[] end = bytes(record);
      boolean isEndKnown = (flags & ENDS_INCLUSIVE) == 0;
      // Those in the gap were not cached when others were written down.
      flushed.headMap(end, !isEndKnown).clear();
      fill = cache.rows().fill(ticket, end, isEndKnown);
    }
  }
}
