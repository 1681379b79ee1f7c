package io.ishbase.plugin.cache;

import static io.ishbase.plugin.cache.CachedRegion.cached;
import static io.ishbase.plugin.cache.CachedRegion.columns;
import static org.assertj.core.api.Assertions.assertThat;

import io.ishbase.core.cache.Ticket;
import io.ishbase.core.cache.memory.Columns;
import io.ishbase.plugin.hbase.CompactionHooks;
import io.ishbase.plugin.scan.ReadFill;
import io.ishbase.testing.Await;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.util.AbstractSet;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.KeyValue;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.coprocessor.ObserverContext;
import org.apache.hadoop.hbase.coprocessor.RegionCoprocessor;
import org.apache.hadoop.hbase.coprocessor.RegionCoprocessorEnvironment;
import org.apache.hadoop.hbase.coprocessor.RegionObserver;
import org.apache.hadoop.hbase.regionserver.HRegion;
import org.apache.hadoop.hbase.regionserver.InternalScanner;
import org.apache.hadoop.hbase.regionserver.RegionCoprocessorHost;
import org.apache.hadoop.hbase.regionserver.ScanType;
import org.apache.hadoop.hbase.regionserver.ScannerContext;
import org.apache.hadoop.hbase.regionserver.Store;
import org.apache.hadoop.hbase.regionserver.compactions.CompactionLifeCycleTracker;
import org.apache.hadoop.hbase.regionserver.compactions.CompactionRequest;
import org.apache.hadoop.hbase.regionserver.compactions.DefaultCompactor;
import org.apache.hadoop.hbase.util.Bytes;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What becomes of cached rows when the files of their store change, and who fills them. */
class CachedRowsTest {
  private static final Set<Class<?>> PLAIN = Set.of(DefaultCompactor.class);
  private static final long LONG_MILLIS = 60_000;

  @TempDir private Path directory;

  private CachedRegion region;
  private CachedRows cache;

  @AfterEach
  void close() throws IOException {
    region.close();
  }

  private void open(ColumnFamilyDescriptorBuilder family, Set<Class<?>> plainCompactors)
      throws IOException {
    region = new CachedRegion(directory, family);
    cache = region.cache(plainCompactors, LONG_MILLIS);
  }

  /** Two rows in a file, cached: one whole, of the other a column. */
  private void rows() throws IOException {
    region.put("a", "q", 1, "v1").put("b", "q", 1, "v1").put("b", "r", 1, "w1");
    region.flush();
    cache.put(cache.rows().ticket(), Bytes.toBytes("a"), null, region.stored("a"));
    cache.put(
        cache.rows().ticket(), Bytes.toBytes("b"), columns("q"), region.stored("b").subList(0, 1));
  }

  private static KeyValue markerOfOneVersion(String row, long sequenceId) {
    KeyValue marker =
        new KeyValue(
            Bytes.toBytes(row), CachedRegion.FAMILY, Bytes.toBytes("q"), 2, KeyValue.Type.Delete);
    marker.setSequenceId(sequenceId);
    return marker;
  }

  @Test
  void aFlushBringsItsCellsAndTakesWhatTheyHide() throws IOException {
    open(CachedRegion.family(), PLAIN);
    rows();
    region.put("a", "q", 2, "v2").put("b", "q", 2, "v2").put("b", "r", 2, "w2");
    region.put("c", "q", 2, "v2");
    region.flush();
    assertThat(cached(cache, "a")).hasToString("[a/f:q/2/Put/vlen=2/seqid=8]");
    assertThat(cached(cache, "b", "q")).hasToString("[b/f:q/2/Put/vlen=2/seqid=9]");
    assertThat(cached(cache, "b", "r")).isNull();
    assertThat(cached(cache, "c")).isNull();
    assertThat(cache.faults()).isEmpty();
  }

  /** Fills a slice of a row with what the store has in it, and the family's markers. */
  private void fillSlice(String row, String from, String to) throws IOException {
    Columns columns = Columns.between(Bytes.toBytes(from), to == null ? null : Bytes.toBytes(to));
    List<KeyValue> cells = new ArrayList<>(region.stored(row));
    cells.removeIf(cell -> !CachedRow.isOf(cell, columns));
    cache.put(cache.rows().ticket(), Bytes.toBytes(row), columns, cells);
  }

  private String slice(String row, String from, String to) {
    return String.valueOf(
        cached(
            cache,
            row,
            Columns.between(Bytes.toBytes(from), to == null ? null : Bytes.toBytes(to))));
  }

  @Test
  void slicesOfARowComeTogether() throws IOException {
    open(CachedRegion.family().setMaxVersions(3), PLAIN);
    for (String column : List.of("a", "b", "c", "d", "e")) {
      region.put("r", column, 1, "1").put("r", column, 2, "2");
    }
    region.delete(new Delete(Bytes.toBytes("r"), 1));
    region.flush();
    fillSlice("r", "d", "e");
    fillSlice("r", "a", "c");
    assertThat(cached(cache, "r", "a", "b", "d")).hasSize(1 + 3);
    assertThat(slice("r", "a", "d")).isEqualTo("null");
    assertThat(cache.faults()).isEmpty();
    fillSlice("r", "b", "e");
    assertThat(cached(cache, "r", Columns.between(Bytes.toBytes("a"), Bytes.toBytes("e"))))
        .hasSize(1 + 4);
    assertThat(cache.faults()).isEmpty();
    fillSlice("r", "", null);
    assertThat(cached(cache, "r")).hasSize(1 + 5);
    assertThat(cache.faults()).isEmpty();
  }

  @Test
  void aFlushBringsIntoASliceWhatLiesInIt() throws IOException {
    open(CachedRegion.family(), PLAIN);
    region.put("r", "b", 1, "1").put("r", "e", 1, "1");
    region.flush();
    fillSlice("r", "b", "d");
    region.put("r", "a", 2, "2").put("r", "b", 2, "2").put("r", "c", 2, "2").put("r", "d", 2, "2");
    region.delete(new Delete(Bytes.toBytes("r")).addColumns(CachedRegion.FAMILY, new byte[] {'e'}));
    region.flush();
    assertThat(slice("r", "b", "d"))
        .matches("\\[r/f:b/2/Put/vlen=1/seqid=.*, r/f:c/2/Put/vlen=1/seqid=.*]");
    assertThat(cache.faults()).isEmpty();
    region.delete(new Delete(Bytes.toBytes("r"), 1));
    region.flush();
    assertThat(cached(cache, "r", "b", "c")).as("with the family's marker").hasSize(3);
    assertThat(cache.faults()).isEmpty();
    region.region().compact(true);
    assertThat(slice("r", "b", "d")).as("a compaction may have dropped some").isEqualTo("null");
  }

  @Test
  void whatIsTrimmedStaysSoWhenMoreColumnsCome() throws IOException {
    open(CachedRegion.family(), PLAIN);
    region.put("r", "b", 1, "1").put("r", "d", 1, "1");
    region.flush();
    fillSlice("r", "b", "c");
    region.put("r", "b", 2, "2").put("r", "d", 2, "2");
    region.flush();
    assertThat(cached(cache, "r", "b")).as("trimmed").hasSize(1);
    fillSlice("r", "d", "e");
    assertThat(cached(cache, "r", "b", "d")).as("one trimmed, one whole").hasSize(3);
    assertThat(cache.faults()).isEmpty();
    cache.written(markerOfOneVersion("r", 100));
    assertThat(cached(cache, "r", "d")).isNull();
  }

  @Test
  void slicesThatAreTooLongTogetherAreNotKeptTogether() throws IOException {
    open(CachedRegion.family(), PLAIN);
    String half = "x".repeat(cache.rows().maxRowBytes() / 2);
    region.put("r", "b", 1, half).put("r", "d", 1, half);
    region.flush();
    fillSlice("r", "b", "c");
    fillSlice("r", "d", "e");
    assertThat(cached(cache, "r", "b")).isNull();
    assertThat(cached(cache, "r", "d")).hasSize(1);
  }

  @Test
  void whereOthersCompactNothingIsLeftOutAndACompactionEmptiesTheCache() throws IOException {
    open(CachedRegion.family(), Set.of());
    rows();
    region.put("a", "q", 2, "v2").put("b", "q", 2, "v2");
    region.flush();
    assertThat(cached(cache, "a")).hasSize(2);
    assertThat(cached(cache, "b", "q")).hasSize(2);
    assertThat(cache.faults()).isEmpty();
    region.region().compact(true);
    assertThat(cache.stats().entries()).isZero();
  }

  @Test
  void whileAMarkerOfOneVersionMayBeInTheMemstoreNothingIsLeftOut() throws IOException {
    open(CachedRegion.family(), PLAIN);
    rows();
    region.put("a", "q", 2, "v2");
    cache.written(markerOfOneVersion("x", Long.MAX_VALUE));
    region.flush();
    assertThat(cached(cache, "a")).hasSize(2);
  }

  @Test
  void aMarkerOfOneVersionDropsItsRowIfThatIsTrimmed() throws IOException {
    open(CachedRegion.family(), PLAIN);
    rows();
    region.put("a", "q", 2, "v2");
    region.flush();
    cache.written(markerOfOneVersion("b", 100));
    cache.written(new KeyValue(Bytes.toBytes("a"), CachedRegion.FAMILY, null, 1, new byte[1]));
    assertThat(cached(cache, "a")).hasSize(1);
    cache.written(markerOfOneVersion("a", 101));
    assertThat(cached(cache, "a")).isNull();
    assertThat(cached(cache, "b", "q")).hasSize(1);
  }

  @Test
  void rowsThatAreTooLongLeave() throws IOException {
    open(CachedRegion.family().setMaxVersions(3), PLAIN);
    rows();
    String half = "x".repeat(cache.rows().maxRowBytes() / 2);
    region.put("a", "q", 2, half).put("b", "r", 2, half + half).put("b", "q", 2, half);
    region.flush();
    assertThat(cached(cache, "a")).hasSize(2);
    assertThat(cached(cache, "b", "q")).as("whose other column is long").hasSize(2);
    region.put("a", "q", 3, half).put("b", "q", 3, half + half);
    region.flush();
    assertThat(cached(cache, "a")).isNull();
    assertThat(cached(cache, "b", "q")).isNull();
    cache.put(cache.rows().ticket(), Bytes.toBytes("b"), null, region.stored("b"));
    assertThat(cached(cache, "b")).isNull();
  }

  @Test
  void filesThatOthersPutThereEmptyTheCache() throws IOException {
    open(CachedRegion.family(), PLAIN);
    rows();
    Ticket before = cache.rows().ticket();
    region.store().refreshStoreFiles();
    assertThat(cache.stats().entries()).isZero();
    assertThat(cache.rows().isGood(before)).isFalse();
    assertThat(cache.rows().isRewrittenSince(before)).isTrue();
  }

  @Test
  void aStoreWithoutACacheChangesItsFilesAllTheSame() throws IOException {
    region = new CachedRegion(directory, CachedRegion.family());
    region.put("a", "q", 1, "v1").flush();
    region.put("a", "q", 2, "v2").put("b", "q", 2, "v2").flush();
    assertThat(region.value("a", "q")).isEqualTo("v2");
    region.store().refreshStoreFiles();
    region.region().compact(true);
    assertThat(region.store().getStorefilesCount()).isEqualTo(1);
    assertThat(region.value("a", "q")).isEqualTo("v2");
    assertThat(region.value("b", "q")).isEqualTo("v2");
  }

  @Test
  void aFamilyThatIsNotToBeCachedFillsNothing() throws IOException {
    open(CachedRegion.family().setBlockCacheEnabled(false), PLAIN);
    assertThat(cache.mayFill()).isFalse();
    region.close();
    directory = directory.resolve("anew");
    open(CachedRegion.family(), PLAIN);
    assertThat(cache.mayFill()).isTrue();
  }

  private ReadFill fill(CachedRows rows, Scan scan) {
    return rows.fill(
        rows.reader(scan, region.store().getScanInfo(), Long.MAX_VALUE), scan, null, 1 << 20);
  }

  private static Scan get(String row) {
    return new Scan(new Get(Bytes.toBytes(row)));
  }

  @Test
  void ofTwoGetsOfARowOneWaitsForTheOther() throws Exception {
    open(CachedRegion.family(), PLAIN);
    ReadFill first = fill(cache, get("a"));
    AtomicReference<ReadFill> second = new AtomicReference<>(first);
    Thread other = new Thread(() -> second.set(fill(cache, get("a"))));
    other.start();
    Await.until("waits", () -> other.getState() == Thread.State.TIMED_WAITING);
    assertThat(fill(cache, get("b"))).as("the fill of another row").isNotNull();
    assertThat(first.expect(0)).isEmpty();
    other.join();
    assertThat(second).hasValue(null);
    assertThat(cached(cache, "a")).as("what the first has found").isEmpty();
    assertThat(fill(cache, get("a"))).as("a fill after that").isNotNull();
  }

  @Test
  void aGetThatHasWaitedForLongAsksItself() throws Exception {
    region = new CachedRegion(directory, CachedRegion.family());
    cache = region.cache(PLAIN, 1);
    ReadFill first = fill(cache, get("a"));
    assertThat(first).isNotNull();
    assertThat(fill(cache, get("a"))).isNull();
    first.abandon();
    assertThat(fill(cache, get("a"))).isNotNull();
  }

  @Test
  void aGetThatIsInterruptedWaitsNoLonger() throws Exception {
    open(CachedRegion.family(), PLAIN);
    assertThat(fill(cache, get("a"))).isNotNull();
    Thread.currentThread().interrupt();
    assertThat(fill(cache, get("a"))).isNull();
    assertThat(Thread.interrupted()).isTrue();
  }

  /** HBase would abort the region server. */
  @Test
  void aCacheThatFailsFailsNeitherFlushNorCompaction() throws IOException {
    open(
        CachedRegion.family(),
        new AbstractSet<>() {
          @Override
          public boolean contains(Object compactor) {
            throw new IllegalStateException("not now");
          }

          @Override
          public Iterator<Class<?>> iterator() {
            throw new IllegalStateException("not now");
          }

          @Override
          public int size() {
            return 1;
          }
        });
    rows();
    region.put("a", "q", 2, "v2");
    region.flush();
    assertThat(cached(cache, "a")).isNull();
    assertThat(cached(cache, "b", "q")).isNull();
    assertThat(region.value("a", "q")).isEqualTo("v2");
    fillSlice("b", "q", "r");
    region.region().compact(true);
    assertThat(region.store().getStorefilesCount()).isEqualTo(1);
    assertThat(cached(cache, "b", "q")).isNull();
    assertThat(region.value("b", "q")).isEqualTo("v1");
    assertThat(cache.faults()).isEmpty();
  }

  /** Names a class that is not there. */
  public static final class Lacking implements RegionCoprocessor, RegionObserver {
    @Override
    public Optional<RegionObserver> getRegionObserver() {
      return Optional.of(this);
    }

    /** Nobody can list the methods of this class. */
    public void take(Lacked lacked) {}
  }

  /** Is not there for {@link Lacking}. */
  public static final class Lacked {}

  private static final class Loader extends ClassLoader {
    @Override
    protected Class<?> loadClass(String name, boolean resolves) throws ClassNotFoundException {
      if (name.equals(Lacked.class.getName())) {
        throw new ClassNotFoundException(name);
      }
      if (!name.equals(Lacking.class.getName())) {
        return super.loadClass(name, resolves);
      }
      String file = name.replace('.', '/') + ".class";
      try (InputStream code = CachedRowsTest.class.getClassLoader().getResourceAsStream(file)) {
        byte[] bytes = code.readAllBytes();
        return defineClass(name, bytes, 0, bytes.length);
      } catch (IOException e) {
        throw new ClassNotFoundException(name, e);
      }
    }
  }

  @Test
  void anObserverWhoseMethodsNobodyCanListMayHaveAPart() throws Exception {
    open(CachedRegion.family(), PLAIN);
    rows();
    HRegion hregion = region.region();
    RegionCoprocessorHost host =
        new RegionCoprocessorHost(hregion, null, hregion.getReadOnlyConfiguration());
    Class<?> observer = Class.forName(Lacking.class.getName(), true, new Loader());
    host.load(observer.asSubclass(RegionCoprocessor.class), 0, new Configuration(false));
    hregion.setCoprocessorHost(host);
    assertThat(CompactionHooks.of(region.store())).containsExactly(Lacking.class.getName());
    assertThat(CompactionHooks.mayKeepWhatMergesDrop(region.store())).isTrue();
    region.put("a", "q", 2, "v2");
    region.flush();
    assertThat(cached(cache, "a")).as("none left out").hasSize(2);
    assertThat(cache.faults()).isEmpty();
  }

  /** Keeps nothing of what a compaction reads, and lets something be done before. */
  public static final class KeepsNothing implements RegionCoprocessor, RegionObserver {
    private static Step before = () -> {};

    private interface Step {
      void run() throws IOException;
    }

    @Override
    public Optional<RegionObserver> getRegionObserver() {
      return Optional.of(this);
    }

    @Override
    public InternalScanner preCompact(
        ObserverContext<RegionCoprocessorEnvironment> context,
        Store store,
        InternalScanner scanner,
        ScanType type,
        CompactionLifeCycleTracker tracker,
        CompactionRequest request) {
      return new InternalScanner() {
        @Override
        @SuppressWarnings("rawtypes") // as HBase declares it
        public boolean next(List result, ScannerContext limits) throws IOException {
          before.run();
          return false;
        }

        @Override
        public void close() throws IOException {
          scanner.close();
        }
      };
    }
  }

  @Test
  void aCompactionGoesByTheCoprocessorsThatItBeganWith() throws IOException {
    open(CachedRegion.family(), PLAIN);
    rows();
    HRegion hregion = region.region();
    Configuration conf = hregion.getReadOnlyConfiguration();
    RegionCoprocessorHost host = new RegionCoprocessorHost(hregion, null, conf);
    host.load(KeepsNothing.class, 0, conf);
    hregion.setCoprocessorHost(host);
    KeepsNothing.before =
        () -> {
          hregion.setCoprocessorHost(new RegionCoprocessorHost(hregion, null, conf));
          cache.coprocessorsReplaced();
          assertThat(cached(cache, "a")).isNull();
          cache.put(cache.rows().ticket(), Bytes.toBytes("a"), null, region.stored("a"));
          assertThat(cached(cache, "a")).hasSize(1);
        };
    hregion.compact(true);
    assertThat(region.stored("a")).isEmpty();
    assertThat(cached(cache, "a")).isNull();
    rows();
    hregion.compact(true);
    assertThat(cached(cache, "a")).as("of a compaction that began since").hasSize(1);
    assertThat(cache.faults()).isEmpty();
  }
}
