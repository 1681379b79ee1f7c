package io.ishbase.plugin.gate;

import io.ishbase.core.Gate;
import java.io.IOException;
import java.util.List;
import java.util.NavigableSet;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.regionserver.HMobStore;
import org.apache.hadoop.hbase.regionserver.HStore;
import org.apache.hadoop.hbase.regionserver.KeyValueScanner;
import org.apache.hadoop.hbase.regionserver.MobStoreScanner;
import org.apache.hadoop.hbase.regionserver.OpenReversedMobStoreScanner;
import org.apache.hadoop.hbase.regionserver.ReversedStoreScanner;
import org.apache.hadoop.hbase.regionserver.ScanInfo;
import org.apache.hadoop.hbase.regionserver.ScannerContext;
import org.apache.hadoop.hbase.regionserver.StoreScanner;
import org.jspecify.annotations.Nullable;

/**
 * The read of one store over one route, timed for the gate: from its set-up to its end, without the
 * time between the calls of its client. Used by one thread at a time.
 */
public final class TimedRead {
  /** Takes what a read took, when it has ended. */
  @FunctionalInterface
  public interface Clock {
    void ended(long nanos, long cells);
  }

  private final Clock clock;
  private long nanos;
  private long cells;
  private boolean ended;

  public TimedRead(Clock clock) {
    this.clock = clock;
  }

  /** Of a read for which {@code gate} has made {@code choice}. */
  public static TimedRead of(Gate gate, Gate.Choice choice) {
    // Scans end after different numbers of cells.
    return new TimedRead((nanos, cells) -> gate.observe(choice, (double) nanos / (1 + cells)));
  }

  /** HBase's scanner of {@code store}, timed. */
  public KeyValueScanner scanner(
      HStore store,
      ScanInfo family,
      Scan scan,
      @Nullable NavigableSet<byte[]> columns,
      long readPoint)
      throws IOException {
    long start = System.nanoTime();
    boolean made = false;
    try {
      KeyValueScanner scanner;
      if (store instanceof HMobStore) {
        scanner =
            scan.isReversed()
                ? new ReversedMob(this, store, family, scan, columns, readPoint)
                : new ForwardMob(this, store, family, scan, columns, readPoint);
      } else {
        scanner =
            scan.isReversed()
                ? new Reversed(this, store, family, scan, columns, readPoint)
                : new Forward(this, store, family, scan, columns, readPoint);
      }
      made = true;
      return scanner;
    } finally {
      nanos += System.nanoTime() - start;
      if (!made) {
        ended();
      }
    }
  }

  private interface Step {
    boolean take() throws IOException;
  }

  private boolean timed(List<Cell> result, Step step) throws IOException {
    long start = System.nanoTime();
    int before = result.size();
    try {
      return step.take();
    } finally {
      nanos += System.nanoTime() - start;
      cells += result.size() - before;
    }
  }

  private void ended() {
    if (ended) {
      return;
    }
    ended = true;
    clock.ended(nanos, cells);
  }

  private static final class Forward extends StoreScanner {
    private final TimedRead read;

    Forward(
        TimedRead read,
        HStore store,
        ScanInfo family,
        Scan scan,
        @Nullable NavigableSet<byte[]> columns,
        long readPoint)
        throws IOException {
      super(store, family, scan, columns, readPoint);
      this.read = read;
    }

    @Override
    public boolean next(List<Cell> result, ScannerContext context) throws IOException {
      return read.timed(result, () -> super.next(result, context));
    }

    @Override
    public void close() {
      super.close();
      read.ended();
    }
  }

  private static final class Reversed extends ReversedStoreScanner {
    private final TimedRead read;

    Reversed(
        TimedRead read,
        HStore store,
        ScanInfo family,
        Scan scan,
        @Nullable NavigableSet<byte[]> columns,
        long readPoint)
        throws IOException {
      super(store, family, scan, columns, readPoint);
      this.read = read;
    }

    @Override
    public boolean next(List<Cell> result, ScannerContext context) throws IOException {
      return read.timed(result, () -> super.next(result, context));
    }

    @Override
    public void close() {
      super.close();
      read.ended();
    }
  }

  private static final class ForwardMob extends MobStoreScanner {
    private final TimedRead read;

    ForwardMob(
        TimedRead read,
        HStore store,
        ScanInfo family,
        Scan scan,
        @Nullable NavigableSet<byte[]> columns,
        long readPoint)
        throws IOException {
      super(store, family, scan, columns, readPoint);
      this.read = read;
    }

    @Override
    public boolean next(List<Cell> result, ScannerContext context) throws IOException {
      return read.timed(result, () -> super.next(result, context));
    }

    @Override
    public void close() {
      super.close();
      read.ended();
    }
  }

  private static final class ReversedMob extends OpenReversedMobStoreScanner {
    private final TimedRead read;

    ReversedMob(
        TimedRead read,
        HStore store,
        ScanInfo family,
        Scan scan,
        @Nullable NavigableSet<byte[]> columns,
        long readPoint)
        throws IOException {
      super(store, family, scan, columns, readPoint);
      this.read = read;
    }

    @Override
    public boolean next(List<Cell> result, ScannerContext context) throws IOException {
      return read.timed(result, () -> super.next(result, context));
    }

    @Override
    public void close() {
      super.close();
      read.ended();
    }
  }
}
