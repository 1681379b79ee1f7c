package io.ishbase.core;

import java.util.function.IntPredicate;

/**
 * How much a read asks for at a time. One that goes on reading gets batches that grow with what it
 * has used: at no time more is on its way or unread than was read before, plus a first batch. One
 * that seeks over most of what it gets (many versions of few columns) is better served by small
 * batches. Where the client takes a known number of rows at a time, these end a batch, not bytes.
 * If it comes back for more, batches are of more rows than it takes at a time, by {@link
 * #BEYOND_BYTES} at most, so that few rows at a time are not as many requests. If it comes back
 * though it has had all that it wanted, the rows that come are not those that count: markers hide
 * them, or somebody else sums them up. Then each batch is of as many rows as came before.
 *
 * <p>Batches may be trimmed: what a reader is unlikely to ask for is left out, as gaps. A reader
 * that steps into a gap gets whole batches for a while, the more of them the more often it does.
 *
 * <p>Not thread safe.
 */
public final class BatchGrowth {
  /** First batch of a Get: a usual row at once, but not all versions of a hot one. */
  public static final int GET_BYTES = 64 << 10;

  /** The most that one asks for where there is no room, whatever its table says. */
  static final int SMALL_BYTES = 16 << 10;

  /** Of rows beyond those that the client takes now: as much as a block, which HBase would hold. */
  static final int BEYOND_BYTES = 64 << 10;

  /** Batches that are not trimmed after a step into a gap, doubled each time. */
  private static final int MAX_WHOLE_BATCHES = 1 << 20;

  private final int firstBytes;
  private final int maxBytes;
  private final IntPredicate hasRoom;

  private int rowLimit;
  private int rowsInAll;

  /** That came, and their bytes. */
  private long rows;

  private long receivedBytes;

  /** Of a reader with a limit of rows: the batch at hand is a part of one. */
  private boolean isWithinRow;

  private int batches;
  private long usedBytes;

  /** Of the batch that is being read; without cells if there is none. */
  private int cells;

  private int bytes;
  private int skipped;

  private int wholeBatches;
  private int wholeBatchesNextTime = 1;

  /**
   * @param firstBytes size of a small batch
   * @param maxBytes size of the largest
   * @param hasRoom whether so many bytes more are left for all reads together
   */
  public BatchGrowth(int firstBytes, int maxBytes, IntPredicate hasRoom) {
    this.firstBytes = firstBytes;
    this.maxBytes = maxBytes;
    this.hasRoom = hasRoom;
  }

  /**
   * The size of the first batch of a range of rows. A read of several ranges goes on as it was with
   * the one before.
   *
   * @param isGet whether one row is read
   * @param limit rows that the client takes at a time; 0: unknown
   * @param inAll rows of the read, beyond which none is asked for ahead; 0: unknown
   */
  public int first(boolean isGet, int limit, int inAll) {
    rowLimit = limit;
    rowsInAll = inAll;
    if (!isGet) {
      return next(false);
    }
    int wanted = Math.min(maxBytes, GET_BYTES);
    return hasRoom.test(wanted) ? wanted : Math.min(wanted, Math.min(firstBytes, SMALL_BYTES));
  }

  /**
   * The size of the next batch.
   *
   * @param ahead whether nobody waits for it yet
   * @return 0 if it is better not to ask for it now
   */
  public int next(boolean ahead) {
    long wanted = isReadThrough() ? firstBytes + usedBytes : firstBytes;
    int size = rowLimit > 0 ? maxBytes : (int) Math.min(maxBytes, wanted);
    if (hasRoom.test(size)) {
      return size;
    }
    return ahead ? 0 : Math.min(firstBytes, SMALL_BYTES);
  }

  /** The rows after which the batch that is asked for now should end; 0: any number. */
  public int rows() {
    if (rowLimit == 0) {
      return 0;
    }
    long now = rowLimit - rows % rowLimit;
    if (rowsInAll == 0) {
      return (int) Math.min(Integer.MAX_VALUE, now + rowsBeyond());
    }
    long wanted = rows < rowsInAll ? Math.min(now + rowsBeyond(), rowsInAll - rows) : now + rows;
    return (int) Math.min(Integer.MAX_VALUE, wanted);
  }

  /** As many as were read before, in whole batches of the client. */
  private long rowsBeyond() {
    if (!isReadThrough() || receivedBytes == 0) {
      return 0;
    }
    long fitting = (long) ((double) rows * Math.min(usedBytes, BEYOND_BYTES) / receivedBytes);
    return fitting / rowLimit * rowLimit;
  }

  /** Whether the batch that is asked for now may be trimmed. */
  public boolean mayTrim() {
    if (wholeBatches > 0) {
      wholeBatches--;
      return false;
    }
    return true;
  }

  /** The reader has stepped into a gap. */
  public void enteredGap() {
    wholeBatches = wholeBatchesNextTime;
    wholeBatchesNextTime = Math.min(2 * wholeBatchesNextTime, MAX_WHOLE_BATCHES);
  }

  /** The batch at hand is read to its end, and this one follows. */
  public void received(int count, int size, int completeRows) {
    usedBytes += bytes;
    batches++;
    rows += completeRows;
    receivedBytes += size;
    isWithinRow = count > 0 && completeRows == 0;
    cells = count;
    bytes = size;
    skipped = 0;
  }

  /**
   * The rest of the batch at hand is not wanted.
   *
   * @param read cells of it that the reader has come to
   */
  public void dropped(int read) {
    usedBytes += cells == 0 ? 0 : (long) bytes * Math.min(read, cells) / cells;
    cells = 0;
    bytes = 0;
    skipped = 0;
  }

  /** A cell of the batch at hand was skipped. */
  public void skipped() {
    skipped++;
  }

  /**
   * Whether the next batch may travel while the one at hand is read: half of it is used, and it is
   * not the first. Of a reader who may stop at a limit of rows, if it ends before that.
   *
   * @param index of the cell that the reader has come to
   */
  public boolean mayRunAhead(int index) {
    boolean isWithoutEnd = rowLimit == 0 || rowsInAll > 0 && rows > rowsInAll;
    boolean isExpected =
        isWithoutEnd
            ? batches > 1
            : isWithinRow || rows % rowLimit > 0 && (rowsInAll == 0 || rows < rowsInAll);
    return isExpected && 2 * index >= cells && isReadThrough();
  }

  private boolean isReadThrough() {
    return skipped <= cells / 2;
  }
}
