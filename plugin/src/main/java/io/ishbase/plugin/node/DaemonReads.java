package io.ishbase.plugin.node;

import static java.util.Objects.requireNonNull;

import io.ishbase.core.Allowance;
import io.ishbase.core.Latency;
import io.ishbase.core.Reason;
import io.ishbase.core.Replicas;
import io.ishbase.core.Sharing;
import io.ishbase.core.Wait;
import io.ishbase.plugin.metrics.InStorageMetrics;
import io.ishbase.protocol.generated.IssnProtos.IssnService;
import io.ishbase.protocol.generated.IssnProtos.LineRequest;
import io.ishbase.protocol.generated.IssnProtos.ReadRequest;
import io.ishbase.protocol.generated.IssnProtos.ReadResponse;
import io.ishbase.protocol.generated.IssnProtos.SharedReadRequest;
import io.ishbase.protocol.generated.IssnProtos.SharedReadResponse;
import io.opentelemetry.context.Scope;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BiConsumer;
import java.util.function.LongSupplier;
import org.apache.hadoop.hbase.ipc.HBaseRpcController;
import org.apache.hadoop.hbase.ipc.HBaseRpcControllerImpl;
import org.apache.hbase.thirdparty.com.google.common.util.concurrent.ThreadFactoryBuilder;
import org.apache.hbase.thirdparty.com.google.protobuf.RpcCallback;
import org.jspecify.annotations.Nullable;

/**
 * The reads that this process asks of one daemon. Small ones share requests ({@link Sharing}): Gets
 * and first batches of scans, without a filter or large objects, which might hold up the others.
 * All else goes alone.
 *
 * <p>How long answers take is known by kind ({@link Latency}). A reader whose shared answer is late
 * may ask again alone, so that a slow row, or a slow answer to others, holds nobody up for long, or
 * ask elsewhere ({@code HedgedRead}). It does so on its own thread. Of a request under way that is
 * an extra one, which an {@link Allowance} bounds.
 *
 * <p>A daemon that does not even say that it is there is silent: its readers' calls fail at once,
 * and as {@link NodeHealth} gives up the connection so do those of all others.
 *
 * <p>Thread safe. Means are updated without a lock: a lost update costs nothing.
 */
final class DaemonReads {
  /** Requests under way beyond which reads wait: more would only wait for processors. */
  static final int FEW = Math.max(2, Runtime.getRuntime().availableProcessors());

  /** Reads of one request. */
  private static final int MOST_READS = 16;

  /** Of answers that come together, as far as their sizes are known ahead. */
  private static final int ANSWER_BYTES = 64 << 10;

  /** Of requests and answers of reads that may share. */
  private static final int MAX_SMALL_REQUEST_BYTES = 16 << 10;

  private static final int MAX_SMALL_ANSWER_BYTES = 64 << 10;
  private static final int MAX_SMALL_RANGES = 4;

  /** A mean counts the last measurement with one part in so many. */
  private static final int WEIGHT = 16;

  /** Kinds of requests: shared, small ones alone, others by size, ranges, filter, large objects. */
  private static final int SHARED = 0;

  private static final int SMALL = 1;
  private static final int LARGE = 2;
  private static final int[] SIZES = {64 << 10, 256 << 10};
  private static final int KINDS = LARGE + 8 * (SIZES.length + 1);

  /** A request has this part of the time-out left, or its daemon would be blamed for others. */
  private static final int LEAST_PART_OF_TIMEOUT = 4;

  /**
   * Reads that tell all that they name after a handle that the daemon did not know: where it
   * forgets handles before they are used again, few reads go twice.
   */
  private static final int TELLING_READS = 16;

  private static final int IDLE_SECONDS = 1;

  /**
   * Sends after a failure. HBase's thread walks over all calls of a connection while it fails them,
   * and a request that was sent from there would be one of them.
   */
  private static final Executor AFTER_FAILURE = afterFailure();

  /** A sign that takes so many times as long as a daemon may be silent is given up. */
  private static final int SIGN_WAITS = 2;

  /**
   * Between a sign that has failed and the next, of a daemon of which nobody waits for a read. It
   * doubles with each sign in turn that cannot be sent: HBase says every one of them in the log.
   */
  private static final long SIGN_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  private static final int MOST_DOUBLINGS = 5;

  private final IssnService.Stub stub;
  private final IssnService.Stub signs;
  private final Runnable cutSigns;
  private final int timeoutMillis;
  private final int sharedReads;
  private final boolean knowsHandles;

  /** Reads that have still to tell all; below zero means none. */
  private final AtomicInteger telling = new AtomicInteger();

  private final BiConsumer<PendingRead, ReadResponse> arrived;
  private final @Nullable Sharing<PendingRead> sharing;

  private final Latency latency;
  private final LongSupplier lineNanos;

  /** Whether answers may be late at all, and the daemon silent. */
  private final boolean hedges;

  private final Allowance extras;
  private final long sinceNanos = System.nanoTime();
  private volatile long meanBytes;

  /** Of small reads, shared or alone; 0: not known. */
  private volatile long usualNanos;

  /** Answers of the daemon to anything. */
  private final AtomicLong answers = new AtomicLong();

  /** How many it had given when it came into doubt: with the next one it is in doubt no more. */
  private final AtomicLong doubtedAnswers = new AtomicLong(-1);

  private final AtomicBoolean isAskedForSign = new AtomicBoolean();

  /** When a sign failed last; 0: none has. */
  private volatile long signFailedNanos;

  /** Signs in turn that could not be sent; a lost update costs nothing. */
  private volatile int signsUnsent;

  private volatile boolean knowsSigns;

  /** Whether a sign has come over the connection that signs have. */
  private final AtomicBoolean haveSignsCome = new AtomicBoolean();

  /**
   * That the daemon was silent.
   *
   * @param atNanos what was sent before it has failed
   */
  private record FoundSilent(long atNanos, DaemonException failure) {}

  /** The last one; written under the monitor. */
  private volatile @Nullable FoundSilent silence;

  /**
   * @param signs over another connection than {@code stub}'s: a sign of life must not wait behind
   *     large answers
   * @param cutSigns gives up that connection
   * @param sharedReads reads of one request that the daemon takes
   * @param knowsHandles whether the daemon knows handles
   * @param mayShare whether requests are shared at all
   * @param hedgePercent extra requests because of late answers, of all; 0: none is late
   * @param lineNanos for which an answer may wait for what else the line carries
   * @param arrived takes the answer to a read
   */
  DaemonReads(
      IssnService.Stub stub,
      IssnService.Stub signs,
      Runnable cutSigns,
      int timeoutMillis,
      int sharedReads,
      boolean knowsHandles,
      boolean mayShare,
      int hedgePercent,
      LongSupplier lineNanos,
      BiConsumer<PendingRead, ReadResponse> arrived) {
    this.stub = stub;
    this.signs = signs;
    this.cutSigns = cutSigns;
    this.timeoutMillis = timeoutMillis;
    this.lineNanos = lineNanos;
    this.arrived = arrived;
    this.sharedReads = sharedReads;
    this.knowsHandles = knowsHandles;
    this.latency = new Latency(KINDS, TimeUnit.MILLISECONDS.toNanos(timeoutMillis));
    this.hedges = hedgePercent > 0;
    this.extras = new Allowance(hedgePercent);
    this.sharing =
        mayShare && sharedReads > 1
            ? new Sharing<>(FEW, Math.min(MOST_READS, sharedReads), this::send)
            : null;
  }

  private static Executor afterFailure() {
    ThreadPoolExecutor executor =
        new ThreadPoolExecutor(
            1,
            1,
            IDLE_SECONDS,
            TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(),
            new ThreadFactoryBuilder().setDaemon(true).setNameFormat("ishbase-sharing").build());
    executor.allowCoreThreadTimeOut(true);
    return executor;
  }

  /** Reads of one request that the daemon takes. */
  int sharedReads() {
    return sharedReads;
  }

  /** Whether the daemon knows handles. */
  boolean knowsHandles() {
    return knowsHandles;
  }

  /** How far the daemon has begun, from 0 to 1. */
  double begun() {
    return Replicas.begun(answers.get(), System.nanoTime() - sinceNanos);
  }

  IssnService.Stub stub() {
    return stub;
  }

  /** Sends the read, or has it sent with others. Does not wait. */
  void send(PendingRead read) {
    if (sharing != null && isSmall(read.request())) {
      sharing.send(read);
    } else {
      sendAlone(read, null);
    }
  }

  private static boolean isSmall(ReadRequest request) {
    return !request.hasFilter()
        && !request.hasMob()
        && !request.hasFrom()
        && request.hasMaxBytes()
        && request.getMaxBytes() <= MAX_SMALL_ANSWER_BYTES
        && request.getRangeCount() <= MAX_SMALL_RANGES
        && request.getSerializedSize() <= MAX_SMALL_REQUEST_BYTES;
  }

  /**
   * Of what kind a request is that goes alone. A range of a request is mostly a row, a filter may
   * make the daemon read much more than it sends.
   */
  private static int kind(ReadRequest request) {
    if (isSmall(request)) {
      return SMALL;
    }
    int size = 0;
    while (size < SIZES.length && request.getMaxBytes() > SIZES[size]) {
      size++;
    }
    return LARGE
        + 8 * size
        + (request.hasMob() ? 4 : 0)
        + (request.getRangeCount() > MAX_SMALL_RANGES ? 2 : 0)
        + (request.hasFilter() ? 1 : 0);
  }

  private void send(List<PendingRead> reads) {
    if (reads.size() == 1) {
      sendAlone(reads.get(0), sharing);
    } else {
      sendTogether(reads);
    }
  }

  /**
   * @param countedBy who counts the request; null: nobody
   */
  private void sendAlone(PendingRead read, @Nullable Sharing<PendingRead> countedBy) {
    sendAlone(read, message(read), countedBy);
  }

  private void sendAlone(
      PendingRead read, ReadRequest message, @Nullable Sharing<PendingRead> countedBy) {
    HBaseRpcController controller = controller(read);
    read.sentAlone(controller);
    InStorageMetrics.get().requested(1, message.getSerializedSize());
    InStorageMetrics.get().began();
    long start = System.nanoTime();
    RpcCallback<ReadResponse> taker =
        response -> {
          InStorageMetrics.get().ended();
          try {
            if (response != null) {
              answered(kind(read.request()), System.nanoTime() - start, 1);
            }
            if (countedBy != null) {
              if (response != null) {
                measured(response.getCells().size());
                countedBy.began(1, 1);
              }
              ended(countedBy, response != null);
            }
          } finally {
            if (response != null) {
              took(read, message, response);
            } else if (controller.failed()) {
              read.completeExceptionally(failure(controller.getFailed(), start));
            }
            // Else it was abandoned: nobody waits.
          }
        };
    try (Scope ignored = read.enterTrace()) {
      stub.read(controller, message, taker);
    }
  }

  /** What is sent of a read now. */
  private ReadRequest message(PendingRead read) {
    boolean mayRefer = telling.get() <= 0 || read.set() == null || telling.getAndDecrement() <= 0;
    return ToldSet.message(read.set(), read.request(), mayRefer);
  }

  private void took(PendingRead read, ReadRequest message, ReadResponse response) {
    switch (ToldSet.received(read.set(), message, response)) {
      case ANSWER -> arrived.accept(read, response);
      case UNKNOWN -> tell(read);
      case OTHERS ->
          read.completeExceptionally(
              new DaemonException(Reason.BAD_ANSWER, "The answer to another read"));
    }
  }

  /** The daemon does not know the handle of {@code read}, which goes once more, in full. */
  private void tell(PendingRead read) {
    InStorageMetrics.get().unknownHandle();
    telling.set(TELLING_READS);
    if (!read.isDone()) {
      sendAlone(read, ToldSet.message(read.set(), read.request(), false), null);
    }
  }

  private void sendTogether(List<PendingRead> reads) {
    Sharing<PendingRead> together = requireNonNull(sharing, "nobody shares");
    HBaseRpcController controller = controller(reads.get(0));
    SharedRequest request = new SharedRequest(reads, this::message, controller);
    SharedReadRequest message = request.message();
    InStorageMetrics.get().requested(reads.size(), message.getSerializedSize());
    InStorageMetrics.get().began();
    long start = System.nanoTime();
    RpcCallback<SharedReadResponse> taker =
        response -> {
          InStorageMetrics.get().ended();
          try {
            if (response != null) {
              int begun = SharedRequest.begun(response);
              // As their readers see it, the time in which they waited to be sent belongs to it.
              answered(SHARED, System.nanoTime() - reads.get(0).startNanos(), reads.size());
              measured(response.getSerializedSize() / Math.max(1, begun));
              together.began(begun, reads.size());
            }
            // The next one first: while the daemon works on it, readers are woken up here.
            ended(together, response != null);
          } finally {
            request.ended();
            if (response != null) {
              request.answered(response, arrived, this::sendLater, this::tell);
            } else if (controller.failed()) {
              request.failed(failure(controller.getFailed(), start));
            }
          }
        };
    try (Scope ignored = request.enterTrace()) {
      stub.sharedRead(controller, message, taker);
    }
  }

  private static void ended(Sharing<PendingRead> sharing, boolean isAnswered) {
    if (isAnswered) {
      sharing.ended();
    } else {
      AFTER_FAILURE.execute(sharing::ended);
    }
  }

  /** A read that has waited to be sent, or for another answer, waits for less. */
  private HBaseRpcController controller(PendingRead read) {
    long waited = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - read.startNanos());
    HBaseRpcController controller = new HBaseRpcControllerImpl();
    controller.setCallTimeout(
        (int) Math.max(1 + timeoutMillis / LEAST_PART_OF_TIMEOUT, timeoutMillis - waited));
    return controller;
  }

  /** Takes note of an answer to so many reads. */
  private void answered(int kind, long nanos, int readCount) {
    if (answers.incrementAndGet() == 1 && hedges) {
      askForSign();
    }
    observed(kind, nanos);
    extras.earn(readCount);
  }

  /** Small reads had answers of so many bytes each. */
  private void measured(int bytes) {
    meanBytes += (bytes - meanBytes) / WEIGHT;
    if (sharing != null) {
      sharing.limit((int) (ANSWER_BYTES / Math.max(1, meanBytes)));
    }
  }

  /** A failure of a request that was sent then. */
  private DaemonException failure(IOException failed, long sentNanos) {
    DaemonException failure = DaemonClient.classified(failed);
    if (failure.reason() != Reason.UNREACHABLE) {
      if (failure.reason() != Reason.TIMEOUT) {
        answers.incrementAndGet();
      }
      return failure;
    }
    FoundSilent last = silence;
    return last != null && last.atNanos - sentNanos > 0
        ? new DaemonException(last.failure)
        : failure;
  }

  /** For which an answer may wait for what else a short line carries; 0: it is not short. */
  long lineNanos() {
    return Math.min(lineNanos.getAsLong(), TimeUnit.MILLISECONDS.toNanos(timeoutMillis) / 2);
  }

  /** How the reader of {@code read} waits. */
  Wait waitFor(PendingRead read) {
    if (!hedges) {
      return new Wait(Long.MAX_VALUE, Long.MAX_VALUE, 0, 0);
    }
    return new Wait(
        latency.lateAfterNanos(read.isAlone() ? kind(read.request()) : SHARED),
        latency.silentAfterNanos(lineNanos()),
        System.nanoTime() - read.startNanos(),
        answers());
  }

  /** How long the daemon usually takes for small reads, in nanoseconds; 0: not known. */
  long usualNanos() {
    return usualNanos;
  }

  /** The answer to {@code read} was given up after so long. */
  void observed(PendingRead read, long nanos) {
    observed(read.isAlone() ? kind(read.request()) : SHARED, nanos);
  }

  private void observed(int kind, long nanos) {
    latency.observed(kind, nanos);
    if (kind <= SMALL) {
      usualNanos = usualNanos == 0 ? nanos : usualNanos + (nanos - usualNanos) / WEIGHT;
    }
  }

  /** The daemon has answered nobody for a while, although answers are late. */
  void doubt() {
    if (doubtedAnswers.getAndSet(answers.get()) != answers.get()) {
      signsUnsent = 0;
      InStorageMetrics.get().doubted();
    }
    askForSign();
  }

  /**
   * Whether another daemon is asked rather than this one, which has answered nobody since it came
   * into doubt. As no read may then find out that it is well, it is asked for a sign of life.
   */
  boolean isDoubted() {
    if (doubtedAnswers.get() != answers.get()) {
      return false;
    }
    // Where the port refuses, a sign fails at once, and each read looks here.
    long failed = signFailedNanos;
    if (failed == 0 || System.nanoTime() - failed > signPauseNanos(signsUnsent)) {
      askForSign();
    }
    return true;
  }

  /** For which no sign is asked for behind so many that could not be sent. */
  static long signPauseNanos(int unsent) {
    return SIGN_PAUSE_NANOS << Math.min(unsent, MOST_DOUBLINGS);
  }

  /** How many answers the daemon has given to anything. */
  long answers() {
    return answers.get();
  }

  /** Asks the daemon for nothing, if it is not asked already. */
  void askForSign() {
    if (!isAskedForSign.compareAndSet(false, true)) {
      return;
    }
    long start = System.nanoTime();
    HBaseRpcController controller = new HBaseRpcControllerImpl();
    // One that is given up must not stand for the next one for long. The first one has to wait for
    // its connection.
    long waits =
        haveSignsCome.get()
            ? TimeUnit.NANOSECONDS.toMillis(SIGN_WAITS * latency.silentAfterNanos(lineNanos()))
            : timeoutMillis;
    controller.setCallTimeout((int) waits + 1);
    signs.line(
        controller,
        LineRequest.newBuilder().setBytes(0).build(),
        response -> {
          isAskedForSign.set(false);
          if (response != null) {
            answers.incrementAndGet();
            signed(System.nanoTime() - start);
          } else if (controller.failed()) {
            // That it is too busy is a sign, too.
            DaemonException failure = failure(controller.getFailed(), start);
            signsUnsent = failure.reason() == Reason.UNREACHABLE ? signsUnsent + 1 : 0;
            signFailedNanos = System.nanoTime() | 1;
            if (failure.reason() == Reason.TIMEOUT && haveSignsCome.compareAndSet(true, false)) {
              // The connection may be dead, without a word. One that is being made is let be.
              knowsSigns = false;
              AFTER_FAILURE.execute(cutSigns);
            }
          }
        });
  }

  /** The first one had to wait for its connection. */
  private void signed(long nanos) {
    haveSignsCome.set(true);
    signsUnsent = 0;
    if (knowsSigns) {
      latency.signed(nanos);
    } else {
      knowsSigns = true;
      askForSign();
    }
  }

  /** Asks for a sign, so that the connection for that stays. */
  void keepSigns() {
    if (hedges) {
      askForSign();
    }
  }

  /** The reader of {@code read} has found the daemon silent: how its call fails. */
  synchronized DaemonException silent(PendingRead read) {
    FoundSilent last = silence;
    if (last == null || last.atNanos - read.startNanos() < 0) {
      last =
          new FoundSilent(
              System.nanoTime(),
              new DaemonException(Reason.SILENT, "No answer, and no sign of life"));
      silence = last;
      InStorageMetrics.get().silent();
    }
    return new DaemonException(last.failure);
  }

  /**
   * The shared answer to {@code read} is late.
   *
   * @return whether it is asked alone now
   */
  boolean askAgain(PendingRead read, Wait wait) {
    if (!read.begin() && (read.isAlone() || read.isDone() || !takeExtra())) {
      return false;
    }
    sendLater(read);
    wait.again(latency.lateAfterNanos(kind(read.request())));
    return true;
  }

  private void sendLater(PendingRead read) {
    if (!read.isDone() && !read.isAlone()) {
      InStorageMetrics.get().askedAgain();
      sendAlone(read, null);
    }
  }

  /** Whether a request may be sent because an answer is late. */
  boolean takeExtra() {
    return extras.take();
  }
}
