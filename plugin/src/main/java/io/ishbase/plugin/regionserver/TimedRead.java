package io.ishbase.plugin.regionserver;

import io.ishbase.core.Gate;
import java.io.IOException;
import java.util.List;
import java.util.NavigableSet;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.regionserver.HStore;
import org.apache.hadoop.hbase.regionserver.KeyValueScanner;
import org.apache.hadoop.hbase.regionserver.ReversedStoreScanner;
import org.apache.hadoop.hbase.regionserver.ScanInfo;
import org.apache.hadoop.hbase.regionserver.ScannerContext;
import org.apache.hadoop.hbase.regionserver.StoreScanner;

/**
 * The read of one store over one road, timed for the gate: from its set-up to its end, without the
 * time between the calls of its client. Used by one thread at a time.
 */
final class TimedRead {
  private final Gate gate;
  private final Gate.Choice choice;
  private final MultiGet multiGet;
  private long nanos;
  private long cells;
  private boolean ended;

  /**
   * @param multiGet what the read is a part of, then judged as a whole; null if it is alone
   */
  TimedRead(Gate gate, Gate.Choice choice, MultiGet multiGet) {
    this.gate = gate;
    this.choice = choice;
    this.multiGet = multiGet;
  }

  /** HBase's scanner of {@code store}, timed. */
  KeyValueScanner scanner(
      HStore store, ScanInfo family, Scan scan, NavigableSet<byte[]> columns, long readPoint)
      throws IOException {
    long start = System.nanoTime();
    boolean made = false;
    try {
      KeyValueScanner scanner =
          scan.isReversed()
              ? new Reversed(this, store, family, scan, columns, readPoint)
              : new Forward(this, store, family, scan, columns, readPoint);
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
    if (multiGet != null) {
      multiGet.ended(nanos);
    } else {
      // Scans end after different numbers of cells.
      gate.observe(choice, (double) nanos / (1 + cells));
    }
  }

  private static final class Forward extends StoreScanner {
    private final TimedRead read;

    Forward(
        TimedRead read,
        HStore store,
        ScanInfo family,
        Scan scan,
        NavigableSet<byte[]> columns,
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
        NavigableSet<byte[]> columns,
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
