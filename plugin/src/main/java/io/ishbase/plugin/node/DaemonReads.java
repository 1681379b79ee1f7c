package io.ishbase.plugin.node;

import static java.util.Objects.requireNonNull;

import io.ishbase.core.Sharing;
import io.ishbase.plugin.metrics.InStorageMetrics;
import io.ishbase.protocol.generated.IssnProtos.IssnService;
import io.ishbase.protocol.generated.IssnProtos.ReadRequest;
import io.ishbase.protocol.generated.IssnProtos.ReadResponse;
import io.ishbase.protocol.generated.IssnProtos.SharedReadRequest;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiConsumer;
import org.apache.hadoop.hbase.ipc.HBaseRpcController;
import org.apache.hadoop.hbase.ipc.HBaseRpcControllerImpl;
import org.apache.hbase.thirdparty.com.google.common.util.concurrent.ThreadFactoryBuilder;
import org.jspecify.annotations.Nullable;

/**
 * The reads that this process asks of one daemon. Small ones share requests ({@link Sharing}): Gets
 * and first batches of scans, without a filter, which might hold up the others. All else goes
 * alone.
 *
 * <p>A reader who has waited much longer for a shared answer than answers take asks again alone, so
 * that a slow row, or a slow answer to others, holds nobody up for long. It does so on its own
 * thread. Of a request under way that is an extra one; of these there is one in {@link
 * #READS_PER_EXTRA} reads at most.
 *
 * <p>Thread safe. The means are updated without a lock: a lost update costs nothing.
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

  private static final long LEAST_PATIENCE_NANOS = TimeUnit.MILLISECONDS.toNanos(20);
  private static final int PATIENCE_MEANS = 8;

  /** A request has this part of the time-out left, or its daemon would be blamed for others. */
  private static final int LEAST_PART_OF_TIMEOUT = 4;

  private static final int READS_PER_EXTRA = 20;
  private static final int MAX_EXTRAS = 16;
  private static final int IDLE_SECONDS = 1;

  /**
   * Sends after a failure. HBase's thread walks over all calls of a connection while it fails them,
   * and a request that was sent from there would be one of them.
   */
  private static final Executor AFTER_FAILURE = afterFailure();

  private final IssnService.Stub stub;
  private final int timeoutMillis;
  private final int sharedReads;
  private final BiConsumer<PendingRead, ReadResponse> arrived;
  private final @Nullable Sharing<PendingRead> sharing;

  private volatile long meanNanos = TimeUnit.MILLISECONDS.toNanos(5);
  private volatile long meanBytes;

  /** Extra requests that are still free, times {@link #READS_PER_EXTRA}. */
  private final AtomicInteger extras = new AtomicInteger(MAX_EXTRAS * READS_PER_EXTRA);

  /**
   * @param sharedReads reads of one request that the daemon takes
   * @param mayShare whether requests are shared at all
   * @param arrived takes the answer to a read
   */
  DaemonReads(
      IssnService.Stub stub,
      int timeoutMillis,
      int sharedReads,
      boolean mayShare,
      BiConsumer<PendingRead, ReadResponse> arrived) {
    this.stub = stub;
    this.timeoutMillis = timeoutMillis;
    this.arrived = arrived;
    this.sharedReads = sharedReads;
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
        && !request.hasFrom()
        && request.hasMaxBytes()
        && request.getMaxBytes() <= MAX_SMALL_ANSWER_BYTES
        && request.getRangeCount() <= MAX_SMALL_RANGES
        && request.getSerializedSize() <= MAX_SMALL_REQUEST_BYTES;
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
    HBaseRpcController controller = controller(read);
    read.sentAlone(controller);
    InStorageMetrics.get().requested(1, read.request().getSerializedSize());
    long start = System.nanoTime();
    stub.read(
        controller,
        read.request(),
        response -> {
          try {
            if (countedBy != null) {
              if (response != null) {
                measured(System.nanoTime() - start, response.getCells().size(), 1);
                countedBy.began(1, 1);
              }
              ended(countedBy, response != null);
            }
          } finally {
            if (response != null) {
              arrived.accept(read, response);
            } else if (controller.failed()) {
              read.completeExceptionally(DaemonClient.classified(controller.getFailed()));
            }
            // Else it was abandoned: nobody waits.
          }
        });
  }

  private void sendTogether(List<PendingRead> reads) {
    Sharing<PendingRead> together = requireNonNull(sharing, "nobody shares");
    HBaseRpcController controller = controller(reads.get(0));
    SharedRequest request = new SharedRequest(reads, controller);
    SharedReadRequest message = request.message();
    InStorageMetrics.get().requested(reads.size(), message.getSerializedSize());
    long start = System.nanoTime();
    stub.sharedRead(
        controller,
        message,
        response -> {
          try {
            if (response != null) {
              int begun = SharedRequest.begun(response);
              measured(System.nanoTime() - start, response.getSerializedSize(), Math.max(1, begun));
              together.began(begun, reads.size());
            }
            // The next one first: while the daemon works on it, readers are woken up here.
            ended(together, response != null);
          } finally {
            if (response != null) {
              request.answered(response, arrived, this::sendLater);
            } else if (controller.failed()) {
              request.failed(DaemonClient.classified(controller.getFailed()));
            }
          }
        });
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

  /** Takes note of an answer to so many small reads. */
  private void measured(long nanos, int bytes, int readCount) {
    meanNanos += (nanos - meanNanos) / WEIGHT;
    meanBytes += (bytes / readCount - meanBytes) / WEIGHT;
    if (sharing != null) {
      sharing.limit((int) (ANSWER_BYTES / Math.max(1, meanBytes)));
      extras.getAndUpdate(now -> Math.min(MAX_EXTRAS * READS_PER_EXTRA, now + readCount));
    }
  }

  /** How long a reader waits for a shared answer before it asks again. */
  long patienceNanos() {
    return Math.min(
        TimeUnit.MILLISECONDS.toNanos(timeoutMillis) / 2,
        Math.max(LEAST_PATIENCE_NANOS, PATIENCE_MEANS * meanNanos));
  }

  /** The reader of {@code read} has waited so long. */
  void waitedLong(PendingRead read) {
    if (read.begin() || !read.isAlone() && !read.isDone() && takeExtra()) {
      sendLater(read);
    }
  }

  private void sendLater(PendingRead read) {
    if (!read.isDone() && !read.isAlone()) {
      InStorageMetrics.get().askedAgain();
      sendAlone(read, null);
    }
  }

  private boolean takeExtra() {
    int before = extras.getAndUpdate(now -> now < READS_PER_EXTRA ? now : now - READS_PER_EXTRA);
    return before >= READS_PER_EXTRA;
  }
}
