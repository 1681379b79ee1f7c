package io.ishbase.plugin.cache;

import static io.ishbase.plugin.cache.CachedRegion.FAMILY;
import static io.ishbase.plugin.cache.CachedRegion.columns;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ishbase.core.cache.Change;
import io.ishbase.core.cache.Fill;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.apache.hadoop.hbase.ArrayBackedTag;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.KeyValue;
import org.apache.hadoop.hbase.Tag;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.regionserver.HStoreFile;
import org.apache.hadoop.hbase.regionserver.compactions.DefaultCompactor;
import org.apache.hadoop.hbase.util.Bytes;
import org.apache.hadoop.hbase.util.EnvironmentEdgeManager;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** That the check finds what is cached wrongly, and nothing else. Rows are single letters. */
class CacheCheckTest {
  private static final long NOW = 1_000_000;
  private static final long SECOND = 1_000_000_000;

  @TempDir private Path directory;

  private CachedRegion region;
  private CachedRows cache;

  /** What passes between two looks at the clock. */
  private long step;

  private long nanos;
  private Runnable atClock = () -> {};

  @BeforeEach
  void open() throws IOException {
    open(CachedRegion.family(), "", "");
  }

  private void open(ColumnFamilyDescriptorBuilder family, String start, String end)
      throws IOException {
    region = new CachedRegion(directory, family, start, end);
    cache = region.cache(Set.of(DefaultCompactor.class), 1);
  }

  /** Another region in place of the first. */
  private void openAnew(ColumnFamilyDescriptorBuilder family, String start, String end)
      throws IOException {
    region.close();
    directory = directory.resolve("anew");
    open(family, start, end);
  }

  @AfterEach
  void close() throws IOException {
    EnvironmentEdgeManager.reset();
    region.close();
  }

  private List<String> faults() throws IOException {
    return new CacheCheck(
            region.store(),
            cache,
            NOW,
            () -> {
              atClock.run();
              return nanos += step;
            })
        .faults();
  }

  /** Rows a to e, of which a file holds columns q and r. */
  private void rows() throws IOException {
    for (String row : List.of("a", "b", "c", "d", "e")) {
      region.put(row, "q", NOW, "q" + row).put(row, "r", NOW, "r" + row);
    }
    region.flush();
  }

  /** Caches a row, or some columns of it, as {@code change} would have it. */
  private void cache(String row, Consumer<List<KeyValue>> change, String... columns)
      throws IOException {
    List<KeyValue> cells = new ArrayList<>(region.stored(row));
    cells.removeIf(
        cell ->
            columns.length > 0
                && cell.getType() != Cell.Type.DeleteFamily
                && !List.of(columns).contains(Bytes.toString(CellUtil.cloneQualifier(cell))));
    change.accept(cells);
    cache.put(cache.rows().ticket(), Bytes.toBytes(row), columns(columns), cells);
    assertThat(cache.rows().covers(Bytes.toBytes(row), columns(columns))).isTrue();
  }

  private void cache(String row, String... columns) throws IOException {
    cache(row, cells -> {}, columns);
  }

  /** Says that there is nothing from one row on up to the next, or to the end: "". */
  private void cacheNothing(String from, boolean inclusive, String to) {
    Fill fill = cache.rows().fill(cache.rows().ticket(), Bytes.toBytes(from), inclusive);
    assertThat(to.isEmpty() ? fill.reachedEnd() : fill.reachedBefore(Bytes.toBytes(to))).isTrue();
  }

  private static Consumer<List<KeyValue>> replace(int index, KeyValue cell) {
    return cells -> {
      cell.setSequenceId(cells.get(index).getSequenceId());
      cells.set(index, cell);
    };
  }

  private static KeyValue cell(String row, String value, Tag... tags) {
    return new KeyValue(
        Bytes.toBytes(row),
        FAMILY,
        Bytes.toBytes("q"),
        NOW,
        KeyValue.Type.Put,
        Bytes.toBytes(value),
        List.of(tags));
  }

  @ParameterizedTest
  @ValueSource(longs = {0, SECOND})
  void whatTheFilesHoldIsRight(long stepNanos) throws IOException {
    step = stepNanos;
    assertThat(faults()).isEmpty();
    rows();
    assertThat(faults()).isEmpty();
    cache("b");
    cache("c", "q");
    cache("d", "q", "r");
    cache("e");
    cacheNothing("", true, "a");
    cacheNothing("b", false, "c");
    cacheNothing("d", false, "e");
    cacheNothing("e", false, "");
    cache("dd");
    cache("x", "q");
    assertThat(faults()).isEmpty();
    cache("a");
    cacheNothing("a", false, "b");
    assertThat(faults()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(longs = {0, SECOND})
  void whatIsWrongInARowIsFound(long stepNanos) throws IOException {
    step = stepNanos;
    rows();
    cache("a", replace(0, cell("a", "Qa")));
    cache("b", cells -> cells.remove(1));
    cache("c", cells -> cells.get(0).setSequenceId(1000));
    cache("d", replace(0, cell("d", "qd", new ArrayBackedTag((byte) 70, "tag"))));
    cache("e", cells -> cells.add(0, cell("e", "more", new Tag[0])));
    cache("f", cells -> cells.add(cell("f", "not there")));
    List<String> faults = faults();
    assertThat(faults).hasSize(6);
    for (int i = 0; i < faults.size(); i++) {
      assertThat(faults.get(i)).startsWith((char) ('a' + i) + ": cached [");
    }
    assertThat(faults.get(1))
        .matches("b: cached \\[b/f:q/.*], in the files \\[b/f:q/.*, b/f:r/.*]");
  }

  @ParameterizedTest
  @ValueSource(longs = {0, SECOND})
  void whatIsWrongInSomeColumnsIsFound(long stepNanos) throws IOException {
    step = stepNanos;
    rows();
    region.delete(new Delete(Bytes.toBytes("e"), NOW));
    region.flush();
    cache("a", replace(0, cell("a", "Qa")), "q");
    cache("b", cells -> cells.clear(), "r");
    cache("c", cells -> {}, "q");
    cache("d", cells -> cells.remove(1), "q", "r");
    cache("e", cells -> cells.remove(0), "q");
    cache("f", cells -> cells.add(cell("f", "not there")), "q");
    List<String> faults = faults();
    assertThat(faults).hasSize(5);
    assertThat(faults.get(0)).startsWith("a: cached [");
    assertThat(faults.get(1)).matches("b: cached \\[], in the files \\[b/f:r/.*]");
    assertThat(faults.get(2))
        .matches("d: cached \\[d/f:q/.*], in the files \\[d/f:q/.*, d/f:r/.*]");
    assertThat(faults.get(3)).matches("e: .*, in the files \\[e/f:/.*/DeleteFamily/.*, e/f:q/.*]");
    assertThat(faults.get(4)).matches("f: cached \\[f/f:q/.*], in the files \\[]");
  }

  @ParameterizedTest
  @ValueSource(longs = {0, SECOND})
  void whatIsTakenForMissingIsFound(long stepNanos) throws IOException {
    step = stepNanos;
    rows();
    cache("a");
    cacheNothing("a", false, "c");
    cache("d", "q");
    cacheNothing("d", false, "");
    cache("aa", List::clear);
    assertThat(faults())
        .hasSize(4)
        .allMatch(fault -> fault.matches("not cached, and taken for missing: [be]/f:[qr]/.*"));
  }

  @Test
  void whatLiesBeyondTheRegionIsNotLookedAt() throws IOException {
    openAnew(CachedRegion.family(), "b", "d");
    region.put("b", "q", NOW, "qb").put("c", "q", NOW, "qc");
    region.flush();
    cache("b");
    cacheNothing("b", false, "c");
    assertThat(faults()).isEmpty();
    cacheNothing("c", true, "d");
    assertThat(faults()).hasSize(1).allMatch(fault -> fault.contains("missing: c/f:q/"));
  }

  @Test
  void whatHasExpiredMayBeMissing() throws IOException {
    openAnew(CachedRegion.family().setTimeToLive(10), "", "");
    EnvironmentEdgeManager.injectEdge(() -> NOW - 5_000);
    region.put("a", "q", NOW - 11_000, "old").put("a", "r", NOW - 9_000, "young");
    region.put("b", "q", NOW - 11_000, "old");
    region.flush();
    cache("a", cells -> cells.remove(0));
    cacheNothing("a", false, "");
    assertThat(faults()).isEmpty();
    cache.close();
    cache = region.cache(Set.of(), 1);
    cache("a", cells -> cells.remove(1));
    assertThat(faults()).hasSize(1).allMatch(fault -> fault.startsWith("a: "));
  }

  @Test
  void whatIsKeptThoughItHasExpiredMustBeThere() throws IOException {
    openAnew(CachedRegion.family().setTimeToLive(10).setMinVersions(1), "", "");
    EnvironmentEdgeManager.injectEdge(() -> NOW - 5_000);
    region.put("a", "q", NOW - 11_000, "old").put("b", "q", NOW - 11_000, "old");
    region.flush();
    cache("a", cells -> cells.remove(0));
    cacheNothing("a", false, "");
    assertThat(faults())
        .hasSize(2)
        .allMatch(fault -> fault.matches("not cached, and taken for missing: [ab]/.*"));
  }

  @Test
  void whatAFlushLeftOutIsNotMissed() throws IOException {
    rows();
    cache("a");
    cache("b", "q");
    region.put("a", "q", NOW + 1, "new").put("b", "q", NOW + 1, "new");
    region.flush();
    assertThat(region.stored("a")).hasSize(3);
    assertThat(CachedRegion.cached(cache, "a")).hasSize(2);
    assertThat(faults()).isEmpty();
    region.delete(new Delete(Bytes.toBytes("a")).addColumns(FAMILY, Bytes.toBytes("q"), NOW));
    region.flush();
    assertThat(CachedRegion.cached(cache, "a")).hasSize(3);
    assertThat(faults()).isEmpty();
  }

  @Test
  void aDifferenceWhileFilesChangeIsLookedAtAgain() throws IOException {
    rows();
    cache("a", cells -> cells.remove(0));
    Change change = cache.rows().change();
    AtomicInteger looks = new AtomicInteger();
    atClock =
        () -> {
          if (looks.incrementAndGet() == 10) {
            change.dropAll();
            change.close();
          }
        };
    assertThat(faults()).isEmpty();
    assertThat(looks).hasValueGreaterThan(10);
  }

  @Test
  void aDifferenceThatAChangeLeavesIsAFault() throws IOException {
    rows();
    cache("a", cells -> cells.remove(0));
    AtomicInteger looks = new AtomicInteger();
    atClock =
        () -> {
          if (looks.incrementAndGet() == 3) {
            cache.rows().change().close();
          }
        };
    assertThat(faults()).hasSize(1).allMatch(fault -> fault.startsWith("a: cached ["));
  }

  @Test
  void filesThatKeepChangingAreNotComparedForever() throws IOException {
    rows();
    cache("b", cells -> cells.remove(0));
    step = SECOND;
    try (Change change = cache.rows().change()) {
      assertThat(faults())
          .containsExactly("not compared from row b on, as the files kept changing: ask again");
      change.dropAll();
    }
    assertThat(faults()).isEmpty();
  }

  /** It could not be archived until its region closes. */
  @Test
  void aFileThatCannotBeReadIsNotHeld() throws IOException {
    rows();
    region.put("f", "q", NOW, "qf");
    region.flush();
    for (HStoreFile file : region.store().getStorefiles()) {
      Path path = Path.of(file.getPath().toUri());
      byte[] bytes = Files.readAllBytes(path);
      // In the first block, behind its header.
      bytes[50] ^= 0x55;
      Files.write(path, bytes);
    }
    assertThatThrownBy(this::faults).isInstanceOf(IOException.class);
    assertThat(region.store().getStorefiles())
        .hasSize(2)
        .noneMatch(HStoreFile::isReferencedInReads);
  }

  /** Then HBase forgets when which reader was to see a cell, as all see it. */
  @Test
  void aCompactionOfOldFilesChangesNothing() throws IOException {
    rows();
    cache("a");
    cache("b", "q");
    region.put("a", "s", NOW, "sa");
    region.flush();
    long later = System.currentTimeMillis() + TimeUnit.DAYS.toMillis(7);
    EnvironmentEdgeManager.injectEdge(() -> later);
    region.region().compact(true);
    assertThat(region.stored("a")).hasSize(3).allMatch(cell -> cell.getSequenceId() == 0);
    assertThat(cache.rows().covers(Bytes.toBytes("a"), null)).isTrue();
    assertThat(faults()).isEmpty();
  }
}
