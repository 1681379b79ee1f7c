package io.ishbase.plugin.scan;

import static java.util.Objects.requireNonNull;

import io.ishbase.core.Gate;
import io.ishbase.core.Reason;
import io.ishbase.core.RowGroups;
import io.ishbase.plugin.node.DaemonException;
import io.ishbase.plugin.node.ReadBuffers;
import io.ishbase.plugin.node.StorageNode;
import io.ishbase.protocol.Positions;
import io.ishbase.protocol.Protocol;
import io.ishbase.protocol.generated.IssnProtos.ReadRequest;
import io.ishbase.protocol.generated.IssnProtos.RowRange;
import java.io.IOException;
import java.lang.ref.Cleaner;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Predicate;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellComparator;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.client.RegionInfo;
import org.apache.hadoop.hbase.ipc.RpcCall;
import org.apache.hadoop.hbase.ipc.RpcServer;
import org.apache.hadoop.hbase.shaded.protobuf.generated.ClientProtos;
import org.apache.hadoop.hbase.util.Bytes;
import org.apache.hbase.thirdparty.com.google.common.collect.MapMaker;
import org.apache.hbase.thirdparty.com.google.protobuf.ByteString;
import org.apache.hbase.thirdparty.com.google.protobuf.UnsafeByteOperations;
import org.jspecify.annotations.Nullable;

/**
 * The Gets of one {@code multi} call for one store. HBase carries them out one after the other, on
 * one thread; the first asks each storage node for the rows of all, and the others take theirs from
 * the answer.
 *
 * <p>Each Get stays what it was: it has its own read point, its own scanners and guards, and its
 * own way home. It takes its row from the answer only if it would have asked the same of the same
 * files, and if they hold nothing between the two read points. A call that runs for another user or
 * through a coprocessor that changes Gets thus finds nothing of use, and asks for itself.
 *
 * <p>Relies on HBase 2.6: {@code RpcServer.getCurrentCall} gives the call that the thread works on.
 */
public final class MultiGet {
  /** Those of the call that the thread works on; replaced with the next call. */
  private static final ThreadLocal<Call> CURRENT = new ThreadLocal<>();

  /**
   * What has come for the multi-gets of each call. HBase may break a call off, whose answer is too
   * large, without a word: then they go with the call, not with the next one of its thread.
   */
  private static final Map<RpcCall, Map<MultiGet, List<Answer>>> ANSWERS =
      new MapMaker().weakKeys().makeMap();

  /** Releases what answers hold that nobody has ended: HBase breaks calls off without a word. */
  private static final Cleaner CLEANER = Cleaner.create();

  /**
   * A call, as the thread that works on it sees it. Once none of its multi-gets is at work it holds
   * nothing of the call, of which no more may come.
   */
  private static final class Call {
    private final WeakReference<RpcCall> rpc;
    private final Map<String, TreeMap<byte[], MultiGet>> byStoreAndRow = new HashMap<>();
    private final List<MultiGet> multiGets = new ArrayList<>();

    /** What its answers hold: not the answers, which may be gone with HBase's call. */
    private final List<Cleaner.Cleanable> held = new ArrayList<>();

    /** Multi-gets at work. */
    private int open;

    /** Held on to while a multi-get is at work; null: none is. */
    private @Nullable GetKinds kindsAtWork;

    private WeakReference<GetKinds> kinds = new WeakReference<>(null);

    private Call(RpcCall rpc) {
      this.rpc = new WeakReference<>(rpc);
    }

    /** That of {@code now}, if the thread has been here for it before; else null. */
    static @Nullable Call current(@Nullable RpcCall now) {
      Call call = CURRENT.get();
      return now != null && call != null && call.rpc.get() == now ? call : null;
    }

    static Call begin(RpcCall now) {
      Call before = CURRENT.get();
      if (before != null) {
        // HBase did not carry out all of it: too large an answer, a coprocessor, a failure.
        before.multiGets.forEach(MultiGet::forgetTiming);
        before.endAnswers();
      }
      Call call = new Call(now);
      CURRENT.set(call);
      return call;
    }

    @Nullable MultiGet find(String store, byte[] row) {
      TreeMap<byte[], MultiGet> ofStore = byStoreAndRow.get(store);
      return ofStore == null ? null : ofStore.get(row);
    }

    GetKinds kinds(ClientProtos.MultiRequest request) {
      GetKinds known = kindsAtWork == null ? kinds.get() : kindsAtWork;
      if (known == null) {
        known = new GetKinds(request);
        kinds = new WeakReference<>(known);
      }
      return known;
    }

    void add(MultiGet multiGet, GetKinds ofCall) {
      open++;
      kindsAtWork = ofCall;
      multiGets.add(multiGet);
      TreeMap<byte[], MultiGet> ofStore =
          byStoreAndRow.computeIfAbsent(
              multiGet.store, store -> new TreeMap<>(Bytes.BYTES_COMPARATOR));
      multiGet.rows.keySet().forEach(row -> ofStore.putIfAbsent(row, multiGet));
    }

    void ended() {
      if (--open == 0) {
        multiGets.forEach(multiGet -> multiGet.kind.settled().remove(multiGet.store));
        multiGets.clear();
        byStoreAndRow.clear();
        kindsAtWork = null;
        endAnswers();
      }
    }

    /** Whether it is the one that HBase works on now: it closes a call's scanners behind it. */
    boolean isUnderWay() {
      RpcCall now = RpcServer.getCurrentCall().orElse(null);
      return now != null && rpc.get() == now;
    }

    private void endAnswers() {
      held.forEach(Cleaner.Cleanable::clean);
      held.clear();
      RpcCall ended = rpc.get();
      Map<MultiGet, List<Answer>> kept = ended == null ? null : ANSWERS.remove(ended);
      if (kept != null) {
        kept.values().forEach(answers -> answers.forEach(Answer::end));
      }
    }
  }

  /** Which way all of them go, and what wants to know how long it took. */
  private record Timing(Gate gate, Gate.Choice choice) {}

  /** Names the store. */
  private final String store;

  /** The rows of the Gets, and how many Gets there are of each. */
  private final TreeMap<byte[], Integer> rows;

  private final Call call;

  private final GetKinds.Kind kind;

  private final int gets;
  private int left;

  private @Nullable Timing timing;
  private long spentNanos;

  private MultiGet(String store, TreeMap<byte[], Integer> rows, Call call, GetKinds.Kind kind) {
    this.store = store;
    this.rows = rows;
    this.call = call;
    this.kind = kind;
    this.gets = rows.values().stream().mapToInt(Integer::intValue).sum();
    this.left = gets;
  }

  /**
   * The Gets that are carried out together with the one of {@code row} now, and that need storage;
   * null if it is alone.
   *
   * @param store names the store in the process
   * @param isAtHand whether a row of the call is here already, for such Gets
   */
  public static @Nullable MultiGet of(
      String store, RegionInfo region, byte[] row, Predicate<byte[]> isAtHand) {
    RpcCall now = RpcServer.getCurrentCall().orElse(null);
    if (now == null || !(now.getParam() instanceof ClientProtos.MultiRequest request)) {
      return null;
    }
    Call current = Call.current(now);
    Call call = current == null ? Call.begin(now) : current;
    MultiGet known = call.find(store, row);
    if (known != null) {
      return known;
    }
    GetKinds kinds = call.kinds(request);
    GetKinds.Kind kind = kinds.of(region.getRegionName(), row);
    if (kind == null || kind.count() < 2 || !kind.settled().add(store)) {
      return null;
    }
    TreeMap<byte[], Integer> rows = kind.from(row);
    rows.keySet().removeIf(other -> !Arrays.equals(other, row) && isAtHand.test(other));
    if (rows.size() < 2) {
      return null;
    }
    RowGroups.of(rows, Protocol.MAX_RANGES, Protocol.MAX_PUSHED_BYTES)
        .forEach(group -> call.add(new MultiGet(store, group, call, kind), kinds));
    return call.find(store, row);
  }

  /** Says that the Get of {@code row} needs no storage after all. */
  public static void served(String store, byte[] row) {
    Call call = Call.current(RpcServer.getCurrentCall().orElse(null));
    MultiGet multiGet = call == null ? null : call.find(store, row);
    if (multiGet != null) {
      multiGet.ended(0);
    }
  }

  /**
   * An answer, here or on its way, that has the row that {@code request} asks for; null if the
   * request is not like those of the other Gets.
   *
   * @param maxSequenceId greatest sequence id of the files; greater than any read point if unknown
   * @param leastBytes size of an answer that is still to be asked for, where buffers are full
   * @param maxBytes its size else
   */
  @Nullable Answer answer(
      ReadContext context,
      StorageNode node,
      ReadRequest request,
      byte[] row,
      long maxSequenceId,
      int leastBytes,
      int maxBytes,
      CellComparator comparator) {
    ReadRequest common = common(request);
    SortedMap<byte[], Integer> missing = rows;
    List<Answer> answers = answers();
    for (Answer answer : answers) {
      if (!answer.node().equals(node)
          || !answer.common.getDirectory().equals(common.getDirectory())
          || !answer.common.getFileList().equals(common.getFileList())) {
        continue;
      }
      if (!answer.common.equals(common) || answer.failure != null) {
        // Whoever is let through after a failure asks for itself.
        return null;
      }
      if (answer.asksFor(row) && answer.isGoodFor(request, maxSequenceId)) {
        if (!answer.endsBefore(row)) {
          return answer;
        }
        byte[] endRow = requireNonNull(answer.endRow(), "it ends before a row");
        missing = rows.tailMap(endRow, answer.endsBefore(endRow));
      }
    }
    int bytes = context.buffers().take(maxBytes, leastBytes);
    ReadRequest.Builder all = request.toBuilder().clearRange().setMaxBytes(bytes);
    for (byte[] each : missing.keySet()) {
      ByteString key = UnsafeByteOperations.unsafeWrap(each);
      all.addRange(RowRange.newBuilder().setStartRow(key).setStopRow(key).setIncludeStop(true));
    }
    Answer answer;
    try {
      answer = new Answer(node, common, all.build(), missing, context, comparator, bytes);
    } catch (RuntimeException e) {
      context.buffers().hold(-bytes);
      throw e;
    }
    answers.add(answer);
    call.held.add(answer.release);
    return answer;
  }

  private List<Answer> answers() {
    RpcCall now = call.rpc.get();
    return now == null
        ? new ArrayList<>()
        : ANSWERS
            .computeIfAbsent(now, each -> new HashMap<>())
            .computeIfAbsent(this, each -> new ArrayList<>());
  }

  /** The route of all the Gets: {@code chooser} is asked once. */
  public Gate.Choice route(Gate chooser) {
    Timing chosen = timing;
    if (chosen == null) {
      chosen = new Timing(chooser, chooser.choose());
      timing = chosen;
    }
    return chosen.choice;
  }

  /** Says that a Get has ended, whichever way it went, and what time it took. */
  public void ended(long nanos) {
    spentNanos += nanos;
    if (!call.held.isEmpty() && !call.isUnderWay()) {
      // No Get is to come, also if HBase broke off before some.
      call.endAnswers();
    }
    if (--left != 0) {
      return;
    }
    call.ended();
    Timing chosen = timing;
    if (chosen != null) {
      chosen.gate.observe(chosen.choice, (double) spentNanos / gets);
    }
  }

  /** How many calls have answers that are kept. */
  public static int callsWithAnswers() {
    return ANSWERS.size();
  }

  /** How many there are of the thread's call that have Gets to come. */
  public static int atWork() {
    Call call = CURRENT.get();
    return call == null ? 0 : call.multiGets.size();
  }

  private void forgetTiming() {
    Timing chosen = timing;
    if (chosen != null && left > 0) {
      chosen.gate.forget(chosen.choice);
    }
  }

  /** Whom Gets of the call have asked, without those that failed. */
  Set<StorageNode> asked() {
    Set<StorageNode> asked = new HashSet<>();
    for (Answer answer : answers()) {
      if (answer.failure == null) {
        asked.add(answer.node());
      }
    }
    return asked;
  }

  // What two Gets of a call have in common if one answer does for both.
  private static ReadRequest common(ReadRequest request) {
    return request.toBuilder()
        .clearRange()
        .setReadPoint(0)
        .clearOldestUnexpired()
        .clearMaxBytes()
        .build();
  }

  /** What an answer holds of the buffers of all reads, beside the rows that were taken. */
  private static final class Held implements Runnable {
    private final ReadBuffers buffers;
    private int bytes;
    private boolean isReleased;

    /** Of bytes that are held. */
    Held(ReadBuffers buffers, int bytes) {
      this.buffers = buffers;
      this.bytes = bytes;
    }

    synchronized void set(int now) {
      if (isReleased) {
        return;
      }
      buffers.hold(now - bytes);
      bytes = now;
    }

    synchronized void lessBy(int taken) {
      set(Math.max(0, bytes - taken));
    }

    @Override
    public synchronized void run() {
      set(0);
      isReleased = true;
    }
  }

  /** What a storage node says to all Gets of a call. */
  static final class Answer {
    private final ReadRequest common;
    private final ReadRequest request;
    private final SortedMap<byte[], Integer> rows;
    private final CellComparator comparator;
    private final Held held;
    private final Cleaner.Cleanable release;
    private StorageNode node;
    private long endedMillis;

    /** Null once it has ended: it would hold what came beside what is made of it. */
    private @Nullable HedgedRead call;

    private @Nullable NodeBatch batch;
    private @Nullable DaemonException failure;

    private Answer(
        StorageNode node,
        ReadRequest common,
        ReadRequest request,
        SortedMap<byte[], Integer> rows,
        ReadContext context,
        CellComparator comparator,
        int bytes) {
      this.common = common;
      this.request = request;
      this.rows = rows;
      this.comparator = comparator;
      this.node = node;
      this.call = new HedgedRead(context, node, request, false);
      this.held = new Held(context.buffers(), bytes);
      this.release = CLEANER.register(this, held);
    }

    /** Nobody comes for it any more. */
    private void end() {
      if (call != null) {
        call.abandon();
      }
    }

    /** The node that is asked, or has answered in its place. */
    StorageNode node() {
      return node;
    }

    /** When it came, or failed; of one that has. */
    long endedMillis() {
      return endedMillis;
    }

    /** Not if it is the rest of an earlier one, and the row was in that. */
    private boolean asksFor(byte[] row) {
      return rows.containsKey(row);
    }

    /** Whether a Get that would send {@code asked} may take its row from here. */
    private boolean isGoodFor(ReadRequest asked, long maxSequenceId) {
      return request.getOldestUnexpired() <= asked.getOldestUnexpired()
          && (request.getReadPoint() == asked.getReadPoint()
              || maxSequenceId <= Math.min(request.getReadPoint(), asked.getReadPoint()));
    }

    /** Whether its budget ended before anything of the row was looked at. */
    private boolean endsBefore(byte[] row) {
      byte[] endRow = endRow();
      if (batch == null || endRow == null) {
        return false;
      }
      int order = Bytes.compareTo(row, endRow);
      return order > 0 || order == 0 && !batch.has(row);
    }

    /**
     * The row in which or before which its budget ended; null if it did not, or is not known to.
     */
    private byte @Nullable [] endRow() {
      return batch == null || batch.next() == null
          ? null
          : CellUtil.cloneRow(Positions.seekKey(batch.next()));
    }

    /**
     * The answer, if it is one that gets on: whoever finds that its row is not in it asks for what
     * lies behind the answer's end.
     */
    private NodeBatch checked(NodeBatch received) throws DaemonException {
      byte[] first = request.getRange(0).getStartRow().toByteArray();
      byte[] last = request.getRange(request.getRangeCount() - 1).getStopRow().toByteArray();
      int count = received.count();
      if (count > 0
          && (comparator.compareRows(received.cell(0), first, 0, first.length) < 0
              || comparator.compareRows(received.cell(count - 1), last, 0, last.length) > 0)) {
        throw new DaemonException(Reason.BAD_ANSWER, "The answer has rows that nobody asked for");
      }
      if (received.next() == null) {
        return received;
      }
      Cell end = Positions.seekKey(received.next());
      int order = comparator.compareRows(end, first, 0, first.length);
      boolean getsOn = order > 0 || order == 0 && received.has(first);
      if (!getsOn) {
        throw new DaemonException(Reason.BAD_ANSWER, "The answer goes back to " + end);
      }
      return received;
    }

    /**
     * The cells of {@code row}.
     *
     * @return null if the budget of the answer ended before it
     * @throws DaemonException if there is no answer, or none that can be used
     */
    @Nullable NodeBatch take(byte[] row) throws IOException {
      if (failure != null) {
        throw new DaemonException(failure);
      }
      NodeBatch received = batch == null ? receive(requireNonNull(call, "it failed")) : batch;
      if (endsBefore(row)) {
        return null;
      }
      NodeBatch taken = received.ofRow(row, Arrays.equals(row, endRow()) ? received.next() : null);
      // From now on its taker holds them.
      held.lessBy(taken.bytes());
      return taken;
    }

    private NodeBatch receive(HedgedRead asked) throws IOException {
      try {
        NodeBatch received = checked(asked.await(comparator));
        batch = received;
        call = null;
        held.set(received.bytes());
        return received;
      } catch (DaemonException e) {
        failure = e;
        call = null;
        held.set(0);
        throw new DaemonException(e);
      } finally {
        node = asked.node();
        endedMillis = asked.endedMillis();
      }
    }
  }
}
