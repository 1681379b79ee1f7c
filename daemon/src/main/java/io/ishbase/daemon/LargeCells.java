package io.ishbase.daemon;

import io.ishbase.daemon.rpc.RequestException;
import io.ishbase.protocol.generated.IssnProtos.Code;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.apache.hadoop.hbase.ExtendedCell;

/**
 * What cells that are larger than a usual answer may take of the daemon's heap, all together: each
 * lies there several times, as the block's, the batch's and the answer's. What is beyond that, or
 * so large that it would keep other answers from the line, is read over HBase's own path: nothing
 * of such a cell is saved here.
 *
 * <p>Thread safe.
 */
final class LargeCells {
  /** Smaller ones are an answer's usual part. */
  static final int LARGE_BYTES = 1 << 20;

  static final int MOST_BYTES = 16 << 20;

  /** Of the heap, for all that are being answered: a part of so many. */
  static final int HEAP_SHARE = 8;

  private final long mostBytes;
  private final LongSupplier sending;
  private final AtomicLong held = new AtomicLong();

  /**
   * @param sending bytes of answers that are not on the line yet
   */
  LargeCells(LongSupplier sending) {
    this(Runtime.getRuntime().maxMemory() / HEAP_SHARE, sending);
  }

  /**
   * @param mostBytes of all that are being answered
   */
  LargeCells(long mostBytes, LongSupplier sending) {
    this.mostBytes = mostBytes;
    this.sending = sending;
  }

  /** Those of one answer, which gives them back when it is made. For use by one thread. */
  final class Share implements AutoCloseable {
    private long bytes;

    /**
     * To be called before a copy of {@code cell} is made.
     *
     * @param file of the request, that it is of
     * @throws FileFault if there is to be none
     */
    void take(int file, ExtendedCell cell) throws FileFault {
      int size = cell.getSerializedSize();
      if (size < LARGE_BYTES) {
        return;
      }
      if (size > MOST_BYTES) {
        throw refused(file, "A cell of " + size + " bytes, and daemons send up to " + MOST_BYTES);
      }
      if (sending.getAsLong() > mostBytes - held.addAndGet(size)) {
        held.addAndGet(-size);
        throw refused(file, "No memory for one more cell of " + size + " bytes now");
      }
      bytes += size;
    }

    private FileFault refused(int file, String why) {
      return new FileFault(file, new RequestException(Code.FAILED, why));
    }

    @Override
    public void close() {
      held.addAndGet(-bytes);
    }
  }

  Share share() {
    return new Share();
  }
}
