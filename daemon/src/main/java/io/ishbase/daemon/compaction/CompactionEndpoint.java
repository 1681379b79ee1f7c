package io.ishbase.daemon.compaction;

import io.ishbase.daemon.rpc.Callers;
import io.ishbase.daemon.rpc.RequestException;
import io.ishbase.protocol.MessageChecksum;
import io.ishbase.protocol.Protocol;
import io.ishbase.protocol.generated.CompactionProtos.CompactRequest;
import io.ishbase.protocol.generated.CompactionProtos.CompactResponse;
import io.ishbase.protocol.generated.CompactionProtos.CompactionService;
import io.ishbase.protocol.generated.CompactionProtos.CompactionState;
import io.ishbase.protocol.generated.CompactionProtos.FetchRequest;
import io.ishbase.protocol.generated.CompactionProtos.FetchResponse;
import io.ishbase.protocol.generated.CompactionProtos.ProgressRequest;
import io.ishbase.protocol.generated.CompactionProtos.ProgressResponse;
import io.ishbase.protocol.generated.CompactionProtos.WorkRequest;
import io.ishbase.protocol.generated.CompactionProtos.WorkResponse;
import io.ishbase.protocol.generated.IssnProtos.Code;
import java.net.InetAddress;
import java.util.concurrent.Semaphore;
import java.util.regex.Pattern;
import org.apache.hadoop.hbase.client.RegionInfo;
import org.apache.hadoop.hbase.exceptions.DeserializationException;
import org.apache.hadoop.hbase.ipc.RpcServer;
import org.apache.hbase.thirdparty.com.google.protobuf.ByteString;
import org.apache.hbase.thirdparty.com.google.protobuf.InvalidProtocolBufferException;
import org.apache.hbase.thirdparty.com.google.protobuf.Message;
import org.apache.hbase.thirdparty.com.google.protobuf.RpcController;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The worker's RPC: checks what it is asked and passes it on. */
public final class CompactionEndpoint implements CompactionService.BlockingInterface {
  private static final Logger LOG = LoggerFactory.getLogger(CompactionEndpoint.class);
  private static final String COMPACT = "compact";

  /** As HBase names servers: host, port and start code. */
  private static final Pattern REGION_SERVER = Pattern.compile("[\\w.,:%\\[\\]-]{0,300}");

  private static final int MAX_FILES = 10_000;
  private static final int MAX_WAIT_MILLIS = 10_000;
  private static final int MAX_FETCH_BYTES = 2 << 20;

  /** Of a compaction; as many as a worker has slots still add up to a number. */
  private static final long MAX_BYTES = 1L << 52;

  private final CompactionWorker worker;
  private final Callers callers;
  private final int maxSkewMillis;
  private final Semaphore waiting;

  /**
   * Serves {@code worker}.
   *
   * @param maxSkewMillis how far the region server's clock may be from this machine's: it decides
   *     what has expired
   * @param maxWaiting requests that may wait for the end of a compaction at once
   */
  public CompactionEndpoint(
      CompactionWorker worker, Callers callers, int maxSkewMillis, int maxWaiting) {
    this.worker = worker;
    this.callers = callers;
    this.maxSkewMillis = maxSkewMillis;
    this.waiting = new Semaphore(maxWaiting);
  }

  @Override
  public CompactResponse compact(RpcController controller, CompactRequest request) {
    return MessageChecksum.sealed(compact(request));
  }

  private CompactResponse compact(CompactRequest request) {
    try {
      ClockCheck clocks = new ClockCheck(request.getNow(), maxSkewMillis);
      check(request, clocks);
      worker.start(
          copy(request),
          RpcServer.getRemoteAddress().map(InetAddress::getHostAddress).orElse(""),
          clocks);
      callers.allowed(COMPACT, table(request));
      return CompactResponse.newBuilder().setCode(Code.OK).build();
    } catch (RequestException e) {
      LOG.debug("{}: {}", e.code(), e.getMessage(), e);
      return CompactResponse.newBuilder().setCode(e.code()).setMessage(e.getMessage()).build();
    }
  }

  /** Whose it is, in the audit log. */
  private static String table(CompactRequest request) {
    try {
      return RegionInfo.parseFrom(request.getRegion().toByteArray())
          .getTable()
          .getNameWithNamespaceInclAsString();
    } catch (DeserializationException e) {
      return "";
    }
  }

  // The RPC's buffer, into which the message points, is used anew once the call is answered.
  private static CompactRequest copy(CompactRequest request) throws RequestException {
    try {
      return CompactRequest.parseFrom(request.toByteArray());
    } catch (InvalidProtocolBufferException e) {
      throw new RequestException(Code.BAD_REQUEST, "Not a request", e);
    }
  }

  private void check(CompactRequest request, ClockCheck clocks) throws RequestException {
    callers.check(COMPACT, "");
    checkMessage(request.getVersion(), request);
    clocks.check();
    if (request.getFileCount() == 0 || request.getFileCount() > MAX_FILES) {
      throw new RequestException(Code.BAD_REQUEST, request.getFileCount() + " files");
    }
    for (String file : request.getFileList()) {
      if (!Protocol.isFileName(file)) {
        throw new RequestException(Code.BAD_REQUEST, "'" + file + "' is not a file name");
      }
    }
    // It is kept, shown and written into the log.
    if (!REGION_SERVER.matcher(request.getRegionServer()).matches()) {
      throw new RequestException(Code.BAD_REQUEST, "The region server has no name of one");
    }
    // What cannot be would stand in the daemon's registration, which is then believed by nobody.
    within("bytes", request.getBytes(), 0, MAX_BYTES);
    within("read point", request.getReadPoint(), 0, Long.MAX_VALUE);
    within("lease", request.getLeaseMillis(), 1, Integer.MAX_VALUE);
    checkPace(request.getMaxBytesPerSecond(), request.getPressure());
  }

  private static void checkPace(long maxBytesPerSecond, double pressure) throws RequestException {
    within("bytes per second", maxBytesPerSecond, 0, Long.MAX_VALUE);
    if (Double.isNaN(pressure)) {
      throw new RequestException(Code.BAD_REQUEST, "The pressure is no number");
    }
  }

  private static void within(String what, long number, long min, long max) throws RequestException {
    if (number < min || number > max) {
      throw new RequestException(Code.BAD_REQUEST, number + " as " + what + " cannot be");
    }
  }

  private static void checkMessage(int version, Message request) throws RequestException {
    if (version != Protocol.VERSION) {
      throw new RequestException(
          Code.VERSION, "Protocol version " + version + ", this daemon speaks " + Protocol.VERSION);
    }
    if (!MessageChecksum.isIntact(request)) {
      throw new RequestException(Code.BAD_REQUEST, "The request's checksum is wrong");
    }
  }

  @Override
  public ProgressResponse progress(RpcController controller, ProgressRequest request) {
    return MessageChecksum.sealed(progress(request));
  }

  private ProgressResponse progress(ProgressRequest request) {
    try {
      if (request.getCancel()) {
        callers.checkOperator("cancel a compaction");
      } else {
        callers.check("ask for a compaction", "");
      }
      checkMessage(request.getVersion(), request);
      checkPace(request.getMaxBytesPerSecond(), request.getPressure());
    } catch (RequestException e) {
      return ProgressResponse.newBuilder()
          .setState(CompactionState.UNKNOWN)
          .setCode(e.code())
          .setMessage(e.getMessage())
          .build();
    }
    CompactionJob job = worker.job(request.getAttempt());
    if (job == null) {
      return ProgressResponse.newBuilder().setState(CompactionState.UNKNOWN).build();
    }
    if (request.getCancel()) {
      job.cancel();
    } else {
      job.askedFor(request.getMaxBytesPerSecond(), request.getPressure());
      await(job, Math.min(request.getWaitMillis(), MAX_WAIT_MILLIS));
    }
    return request.getCancel() ? job.progress() : job.tell();
  }

  @Override
  public WorkResponse work(RpcController controller, WorkRequest request) {
    return MessageChecksum.sealed(work(request));
  }

  private WorkResponse work(WorkRequest request) {
    try {
      callers.checkOperator(
          request.hasDrain()
              ? request.getDrain() ? "keep compactions away" : "take compactions again"
              : "list compactions");
      checkMessage(request.getVersion(), request);
    } catch (RequestException e) {
      return WorkResponse.newBuilder().setCode(e.code()).setMessage(e.getMessage()).build();
    }
    if (request.hasDrain()) {
      worker.drain(request.getDrain());
    }
    WorkResponse.Builder answer =
        WorkResponse.newBuilder().setCode(Code.OK).setWorker(worker.info());
    worker.jobs().forEach(job -> answer.addAttempt(job.attempt()));
    return answer.build();
  }

  @Override
  public FetchResponse fetch(RpcController controller, FetchRequest request) {
    return MessageChecksum.sealed(fetch(request));
  }

  private FetchResponse fetch(FetchRequest request) {
    FetchResponse.Builder answer = FetchResponse.newBuilder();
    try {
      callers.check("fetch what was compacted", request.getFile());
      checkMessage(request.getVersion(), request);
    } catch (RequestException e) {
      return answer.setCode(e.code()).setMessage(e.getMessage()).build();
    }
    if (request.getOffset() < 0 || request.getMaxBytes() < 0) {
      return answer.setCode(Code.BAD_REQUEST).setMessage("Not a part of a file").build();
    }
    ByteString data =
        worker
            .cache()
            .read(
                request.getFile(),
                request.getOffset(),
                Math.min(request.getMaxBytes(), MAX_FETCH_BYTES));
    if (request.getRelease()) {
      worker.cache().drop(request.getFile());
    }
    return data == null
        ? answer.setCode(Code.NO_FILE).build()
        : answer.setCode(Code.OK).setData(data).build();
  }

  private void await(CompactionJob job, int millis) {
    if (millis > 0 && waiting.tryAcquire()) {
      try {
        job.await(millis);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      } finally {
        waiting.release();
      }
    }
  }
}
