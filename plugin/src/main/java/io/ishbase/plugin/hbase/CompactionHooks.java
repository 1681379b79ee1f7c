package io.ishbase.plugin.hbase;

import java.io.IOException;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import org.apache.hadoop.hbase.coprocessor.RegionCoprocessor;
import org.apache.hadoop.hbase.coprocessor.RegionObserver;
import org.apache.hadoop.hbase.regionserver.HStore;
import org.apache.hadoop.hbase.regionserver.InternalScanner;
import org.apache.hadoop.hbase.regionserver.RegionCoprocessorHost;
import org.apache.hadoop.hbase.regionserver.ScanType;
import org.apache.hadoop.hbase.regionserver.ScannerContext;
import org.apache.hadoop.hbase.regionserver.compactions.CompactionRequestImpl;
import org.apache.hadoop.hbase.security.User;
import org.apache.hadoop.hbase.security.access.AccessController;
import org.apache.hadoop.hbase.security.visibility.VisibilityController;

/**
 * The coprocessors of a store that have a part in what a compaction reads or writes. Selection and
 * {@code postCompact} are not among it: they stay at the region server anyway.
 */
public final class CompactionHooks {
  private static final Set<String> HOOKS =
      Set.of(
          "preCompact",
          "preCompactScannerOpen",
          "preStoreFileReaderOpen",
          "postStoreFileReaderOpen",
          "postInstantiateDeleteTracker");

  private static final Set<String> READER_HOOKS =
      Set.of("preStoreFileReaderOpen", "postStoreFileReaderOpen");

  private static final Set<String> READ_HOOKS =
      Set.of(
          "preStoreScannerOpen",
          "preStoreFileReaderOpen",
          "postStoreFileReaderOpen",
          "postInstantiateDeleteTracker",
          "postScannerFilterRow");

  /** Of the class of an observer; a read asks, too. */
  private static final ClassValue<Boolean> HAS_DELETE_TRACKER =
      new ClassValue<>() {
        @Override
        protected Boolean computeValue(Class<?> observer) {
          return matches(observer, own -> own.contains("postInstantiateDeleteTracker"));
        }
      };

  private CompactionHooks() {}

  /** Names of those coprocessors; a store that has any must be compacted here. */
  public static List<String> of(HStore store) {
    return of(store, HOOKS);
  }

  /** Whether coprocessors of the store may give its files readers of their own. */
  public static boolean mayReplaceReaders(HStore store) {
    return !of(store, READER_HOOKS).isEmpty();
  }

  /** Whether coprocessors of the store may have a say in which of its cells a read sees. */
  public static boolean mayChangeReads(HStore store) {
    return !of(store, READ_HOOKS).isEmpty();
  }

  /**
   * Whether coprocessors of the store may hide cells that no marker hides, which HBase does before
   * it counts versions and asks filters. That of visibility labels goes by markers.
   */
  public static boolean mayHideCells(HStore store) {
    RegionCoprocessorHost host = store.getCoprocessorHost();
    return host != null
        && host.findCoprocessors(RegionCoprocessor.class).stream()
            .flatMap(coprocessor -> coprocessor.getRegionObserver().stream())
            .map(Object::getClass)
            .anyMatch(
                observer ->
                    observer != AccessController.class
                        && observer != VisibilityController.class
                        && HAS_DELETE_TRACKER.get(observer));
  }

  /**
   * Whether coprocessors of the store have a say in what a flush writes that they do not have in
   * what a merge of data in the memstore keeps: it could drop what they keep. Those that have one
   * in compactions alone do not count: a flush without them drops what a merge does.
   */
  public static boolean mayKeepWhatMergesDrop(HStore store) {
    return !of(
            store,
            own ->
                own.contains("preFlushScannerOpen")
                        && !own.contains("preMemStoreCompactionCompactScannerOpen")
                    || own.contains("preFlush") && !own.contains("preMemStoreCompactionCompact"))
        .isEmpty();
  }

  private static List<String> of(HStore store, Set<String> hooks) {
    return of(store, own -> !Collections.disjoint(own, hooks));
  }

  /**
   * @param wanted of the names of an observer's own hooks
   */
  private static List<String> of(HStore store, Predicate<Set<String>> wanted) {
    List<String> found = new ArrayList<>();
    RegionCoprocessorHost host = store.getCoprocessorHost();
    if (host == null) {
      return found;
    }
    for (RegionCoprocessor coprocessor : host.findCoprocessors(RegionCoprocessor.class)) {
      coprocessor
          .getRegionObserver()
          .map(Object::getClass)
          .filter(observer -> observer != AccessController.class && matches(observer, wanted))
          .ifPresent(observer -> found.add(observer.getName()));
    }
    return found;
  }

  private static boolean matches(Class<?> observer, Predicate<Set<String>> wanted) {
    try {
      return wanted.test(own(observer));
    } catch (LinkageError e) {
      // One of its methods names a class that is not there: which ones it has nobody can tell.
      return true;
    }
  }

  private static Set<String> own(Class<?> observer) {
    Set<String> names = new HashSet<>();
    for (Method method : observer.getMethods()) {
      if (method.getDeclaringClass() != RegionObserver.class && !isFlushWithoutCells(method)) {
        names.add(method.getName());
      }
    }
    return names;
  }

  /** There are two of that name: one is told of the region's flush, and one has a store's cells. */
  private static boolean isFlushWithoutCells(Method method) {
    return method.getName().equals("preFlush")
        && !Arrays.asList(method.getParameterTypes()).contains(InternalScanner.class);
  }

  /**
   * Lets the coprocessors that take no part in the cells say no: HBase's AccessController does.
   *
   * @throws IOException if one does
   */
  public static void askLeave(HStore store, CompactionRequestImpl request, User user)
      throws IOException {
    if (store.getCoprocessorHost() != null) {
      ScanType type =
          request.isAllFiles() ? ScanType.COMPACT_DROP_DELETES : ScanType.COMPACT_RETAIN_DELETES;
      store
          .getCoprocessorHost()
          .preCompact(store, new NoCells(), type, request.getTracker(), request, user);
    }
  }

  private static final class NoCells implements InternalScanner {
    @Override
    @SuppressWarnings("rawtypes") // as HBase declares it
    public boolean next(List result, ScannerContext context) {
      return false;
    }

    @Override
    public void close() {
      // Holds nothing.
    }
  }
}
