package io.ishbase.plugin.regionserver;

import io.ishbase.core.Reason;
import io.ishbase.protocol.CellBatch;
import io.ishbase.protocol.generated.IssnProtos.Code;
import io.ishbase.protocol.generated.IssnProtos.Position;
import io.ishbase.protocol.generated.IssnProtos.ReadResponse;
import java.io.IOException;
import java.util.Arrays;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellComparator;
import org.apache.hadoop.hbase.KeyValue;

/**
 * The cells of one answer, checked: nothing that a daemon sends reaches HBase's merge before it
 * matched its checksum, its count, the order of cells and the read point.
 */
final class NodeBatch {
  private final KeyValue[] cells;
  private final int[] files;
  private final Position next;
  private final int bytes;

  private NodeBatch(KeyValue[] cells, int[] files, Position next, int bytes) {
    this.cells = cells;
    this.files = files;
    this.next = next;
    this.bytes = bytes;
  }

  /**
   * @throws DaemonException if the answer is no batch, with the reason
   */
  static NodeBatch of(
      ReadResponse response, CellComparator comparator, int fileCount, long readPoint)
      throws DaemonException {
    if (response.getCode() != Code.OK) {
      throw new DaemonException(
          reason(response.getCode()), response.getCode() + ": " + response.getMessage());
    }
    byte[] bytes = response.getCells().toByteArray();
    if (CellBatch.crc32c(bytes, bytes.length) != response.getCrc32C()) {
      throw new DaemonException(Reason.BAD_ANSWER, "Wrong checksum");
    }
    try {
      return decode(response, bytes, comparator, fileCount, readPoint);
    } catch (DaemonException e) {
      throw e;
    } catch (IOException | RuntimeException e) {
      throw new DaemonException(Reason.BAD_ANSWER, e);
    }
  }

  private static NodeBatch decode(
      ReadResponse response, byte[] bytes, CellComparator comparator, int fileCount, long readPoint)
      throws IOException {
    // The claimed count bounds nothing until it proves true.
    KeyValue[] cells = new KeyValue[Math.min(response.getCellCount(), 1 + bytes.length / 32)];
    int[] files = new int[cells.length];
    CellBatch.Decoder decoder = new CellBatch.Decoder(bytes);
    int count = 0;
    Cell previous = null;
    while (decoder.hasNext()) {
      KeyValue cell = decoder.next();
      if (count == cells.length
          || decoder.file() < 0
          || decoder.file() >= fileCount
          || cell.getSequenceId() > readPoint
          || (previous != null && comparator.compare(previous, cell) > 0)) {
        throw new DaemonException(Reason.BAD_ANSWER, "Cell " + count + " breaks a rule: " + cell);
      }
      cells[count] = cell;
      files[count++] = decoder.file();
      previous = cell;
    }
    if (count != response.getCellCount()) {
      throw new DaemonException(
          Reason.BAD_ANSWER, count + " cells instead of " + response.getCellCount());
    }
    return new NodeBatch(
        count == cells.length ? cells : Arrays.copyOf(cells, count),
        files,
        response.hasNext() ? response.getNext() : null,
        bytes.length);
  }

  private static Reason reason(Code code) {
    return switch (code) {
      case BUSY -> Reason.BUSY;
      case STOPPING -> Reason.STOPPING;
      case VERSION -> Reason.VERSION;
      case REFUSED -> Reason.REFUSED;
      case NO_FILE -> Reason.NO_FILE;
      case UNSUPPORTED -> Reason.UNSUPPORTED;
      case CORRUPT -> Reason.CORRUPT_FILE;
      case OK, BAD_REQUEST, FAILED -> Reason.FAILED;
    };
  }

  int count() {
    return cells.length;
  }

  KeyValue cell(int index) {
    return cells[index];
  }

  /** The index in the request of the file that cell {@code index} comes from. */
  int file(int index) {
    return files[index];
  }

  /** Where the rest begins, or null if there is none. */
  Position next() {
    return next;
  }

  /** Encoded size. */
  int bytes() {
    return bytes;
  }
}
