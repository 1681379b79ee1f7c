package io.ishbase.core.cache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ishbase.core.cache.memory.Columns;
import io.ishbase.core.cache.memory.Keys;
import io.ishbase.core.cache.memory.Pin;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class StoreCacheTest {
  private final SegmentCache cache = new SegmentCache(1 << 20, () -> 0);
  private final StoreCache store = cache.open("t");
  private final Pin pin = store.pin();
  private final RowView view = new RowView();

  @AfterEach
  void close() {
    pin.close();
    cache.close();
  }

  static byte[] b(String s) {
    return s.getBytes(StandardCharsets.UTF_8);
  }

  private static Columns columns(String... names) {
    return Columns.of(Stream.of(names).map(StoreCacheTest::b).toList());
  }

  /** From {@code from} up to {@code to}; null: without an end. */
  private static Columns between(String from, String to) {
    return Columns.between(b(from), to == null ? null : b(to));
  }

  private boolean put(Ticket ticket, String row, Columns columns, String payload, boolean clean) {
    byte[] bytes = b(payload);
    return store.put(ticket, b(row), columns, bytes, 0, bytes.length, clean);
  }

  /** The payload; "" if there is nothing; null if it is not known. */
  private String find(String row, String... columns) {
    return store.find(pin, b(row), columns.length == 0 ? null : columns(columns), view)
        ? new String(view.copyPayload(), StandardCharsets.UTF_8)
        : null;
  }

  private Fill fill(String from, boolean inclusive, String... rows) {
    Fill fill = store.fill(store.ticket(), b(from), inclusive);
    for (String row : rows) {
      byte[] payload = b(row + "!");
      assertThat(fill.row(b(row), payload, 0, payload.length, true)).isTrue();
    }
    return fill;
  }

  /** What a cursor shows: rows, and gaps as intervals. */
  private String scan(String from, boolean inclusive, String stop, boolean stopInclusive) {
    Cursor cursor = store.cursor(pin);
    return shown(
        cursor, cursor.seek(b(from), inclusive, stop == null ? null : b(stop), stopInclusive));
  }

  private static String shown(Cursor cursor, Cursor.State first) {
    StringBuilder shown = new StringBuilder();
    for (Cursor.State state = first; state != Cursor.State.END; state = cursor.next()) {
      if (state == Cursor.State.ROW) {
        shown.append(new String(cursor.row().copyRow(), StandardCharsets.UTF_8)).append(' ');
      } else {
        shown
            .append(cursor.gapStartInclusive() ? '[' : '(')
            .append(new String(cursor.gapStart(), StandardCharsets.UTF_8))
            .append(',')
            .append(
                cursor.gapEnd() == null ? "-" : new String(cursor.gapEnd(), StandardCharsets.UTF_8))
            .append(cursor.gapEnd() != null && cursor.gapEndInclusive() ? "] " : ") ");
      }
    }
    return shown.toString().trim();
  }

  @Test
  void aRowThatIsReplacedKeepsAllButItsPayload() {
    fill("a", true, "b", "c").reachedEnd();
    assertThat(find("b")).isEqualTo("b!");
    byte[] smaller = b("s");
    assertThat(store.replace(b("b"), b("b!"), smaller)).isTrue();
    assertThat(store.replace(b("b"), b("b!"), b("stale"))).as("another one by now").isFalse();
    assertThat(find("b")).isEqualTo("s");
    assertThat(view.hits()).isEqualTo(2);
    assertThat(scan("a", true, null, false)).isEqualTo("b c");
    try (Change change = store.change()) {
      change.merge(b("b"), (columns, present, offset, length) -> new Merge.Merged(b("m"), false));
    }
    assertThat(store.replace(b("b"), smaller, b("stale"))).isFalse();
    assertThat(find("b")).isEqualTo("m");
    assertThat(store.replace(b("b"), b("m"), smaller)).isTrue();
    try (Change change = store.change()) {
      change.compacted();
    }
    assertThat(find("b")).as("it was not clean").isNull();
    assertThat(find("bb")).isNull();
    assertThat(store.replace(b("b"), smaller, b("m"))).as("nothing is there").isFalse();
  }

  @Test
  void aRowIsFoundOnceItIsFilled() {
    assertThat(find("a")).isNull();
    assertThat(put(store.ticket(), "a", null, "1", true)).isTrue();
    assertThat(put(store.ticket(), "c", null, "", true)).isTrue();
    assertThat(find("a")).isEqualTo("1");
    assertThat(find("a", "x", "y")).isEqualTo("1");
    assertThat(find("b")).isNull();
    assertThat(find("c")).isEmpty();
    assertThat(store.stats().hits()).isEqualTo(3);
    assertThat(store.stats().absences()).isEqualTo(1);
    assertThat(store.stats().misses()).isEqualTo(2);
  }

  @Test
  void rowsOfWhichSomeColumnsAreCachedAreFoundInOrder() {
    assertThat(ofColumns("")).isEmpty();
    put(store.ticket(), "c", columns("k", "l"), "1", true);
    put(store.ticket(), "b", null, "2", true);
    for (int i = 100; i < 300; i++) {
      // Several segments without any.
      put(store.ticket(), "m" + i, null, "3", true);
    }
    put(store.ticket(), "x", columns(""), "", true);
    assertThat(ofColumns("")).isEqualTo("c[k l]1 x[]");
    assertThat(ofColumns("c")).isEqualTo("c[k l]1 x[]");
    assertThat(ofColumns("d")).isEqualTo("x[]");
    assertThat(ofColumns("x0")).isEmpty();
    put(store.ticket(), "c", null, "all", true);
    assertThat(ofColumns("")).isEqualTo("x[]");
    assertThat(find("c")).isEqualTo("all");
    assertThat(view.copyColumns()).isNull();
  }

  private String ofColumns(String from) {
    StringBuilder shown = new StringBuilder();
    byte[] row = b(from);
    while (store.findColumns(pin, row, view)) {
      shown
          .append(new String(view.copyRow(), StandardCharsets.UTF_8))
          .append(List.of(view.copyColumns()))
          .append(new String(view.copyPayload(), StandardCharsets.UTF_8))
          .append(' ');
      row = Keys.after(view.copyRow());
    }
    return shown.toString().trim();
  }

  @Test
  void bytesAreCountedByShape() {
    put(store.ticket(), "row", null, "12345", true);
    put(store.ticket(), "columns", columns("k"), "1", true);
    put(store.ticket(), "absent", null, "", true);
    assertThat(store.stats().rowBytes()).isEqualTo(8);
    assertThat(store.stats().columnBytes()).isGreaterThan(8);
    assertThat(store.stats().absenceBytes()).isEqualTo(6);
    assertThat(store.stats().edgeBytes()).isZero();
    assertThat(store.stats().runEntries()).isZero();
    fill("b", true, "bb", "bc").reachedBefore(b("bd"));
    assertThat(store.stats().rowBytes()).isEqualTo(8 + 2 * (2 + 3));
    assertThat(store.stats().edgeBytes()).isEqualTo(2);
    assertThat(store.stats().runEntries()).isEqualTo(3);
    CacheStats stats = store.stats();
    assertThat(stats.rowBytes() + stats.columnBytes() + stats.absenceBytes() + stats.edgeBytes())
        .isEqualTo(stats.cachedBytes());
    try (Change change = store.change()) {
      change.dropAll();
    }
    assertThat(store.stats().runEntries()).isZero();
    assertThat(store.stats().cachedBytes()).isZero();
  }

  @Test
  void aMissOfOtherColumnsIsCountedApart() {
    put(store.ticket(), "a", columns("k"), "1", true);
    find("a", "l");
    find("b", "l");
    assertThat(store.stats().misses()).isEqualTo(2);
    assertThat(store.stats().columnMisses()).isEqualTo(1);
  }

  @Test
  void columnsAreCoveredByThoseFilled() {
    put(store.ticket(), "a", columns("k", "m"), "km", true);
    assertThat(find("a", "k")).isEqualTo("km");
    assertThat(find("a", "k", "m")).isEqualTo("km");
    assertThat(find("a", "l")).isNull();
    assertThat(find("a", "k", "z")).isNull();
    assertThat(find("a")).isNull();
    assertThat(scan("", true, null, false)).isEqualTo("[,-)");
    put(store.ticket(), "a", columns("k"), "narrower", true);
    assertThat(find("a", "m")).isEqualTo("km");
    put(store.ticket(), "a", null, "whole", true);
    assertThat(find("a")).isEqualTo("whole");
  }

  /** Adds what comes to what is there. */
  private static final Merge BEHIND =
      (columns, present, offset, length) -> new Merge.Merged(b("joined"), true);

  private boolean join(String row, Columns columns, String payload, Merge join) {
    byte[] bytes = b(payload);
    return store.put(store.ticket(), b(row), columns, bytes, 0, bytes.length, true, join);
  }

  private String find(String row, Columns columns) {
    return store.find(pin, b(row), columns, view)
        ? new String(view.copyPayload(), StandardCharsets.UTF_8)
        : null;
  }

  @Test
  void anIntervalOfColumnsCoversWhatLiesInIt() {
    put(store.ticket(), "a", between("c", "f"), "c..f", true);
    assertThat(find("a", between("c", "f"))).isEqualTo("c..f");
    assertThat(find("a", between("d", "e"))).isEqualTo("c..f");
    assertThat(find("a", "c", "d", "ezzz")).isEqualTo("c..f");
    assertThat(find("a", between("c", "g"))).isNull();
    assertThat(find("a", between("b", "f"))).isNull();
    assertThat(find("a", between("d", null))).isNull();
    assertThat(find("a", "f")).isNull();
    assertThat(find("a", "c", "g")).isNull();
    assertThat(find("a")).isNull();
    assertThat(view.copyColumns()).hasToString("c..f");
    put(store.ticket(), "a", between("", null), "all", true);
    assertThat(find("a")).isEqualTo("all");
    assertThat(view.copyColumns()).isNull();
  }

  @Test
  void columnsThatComeAreJoinedWithThoseThatAreThere() {
    put(store.ticket(), "a", between("c", "f"), "c..f", true);
    assertThat(join("a", between("d", "f"), "never looked at", BEHIND)).isTrue();
    assertThat(find("a", "d")).isEqualTo("c..f");
    assertThat(join("a", between("f", "h"), "", BEHIND)).isTrue();
    assertThat(find("a", between("c", "h"))).isEqualTo("joined");
    assertThat(view.copyColumns()).hasToString("c..h");
    assertThat(join("a", columns("k"), "", BEHIND)).isTrue();
    assertThat(view.copyColumns()).hasToString("c..h");
    assertThat(find("a", "d", "k")).isEqualTo("joined");
    assertThat(view.copyColumns()).hasToString("c..h k");
    assertThat(join("a", between("h", null), "", BEHIND)).isTrue();
    assertThat(join("a", between("", "d"), "", BEHIND)).isTrue();
    assertThat(find("a")).as("the whole row").isEqualTo("joined");
  }

  @Test
  void columnsThatAreNotToBeJoinedAreReplaced() {
    put(store.ticket(), "a", columns("c"), "1", true);
    assertThat(join("a", columns("d"), "2", (columns, present, offset, length) -> null)).isTrue();
    assertThat(find("a", "c")).isNull();
    assertThat(find("a", "d")).isEqualTo("2");
  }

  @Test
  void soManyIntervalsAreNotKeptTogether() {
    for (int i = 0; i < 64; i++) {
      assertThat(join("a", columns("c" + (100 + i)), "one", BEHIND)).isTrue();
    }
    assertThat(find("a", "c100", "c163")).isEqualTo("joined");
    assertThat(join("a", columns("c200"), "one", BEHIND)).isTrue();
    assertThat(find("a", "c100")).isNull();
    assertThat(find("a", "c200")).isEqualTo("one");
  }

  @Test
  void whatIsJoinedWithTrimmedColumnsIsTrimmed() {
    put(store.ticket(), "a", columns("c"), "1", true);
    try (Change change = store.change()) {
      change.merge(
          b("a"), (columns, present, offset, length) -> new Merge.Merged(b("1"), true, true));
    }
    join("a", columns("d"), "2", BEHIND);
    assertThat(find("a", "c", "d")).isEqualTo("joined");
    assertThat(view.isTrimmed()).isTrue();
    store.dropTrimmed(b("a"));
    assertThat(find("a", "d")).isNull();
    join("a", columns("d"), "2", BEHIND);
    assertThat(find("a", "d")).isEqualTo("2");
    assertThat(view.isTrimmed()).isFalse();
  }

  @Test
  void aFailureOfAJoinLeavesWhatIsThere() {
    put(store.ticket(), "a", columns("c"), "1", true);
    Merge failing =
        (columns, present, offset, length) -> {
          throw new IllegalArgumentException("as planned");
        };
    assertThatThrownBy(() -> join("a", columns("d"), "2", failing))
        .isInstanceOf(IllegalArgumentException.class);
    assertThat(find("a", "c")).isEqualTo("1");
  }

  @Test
  void columnsOfLongNamesAreNotCached() {
    String name = "c".repeat(Columns.MAX_BOUND_BYTES);
    assertThat(put(store.ticket(), "a", columns(name + "c"), "1", true)).isFalse();
    assertThat(find("a", name + "c")).isNull();
    assertThat(put(store.ticket(), "a", between("b", "d"), "1", true)).isTrue();
    assertThat(find("a", name + "c")).isEqualTo("1");
  }

  @Test
  void anIntervalIsKnownAsFarAsItWasFilled() {
    Fill fill = fill("b", true, "c", "e");
    assertThat(find("b")).isEmpty();
    assertThat(find("d")).isEmpty();
    assertThat(find("f")).isNull();
    assertThat(scan("b", true, "e", true)).isEqualTo("c e");
    assertThat(scan("a", true, "z", false)).isEqualTo("[a,b) c e (e,-)");
    fill.reachedBefore(b("g"));
    assertThat(find("f")).isEmpty();
    assertThat(find("g")).isNull();
    assertThat(scan("b", true, null, false)).isEqualTo("c e [g,-)");
    fill.reachedThrough(b("h"));
    assertThat(find("g")).isEmpty();
    assertThat(scan("b", true, null, false)).isEqualTo("c e (h,-)");
    fill.reachedEnd();
    assertThat(scan("b", true, null, false)).isEqualTo("c e");
    assertThat(find("zzz")).isEmpty();
    fill("", true).reachedBefore(b("b"));
    assertThat(scan("", true, null, false)).isEqualTo("c e");
  }

  @Test
  void runsThatMeetBecomeOne() {
    fill("b", true, "b", "c").reachedBefore(b("d"));
    fill("d", true, "d", "e");
    assertThat(scan("b", true, "e", true)).isEqualTo("b c d e");
    fill("g", false, "h");
    assertThat(scan("b", true, "h", true)).isEqualTo("b c d e (e,g] h");
    fill("e", false).reachedThrough(b("g"));
    assertThat(scan("b", true, "h", true)).isEqualTo("b c d e h");
  }

  @Test
  void aFillThatIsTooLateDoesNotLand() {
    Ticket before = store.ticket();
    Ticket during;
    try (Change change = store.change()) {
      during = store.ticket();
      assertThat(put(during, "a", null, "1", true)).isFalse();
    }
    assertThat(put(before, "a", null, "1", true)).isFalse();
    assertThat(put(during, "a", null, "1", true)).isFalse();
    assertThat(store.fill(before, b("a"), true).reachedEnd()).isFalse();
    assertThat(put(store.ticket(), "a", null, "1", true)).isTrue();
    assertThat(find("b")).isNull();
  }

  @Test
  void aCompactionDropsWhatIsNotClean() {
    Fill fill = fill("a", true, "a");
    byte[] payload = b("unclean");
    fill.row(b("b"), payload, 0, payload.length, false);
    fill.reachedThrough(b("c"));
    compact();
    assertThat(scan("a", true, "d", false)).isEqualTo("a (a,c) (c,-)");
    assertThat(put(store.ticket(), "y", null, "1", false)).isTrue();
  }

  private void compact() {
    try (Change change = store.change()) {
      change.compacted();
    }
  }

  @Test
  void aReaderOfOldFilesLearnsOfARewriteWhateverItsTicketsPlace() {
    Ticket before = store.ticket();
    Ticket during;
    try (Change change = store.change()) {
      change.merge(b("a"), (columns, present, offset, length) -> null);
    }
    assertThat(store.isRewrittenSince(before)).isFalse();
    try (Change change = store.change()) {
      change.compacted();
      // The files are switched only now: who takes a ticket here still reads the old ones.
      during = store.ticket();
      assertThat(store.isChanging()).isTrue();
    }
    assertThat(store.isRewrittenSince(before)).isTrue();
    assertThat(store.isRewrittenSince(during)).isTrue();
    assertThat(store.isChanging()).isFalse();
    Ticket after = store.ticket();
    assertThat(store.isRewrittenSince(after)).isFalse();
    try (Change change = store.change()) {
      change.dropRange(b("x"), b("y"));
    }
    assertThat(store.isRewrittenSince(after)).isTrue();
  }

  @Test
  void aFlushChangesWhatIsCached() {
    fill("a", true, "a", "c").reachedBefore(b("d"));
    put(store.ticket(), "x", columns("k"), "x", true);
    try (Change change = store.change()) {
      Merge append =
          (columns, present, offset, length) -> {
            byte[] merged = new byte[length + 1];
            present.get(offset, merged, 0, length);
            merged[length] = '+';
            return new Merge.Merged(merged, true);
          };
      assertThat(change.merge(b("a"), append)).isTrue();
      assertThat(change.merge(b("b"), append)).isTrue();
      assertThat(change.merge(b("d"), append)).isFalse();
      assertThat(change.merge(b("x"), append)).isTrue();
      assertThat(change.merge(b("bb"), (columns, present, offset, length) -> null)).isFalse();
    }
    assertThat(find("a")).isEqualTo("a!+");
    assertThat(find("b")).isEqualTo("+");
    assertThat(find("x", "k")).isEqualTo("x+");
    assertThat(find("x")).isNull();
    assertThat(scan("a", true, "d", false)).isEqualTo("a b (b,c) c");
    try (Change change = store.change()) {
      change.dropRange(b("aa"), b("c"));
    }
    assertThat(scan("a", true, "d", false)).isEqualTo("a (a,c) c");
    try (Change change = store.change()) {
      change.dropAll();
    }
    assertThat(scan("", true, null, false)).isEqualTo("[,-)");
  }

  @Test
  void aTrimmedRowIsAGapForWhoWantsAll() {
    fill("a", true, "a", "b", "c");
    try (Change change = store.change()) {
      change.merge(
          b("b"), (columns, present, offset, length) -> new Merge.Merged(b("b"), true, true));
    }
    assertThat(find("a")).isEqualTo("a!");
    assertThat(view.isTrimmed()).isFalse();
    assertThat(find("b")).isEqualTo("b");
    assertThat(view.isTrimmed()).isTrue();
    assertThat(scan("a", true, "d", false)).isEqualTo("a b c (c,-)");
    Cursor cursor = store.cursor(pin, false);
    assertThat(shown(cursor, cursor.seek(b("a"), true, b("d"), false)))
        .isEqualTo("a [b,b] c (c,-)");
    try (Change change = store.change()) {
      change.merge(b("b"), (columns, present, offset, length) -> new Merge.Merged(b("bb"), true));
    }
    assertThat(find("b")).isEqualTo("bb");
    assertThat(view.isTrimmed()).isTrue();
    store.dropTrimmed(b("a"));
    store.dropTrimmed(b("b"));
    store.dropTrimmed(b("x"));
    assertThat(scan("a", true, "d", false)).isEqualTo("a (a,c) c (c,-)");
  }

  @Test
  void rowsThatAreNotShownAreOneGap() {
    fill("a", true, "a", "b", "c", "d", "e").reachedBefore(b("f"));
    try (Change change = store.change()) {
      for (String row : List.of("b", "c", "d")) {
        change.merge(
            b(row), (columns, present, offset, length) -> new Merge.Merged(b(row), true, true));
      }
    }
    Cursor cursor = store.cursor(pin, false);
    assertThat(shown(cursor, cursor.seek(b("a"), true, b("f"), false))).isEqualTo("a [b,d] e");
    assertThat(shown(cursor, cursor.seek(b("bb"), true, b("f"), false))).isEqualTo("[c,d] e");
  }

  @Test
  void aPinThatRestsHoldsNothing() {
    byte[] payload = new byte[500];
    Pin resting = store.pin();
    Cursor cursor = store.cursor(resting);
    put(store.ticket(), "a", null, "1", true);
    assertThat(cursor.seek(b("a"), true, b("b"), false)).isEqualTo(Cursor.State.ROW);
    resting.rest();
    pin.rest();
    for (int i = 0; i < 1000; i++) {
      assertThat(store.put(store.ticket(), b("r" + i), null, payload, 0, payload.length, true))
          .isTrue();
    }
    assertThatThrownBy(cursor::next).isInstanceOf(IllegalStateException.class);
    resting.renew();
    assertThat(cursor.next()).isEqualTo(Cursor.State.GAP);
    int refused = 0;
    for (int i = 0; i < 1000; i++) {
      refused +=
          store.put(store.ticket(), b("s" + i), null, payload, 0, payload.length, true) ? 0 : 1;
    }
    assertThat(refused).isPositive();
    resting.close();
    assertThatThrownBy(resting::rest).isInstanceOf(IllegalStateException.class);
  }

  @Test
  void aLargeStoreIsDroppedWhole() {
    Fill fill = store.fill(store.ticket(), b(""), true);
    for (int i = 100_000; i < 120_000; i++) {
      byte[] payload = b("" + i);
      fill.row(b("" + i), payload, 0, payload.length, i % 2 == 0);
    }
    long before = cache.stats().entries();
    assertThat(before).isGreaterThan(10_000);
    compact();
    assertThat(cache.stats().entries()).isBetween(before / 2 - 1, before / 2 + 1);
    try (Change change = store.change()) {
      change.dropAll();
    }
    assertThat(cache.stats().entries()).isZero();
    assertThat(scan("", true, null, false)).isEqualTo("[,-)");
  }

  @Test
  void aRowWhoseMergeFailsIsDropped() {
    put(store.ticket(), "a", null, "1", true);
    try (Change change = store.change()) {
      Merge failing =
          (columns, present, offset, length) -> {
            throw new IllegalArgumentException("as planned");
          };
      assertThatThrownBy(() -> change.merge(b("a"), failing))
          .isInstanceOf(IllegalArgumentException.class);
    }
    assertThat(find("a")).isNull();
  }

  @Test
  void aClosedStoreKeepsNothing() {
    put(store.ticket(), "a", null, "1", true);
    store.close();
    assertThat(find("a")).isNull();
    assertThat(put(store.ticket(), "a", null, "1", true)).isFalse();
    try (Change change = store.change()) {
      assertThat(change.merge(b("a"), (columns, present, offset, length) -> null)).isFalse();
      change.dropAll();
      change.compacted();
    }
    store.close();
    assertThat(cache.stats().entries()).isZero();
  }

  @Test
  void badInputIsRefused() {
    assertThatThrownBy(() -> new SegmentCache(1000, () -> 0))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> put(store.ticket(), "", null, "1", true))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> fill("b", true, "a")).isInstanceOf(IllegalArgumentException.class);
    Pin closed = store.pin();
    closed.close();
    closed.close();
    assertThatThrownBy(() -> store.find(closed, b("a"), null, view))
        .isInstanceOf(IllegalStateException.class);
  }

  @Test
  void aTicketIsOfUnchangedFilesUntilAChangeBegins() {
    Ticket before = store.ticket();
    assertThat(store.isUnchangedSince(before)).isTrue();
    Ticket within;
    try (Change change = store.change()) {
      assertThat(store.isUnchangedSince(before)).isFalse();
      within = store.ticket();
      assertThat(store.isUnchangedSince(within)).isFalse();
      change.dropAll();
    }
    assertThat(store.isUnchangedSince(before)).isFalse();
    assertThat(store.isUnchangedSince(within)).as("it ended after the ticket").isFalse();
    assertThat(store.isUnchangedSince(store.ticket())).isTrue();
  }
}
