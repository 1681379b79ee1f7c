package io.ishbase.plugin.compaction;

import io.ishbase.core.compaction.LocalReason;
import io.ishbase.core.compaction.WarmUpMode;
import io.ishbase.core.metric.Metric;
import io.ishbase.plugin.blockwarmup.WarmUps;
import io.ishbase.plugin.hbase.CompactionHooks;
import io.ishbase.plugin.hbase.ServedRegion;
import io.ishbase.plugin.metrics.CompactionMetrics;
import io.ishbase.plugin.node.StorageNode;
import io.ishbase.plugin.node.StorageNodes;
import io.ishbase.plugin.node.WorkerClient;
import io.ishbase.plugin.settings.StoreSettings;
import io.ishbase.protocol.CompactionLayout;
import io.ishbase.protocol.Spans;
import io.ishbase.protocol.generated.CompactionProtos.CompactRequest;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.context.Scope;
import java.io.IOException;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.regionserver.HStore;
import org.apache.hadoop.hbase.regionserver.RegionServerServices;
import org.apache.hadoop.hbase.regionserver.compactions.CompactionProgress;
import org.apache.hadoop.hbase.regionserver.compactions.CompactionRequestImpl;
import org.apache.hadoop.hbase.regionserver.compactions.Compactor;
import org.apache.hadoop.hbase.regionserver.throttle.ThroughputController;
import org.apache.hadoop.hbase.security.User;
import org.apache.hadoop.hbase.trace.HBaseSemanticAttributes;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The compactions of one store that storage daemons carry out. A compactor of HBase's own has them
 * done here where the table says so, and does them itself whenever that does not work. Selection,
 * commit, WAL marker and archiving stay HBase's.
 *
 * <p>Relies on HBase 2.6: {@code Compactor.compact} returns the paths of closed files anywhere in
 * the region's {@code .tmp}, which {@code HStore.doCompaction} validates and commits, whatever the
 * store's file tracker.
 */
public final class Offload {
  private static final Logger LOG = LoggerFactory.getLogger(Offload.class);

  /** Workers that may fail before the region server compacts itself. */
  private static final int MAX_FAILED = 3;

  /** The compactions that workers carry out now. */
  private final Set<CompactionProgress> remote = ConcurrentHashMap.newKeySet();

  private final Configuration conf;
  private final HStore store;

  /** {@code conf} is the store's. */
  Offload(Configuration conf, HStore store) {
    this.conf = conf;
    this.store = store;
  }

  /** HBase's own compaction of what was asked for. */
  @FunctionalInterface
  interface Stock {
    List<Path> compact() throws IOException;
  }

  /** Adds to a request into which files the compaction is to be divided. */
  @FunctionalInterface
  interface Layout {
    /** HBase's DefaultCompactor writes one. */
    Layout ONE_FILE = request -> {};

    void addTo(CompactRequest.Builder request);
  }

  /** Has a compaction carried out, by a worker or by {@code stock}. */
  List<Path> compact(
      CompactionRequestImpl request,
      Layout layout,
      ThroughputController throughput,
      User user,
      Stock stock)
      throws IOException {
    RegionServerServices services =
        store.getHRegion() instanceof ServedRegion region ? region.services() : null;
    if (services == null || !isSwitchedOn(store)) {
      return stock.compact();
    }
    StorageNodes nodes = StorageNodes.of(services.getConfiguration());
    LocalReason reason = Obstacles.of(store, conf, nodes.settings(), request);
    String why = "";
    if (reason == null) {
      Span span = begin(request);
      try (Scope ignored = Spans.enter(span)) {
        CompactionHooks.askLeave(store, request, user);
        return offload(request, layout, throughput, services, nodes);
      } catch (OffloadException e) {
        reason = e.reason();
        String message = Objects.toString(e.getMessage(), "");
        why = message.isEmpty() ? "" : ": " + message;
        LOG.debug("{} is not offloaded", store, e);
      } catch (RuntimeException | LinkageError e) {
        // An HBase of another version may lack what is called; an error would end HBase's thread.
        reason = LocalReason.HERE;
        why = ": " + e;
        LOG.warn("{} is not offloaded", store, e);
      } finally {
        if (reason != null) {
          span.setAttribute(Spans.FALLBACK, Metric.word(reason));
          span.setStatus(StatusCode.ERROR, reason.description() + why);
        }
        span.end();
      }
    }
    stayed(store, request, reason, why);
    return stock.compact();
  }

  /** A trace of its own: a compaction is nobody's request. */
  private Span begin(CompactionRequestImpl request) {
    return Spans.builder("InStorage.compact")
        .setAttribute(HBaseSemanticAttributes.TABLE_KEY, store.getTableName().getNameAsString())
        .setAttribute(
            HBaseSemanticAttributes.REGION_NAMES_KEY,
            List.of(store.getRegionInfo().getRegionNameAsString()))
        .setAttribute(Spans.FAMILY, store.getColumnFamilyName())
        .setAttribute(Spans.FILES, (long) request.getFiles().size())
        .setAttribute(Spans.BYTES, request.getSize())
        .startSpan();
  }

  /** Counts a compaction that should be offloaded, but was another compactor's. */
  public static void noteOthers(HStore store, @Nullable CompactionRequestImpl request) {
    // HBase's own tests commit without a request.
    if (request != null && !isOurs(store.getStoreEngine().getCompactor()) && isSwitchedOn(store)) {
      stayed(store, request, LocalReason.ENGINE, "");
    }
  }

  private static boolean isOurs(Compactor<?> compactor) {
    return compactor instanceof OffloadingCompactor
        || compactor instanceof OffloadingStripeCompactor
        || compactor instanceof OffloadingDateTieredCompactor
        || compactor instanceof OffloadingMobCompactor;
  }

  private static void stayed(
      HStore store, CompactionRequestImpl request, LocalReason reason, String why) {
    CompactionMetrics.get().stayed(reason);
    note(store, request, "here: " + reason.description() + why);
  }

  private static void note(HStore store, CompactionRequestImpl request, String where) {
    String line = describe(store, request, where);
    LOG.info("Compaction of {}", line);
    RecentCompactions.get().add(line);
  }

  /** Table, region and family: HBase's own name of a store lacks the table. */
  static String named(HStore store) {
    return store.getTableName()
        + "/"
        + store.getRegionInfo().getEncodedName()
        + "/"
        + store.getColumnFamilyName();
  }

  private static String describe(HStore store, CompactionRequestImpl request, String where) {
    return named(store)
        + ", "
        + request.getFiles().size()
        + " files, "
        + request.getSize()
        + " bytes, "
        + where;
  }

  private static boolean isSwitchedOn(HStore store) {
    TableName table = store.getTableName();
    return StoreSettings.of(store).offloadsCompactions()
        && !table.isSystemTable()
        && !table.getNameAsString().startsWith("master:");
  }

  /** Tries one worker after the other, as long as it is the worker that is at fault. */
  private List<Path> offload(
      CompactionRequestImpl request,
      Layout layout,
      ThroughputController throughput,
      RegionServerServices services,
      StorageNodes nodes)
      throws IOException {
    CompactRequest.Builder divided = CompactRequest.newBuilder();
    layout.addTo(divided);
    String fault = CompactionLayout.fault(divided.buildPartial());
    if (fault != null) {
      throw new OffloadException(LocalReason.ENGINE, fault);
    }
    if (divided.hasMob() != store.getColumnFamilyDescriptor().isMobEnabled()) {
      throw new OffloadException(LocalReason.ENGINE, "Large objects need their own compactor");
    }
    OffloadException last =
        new OffloadException(
            nodes.answering().isEmpty() ? LocalReason.NO_WORKER : LocalReason.BUSY, "");
    TableName table = store.getTableName();
    Pressure pressure = Pressure.of(store, services);
    Workers workers = new Workers(nodes, store, request, pressure);
    int failed = 0;
    boolean full;
    do {
      if (nodes.health().doubtsWorkers()) {
        throw new OffloadException(LocalReason.DOUBTED, "");
      }
      full = false;
      for (StorageNode worker : workers.ranked()) {
        if (!nodes.health().admitsCompactions(worker, table)) {
          // Another compaction is the one that tries it.
          continue;
        }
        try {
          List<Path> files =
              offload(request, layout, throughput, services, nodes, worker, pressure);
          nodes.health().compacted(worker, table);
          return files;
        } catch (OffloadException e) {
          last = e;
          if (!e.reason().isFaultOfWorker()) {
            nodes.health().compactionUntried(worker, table);
            if (e.reason() != LocalReason.BUSY) {
              throw e;
            }
            // What it said of itself was out of date.
            full = true;
            continue;
          }
          nodes.health().compactionFailed(worker, table, e.reason());
          if (e.reason() == LocalReason.TIMEOUT) {
            nodes.client().reconnectControl(worker.address());
          }
          note(store, request, "not at " + worker.name() + ": " + e.getMessage());
          if (e.reason() == LocalReason.WRONG_CELLS) {
            nodes.health().compactedWrongly();
            LOG.error(
                "{} has compacted {} wrongly: {}. Its file was not taken; for an hour or more this"
                    + " region server compacts by itself. Please report it, with this line",
                worker.name(),
                request.getFiles(),
                e.getMessage());
            throw e;
          }
          if (++failed == MAX_FAILED || pressure.blocksWrites()) {
            throw e;
          }
        } catch (IOException | RuntimeException | LinkageError e) {
          // HBase interrupted it, say: nothing is known of the worker.
          nodes.health().compactionUntried(worker, table);
          throw e;
        }
      }
    } while (full && workers.mayWait());
    throw last;
  }

  private List<Path> offload(
      CompactionRequestImpl request,
      Layout layout,
      ThroughputController throughput,
      RegionServerServices services,
      StorageNodes nodes,
      StorageNode worker,
      Pressure pressure)
      throws IOException {
    String attempt = UUID.randomUUID().toString().replace("-", "");
    try (ThrottleShare share =
        new ThrottleShare(throughput, store + ", attempt " + attempt + " at " + worker.name())) {
      return offload(request, layout, services, nodes, worker, attempt, share, pressure);
    }
  }

  private List<Path> offload(
      CompactionRequestImpl request,
      Layout layout,
      RegionServerServices services,
      StorageNodes nodes,
      StorageNode worker,
      String attempt,
      ThrottleShare share,
      Pressure pressure)
      throws IOException {
    WarmUps warmUps = store instanceof WarmUps.Owner owner ? owner.warmUps() : null;
    CompactRequest sent =
        CompactionRequests.of(
            store,
            request,
            layout,
            services,
            attempt,
            StoreSettings.of(store).compactionLeaseMillis(),
            share.bytesPerSecond(),
            pressure.now(),
            warmUps != null && warmUps.mode() != WarmUpMode.NONE);
    CompactionProgress progress = new CompactionProgress(0);
    CompactionInput input = CompactionInput.of(request, store.getComparator());
    RemoteCompaction compaction =
        new RemoteCompaction(
            store,
            nodes,
            worker,
            sent,
            input,
            share::bytesPerSecond,
            pressure,
            progress,
            results -> CompactionSample.check(store, sent, request.getFiles(), input, results),
            System::nanoTime);
    remote.add(progress);
    RecentCompactions.get()
        .begin(sent.getAttempt(), () -> describe(store, request, compaction + ", " + progress));
    Span span = Spans.begin("InStorage.compactAt").setAttribute(Spans.NODE, worker.name());
    try (Scope ignored = Spans.enter(span)) {
      List<Path> files = compaction.run();
      announce(request, files);
      progress.complete();
      CompactionMetrics.get().offloaded(request.getSize(), compaction.heldBackMillis());
      note(store, request, compaction.toString());
      if (warmUps != null) {
        warmUps.written(files, new WorkerClient(nodes.client(), worker.address()));
      }
      store.updateCompactedMetrics(request.isMajor(), progress);
      return files;
    } catch (IOException | RuntimeException e) {
      Spans.failed(span, e);
      throw e;
    } finally {
      span.setAttribute(Spans.CELLS, progress.getCurrentCompactedKvs())
          .setAttribute(Spans.HELD_BACK, compaction.heldBackMillis())
          .end();
      remote.remove(progress);
      RecentCompactions.get().end(sent.getAttempt());
    }
  }

  /**
   * A tracker that keeps a list has HBase's cleaner delete what lies in the store and is not on it:
   * not what is on its way there.
   */
  private void announce(CompactionRequestImpl request, List<Path> files) {
    Consumer<Path> written = request.getWriterCreationTracker();
    if (written != null) {
      Path directory = store.getRegionFileSystem().getStoreDir(store.getColumnFamilyName());
      files.forEach(file -> written.accept(new Path(directory, file.getName())));
    }
  }

  /** {@code own}, of HBase's compactor, and what workers are at. */
  CompactionProgress progress(CompactionProgress own) {
    for (CompactionProgress progress : remote) {
      own.totalCompactingKVs += progress.totalCompactingKVs;
      own.currentCompactedKVs += progress.currentCompactedKVs;
      own.totalCompactedSize += progress.totalCompactedSize;
    }
    return own;
  }

  boolean isCompacting() {
    return !remote.isEmpty();
  }
}
