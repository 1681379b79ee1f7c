package io.ishbase.daemon;

import io.ishbase.core.AggregatePace;
import io.ishbase.daemon.rpc.Callers;
import io.ishbase.protocol.DictionaryTrainer;
import io.ishbase.protocol.generated.IssnProtos.AggregateRequest;
import io.ishbase.protocol.generated.IssnProtos.AggregateResponse;
import io.ishbase.protocol.generated.IssnProtos.ReadRequest;
import io.ishbase.protocol.generated.IssnProtos.ReadResponse;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hbase.io.hfile.CacheConfig;
import org.apache.hadoop.hbase.security.User;

/** The scan service of a storage daemon without its server. */
public final class InProcessReads implements AutoCloseable {
  private final HFileReaders readers;
  private final ReadService service;
  private final ReadService ofShortAnswers;

  public InProcessReads(Configuration conf, Path root) throws IOException {
    readers =
        new HFileReaders(
            conf, FileSystem.get(conf), new CacheConfig(conf), 1000, Duration.ofMinutes(1));
    service = service(conf, root, 10_000_000_000L);
    ofShortAnswers = service(conf, root, 0);
  }

  private ReadService service(Configuration conf, Path root, long maxBatchNanos)
      throws IOException {
    return new ReadService(
        readers,
        new Filters(conf),
        new DictionaryTrainer(
            DictionaryTrainer.SMALL_DICTIONARY_BYTES, Runnable::run, System::nanoTime),
        root,
        new Callers(conf, User.getCurrent()),
        4,
        1 << 20,
        maxBatchNanos,
        new AggregatePace(() -> 0, System::nanoTime, LockSupport::parkNanos),
        new DaemonMetrics(() -> 0, () -> 0));
  }

  public ReadResponse read(ReadRequest request) {
    return service.read(null, request);
  }

  /** An answer about few rows. */
  public AggregateResponse aggregate(AggregateRequest request) {
    return ofShortAnswers.aggregate(null, request);
  }

  @Override
  public void close() {
    readers.close();
  }
}
