package io.ishbase.plugin.blockwarmup;

import io.ishbase.plugin.metrics.CompactionMetrics;
import io.ishbase.plugin.node.WorkerClient;
import io.ishbase.protocol.Protocol;
import io.ishbase.protocol.generated.CompactionProtos.FetchRequest;
import io.ishbase.protocol.generated.CompactionProtos.FetchResponse;
import io.ishbase.protocol.generated.IssnProtos.Code;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import org.apache.hbase.thirdparty.com.google.protobuf.ByteString;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A new file in the memory of the worker that wrote it. Once it is not to be had from there it is
 * not asked for again.
 */
final class RemoteFile {
  /** Gives parts of its files. */
  interface Worker {
    CompletableFuture<FetchResponse> fetch(FetchRequest request);
  }

  private static final Logger LOG = LoggerFactory.getLogger(RemoteFile.class);

  private final Worker worker;
  private final String name;
  private volatile boolean isGone;

  RemoteFile(WorkerClient worker, String name) {
    this(worker::fetch, name);
  }

  RemoteFile(Worker worker, String name) {
    this.worker = worker;
    this.name = name;
  }

  /** Bytes of the file from {@code offset} on, perhaps fewer; null if there are none to be had. */
  @Nullable ByteString fetch(long offset, int bytes) {
    if (isGone) {
      return null;
    }
    try {
      FetchResponse answer = worker.fetch(request(offset, bytes).build()).get();
      int size = answer.getData().size();
      if (answer.getCode() == Code.OK && size > bytes) {
        throw new IllegalStateException(size + " bytes instead of " + bytes);
      }
      if (answer.getCode() == Code.OK && size > 0) {
        CompactionMetrics.get().fetched(size);
        return answer.getData();
      }
      if (answer.getCode() != Code.NO_FILE) {
        LOG.warn("{} is not to be had: {} {}", name, answer.getCode(), answer.getMessage());
      }
    } catch (ExecutionException | RuntimeException e) {
      LOG.info("{} is not to be had any more: {}", name, e.toString());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    isGone = true;
    CompactionMetrics.get().fetchFailed();
    return null;
  }

  boolean isGone() {
    return isGone;
  }

  /** Tells the worker that it need not keep the file any longer; does not wait for an answer. */
  void release() {
    isGone = true;
    worker.fetch(request(0, 0).setRelease(true).build());
  }

  private FetchRequest.Builder request(long offset, int bytes) {
    return FetchRequest.newBuilder()
        .setVersion(Protocol.VERSION)
        .setFile(name)
        .setOffset(offset)
        .setMaxBytes(bytes);
  }
}
