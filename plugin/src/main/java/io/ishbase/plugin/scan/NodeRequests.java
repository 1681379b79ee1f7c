package io.ishbase.plugin.scan;

import static java.util.Objects.requireNonNull;

import io.ishbase.core.BatchGrowth;
import io.ishbase.core.Reason;
import io.ishbase.plugin.hbase.RowLimit;
import io.ishbase.plugin.metrics.InStorageMetrics;
import io.ishbase.plugin.node.DaemonException;
import io.ishbase.plugin.node.StorageNode;
import io.ishbase.protocol.Positions;
import io.ishbase.protocol.Protocol;
import io.ishbase.protocol.StorageReads;
import io.ishbase.protocol.generated.IssnProtos.MobWish;
import io.ishbase.protocol.generated.IssnProtos.Position;
import io.ishbase.protocol.generated.IssnProtos.ReadRequest;
import io.ishbase.protocol.generated.IssnProtos.RowRange;
import java.io.IOException;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.client.Scan;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What a node scanner asks of its daemon: one request at a time, alone or as a part of a multi-get.
 * Answers are checked against what was asked, counted, and shown to the cache.
 */
final class NodeRequests {
  private static final Logger LOG = LoggerFactory.getLogger(NodeRequests.class);

  /**
   * The answer to all Gets of a call may be so large, unless batches are to be small: what does not
   * fit is asked for one after the other.
   */
  private static final int BATCHES_OF_CALL = 4;

  /** Versions of a column that are fetched into the cache although they are not asked for. */
  private static final int CACHED_VERSIONS = 8;

  /**
   * So many times the columns that a limit on a slice lets through are fetched into the cache: who
   * reads a part of a slice mostly has slices that are not much longer.
   */
  private static final int CACHED_COLUMNS = 8;

  /** But not more than so many. */
  private static final int MAX_CACHED_COLUMNS = 128;

  private final ReadContext context;

  /** The one that is asked: another one, once that has answered in its place. */
  private StorageNode node;

  private final ReadSpec read;
  private final Guards guards;
  private final boolean isSole;
  private final ScanOrder order;
  private final BatchGrowth growth;
  private @Nullable FillSink fill;

  private RowRange range;
  private @Nullable Pushdown pushdown;

  /** A filter's class that {@code node} is to be sent: after a failure it may be its one try. */
  private record FilterTry(StorageNode node, String filterClass) {}

  /** Null once it is known how that ended. */
  private @Nullable FilterTry filterTry;

  /** Whether what is asked for is all that the cache would have of the rows. */
  private boolean isWhole;

  private long oldestUnexpired;
  private @Nullable ReadRequest template;

  /** The request under way, and what it holds of the buffers of all reads. */
  private @Nullable HedgedRead call;

  private int callBytes;

  /** When the call that was waited for last was answered, or failed. */
  private long endedMillis;

  private MultiGet.@Nullable Answer answerToAll;
  private @Nullable Position from;
  private boolean hasAsked;

  /** Waited for answers and not yet told HBase, which counts milliseconds. */
  private long untoldNanos;

  /**
   * @param guards whose files the daemon is to read
   * @param isSole whether they are all that the reader sees of the store
   * @param fill takes what comes; null: nobody
   */
  NodeRequests(
      ReadContext context,
      StorageNode node,
      ReadSpec read,
      Guards guards,
      boolean isSole,
      @Nullable FillSink fill,
      ScanOrder order) {
    this.context = context;
    this.node = node;
    this.read = read;
    this.guards = guards;
    this.isSole = isSole;
    this.fill = fill;
    this.order = order;
    this.growth =
        new BatchGrowth(read.firstBatchBytes(), read.maxBatchBytes(), context.buffers()::hasRoom);
    this.range = read.range();
  }

  /**
   * Settles what every request asks of the guards' files, for a filter that has been at work may no
   * longer be what it was.
   */
  void prepare(long oldestUnexpiredTs) {
    oldestUnexpired = oldestUnexpiredTs;
    template = template(true);
  }

  /**
   * The timestamp before which what has expired may be left out: for the cache, which others read,
   * an earlier one.
   */
  long cutOff(long oldestUnexpiredTs) {
    return mayFill() ? Math.min(oldestUnexpiredTs, read.cacheCutOff()) : oldestUnexpiredTs;
  }

  boolean isPrepared() {
    return template != null;
  }

  private ReadRequest prepared() {
    return requireNonNull(template, "nothing was prepared");
  }

  private Pushdown pushdown() {
    return requireNonNull(pushdown, "nothing was prepared");
  }

  /** No file may hold what the read wants, so nothing will be asked. */
  void nothingNeeded() {
    if (fill != null) {
      fill.receivedNothing();
      fill = null;
    }
  }

  RowRange range() {
    return range;
  }

  /** Asks for a part of the scan's rows from now on. */
  void narrow(RowRange ofScan) {
    range = ofScan;
    template = prepared().toBuilder().clearRange().addRange(range).build();
    from = null;
  }

  /** The place from which on the last request asked; null: from the beginning of the range. */
  @Nullable Position from() {
    return from;
  }

  boolean isUnderWay() {
    return call != null || answerToAll != null;
  }

  /** How much is asked for at a time. */
  BatchGrowth growth() {
    return growth;
  }

  /**
   * Whether the next request may be sent before its answer is wanted.
   *
   * @param index of the cell that the reader has come to
   */
  boolean mayRunAhead(int index) {
    return call == null && growth.mayRunAhead(index);
  }

  /** Asks from the beginning of the range on, together with the other Gets of a call. */
  void first() {
    MultiGet others = read.multiGet();
    answerToAll = others == null ? null : askWithOthers(others);
    hasAsked = true;
    if (answerToAll == null) {
      firstAlone();
    }
  }

  /** Asks from the beginning of the range on. */
  void firstAlone() {
    boolean isGet = read.scan().isGetScan();
    RowLimit limit = rowLimit();
    send(
        prepared().toBuilder(),
        null,
        isGet && prepared().hasMob()
            // A row of large objects is mostly larger than a usual one.
            ? growth.first(false, 1, 1)
            : growth.first(isGet, limit.atATime(), limit.inAll()));
  }

  /**
   * Asks for what lies from a place on.
   *
   * @param ahead whether nobody waits for it yet: then only if the buffers of all reads allow it
   */
  void next(Position place, boolean ahead) {
    int bytes = growth.next(ahead);
    if (bytes > 0) {
      HedgedRead sent = send(prepared().toBuilder().setFrom(place), place, bytes);
      if (ahead) {
        sent.ahead();
      }
    }
  }

  private MultiGet.@Nullable Answer askWithOthers(MultiGet others) {
    ReadRequest.Builder trimmed = prepared().toBuilder();
    trim(trimmed);
    return others.answer(
        context,
        node,
        trimmed.build(),
        read.scan().getStartRow(),
        guards.maxSequenceId(),
        read.firstBatchBytes(),
        maxBytesOfCall(),
        order.comparator());
  }

  private int maxBytesOfCall() {
    int most = read.maxBatchBytes();
    return most < BatchGrowth.GET_BYTES ? most : BATCHES_OF_CALL * most;
  }

  // Only where the reader returns every row that the daemon sends does its limit say how many to
  // send.
  private RowLimit rowLimit() {
    if (read.scan().isGetScan() || !pushdown().selectsRows()) {
      return RowLimit.UNKNOWN;
    }
    RowLimit limit =
        read.rowLimit().within((int) Math.min(pushdown().pageSize(), Integer.MAX_VALUE));
    // A filter may take the daemon long to find rows that nobody waits for yet.
    return prepared().hasFilter() ? limit.within(limit.atATime()) : limit;
  }

  private ReadRequest template(boolean mayFilter) {
    Scan scan = read.scan();
    ReadRequest.Builder request =
        ReadRequest.newBuilder()
            .setVersion(Protocol.VERSION)
            .setDirectory(guards.directory())
            .addAllFile(guards.names())
            .setReadPoint(read.readPoint())
            .addRange(range);
    if (!scan.getCacheBlocks()) {
      request.setCacheBlocks(false);
    }
    if (!scan.isGetScan()) {
      // As HBase looks at its own limits, also where nothing is found.
      request.setMaxBlockBytes(Math.max(0, context.maxBlockBytes()));
    }
    if (order.reversed()) {
      request.setReversed(true);
    }
    Pushdown pushed = context.pushdown(read, isSole, node, mayFilter, mayFill());
    pushdown = pushed;
    settleFilter(null);
    String filterClass = pushed.filterClass();
    filterTry = filterClass == null ? null : new FilterTry(node, filterClass);
    pushed.addTo(request, oldestUnexpired);
    MobWish large = read.isMob() ? pushed.mobWish(context.confidentiality().admitsAll()) : null;
    if (large != null && !request.getNoValues()) {
      request.setMob(large);
    }
    if (request.hasFilter()) {
      InStorageMetrics.get().pushedFilter(request.getFilterScope());
    }
    isWhole = isWhole(request, pushed);
    if (fill != null && (!isWhole || guards.maxSequenceId() > read.readPoint())) {
      abandonFill();
    }
    if (isWhole && request.hasOldestUnexpired()) {
      // A filter of whole rows would see what HBase's does not.
      request.setOldestUnexpired(Math.max(0, cutOff(oldestUnexpired)));
    }
    return request.build();
  }

  // What has expired nobody will see again, and nothing else may be missing.
  private boolean isWhole(ReadRequest.Builder request, Pushdown pushed) {
    return (!request.hasFilter() || pushed.isOfSlice())
        && !request.getNoValues()
        && !request.hasMinTimestamp()
        && !request.hasMaxTimestamp()
        && (request.getColumnCount() == 0 || read.scan().isGetScan());
  }

  /**
   * Whether it is asked for as the cache wants it. The Gets of a call ask for the same, also the
   * one whose row another read fetches: else all behind it would go alone.
   */
  private boolean mayFill() {
    return read.multiGet() == null ? fill != null : read.fills();
  }

  private void trim(ReadRequest.Builder request) {
    pushdown().trim(request);
    if (!mayFill() && request.hasTrimVersions() && request.getColumnCount() > 0) {
      request.setTrimBehindColumns(true);
    }
    if (mayFill() && isWhole && request.hasTrimVersions()) {
      // A row with a gap is not cached, one with some more versions may be.
      request.setTrimVersions(Math.max(request.getTrimVersions(), CACHED_VERSIONS));
    }
    if (fill != null
        && request.hasTrimColumns()
        && pushdown().isOfSlice()
        && read.multiGet() == null) {
      // The Gets of a call ask for the same, and what is too long of some would come in vain.
      int asked = request.getTrimColumns();
      request.setTrimColumns(
          Math.max(asked, CACHED_COLUMNS * Math.min(asked, MAX_CACHED_COLUMNS / CACHED_COLUMNS)));
    }
  }

  private HedgedRead send(ReadRequest.Builder request, @Nullable Position place, int bytes) {
    abandonCall();
    if (growth.mayTrim()) {
      trim(request);
    }
    if (growth.rows() > 0) {
      // The rest of the rows that the client takes now, or of those it takes the next time.
      request.setMaxRows(growth.rows());
    }
    from = place;
    hasAsked = true;
    HedgedRead sent =
        new HedgedRead(context, node, request.setMaxBytes(bytes).build(), read.scan().isGetScan());
    callBytes = bytes;
    context.buffers().hold(bytes);
    call = sent;
    return sent;
  }

  /**
   * Waits for the answer under way. Its bytes are held from the buffers of all reads; the caller
   * gives them back.
   *
   * @throws DaemonException if it did not come, or is not one: another request has no better chance
   */
  NodeBatch await() throws IOException {
    while (true) {
      try {
        return take();
      } catch (DaemonException e) {
        boolean isFilters = e.reason() == Reason.FILTER || e.reason() == Reason.FILTER_FAILED;
        String filterClass = pushdown().filterClass();
        if (!isFilters || filterClass == null) {
          throw e;
        }
        askWithoutFilter(filterClass, e);
      }
    }
  }

  private NodeBatch take() throws IOException {
    long start = System.nanoTime();
    NodeBatch received =
        answerToAll != null
            ? takeFrom(answerToAll)
            : takeFrom(requireNonNull(call, "nothing was asked"));
    checkProgress(received);
    context.succeeded(node, guards::paths, pushdown(), endedMillis);
    settleFilter(node);
    context.buffers().hold(received.bytes() - (call == null ? 0 : callBytes));
    call = null;
    context.arrived().accept(received.bytes());
    untoldNanos += System.nanoTime() - start;
    long millis = TimeUnit.NANOSECONDS.toMillis(untoldNanos);
    StorageReads.count(received.storageReads(), millis);
    untoldNanos -= TimeUnit.MILLISECONDS.toNanos(millis);
    fill(received);
    growth.received(
        received.count(),
        received.bytes(),
        growth.rows() > 0 ? received.completeRows(order.comparator()) : 0);
    return received;
  }

  private NodeBatch takeFrom(HedgedRead asked) throws IOException {
    try {
      return asked.await(order.comparator());
    } finally {
      node = asked.node();
      endedMillis = asked.endedMillis();
    }
  }

  private NodeBatch takeFrom(MultiGet.Answer answer) throws IOException {
    MultiGet others = requireNonNull(read.multiGet(), "only its Gets share an answer");
    NodeBatch taken = takeRow(answer);
    while (taken == null) {
      // The budget of the answer ended before this row: the next one begins with a later one.
      MultiGet.Answer rest = askWithOthers(others);
      if (rest == null) {
        answerToAll = null;
        firstAlone();
        return takeFrom(requireNonNull(call, "it was asked just now"));
      }
      answerToAll = rest;
      taken = takeRow(rest);
    }
    answerToAll = null;
    return taken;
  }

  private @Nullable NodeBatch takeRow(MultiGet.Answer answer) throws IOException {
    try {
      return answer.take(read.scan().getStartRow());
    } finally {
      node = answer.node();
      endedMillis = answer.endedMillis();
    }
  }

  private void askWithoutFilter(String filterClass, DaemonException failure) {
    InStorageMetrics.get().fellBack(failure.reason());
    // Of HBase's classes only this filter is to blame if it failed: others of the class are sent.
    if (failure.reason() == Reason.FILTER || pushdown().hasForeignFilter()) {
      LOG.info("{} does not use the filter {}", node, filterClass, failure);
      context.health().failedFilter(node, filterClass);
    } else {
      LOG.debug("{} does not use this filter {}", node, filterClass, failure);
    }
    answerToAll = null;
    template = template(false);
    if (from == null) {
      firstAlone();
    } else {
      next(from, false);
    }
  }

  private void checkProgress(NodeBatch received) throws DaemonException {
    try {
      if (from != null
          && received.count() > 0
          && order.isBefore(received.cell(0), received.file(0), from)) {
        throw new DaemonException(Reason.BAD_ANSWER, "The answer begins before " + from);
      }
      if (received.count() > 0
          && (order.isBefore(received.cell(0), range)
              || order.isBehind(received.cell(received.count() - 1), range))) {
        throw new DaemonException(Reason.BAD_ANSWER, "The answer has rows that nobody asked for");
      }
      Position next = received.next();
      if (next == null) {
        return;
      }
      Cell nextKey = Positions.seekKey(next);
      if (from != null && order.compare(nextKey, Positions.seekKey(from)) < 0
          || received.count() > 0 && !isBehindAll(next, received)) {
        throw new DaemonException(Reason.BAD_ANSWER, "The answer goes back to " + nextKey);
      }
      if (order.isBehind(nextKey, range)) {
        throw new DaemonException(Reason.BAD_ANSWER, "The answer goes on beyond its rows");
      }
      if (received.count() == 0) {
        // A reader that waited through such answers would not look at its own limits meanwhile.
        throw new DaemonException(Reason.BAD_ANSWER, "No cell, and not the end");
      }
    } catch (RuntimeException e) {
      throw new DaemonException(Reason.BAD_ANSWER, e);
    }
  }

  /** Else its last cell would come again, in each answer, and a reader never get on. */
  private boolean isBehindAll(Position next, NodeBatch received) {
    int last = received.count() - 1;
    return order.isBefore(received.cell(last), received.file(last), next);
  }

  private void fill(NodeBatch received) {
    if (fill == null) {
      return;
    }
    try {
      fill.received(received, prepared(), from);
    } catch (RuntimeException e) {
      // A defect of the cache must not become one of the read.
      LOG.warn("What {} sent of {} does not go into the cache", node, guards.paths(), e);
      abandonFill();
    }
  }

  /** The node is not asked again: HBase's own path takes over, for the reason given. */
  void giveUp(DaemonException failure) {
    String filterClass = pushdown().filterClass();
    if (failure.reason() == Reason.TIMEOUT
        && filterClass != null
        && pushdown().hasForeignFilter()) {
      // The daemon can end an evaluation by HBase's own filters, but not by this one.
      context.health().failedFilter(node, filterClass);
      context.health().untried(node, guards::paths);
    } else {
      context.failed(node, guards.paths(), failure, endedMillis);
    }
    InStorageMetrics.get().fellBack(failure.reason());
    String message = "{}: {} of {} go on over HBase's own path";
    if (failure.reason() == Reason.BAD_ANSWER) {
      // A defect, of a daemon or of this class; all else is everyday life.
      LOG.warn(message, failure.reason(), guards.paths(), node, failure);
    } else {
      LOG.debug(message, failure.reason(), guards.paths(), node, failure);
    }
    close();
  }

  /** Nothing is wanted any more. May be called more than once. */
  void close() {
    abandonFill();
    answerToAll = null;
    abandonCall();
    if (!hasAsked) {
      context.health().untried(node, guards::paths);
    }
    settleFilter(null);
  }

  /**
   * Gives the try of a filter's class back, once, unless {@code usedBy} has used it, which was
   * told.
   *
   * @param usedBy null: nobody has, or whether anybody has is told
   */
  private void settleFilter(@Nullable StorageNode usedBy) {
    FilterTry last = filterTry;
    filterTry = null;
    if (last != null && !last.node.equals(usedBy)) {
      context.health().untriedFilter(last.node, last.filterClass);
    }
  }

  private void abandonFill() {
    if (fill != null) {
      fill.abandon();
      fill = null;
    }
  }

  private void abandonCall() {
    if (call != null) {
      call.abandon();
      call = null;
      context.buffers().hold(-callBytes);
    }
  }
}
