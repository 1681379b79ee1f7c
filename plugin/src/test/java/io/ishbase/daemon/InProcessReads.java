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
  private final Configuration conf;
  private final Path root;
  private ReadService service;
  private final ReadService ofShortAnswers;

  public InProcessReads(Configuration conf, Path root) throws IOException {
    this.conf = conf;
    this.root = root;
    readers =
        new HFileReaders(
            conf, FileSystem.get(conf), new CacheConfig(conf), 1000, Duration.ofMinutes(1));
    service = service(10_000_000_000L);
    ofShortAnswers = service(0);
  }

  private ReadService service(long maxBatchNanos) throws IOException {
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

  /** No handle that it was told of is known any more. */
  public void forget() throws IOException {
    service = service(10_000_000_000L);
  }

  public ReadResponse read(ReadRequest request) {
    return service.read(null, request);
  }

  /** An answer whose time is over as soon as it has begun. */
  public ReadResponse readBriefly(ReadRequest request) {
    return ofShortAnswers.read(null, request);
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
