package io.ishbase.sim.workload;

import java.util.SplittableRandom;
import java.util.function.LongToDoubleFunction;

/** An endless row of requests, always the same for the same parameters and seed. */
public final class Requests {
  /** What a client asks for. */
  public enum Kind {
    GET,
    SCAN,
    PUT
  }

  /** A prime by which ranks are scattered over keys. */
  private static final long SCATTER = 2_654_435_761L;

  /** What is written to has a number for each. */
  private static final int MAX_KEYS = 1 << 26;

  private final SplittableRandom kinds;
  private final SplittableRandom keyDraws;
  private final SplittableRandom lengths;
  private final Zipf zipf;
  private final boolean uniform;
  private final boolean scattered;
  private final int keys;
  private final double readShare;
  private final int scanRows;
  private final LongToDoubleFunction getShare;

  private long drawn;
  private Kind kind = Kind.GET;
  private int key;
  private int rows;

  /**
   * @param getShare of Gets among reads, by the number of requests before
   */
  public Requests(Parameters parameters, long seed, LongToDoubleFunction getShare) {
    SplittableRandom random = new SplittableRandom(seed);
    kinds = random.split();
    keyDraws = random.split();
    lengths = random.split();
    keys = keys(parameters);
    zipf = new Zipf(keys, parameters.number("zipf.exponent"));
    uniform = parameters.is("keys", "uniform");
    scattered = parameters.is("zipf.place", "scattered");
    readShare = parameters.number("read.share");
    scanRows = parameters.whole("scan.rows");
    this.getShare = getShare;
  }

  /**
   * Keys of the data.
   *
   * @throws IllegalArgumentException if there are none, or more than a run has room for
   */
  public static int keys(Parameters parameters) {
    long blocks = parameters.whole("blocks");
    int blockBytes = parameters.whole("block.bytes");
    int cellBytes = parameters.whole("cell.bytes");
    long keys = blocks * (blockBytes / cellBytes);
    if (keys < 1 || keys > MAX_KEYS) {
      throw new IllegalArgumentException(
          String.format(
              "blocks = %d, block.bytes = %d and cell.bytes = %d make %d cells: from 1 to %d",
              blocks, blockBytes, cellBytes, keys, MAX_KEYS));
    }
    return (int) keys;
  }

  /** Goes to the next request. */
  public void next() {
    boolean isRead = readShare >= 1 || kinds.nextDouble() < readShare;
    boolean isGet = kinds.nextDouble() < getShare.applyAsDouble(drawn++);
    kind = !isRead ? Kind.PUT : isGet ? Kind.GET : Kind.SCAN;
    key = drawKey();
    rows = kind == Kind.SCAN ? Math.min(keys - key, 1 + lengths.nextInt(2 * scanRows - 1)) : 1;
  }

  private int drawKey() {
    if (uniform) {
      return keyDraws.nextInt(keys);
    }
    int rank = zipf.draw(keyDraws);
    return scattered ? (int) (rank * SCATTER % keys) : rank;
  }

  public Kind kind() {
    return kind;
  }

  /** The row asked for, or at which a Scan begins. */
  public int key() {
    return key;
  }

  /** Rows: Next()s of a Scan, else 1. */
  public int rows() {
    return rows;
  }
}
