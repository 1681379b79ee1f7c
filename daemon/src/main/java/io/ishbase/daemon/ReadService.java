package io.ishbase.daemon;

import io.ishbase.core.AggregatePace;
import io.ishbase.core.metric.Metric;
import io.ishbase.daemon.rpc.Callers;
import io.ishbase.daemon.rpc.RequestException;
import io.ishbase.protocol.Busy;
import io.ishbase.protocol.Checksums;
import io.ishbase.protocol.Dictionary;
import io.ishbase.protocol.DictionaryTrainer;
import io.ishbase.protocol.MessageChecksum;
import io.ishbase.protocol.Positions;
import io.ishbase.protocol.Protocol;
import io.ishbase.protocol.Spans;
import io.ishbase.protocol.StorageReads;
import io.ishbase.protocol.Values;
import io.ishbase.protocol.generated.IssnProtos.AggregateFunction;
import io.ishbase.protocol.generated.IssnProtos.AggregateRequest;
import io.ishbase.protocol.generated.IssnProtos.AggregateResponse;
import io.ishbase.protocol.generated.IssnProtos.Code;
import io.ishbase.protocol.generated.IssnProtos.DictionaryRequest;
import io.ishbase.protocol.generated.IssnProtos.DictionaryResponse;
import io.ishbase.protocol.generated.IssnProtos.FilterScope;
import io.ishbase.protocol.generated.IssnProtos.IssnService;
import io.ishbase.protocol.generated.IssnProtos.LineRequest;
import io.ishbase.protocol.generated.IssnProtos.LineResponse;
import io.ishbase.protocol.generated.IssnProtos.ReadRequest;
import io.ishbase.protocol.generated.IssnProtos.ReadResponse;
import io.ishbase.protocol.generated.IssnProtos.RowRange;
import io.ishbase.protocol.generated.IssnProtos.SharedReadRequest;
import io.ishbase.protocol.generated.IssnProtos.SharedReadResponse;
import io.ishbase.protocol.rpc.AuditLog;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.context.Scope;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hbase.CellComparator;
import org.apache.hadoop.hbase.CellComparatorImpl;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.ipc.RpcCall;
import org.apache.hadoop.hbase.ipc.RpcServer;
import org.apache.hadoop.hbase.util.EnvironmentEdgeManager;
import org.apache.hbase.thirdparty.com.google.common.base.Suppliers;
import org.apache.hbase.thirdparty.com.google.protobuf.RpcController;
import org.apache.hbase.thirdparty.com.google.protobuf.ServiceException;
import org.apache.hbase.thirdparty.com.google.protobuf.UnsafeByteOperations;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The scan service: answers a request with the cells of its files that lie in its ranges, merged,
 * up to a budget, and with the place where the rest begins. It keeps nothing between two requests
 * but open files and cached blocks, so that any daemon that reaches the files can go on with any
 * scan.
 *
 * <p>What it leaves out, the region server's matcher would certainly discard: see {@link
 * CellSelector}.
 */
final class ReadService implements IssnService.BlockingInterface {
  /** The table of a request that was turned away before it was understood. */
  private static final String NOT_KNOWN = "-";

  private static final Logger LOG = LoggerFactory.getLogger(ReadService.class);
  static final String READ = "read";
  private static final String AGGREGATE = "aggregate";
  static final CellComparator COMPARATOR = CellComparatorImpl.COMPARATOR;

  /** What a filter may take to judge one cell beyond the time of an answer. */
  private static final long EVALUATION_NANOS = 1_000_000_000L;

  /** Of an answer, while too many wait to be sent. */
  private static final int FEW_BYTES = 64 << 10;

  /** So many times as much as makes answers small may wait before nothing is answered. */
  private static final int MOST_SENDING_BEFORE_REFUSAL = 2;

  private static final long BUSY_MILLIS = 1_000;
  private static final long LATELY_MILLIS = 5;

  private final SharedAnswers sharedAnswers;

  private final HFileReaders readers;
  private final Filters filters;
  private final DictionaryTrainer dictionaries;
  private final MobDirectories mobDirectories;
  private final String rootPrefix;
  private final Callers callers;
  private final int handlers;
  private final int maxBatchBytes;
  private final long maxBatchNanos;
  private final AggregatePace pace;
  private final DaemonMetrics metrics;
  private final KnownSets sets = new KnownSets();
  private final LargeCells largeCells = new LargeCells(() -> this.sending.getAsLong());
  private final AtomicInteger busyHandlers = new AtomicInteger();
  private final long mostSending = Runtime.getRuntime().maxMemory() / LargeCells.HEAP_SHARE;
  private volatile LongSupplier sending = () -> 0;

  /** The same some milliseconds ago: to know it each connection is looked at. */
  private volatile Supplier<Long> lately = () -> 0L;

  private volatile boolean stopping;

  ReadService(
      HFileReaders readers,
      Filters filters,
      DictionaryTrainer dictionaries,
      Path root,
      Callers callers,
      int handlers,
      int maxBatchBytes,
      long maxBatchNanos,
      AggregatePace pace,
      DaemonMetrics metrics) {
    this.readers = readers;
    this.filters = filters;
    this.dictionaries = dictionaries;
    this.mobDirectories = new MobDirectories(root);
    String path = root.toUri().getPath();
    this.rootPrefix = path.endsWith("/") ? path : path + "/";
    this.callers = callers;
    this.handlers = handlers;
    this.maxBatchBytes = maxBatchBytes;
    this.maxBatchNanos = maxBatchNanos;
    this.pace = pace;
    this.metrics = metrics;
    this.sharedAnswers = new SharedAnswers(this::answered, metrics::putOff, System::nanoTime);
  }

  /** Says how many bytes of answers are not on the line yet. */
  void sending(LongSupplier bytes) {
    sending = bytes;
    lately =
        Suppliers.memoizeWithExpiration(bytes::getAsLong, LATELY_MILLIS, TimeUnit.MILLISECONDS);
  }

  /** From now on every request is answered STOPPING. */
  void stop() {
    stopping = true;
  }

  int loadPercent() {
    return Math.min(100, 100 * busyHandlers.get() / handlers);
  }

  @Override
  public ReadResponse read(RpcController controller, ReadRequest request) {
    ReadResponse answer = answered(request, Long.MAX_VALUE);
    return Checksums.sealed(
        request.hasHandle()
            // Nothing is answered but the read of that checksum: see check().
            ? answer.toBuilder().setAsked(request.getCrc32C()).build()
            : answer);
  }

  @Override
  public SharedReadResponse sharedRead(RpcController controller, SharedReadRequest request)
      throws ServiceException {
    try {
      bounded("reads", request.getReadCount(), 1, Protocol.MAX_SHARED_READS);
    } catch (RequestException e) {
      throw new ServiceException(e);
    }
    metrics.answeredShared(request.getReadCount());
    return sharedAnswers.to(request);
  }

  @Override
  public AggregateResponse aggregate(RpcController controller, AggregateRequest request) {
    AggregateResponse.Builder answer = AggregateResponse.newBuilder();
    ReadResponse outcome =
        answered(
            AGGREGATE,
            request.getRead(),
            read -> {
              answer.mergeFrom(aggregate(request).build());
              Span.current().setAttribute(Spans.BLOCK_BYTES, answer.getBlockBytes());
              return ReadResponse.newBuilder().setCode(Code.OK).build();
            });
    if (outcome.getCode() != Code.OK) {
      answer.clear().setCode(outcome.getCode()).setMessage(outcome.getMessage());
      if (outcome.hasFailedFile()) {
        answer.setFailedFile(outcome.getFailedFile());
      }
    }
    return MessageChecksum.sealed(
        answer.setLoadPercent(loadPercent()).setAsked(request.getCrc32C()).build());
  }

  /** An answer's time, and no more than half of what its caller still waits. */
  private long answerNanos() {
    long waitsMillis =
        RpcServer.getCurrentCall().map(RpcCall::getDeadline).orElse(Long.MAX_VALUE)
            - EnvironmentEdgeManager.currentTime();
    return Math.min(maxBatchNanos, TimeUnit.MILLISECONDS.toNanos(Math.max(0, waitsMillis)) / 2);
  }

  /** As many as are asked for, but few while callers do not take what others were answered. */
  private int answerBytes(ReadRequest request) {
    int wanted =
        request.hasMaxBytes() && request.getMaxBytes() > 0
            ? Math.min(request.getMaxBytes(), maxBatchBytes)
            : maxBatchBytes;
    return wanted > FEW_BYTES && sending.getAsLong() > mostSending ? FEW_BYTES : wanted;
  }

  /** What gives the answer to a request that breaks no rule. */
  private interface Work {
    ReadResponse answer(ReadRequest request) throws IOException;
  }

  private ReadResponse answered(ReadRequest request, long mostNanos) {
    pace.readBegun();
    busyHandlers.incrementAndGet();
    try {
      return answered(READ, request, full -> answer(full, Math.min(mostNanos, answerNanos())));
    } finally {
      busyHandlers.decrementAndGet();
      pace.readEnded();
    }
  }

  /** As {@link #carryOut}, as a span of its own if the caller's trace is recorded. */
  private ReadResponse answered(String operation, ReadRequest asked, Work work) {
    if (!Span.current().isRecording()) {
      return carryOut(operation, asked, work);
    }
    Span span = Spans.begin("Issn." + operation);
    try (Scope ignored = span.makeCurrent()) {
      ReadResponse response = carryOut(operation, asked, work);
      span.setAttribute(Spans.CODE, Metric.word(response.getCode()))
          .setAttribute(Spans.CELLS, response.getCellCount())
          .setAttribute(Spans.BYTES, response.getCells().size());
      if (response.getCode() != Code.OK) {
        span.setStatus(StatusCode.ERROR, response.getMessage());
      }
      return response;
    } finally {
      span.end();
    }
  }

  private ReadResponse carryOut(String operation, ReadRequest asked, Work work) {
    long start = System.nanoTime();
    ReadResponse response;
    ReadRequest request = asked;
    String table = NOT_KNOWN;
    try {
      admit(operation, asked);
      request = sets.full(asked);
      table = AuditLog.tableOf(request.getDirectory());
      check(operation, request);
      sets.learn(asked, request);
      callers.allowed(operation, table);
      response = work.answer(request);
    } catch (RequestException e) {
      LOG.debug("{}: {}", e.code(), e.getMessage(), e);
      response = refusal(e);
    } catch (OutOfMemoryError e) {
      // Neither the request's fault nor a file's.
      throw e;
    } catch (FileFault e) {
      String path = path(request, e.file());
      if (e.fault() instanceof RequestException refused) {
        LOG.debug("{}: {}", refused.code(), refused.getMessage(), e);
      } else {
        LOG.warn("Cannot read {}: {}", path, e.fault().toString(), e);
        readers.drop(path);
      }
      response =
          refusal(RequestException.classified(path, e.fault())).toBuilder()
              .setFailedFile(e.file())
              .build();
    } catch (IOException | RuntimeException | Error e) {
      RequestException classified = RequestException.classified(request.getDirectory(), e);
      LOG.warn("Cannot answer a read of {}: {}", request.getDirectory(), e.toString(), e);
      for (int file = 0; file < request.getFileCount(); file++) {
        readers.drop(path(request, file));
      }
      response = refusal(classified);
    }
    metrics.answered(operation, table, response, System.nanoTime() - start);
    return response;
  }

  @Override
  public LineResponse line(RpcController controller, LineRequest request) throws ServiceException {
    try {
      callers.check("measure the line", "");
      requireTakenAnswers();
      bounded("bytes", request.getBytes(), 0, Protocol.MAX_PROBE_BYTES);
    } catch (RequestException e) {
      throw new ServiceException(e);
    }
    return LineResponse.newBuilder()
        .setPadding(UnsafeByteOperations.unsafeWrap(new byte[request.getBytes()]))
        .build();
  }

  @Override
  public DictionaryResponse dictionary(RpcController controller, DictionaryRequest request)
      throws ServiceException {
    try {
      callers.check("fetch a dictionary", "");
      requireTakenAnswers();
    } catch (RequestException e) {
      throw new ServiceException(e);
    }
    Dictionary dictionary = dictionaries.withId(request.getId());
    DictionaryResponse.Builder response = DictionaryResponse.newBuilder();
    if (dictionary != null) {
      response.setContent(UnsafeByteOperations.unsafeWrap(dictionary.content()));
    }
    return response.build();
  }

  private static ReadResponse refusal(RequestException e) {
    return ReadResponse.newBuilder().setCode(e.code()).setMessage(e.getMessage()).build();
  }

  private static String path(ReadRequest request, int file) {
    return request.getDirectory() + "/" + request.getFile(file);
  }

  /** Small as they are, answers that nobody takes would fill the heap. */
  private void requireTakenAnswers() throws RequestException {
    if (lately.get() > MOST_SENDING_BEFORE_REFUSAL * mostSending) {
      throw new RequestException(
          Code.BUSY, "Answers are not taken by those who asked. " + Busy.text(BUSY_MILLIS));
    }
  }

  private void admit(String operation, ReadRequest request) throws RequestException {
    if (stopping) {
      throw new RequestException(Code.STOPPING, "This daemon is stopping");
    }
    callers.check(operation, request.getDirectory());
    requireTakenAnswers();
  }

  /**
   * Checks a read in its full form, whatever was known of it: so a handle stands for no right, and
   * the checksum binds what it stands for.
   */
  private void check(String operation, ReadRequest request) throws RequestException {
    if (request.getVersion() != Protocol.VERSION) {
      throw new RequestException(
          Code.VERSION,
          "Protocol version " + request.getVersion() + ", this daemon speaks " + Protocol.VERSION);
    }
    if (!Checksums.isIntact(request)) {
      throw new RequestException(Code.BAD_REQUEST, "Wrong checksum");
    }
    if (!request.hasReadPoint()) {
      throw new RequestException(Code.BAD_REQUEST, "No read point");
    }
    String directory = request.getDirectory();
    bounded("characters of a directory", directory.length(), 0, Protocol.MAX_PATH_CHARACTERS);
    if (!directory.startsWith(rootPrefix)
        || directory.contains("/../")
        || directory.endsWith("/..")) {
      String why = "'" + directory + "' is not below the HBase root " + rootPrefix;
      callers.refused(operation, directory, why);
      throw new RequestException(Code.REFUSED, why);
    }
    if (!isOwnName(directory)) {
      throw new RequestException(
          Code.BAD_REQUEST, "'" + directory + "' is no directory's own name");
    }
    bounded("files", request.getFileCount(), 1, Protocol.MAX_FILES);
    bounded("ranges", request.getRangeCount(), 1, Protocol.MAX_RANGES);
    bounded("columns", request.getColumnCount(), 0, Protocol.MAX_COLUMNS);
    for (String file : request.getFileList()) {
      if (!Protocol.isFileName(file)) {
        throw new RequestException(Code.BAD_REQUEST, "'" + file + "' is not a file name");
      }
    }
    for (RowRange range : request.getRangeList()) {
      bounded("bytes of a row", range.getStartRow().size(), 0, HConstants.MAX_ROW_LENGTH);
      bounded("bytes of a row", range.getStopRow().size(), 0, HConstants.MAX_ROW_LENGTH);
    }
    if (request.hasFrom() && !Positions.isSound(request.getFrom())) {
      throw new RequestException(Code.BAD_REQUEST, "The place to begin at is none");
    }
    bounded("counted files", request.getFrom().getCountedFileCount(), 0, request.getFileCount());
    for (int file : request.getFrom().getCountedFileList()) {
      bounded("is the number of a counted file, which", file, 0, request.getFileCount() - 1);
    }
    if (request.hasMob() && request.getFilterScope() != FilterScope.BY_COLUMN) {
      // An answer that ends at a large object would end within what was judged as a whole.
      throw new RequestException(Code.BAD_REQUEST, "Large objects, and a filter of rows");
    }
    // A gap lies behind a cell.
    if (request.hasTrimVersions()) {
      bounded("versions before a gap", request.getTrimVersions(), 1, Integer.MAX_VALUE);
    }
    if (request.hasTrimColumns()) {
      bounded("columns before a gap", request.getTrimColumns(), 1, Integer.MAX_VALUE);
    }
  }

  /**
   * Whether a directory has that name, and not another by which it is found as well: who remembers
   * something of a store goes by it. A colon HDFS has in no name.
   */
  private static boolean isOwnName(String directory) {
    return !directory.contains("//")
        && !directory.contains("/./")
        && !directory.endsWith("/")
        && !directory.endsWith("/.")
        && directory.indexOf(':') < 0;
  }

  private static void bounded(String what, int count, int min, int max) throws RequestException {
    if (count < min || count > max) {
      throw new RequestException(
          Code.BAD_REQUEST, count + " " + what + ": must be " + min + " to " + max);
    }
  }

  /** All files of a request, which waits for none of them longer than for one. */
  private List<HFileReaders.Lease> acquire(ReadRequest request) throws FileFault {
    List<HFileReaders.Asked> asked = new ArrayList<>(request.getFileCount());
    List<HFileReaders.Lease> leases = new ArrayList<>(request.getFileCount());
    int taken = 0;
    try {
      for (int file = 0; file < request.getFileCount(); file++) {
        asked.add(readers.ask(path(request, file)));
      }
      long deadlineNanos = readers.deadline();
      while (taken < asked.size()) {
        leases.add(readers.take(asked.get(taken++), deadlineNanos));
      }
      return leases;
    } catch (RequestException e) {
      throw new FileFault(taken - 1, e);
    } finally {
      if (leases.size() < request.getFileCount()) {
        leases.forEach(HFileReaders.Lease::release);
        asked.subList(taken, asked.size()).forEach(HFileReaders.Asked::forget);
      }
    }
  }

  private AggregateResponse.Builder aggregate(AggregateRequest request) throws IOException {
    check(request);
    ReadRequest read = request.getRead();
    List<HFileReaders.Lease> leases = acquire(read);
    try {
      long deadlineNanos = System.nanoTime() + pace.answerNanos(answerNanos());
      return new AggregateBuilder(
              request, leases, deadlineNanos, deadlineNanos + EVALUATION_NANOS, pace.turn())
          .build();
    } finally {
      leases.forEach(HFileReaders.Lease::release);
    }
  }

  private static void check(AggregateRequest request) throws RequestException {
    if (!MessageChecksum.isIntact(request)) {
      throw new RequestException(Code.BAD_REQUEST, "Wrong checksum");
    }
    ReadRequest read = request.getRead();
    if (read.hasHandle()) {
      throw new RequestException(Code.BAD_REQUEST, "An aggregate by a handle");
    }
    bounded("ranges", read.getRangeCount(), 1, 1);
    bounded("rows left out", request.getExceptRowCount(), 0, Protocol.MAX_EXCEPT_ROWS);
    bounded("versions", read.getMaxVersions(), 1, Integer.MAX_VALUE);
    bounded("versions of the family", read.getFamilyVersions(), 1, Integer.MAX_VALUE);
    bounded("least versions", request.getMinVersions(), 0, Integer.MAX_VALUE);
    if (read.hasFilter() || read.hasFrom() || read.getReversed()) {
      throw new RequestException(Code.BAD_REQUEST, "An aggregate of a part of a scan");
    }
    if (read.getMinTimestamp() < 0
        || read.hasMaxTimestamp() && read.getMaxTimestamp() < read.getMinTimestamp()) {
      throw new RequestException(Code.BAD_REQUEST, "An aggregate of no time");
    }
    if (request.getFunction() != AggregateFunction.ROWS
        && !Values.of(request.getValueType()).isOrderFree(request.getFunction())) {
      throw new RequestException(
          Code.BAD_REQUEST, request.getFunction() + " of " + request.getValueType());
    }
  }

  private ReadResponse answer(ReadRequest request, long mostNanos) throws IOException {
    GuardedFilter filter =
        request.hasFilter() ? new GuardedFilter(filters.parse(request.getFilter())) : null;
    List<HFileReaders.Lease> leases = acquire(request);
    try (StorageReads.Span counted = StorageReads.begin();
        LargeCells.Share share = largeCells.share();
        MobValues mobValues =
            request.hasMob() ? new MobValues(request, readers, mobDirectories, share) : null) {
      // What opens files once is not the read's time.
      long deadlineNanos = System.nanoTime() + mostNanos;
      EvaluationTime.endsAt(deadlineNanos + EVALUATION_NANOS);
      BatchBuilder batch =
          new BatchBuilder(
              request,
              leases,
              dictionaries,
              filter,
              mobValues,
              share,
              answerBytes(request),
              deadlineNanos);
      ReadResponse.Builder response = batch.build();
      StorageReads.addTo(response);
      Span span = Span.current();
      if (span.isRecording()) {
        span.setAttribute(Spans.FILES, request.getFileCount());
        batch.describe(span);
      }
      return response.setLoadPercent(loadPercent()).build();
    } finally {
      leases.forEach(HFileReaders.Lease::release);
      EvaluationTime.clear();
    }
  }
}
