package io.ishbase.plugin.local;

import com.github.luben.zstd.Zstd;
import io.ishbase.plugin.fuzz.MessageMutator;
import io.ishbase.protocol.CellBatch;
import io.ishbase.protocol.Checksums;
import io.ishbase.protocol.MessageChecksum;
import io.ishbase.protocol.Positions;
import io.ishbase.protocol.generated.IssnProtos.AggregateRequest;
import io.ishbase.protocol.generated.IssnProtos.AggregateResponse;
import io.ishbase.protocol.generated.IssnProtos.Code;
import io.ishbase.protocol.generated.IssnProtos.Position;
import io.ishbase.protocol.generated.IssnProtos.ReadRequest;
import io.ishbase.protocol.generated.IssnProtos.ReadResponse;
import io.ishbase.protocol.generated.IssnProtos.RowRange;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.apache.hadoop.hbase.KeyValue;
import org.apache.hadoop.hbase.util.Bytes;
import org.apache.hbase.thirdparty.com.google.protobuf.ByteString;
import org.apache.hbase.thirdparty.com.google.protobuf.InvalidProtocolBufferException;

/**
 * What may come instead of a daemon's answer.
 *
 * <p>Nobody can tell all lies from the truth: of an answer with the right checksum in which a cell
 * has another value, is not there, or is one more in its place, nothing is wrong in itself. So what
 * gets a checksum that fits is of another structure than any daemon's answer, and cells stay as
 * they are. {@link Kind#CELLS} is the exception, whose readers must come to an end, with whatever
 * result.
 */
final class AnswerLies {
  /** Ways to lie. */
  enum Kind {
    /** Some bytes are others, more or fewer. */
    BYTES(true),
    /** Some fields are others. */
    FIELDS(true),
    /** It is the answer to another read, in full or but for its cells. */
    REPLAYED(true),
    /** Fields that say what the cells are; with a checksum that fits. */
    STRUCTURE(true),
    /** The rest begins at a place that is none or was passed; with a checksum that fits. */
    PLACE(true),
    /** Cells in disorder, of no file, newer than the read point; with a checksum that fits. */
    ORDER(true),
    /** More was left out than was; with a checksum that fits. */
    GAPS(true),
    /** What claims to be packed, and is not, or is too much; with a checksum that fits. */
    PACKED(true),
    /** A refusal, or a code that fits no answer; with a checksum that fits. */
    CODE(true),
    /** Cells whose bytes are others; with a checksum that fits. */
    CELLS(false);

    private static final Kind[] ALL = values();

    /** Whether a reader must get what HBase gives. */
    final boolean mustBeTold;

    Kind(boolean mustBeTold) {
      this.mustBeTold = mustBeTold;
    }
  }

  private static final int BOMB_BYTES = 64 << 20;
  private static final byte[] BOMB = Zstd.compress(new byte[BOMB_BYTES]);

  private static final int KEPT = 50;

  private final List<ReadResponse> kept = new ArrayList<>();

  static Kind kind(Random random, boolean mustBeTold) {
    Kind kind;
    do {
      kind = Kind.ALL[random.nextInt(Kind.ALL.length)];
    } while (mustBeTold && !kind.mustBeTold);
    return kind;
  }

  /** The truth, changed. */
  ReadResponse lie(Kind kind, Random random, ReadRequest request, ReadResponse truth) {
    if (kept.size() < KEPT) {
      kept.add(truth);
    } else if (random.nextInt(20) == 0) {
      kept.set(random.nextInt(KEPT), truth);
    }
    try {
      return switch (kind) {
        case BYTES -> bytes(random, truth);
        case FIELDS -> fields(random, truth);
        case REPLAYED -> replayed(random, truth);
        case STRUCTURE -> structure(random, truth);
        case PLACE -> place(random, truth);
        case ORDER -> order(random, request, truth);
        case GAPS -> gaps(random, truth);
        case PACKED -> packed(random, truth);
        case CODE -> code(random, truth);
        case CELLS ->
            sealed(
                truth.toBuilder()
                    .setCells(
                        ByteString.copyFrom(
                            MessageMutator.bytes(random, truth.getCells().toByteArray()))));
      };
    } catch (IOException e) {
      throw new IllegalStateException("Of the real service", e);
    }
  }

  /** The truth about an aggregate, changed in a way that is like that. */
  AggregateResponse lie(
      Kind kind, Random random, AggregateRequest request, AggregateResponse truth) {
    AggregateResponse.Builder lie = truth.toBuilder();
    switch (kind) {
      case BYTES, FIELDS, CELLS -> {
        new MessageMutator(random).mutate(lie);
        return lie.isInitialized() ? lie.build() : truth.toBuilder().clearCrc32C().build();
      }
      case REPLAYED -> lie.setAsked(truth.getAsked() + 1 + random.nextInt(100));
      case PLACE, GAPS -> {
        RowRange range = request.getRead().getRange(0);
        lie.setNextRow(
            random.nextBoolean()
                ? range.getStartRow()
                : ByteString.copyFrom(new byte[Short.MAX_VALUE + 1]));
      }
      case STRUCTURE, ORDER ->
          lie.setRows(-1 - random.nextInt(1000)).setLoadPercent(number(random));
      case PACKED -> lie.setBlockBytes(-1L - random.nextInt(1000));
      case CODE -> {
        lie.setCode(code(random)).setMessage("as told");
        if (random.nextBoolean()) {
          lie.setFailedFile(number(random));
        }
      }
    }
    return MessageChecksum.sealed(lie.build());
  }

  private static ReadResponse sealed(ReadResponse.Builder answer) {
    return Checksums.sealed(answer.clearCrc32C().build());
  }

  private static ReadResponse bytes(Random random, ReadResponse truth) {
    byte[] sent = truth.toByteArray();
    for (int i = 0; i < 5; i++) {
      try {
        return ReadResponse.parseFrom(MessageMutator.bytes(random, sent));
      } catch (InvalidProtocolBufferException e) {
        // HBase's RPC ends the connection.
      }
    }
    return truth.toBuilder().setCrc32C(~truth.getCrc32C()).build();
  }

  private static ReadResponse fields(Random random, ReadResponse truth) {
    ReadResponse.Builder changed = truth.toBuilder();
    new MessageMutator(random).mutate(changed);
    return changed.isInitialized() ? changed.build() : truth.toBuilder().clearCrc32C().build();
  }

  private ReadResponse replayed(Random random, ReadResponse truth) {
    ReadResponse other = kept.get(random.nextInt(kept.size()));
    return switch (random.nextInt(4)) {
      case 0 -> truth.toBuilder().setCells(other.getCells()).build();
      case 1 -> other.toBuilder().setCells(truth.getCells()).build();
      case 2 -> truth.toBuilder().setCrc32C(other.getCrc32C()).build();
      // Each read has a handle, so its answer says to what it is one.
      default -> other;
    };
  }

  private static int number(Random random) {
    return switch (random.nextInt(6)) {
      case 0 -> -1;
      case 1 -> Integer.MAX_VALUE;
      case 2 -> Integer.MIN_VALUE;
      case 3 -> random.nextInt(100);
      default -> random.nextInt();
    };
  }

  private static ReadResponse structure(Random random, ReadResponse truth) {
    ReadResponse.Builder lie = truth.toBuilder();
    switch (random.nextInt(6)) {
      case 0 -> lie.setCellCount(other(random, truth.getCellCount()));
      case 1 -> {
        for (int i = random.nextInt(random.nextInt(200) == 0 ? 100_000 : 5); i >= 0; i--) {
          lie.addBlockCell(number(random)).addBlockBytes(number(random));
        }
      }
      case 2 -> lie.addBlockCell(number(random));
      case 3 -> lie.addMobValue(number(random)).addMobValue(number(random));
      case 4 -> lie.setAsked(number(random)).setDictionary(random.nextLong());
      default -> lie.setLoadPercent(number(random)).setMessage("x".repeat(random.nextInt(300)));
    }
    return sealed(lie);
  }

  private static int other(Random random, int number) {
    int other = random.nextBoolean() ? number(random) : number + random.nextInt(5) - 2;
    return other == number ? number + 1 : other;
  }

  private static ReadResponse place(Random random, ReadResponse truth) throws IOException {
    Position.Builder place = Position.newBuilder();
    List<KeyValue> cells = cells(truth, new ArrayList<>());
    if (cells.isEmpty() || random.nextBoolean()) {
      byte[] key = new byte[random.nextInt(30)];
      random.nextBytes(key);
      place.setKey(ByteString.copyFrom(key));
      if (Positions.isSound(place.build())) {
        // Ahead of the next row, maybe: then it may be the truth.
        place.setKey(ByteString.EMPTY);
      }
    } else {
      KeyValue passed = cells.get(random.nextInt(cells.size()));
      place.mergeFrom(
          Positions.atCell(passed, 0).toBuilder().clearFile().clearSequenceId().build());
    }
    return sealed(truth.toBuilder().setNext(place));
  }

  /** Of an answer that is not packed; {@code files} gets the file of each. */
  private static List<KeyValue> cells(ReadResponse answer, List<Integer> files) throws IOException {
    List<KeyValue> cells = new ArrayList<>();
    if (answer.hasUnpackedBytes() || answer.getCode() != Code.OK) {
      return cells;
    }
    CellBatch.Decoder decoder = new CellBatch.Decoder(answer.getCells().toByteArray());
    while (decoder.hasNext()) {
      cells.add(decoder.next());
      files.add(decoder.file());
      if (decoder.gap() != CellBatch.Gap.NONE) {
        // What is left out must be said, or it is another truth.
        return List.of();
      }
    }
    return cells;
  }

  private static ReadResponse order(Random random, ReadRequest request, ReadResponse truth)
      throws IOException {
    List<Integer> files = new ArrayList<>();
    List<KeyValue> cells = cells(truth, files);
    if (cells.isEmpty()) {
      return structure(random, truth);
    }
    int at = random.nextInt(cells.size());
    switch (random.nextInt(4)) {
      case 0 -> files.set(at, request.getFileCount() + random.nextInt(1000));
      case 1 -> {
        if (request.getReadPoint() == Long.MAX_VALUE) {
          return structure(random, truth);
        }
        cells.get(at).setSequenceId(request.getReadPoint() + 1 + random.nextInt(10));
      }
      case 2 -> {
        // A row that nobody asked for, behind all that were.
        if (request.getReversed() || request.getRange(0).getStopRow().isEmpty()) {
          return structure(random, truth);
        }
        byte[] last = {-1, -1};
        cells.add(new KeyValue(last, Bytes.toBytes("f"), last, 1, last));
        files.add(0);
      }
      default -> {
        int other = random.nextInt(cells.size());
        if (Bytes.equals(
            cells.get(at).getBuffer(),
            cells.get(at).getOffset(),
            cells.get(at).getKeyLength(),
            cells.get(other).getBuffer(),
            cells.get(other).getOffset(),
            cells.get(other).getKeyLength())) {
          return structure(random, truth);
        }
        Collections.swap(cells, at, other);
        Collections.swap(files, at, other);
      }
    }
    CellBatch.Encoder encoder = new CellBatch.Encoder(1024);
    for (int i = 0; i < cells.size(); i++) {
      encoder.add(files.get(i), cells.get(i));
    }
    return sealed(
        truth.toBuilder()
            .setCells(ByteString.copyFrom(encoder.array(), 0, encoder.size()))
            .setCellCount(encoder.count()));
  }

  private static ReadResponse gaps(Random random, ReadResponse truth) throws IOException {
    List<Integer> files = new ArrayList<>();
    List<KeyValue> cells = cells(truth, files);
    if (cells.isEmpty()) {
      return structure(random, truth);
    }
    CellBatch.Encoder encoder = new CellBatch.Encoder(1024);
    for (int i = 0; i < cells.size(); i++) {
      encoder.add(files.get(i), cells.get(i));
      if (random.nextInt(4) == 0) {
        encoder.markGap(random.nextBoolean() ? CellBatch.Gap.COLUMN : CellBatch.Gap.ROW);
      }
    }
    return sealed(
        truth.toBuilder().setCells(ByteString.copyFrom(encoder.array(), 0, encoder.size())));
  }

  private static ReadResponse packed(Random random, ReadResponse truth) {
    ReadResponse.Builder lie = truth.toBuilder();
    switch (random.nextInt(6)) {
      case 0 -> lie.setUnpackedBytes(other(random, truth.getUnpackedBytes()));
      case 1 ->
          lie.setUnpackedBytes(other(random, truth.getUnpackedBytes())).setWithDictionary(true);
      case 2 -> lie.setWithDictionary(true).setUnpackedBytes(truth.getCells().size());
      case 3 ->
          lie.setCells(ByteString.copyFrom(BOMB))
              .setUnpackedBytes(random.nextBoolean() ? BOMB_BYTES : random.nextInt(2 << 20));
      case 4 ->
          // A frame of zeros, of which none is a cell.
          lie.setCells(ByteString.copyFrom(Zstd.compress(new byte[random.nextInt(5000)])))
              .setUnpackedBytes(random.nextInt(5000));
      default -> {
        byte[] garbage = new byte[random.nextInt(300)];
        random.nextBytes(garbage);
        lie.setCells(ByteString.copyFrom(Zstd.compress(garbage)))
            .setUnpackedBytes(1 + random.nextInt(600));
      }
    }
    return sealed(lie);
  }

  private static ReadResponse code(Random random, ReadResponse truth) {
    ReadResponse.Builder lie = truth.toBuilder().setCode(code(random)).setMessage("as told");
    if (random.nextBoolean()) {
      lie.setFailedFile(number(random));
    }
    return sealed(random.nextBoolean() ? lie : lie.clearCells().clearCellCount().clearNext());
  }

  private static Code code(Random random) {
    Code[] codes = Code.values();
    Code code;
    do {
      code = codes[random.nextInt(codes.length)];
    } while (code == Code.OK);
    return code;
  }
}
