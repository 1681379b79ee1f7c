package io.ishbase.plugin.cache;

import static org.assertj.core.api.Assertions.assertThat;

import io.ishbase.plugin.scan.FillSink;
import io.ishbase.plugin.scan.NodeBatch;
import io.ishbase.plugin.scan.RowRanges;
import io.ishbase.protocol.CellBatch;
import io.ishbase.protocol.CellBatch.Gap;
import io.ishbase.protocol.Checksums;
import io.ishbase.protocol.Positions;
import io.ishbase.protocol.generated.IssnProtos.Code;
import io.ishbase.protocol.generated.IssnProtos.Position;
import io.ishbase.protocol.generated.IssnProtos.ReadRequest;
import io.ishbase.protocol.generated.IssnProtos.ReadResponse;
import io.ishbase.protocol.generated.IssnProtos.RowRange;
import io.ishbase.testing.Seed;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.TreeMap;
import org.apache.hadoop.hbase.CellComparator;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.ExtendedCell;
import org.apache.hadoop.hbase.KeyValue;
import org.apache.hadoop.hbase.KeyValueUtil;
import org.apache.hadoop.hbase.PrivateCellUtil;
import org.apache.hadoop.hbase.util.Bytes;
import org.apache.hbase.thirdparty.com.google.protobuf.UnsafeByteOperations;
import org.junit.jupiter.api.Test;

/**
 * Node scanners that bring what they have in any order, jump, leave gaps and give up: whatever is
 * said of the whole is true, and if they do none of that, nothing is missing.
 */
class JoinedRowsTest {
  private static final byte[] FAMILY = Bytes.toBytes("f");
  private static final int ROUNDS = 3000;
  private static final int ROWS = 12;
  private static final long MAX_ROW_BYTES = 200;

  private final Random random = new Random(Seed.get());

  /** The files' rows; of one that two parts have an equal cell of, none may be told. */
  private final TreeMap<String, List<KeyValue>> rows = new TreeMap<>();

  private RowRange range;
  private int told;
  private Border end;

  private static String row(int number) {
    return String.valueOf((char) ('b' + number));
  }

  /** Compares what it is told with what there is. */
  private final class Checker implements RowSink {
    private Border at;

    @Override
    public void begin(byte[] row, boolean inclusive) {
      at = inclusive ? Border.before(row) : Border.behind(row);
    }

    @Override
    public void coming(byte[] row) {
      throw new AssertionError("Of several parts no row is on its way alone");
    }

    @Override
    public void row(byte[] row, List<ExtendedCell> cells, long bytes) {
      reach(Border.before(row));
      at = Border.behind(row);
      told++;
      assertThat(bytes).isEqualTo(CachedRow.encodedBytes(cells)).isLessThanOrEqualTo(MAX_ROW_BYTES);
      assertThat(cells.stream().map(JoinedRowsTest::text).toList())
          .isEqualTo(rows.get(Bytes.toString(row)).stream().map(JoinedRowsTest::text).toList())
          .doesNotHaveDuplicates();
    }

    @Override
    public void unfit(byte[] row) {
      reach(Border.before(row));
      at = Border.behind(row);
    }

    @Override
    public void reachedBefore(byte[] row) {
      reach(Border.before(row));
    }

    @Override
    public void reachedThrough(byte[] row) {
      reach(Border.behind(row));
    }

    @Override
    public void reachedEnd() {
      reach(Border.END);
    }

    private void reach(Border border) {
      assertThat(border.isBefore(at)).as("goes back").isFalse();
      for (String row : rows.keySet()) {
        Border before = Border.before(Bytes.toBytes(row));
        assertThat(!before.isBefore(at) && before.isBefore(border))
            .as("%s is taken for missing", row)
            .isFalse();
      }
      at = border;
      end = border;
    }
  }

  private static String text(ExtendedCell cell) {
    return cell + "/" + cell.getSequenceId() + "=" + Bytes.toString(CellUtil.cloneValue(cell));
  }

  /** One part, and the scanner that reads it. */
  private final class Part {
    private final List<KeyValue> cells = new ArrayList<>();
    private FillSink sink;
    private int next;
    private Position from;
    private boolean hasEnded;

    void begin() {
      next = 0;
      from = null;
      hasEnded = false;
      while (next < cells.size() && isBeforeRange(cells.get(next))) {
        next++;
      }
    }

    private boolean isBeforeRange(KeyValue cell) {
      int order = Bytes.compareTo(CellUtil.cloneRow(cell), range.getStartRow().toByteArray());
      return range.getIncludeStart() ? order < 0 : order <= 0;
    }

    private boolean isInRange(int index) {
      if (index == cells.size()) {
        return false;
      }
      int order =
          Bytes.compareTo(CellUtil.cloneRow(cells.get(index)), range.getStopRow().toByteArray());
      return range.getStopRow().isEmpty() || (range.getIncludeStop() ? order <= 0 : order < 0);
    }

    void jump() {
      KeyValue to = cells.get(random.nextInt(cells.size()));
      if (isBeforeRange(to)) {
        return;
      }
      KeyValue key =
          random.nextBoolean() ? to : KeyValueUtil.createFirstOnRow(CellUtil.cloneRow(to));
      from = Positions.atKey(key);
      hasEnded = false;
      next = 0;
      while (next < cells.size()
          && PrivateCellUtil.compareKeyIgnoresMvcc(
                  CellComparator.getInstance(), cells.get(next), key)
              < 0) {
        next++;
      }
    }

    void send(boolean mayLeaveGaps) throws IOException {
      CellBatch.Encoder encoder = new CellBatch.Encoder(64);
      Position place = from;
      int count = 1 + random.nextInt(8);
      while (isInRange(next) && count-- > 0) {
        KeyValue cell = cells.get(next++);
        encoder.add(0, cell);
        if (mayLeaveGaps && random.nextInt(10) == 0) {
          encoder.markGap(Gap.ROW);
          while (next < cells.size() && CellUtil.matchingRows(cells.get(next), cell)) {
            next++;
          }
        }
      }
      from = null;
      if (isInRange(next)) {
        KeyValue at = cells.get(next);
        boolean isNewRow = next == 0 || !CellUtil.matchingRows(cells.get(next - 1), at);
        from =
            isNewRow && random.nextBoolean()
                ? Positions.atKey(KeyValueUtil.createFirstOnRow(CellUtil.cloneRow(at)))
                : Positions.atCell(at, 0);
      } else {
        hasEnded = true;
      }
      sink.received(
          batch(encoder, from),
          ReadRequest.newBuilder()
              .setVersion(0)
              .setDirectory("")
              .setReadPoint(0)
              .addRange(range)
              .build(),
          place);
    }
  }

  private static NodeBatch batch(CellBatch.Encoder cells, Position next) throws IOException {
    ReadResponse.Builder response =
        ReadResponse.newBuilder()
            .setCode(Code.OK)
            .setCellCount(cells.count())
            .setCells(UnsafeByteOperations.unsafeWrap(cells.array(), 0, cells.size()));
    if (next != null) {
      response.setNext(next);
    }
    return NodeBatch.of(
        Checksums.sealed(response.build()),
        ReadRequest.newBuilder()
            .setVersion(0)
            .setDirectory("")
            .addFile("")
            .setReadPoint(Long.MAX_VALUE)
            .build(),
        null,
        CellComparator.getInstance());
  }

  private List<Part> parts(boolean withEqualCells) {
    List<Part> parts = new ArrayList<>();
    for (int i = 2 + random.nextInt(3); i > 0; i--) {
      parts.add(new Part());
    }
    rows.clear();
    int sequenceId = 1;
    for (int row = 0; row < ROWS; row++) {
      for (int i = random.nextInt(6); i > 0; i--) {
        KeyValue cell =
            new KeyValue(
                Bytes.toBytes(row(row)),
                FAMILY,
                Bytes.toBytes("q" + random.nextInt(3)),
                random.nextInt(3),
                Bytes.toBytes("v" + sequenceId));
        cell.setSequenceId(sequenceId++);
        int part = random.nextInt(parts.size());
        parts.get(part).cells.add(cell);
        rows.computeIfAbsent(row(row), key -> new ArrayList<>()).add(cell);
        if (withEqualCells && random.nextInt(10) == 0) {
          parts.get((part + 1) % parts.size()).cells.add(cell);
          rows.get(row(row)).add(cell);
        }
      }
    }
    parts.forEach(part -> part.cells.sort(CellComparator.getInstance()));
    rows.values().forEach(cells -> cells.sort(CellComparator.getInstance()));
    return parts;
  }

  private void drawRange() {
    RowRange.Builder drawn = RowRange.newBuilder();
    int start = random.nextInt(ROWS);
    if (random.nextBoolean()) {
      drawn.setStartRow(UnsafeByteOperations.unsafeWrap(Bytes.toBytes(row(start))));
      drawn.setIncludeStart(random.nextBoolean());
    }
    if (random.nextBoolean()) {
      int stop = start + 1 + random.nextInt(ROWS - start);
      drawn.setStopRow(UnsafeByteOperations.unsafeWrap(Bytes.toBytes(row(stop))));
      drawn.setIncludeStop(random.nextBoolean());
    }
    range = drawn.build();
  }

  private void join(List<Part> parts, long maxWaitingBytes) {
    JoinedRows joined =
        new JoinedRows(new Checker(), parts.size(), MAX_ROW_BYTES, maxWaitingBytes, () -> true);
    for (int i = 0; i < parts.size(); i++) {
      parts.get(i).sink = joined.sinks().get(i);
      parts.get(i).begin();
    }
  }

  @Test
  void whatIsSaidOfTheWholeIsTrue() throws IOException {
    for (int round = 0; round < ROUNDS; round++) {
      List<Part> parts = parts(true);
      drawRange();
      join(parts, random.nextBoolean() ? Long.MAX_VALUE : random.nextInt(1000));
      for (int step = 0; step < 60; step++) {
        Part part = parts.get(random.nextInt(parts.size()));
        switch (random.nextInt(30)) {
          case 0, 1 -> {
            if (!part.cells.isEmpty()) {
              part.jump();
            }
          }
          case 2 -> {
            if (random.nextInt(4) == 0) {
              part.sink.abandon();
            }
          }
          case 3 -> {
            // The scan goes on to another range, with one scanner after the other.
            if (random.nextInt(4) == 0) {
              drawRange();
              parts.forEach(Part::begin);
            }
          }
          default -> {
            if (!part.hasEnded) {
              part.send(true);
            }
          }
        }
      }
    }
    assertThat(told).as("rows").isGreaterThan(ROUNDS);
  }

  @Test
  void ofWhatAllBringNothingIsMissing() throws IOException {
    range = RowRanges.of(new byte[0], null);
    for (int round = 0; round < ROUNDS; round++) {
      List<Part> parts = parts(false);
      join(parts, Long.MAX_VALUE);
      told = 0;
      while (!parts.stream().allMatch(part -> part.hasEnded)) {
        Part part = parts.get(random.nextInt(parts.size()));
        if (!part.hasEnded) {
          part.send(false);
        }
      }
      long fitting =
          rows.values().stream()
              .filter(cells -> CachedRow.encodedBytes(cells) <= MAX_ROW_BYTES)
              .count();
      assertThat(told).isEqualTo((int) fitting);
      assertThat(end).isEqualTo(Border.END);
    }
  }
}
