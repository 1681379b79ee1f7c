package io.ishbase.it;

import java.util.concurrent.CountDownLatch;
import org.apache.hadoop.hdfs.server.datanode.DataNodeFaultInjector;

/** DataNodes of this process that neither send to one HDFS client nor take from it for a while. */
final class HangingDataNodes extends DataNodeFaultInjector implements AutoCloseable {
  /** The client that it is about has this setting. It needs a file system of its own. */
  static final String CLIENT_KEY = "mapreduce.task.attempt.id";

  private final String client;
  private volatile CountDownLatch hanging = new CountDownLatch(0);

  HangingDataNodes(String client) {
    this.client = client;
    DataNodeFaultInjector.set(this);
  }

  void hang() {
    hanging = new CountDownLatch(1);
  }

  void goOn() {
    hanging.countDown();
  }

  @Override
  public void delayWriteToDisk() {
    await();
  }

  /** Called before a block is sent. */
  @Override
  public void throwTooManyOpenFiles() {
    await();
  }

  // HDFS names its threads for the clients they serve.
  private void await() {
    if (Thread.currentThread().getName().contains("DFSClient_" + client + "_")) {
      try {
        hanging.await();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
  }

  @Override
  public void close() {
    goOn();
    DataNodeFaultInjector.set(new DataNodeFaultInjector());
  }
}
