package io.ishbase.plugin.local;

import static org.assertj.core.api.Assertions.assertThat;

import io.ishbase.plugin.fuzz.Fuzzer;
import io.ishbase.plugin.node.DaemonException;
import io.ishbase.plugin.scan.NodeBatch;
import io.ishbase.protocol.generated.IssnProtos.AggregateRequest;
import io.ishbase.protocol.generated.IssnProtos.AggregateResponse;
import io.ishbase.protocol.generated.IssnProtos.ReadRequest;
import io.ishbase.protocol.generated.IssnProtos.ReadResponse;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.apache.hadoop.hbase.CellComparatorImpl;

/**
 * Answers at a region server: whole reads of a region whose storage nodes lie, each compared with
 * what HBase gives.
 */
public final class AnswerFuzzer implements Fuzzer {
  /** Reads between two empty caches. */
  private static final int READS_OF_CACHE = 100;

  /** After so many answers to one read it does not come to an end. */
  private static final int MOST_ANSWERS = 10_000;

  /** Lies that are only decoded, for one that is read. */
  private static final int DECODED = 4;

  private final AnswerLies lies = new AnswerLies();
  private final Map<String, Long> counts = new TreeMap<>();
  private final FuzzedRegion region;
  private long reads;
  private byte[] input = new byte[0];

  /**
   * A region below {@code directory}.
   *
   * @param seed says which of the layouts it has
   */
  public AnswerFuzzer(Path directory, long seed) throws IOException {
    region = new FuzzedRegion(directory, Math.floorMod(seed, FuzzedRegion.layouts()));
  }

  @Override
  public void tryOne(Random random) throws Exception {
    if (region.caches() && reads++ % READS_OF_CACHE == 0) {
      assertThat(region.faultsOfCache()).isEmpty();
      region.forget();
    }
    input =
        ByteBuffer.allocate(9)
            .put((byte) random.nextInt(region.reads()))
            .putLong(random.nextLong())
            .array();
    tryInput();
  }

  private void tryInput() throws IOException {
    ByteBuffer drawn = ByteBuffer.wrap(input);
    int read = drawn.get();
    Teller teller = new Teller(new Random(drawn.getLong()));
    region.daemons().tell(teller);
    FuzzedRegion.Answer given;
    try {
      given = region.read(read);
    } catch (IOException | RuntimeException e) {
      if (teller.mustBeTold) {
        throw e;
      }
      count(teller.kind + ": the read fails");
      return;
    } finally {
      region.daemons().tell(null);
      region.daemons().taken();
      region.daemons().takenAggregates();
    }
    String difference = region.difference(read, given);
    if (difference != null && teller.mustBeTold) {
      throw new AssertionError(teller.kind + ": " + difference);
    }
    if (teller.lies == 0) {
      count("no answer was needed");
    } else {
      counts.merge(
          teller.kind + (difference == null ? ": read as stock" : ": another result"),
          (long) teller.lies,
          Long::sum);
    }
  }

  private void count(String what) {
    counts.merge(what, 1L, Long::sum);
  }

  /** Lies in one of a few answers to a read, in one way. */
  private final class Teller implements LocalDaemons.Lie {
    private final Random random;
    private final AnswerLies.Kind kind;
    private final boolean mustBeTold;
    private int answers;
    private int lies;

    Teller(Random random) {
      this.random = random;
      this.kind = AnswerLies.kind(random, region.caches());
      this.mustBeTold = kind.mustBeTold;
    }

    @Override
    public ReadResponse told(ReadRequest request, ReadResponse truth) {
      for (int i = 0; i < DECODED; i++) {
        decode(random, request, truth);
      }
      return isHonest() ? truth : AnswerFuzzer.this.lies.lie(kind, random, request, truth);
    }

    @Override
    public AggregateResponse told(AggregateRequest request, AggregateResponse truth) {
      return isHonest() ? truth : AnswerFuzzer.this.lies.lie(kind, random, request, truth);
    }

    private boolean isHonest() {
      if (++answers > MOST_ANSWERS) {
        throw new AssertionError("Asked again and again");
      }
      boolean isHonest = random.nextInt(3) == 0;
      lies += isHonest ? 0 : 1;
      return isHonest;
    }
  }

  /** What has no checksum that fits is refused; all else is, or is a batch. */
  private void decode(Random random, ReadRequest request, ReadResponse truth) {
    AnswerLies.Kind kind = AnswerLies.kind(random, false);
    ReadResponse lie = lies.lie(kind, random, request, truth);
    try {
      NodeBatch.of(lie, request, null, CellComparatorImpl.COMPARATOR);
    } catch (DaemonException e) {
      count(kind + ": decoded, and refused");
      return;
    }
    if ((kind == AnswerLies.Kind.BYTES || kind == AnswerLies.Kind.FIELDS)
        // That there are none is said by leaving them out, too.
        && !withCells(lie).equals(withCells(truth))) {
      throw new AssertionError("Taken with a wrong checksum: " + lie);
    }
    count(kind + ": decoded, and taken");
  }

  private static ReadResponse withCells(ReadResponse answer) {
    return answer.toBuilder().setCells(answer.getCells()).build();
  }

  @Override
  public void check() throws IOException {
    for (int read = 0; read < region.reads(); read++) {
      assertThat(region.difference(read, region.read(read))).isNull();
    }
    region.daemons().taken();
    assertThat(region.faultsOfCache()).isEmpty();
  }

  @Override
  public byte[] input() {
    return input;
  }

  @Override
  public void retry(byte[] again) throws IOException {
    input = again;
    tryInput();
  }

  @Override
  public Map<String, Long> counts() {
    return counts;
  }

  @Override
  public void close() throws IOException {
    region.close();
  }
}
