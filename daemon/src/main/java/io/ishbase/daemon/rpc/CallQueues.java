package io.ishbase.daemon.rpc;

import io.ishbase.protocol.generated.IssnProtos.IssnService;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.ipc.CallRunner;
import org.apache.hadoop.hbase.ipc.FifoRpcScheduler;

/**
 * Two queues with handlers of their own: one for reads, one for everything about compactions. So
 * neither a flood of reads nor questions that wait for the end of a compaction keep the other from
 * being answered. A call that finds its queue full is answered {@code CallQueueTooBigException}.
 *
 * <p>Relies on HBase 2.6: {@code FifoRpcScheduler}, which counts calls at work as queued.
 */
public final class CallQueues extends FifoRpcScheduler {
  private final FifoRpcScheduler control;

  /**
   * Queues of the length that {@code hbase.ipc.server.max.callqueue.length} says.
   *
   * @param readHandlers threads for reads
   * @param controlHandlers threads for everything else
   */
  public CallQueues(Configuration conf, int readHandlers, int controlHandlers) {
    super(conf, readHandlers);
    control = new FifoRpcScheduler(conf, controlHandlers);
  }

  @Override
  public void init(Context context) {
    super.init(context);
    control.init(context);
  }

  @Override
  public void start() {
    super.start();
    control.start();
  }

  @Override
  public void stop() {
    super.stop();
    control.stop();
  }

  @Override
  public boolean dispatch(CallRunner task) {
    return task.getRpcCall().getService().getDescriptorForType() == IssnService.getDescriptor()
        ? super.dispatch(task)
        : control.dispatch(task);
  }

  @Override
  public int getGeneralQueueLength() {
    return super.getGeneralQueueLength() + control.getGeneralQueueLength();
  }

  @Override
  public int getActiveRpcHandlerCount() {
    return super.getActiveRpcHandlerCount() + control.getActiveRpcHandlerCount();
  }
}
