package io.ishbase.daemon.rpc;

import io.ishbase.core.Backlog;
import io.ishbase.protocol.Busy;
import io.ishbase.protocol.generated.IssnProtos.IssnService;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.CallQueueTooBigException;
import org.apache.hadoop.hbase.ipc.CallRunner;
import org.apache.hadoop.hbase.ipc.FifoRpcScheduler;
import org.apache.hadoop.hbase.ipc.RpcCall;
import org.apache.hadoop.hbase.ipc.ServerNotRunningYetException;

/**
 * Three queues with handlers of their own: for reads, for aggregates, and for signs of life and
 * everything about compactions. So none of a flood of reads, aggregates that work long, and
 * questions that wait for the end of a compaction keep the others from being answered. A call that
 * finds its queue full is answered {@code CallQueueTooBigException}; a read also hears when there
 * may be room again.
 *
 * <p>Relies on HBase 2.6: {@code FifoRpcScheduler}, which counts calls at work as queued; {@code
 * ServerRpcConnection.processRequest} answers a call that is not dispatched, and {@code
 * ServerCall.setResponse} keeps the first error.
 */
public final class CallQueues extends FifoRpcScheduler {
  private static final String AGGREGATE =
      IssnService.getDescriptor().findMethodByName("Aggregate").getName();

  /** By which a daemon says that it is there, however many reads wait. */
  private static final String LINE = IssnService.getDescriptor().findMethodByName("Line").getName();

  private final FifoRpcScheduler aggregates;
  private final FifoRpcScheduler control;
  private final Backlog backlog = new Backlog(System.nanoTime());
  private volatile boolean isStarted;
  private volatile Runnable refused = () -> {};

  /**
   * Queues of the length that {@code hbase.ipc.server.max.callqueue.length} says, but for that of
   * aggregates.
   *
   * @param readHandlers threads for reads
   * @param aggregateHandlers threads for aggregates
   * @param aggregateQueue aggregates that may wait
   * @param controlHandlers threads for everything else
   */
  public CallQueues(
      Configuration conf,
      int readHandlers,
      int aggregateHandlers,
      int aggregateQueue,
      int controlHandlers) {
    super(conf, readHandlers);
    Configuration ofAggregates = new Configuration(conf);
    ofAggregates.setInt(
        "hbase.ipc.server.max.callqueue.length", aggregateQueue + aggregateHandlers);
    aggregates = new FifoRpcScheduler(ofAggregates, aggregateHandlers);
    control = new FifoRpcScheduler(conf, controlHandlers);
  }

  /** Reads that no handler works on yet. */
  public int waitingReads() {
    return super.getGeneralQueueLength();
  }

  /** What is neither, and no handler works on yet. */
  public int waitingControl() {
    return control.getGeneralQueueLength();
  }

  /** Aggregates that no handler works on yet. */
  public int waitingAggregates() {
    return aggregates.getGeneralQueueLength();
  }

  /** Has {@code refused} run for each call that finds its queue full, before it is answered. */
  public void onRefusal(Runnable refused) {
    this.refused = refused;
  }

  @Override
  public void init(Context context) {
    super.init(context);
    aggregates.init(context);
    control.init(context);
  }

  @Override
  public void start() {
    super.start();
    aggregates.start();
    control.start();
    isStarted = true;
  }

  @Override
  public void stop() {
    super.stop();
    aggregates.stop();
    control.stop();
  }

  @Override
  public boolean dispatch(CallRunner task) {
    RpcCall call = task.getRpcCall();
    if (!isStarted) {
      // HBase's queues would count it for ever.
      String why = "This daemon is starting";
      call.setResponse(null, null, new ServerNotRunningYetException(why), why);
      return false;
    }
    String method = call.getMethod().getName();
    if (call.getService().getDescriptorForType() != IssnService.getDescriptor()
        || method.equals(LINE)) {
      return dispatched(control.dispatch(task));
    }
    if (method.equals(AGGREGATE)) {
      return dispatched(aggregates.dispatch(task));
    }
    if (dispatched(super.dispatch(task))) {
      backlog.accepted();
      return true;
    }
    long millis = backlog.busyMillis(super.getGeneralQueueLength(), System.nanoTime());
    call.setResponse(null, null, new CallQueueTooBigException(), Busy.text(millis));
    return false;
  }

  private boolean dispatched(boolean isAccepted) {
    if (!isAccepted) {
      refused.run();
    }
    return isAccepted;
  }

  @Override
  public int getGeneralQueueLength() {
    return super.getGeneralQueueLength()
        + aggregates.getGeneralQueueLength()
        + control.getGeneralQueueLength();
  }

  @Override
  public int getActiveRpcHandlerCount() {
    return super.getActiveRpcHandlerCount()
        + aggregates.getActiveRpcHandlerCount()
        + control.getActiveRpcHandlerCount();
  }
}
