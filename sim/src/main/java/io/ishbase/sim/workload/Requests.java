package io.ishbase.sim.workload;

import java.util.SplittableRandom;
import java.util.function.LongToDoubleFunction;

/** An endless row of requests, always the same for the same parameters and seed. */
public final class Requests implements RequestStream {
  /** What is written to has a number for each. */
  private static final int MAX_KEYS = 1 << 26;

  private final SplittableRandom kinds;
  private final SplittableRandom keyDraws;
  private final SplittableRandom lengths;
  private final KeyDraw keyDraw;
  private final Inserts inserts;
  private final ScanLengths scanLengths;
  private final boolean writesInsert;
  private final double readFirstShare;
  private final int keys;
  private final LongToDoubleFunction readShare;
  private final LongToDoubleFunction getShare;

  private long drawn;
  private boolean isReadToWrite;
  private Kind kind = Kind.GET;
  private int key;
  private int rows;

  /** With the share of Gets that the parameters say, be it constant or moving. */
  public Requests(Parameters parameters, long seed) {
    this(parameters, seed, share(parameters, "get.share"));
  }

  /**
   * @param getShare of Gets among reads, by the number of requests before
   */
  public Requests(Parameters parameters, long seed, LongToDoubleFunction getShare) {
    SplittableRandom random = new SplittableRandom(seed);
    kinds = random.split();
    keyDraws = random.split();
    lengths = random.split();
    keys = keys(parameters);
    inserts = new Inserts(parameters, keys);
    keyDraw = KeyDraw.of(parameters, keys, inserts);
    scanLengths = new ScanLengths(parameters);
    writesInsert = parameters.is("write", "insert");
    readFirstShare = parameters.number("write.reads.share");
    readShare = share(parameters, "read.share");
    this.getShare = getShare;
  }

  private static LongToDoubleFunction share(Parameters parameters, String name) {
    long requests = Math.max(1, parameters.whole("requests"));
    double first = parameters.moved(name, 0, requests);
    double last = parameters.moved(name, requests, requests);
    // Parameters are texts, which take longer to read than all else of a request.
    return first == last ? before -> first : before -> parameters.moved(name, before, requests);
  }

  /**
   * Keys of the data.
   *
   * @throws IllegalArgumentException if there is none, or there are too many
   */
  public static int keys(Parameters parameters) {
    int rows = parameters.whole("rows");
    int cellBytes = parameters.whole("cell.bytes");
    int blockBytes = parameters.whole("block.bytes");
    if (cellBytes < 1 || cellBytes > blockBytes) {
      throw new IllegalArgumentException(
          "cell.bytes is from 1 to block.bytes, " + blockBytes + ", not " + cellBytes);
    }
    long keys = rows > 0 ? rows : (long) parameters.whole("blocks") * (blockBytes / cellBytes);
    if (keys < 1 || keys > MAX_KEYS) {
      throw new IllegalArgumentException(
          "blocks of block.bytes have from 1 to 67,108,864 cells of cell.bytes, not " + keys);
    }
    return (int) keys;
  }

  @Override
  public boolean next() {
    long before = drawn++;
    if (isReadToWrite) {
      isReadToWrite = false;
      kind = Kind.PUT;
      return true;
    }
    double reads = readShare.applyAsDouble(before);
    boolean isRead = reads >= 1 || kinds.nextDouble() < reads;
    boolean isGet = kinds.nextDouble() < getShare.applyAsDouble(before);
    kind = !isRead ? Kind.PUT : isGet ? Kind.GET : Kind.SCAN;
    if (!isRead && writesInsert) {
      key = inserts.insert();
      rows = 1;
      return true;
    }
    key = keyDraw.draw(keyDraws, before);
    rows = kind == Kind.SCAN ? Math.min(keys - key, scanLengths.draw(lengths)) : 1;
    if (!isRead && readFirstShare > 0 && kinds.nextDouble() < readFirstShare) {
      kind = Kind.GET;
      isReadToWrite = true;
    }
    return true;
  }

  @Override
  public Kind kind() {
    return kind;
  }

  @Override
  public int key() {
    return key;
  }

  @Override
  public int rows() {
    return rows;
  }
}
