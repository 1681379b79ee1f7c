package io.ishbase.it;

import io.ishbase.plugin.compaction.OffloadingCompactor;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.regionserver.HStore;
import org.apache.hadoop.hbase.regionserver.RegionServerServices;
import org.apache.hadoop.hbase.regionserver.compactions.CompactionRequestImpl;
import org.apache.hadoop.hbase.regionserver.throttle.PressureAwareThroughputController;
import org.apache.hadoop.hbase.regionserver.throttle.ThroughputController;
import org.apache.hadoop.hbase.security.User;

/** The plug-in's compactor, which a test can hold at certain places. */
public final class SteeredCompactor extends OffloadingCompactor {
  private static final Map<TableName, Steering> STEERINGS = new ConcurrentHashMap<>();

  public SteeredCompactor(Configuration conf, HStore store) {
    super(conf, store);
  }

  /** Steers the compactions of {@code table} that begin from now on. */
  static void steer(TableName table, Steering steering) {
    STEERINGS.put(table, steering);
  }

  @Override
  public List<Path> compact(
      CompactionRequestImpl request, ThroughputController throughput, User user)
      throws IOException {
    Steering steering = STEERINGS.get(store.getTableName());
    if (steering == null) {
      return super.compact(request, throughput, user);
    }
    steering.arrive(Place.BEGUN);
    List<Path> files = super.compact(request, new Rate(steering), user);
    steering.arrive(Place.BEFORE_COMMIT);
    return files;
  }

  /** Allows what {@code steering} says. */
  static ThroughputController rate(Steering steering) {
    return new Rate(steering);
  }

  /** Where the region server's thread may be held. */
  enum Place {
    BEGUN,
    /** It makes the request to a worker. */
    BEFORE_REQUEST,
    /** The worker has accepted; it is about to be asked for the result, the first time or again. */
    BEFORE_QUESTION,
    /** The worker's result was taken. */
    BEFORE_COMMIT
  }

  /** What shall happen to compactions of one table. Held threads may be let go, or die. */
  static final class Steering {
    private final long bytesPerSecond;
    private Place held;
    private Place reached;
    private boolean unlimited;
    private boolean dead;

    /**
     * Holds a compaction.
     *
     * @param held where; null: nowhere
     * @param bytesPerSecond what its worker is allowed until it is let go
     */
    Steering(Place held, long bytesPerSecond) {
      this.held = held;
      this.bytesPerSecond = bytesPerSecond;
    }

    private synchronized void arrive(Place place) {
      reached = place;
      while (held != null && place.compareTo(held) >= 0 && !dead) {
        try {
          wait();
        } catch (InterruptedException e) {
          Thread.currentThread().interrupt();
          return;
        }
      }
      if (dead) {
        throw new AssertionError("This thread died with its process");
      }
    }

    private synchronized double rate() {
      arrive(reached == Place.BEGUN ? Place.BEFORE_REQUEST : Place.BEFORE_QUESTION);
      return unlimited ? 0 : bytesPerSecond;
    }

    /** Whether it has come to {@code place} at least. */
    synchronized boolean hasReached(Place place) {
      return reached != null && reached.compareTo(place) >= 0;
    }

    /** Lets it go on, at any rate. */
    synchronized void letGo() {
      held = null;
      unlimited = true;
      notifyAll();
    }

    /** Holds it wherever it comes to next, as if its process were paused. */
    synchronized void halt() {
      held = Place.BEGUN;
    }

    /** Ends it where it is held, or comes to next, as if its process had died. */
    synchronized void die() {
      dead = true;
      notifyAll();
    }
  }

  /** Is asked for its rate before the request to a worker, and before each question. */
  private static final class Rate extends PressureAwareThroughputController {
    private final Steering steering;

    Rate(Steering steering) {
      this.steering = steering;
    }

    @Override
    public double getMaxThroughput() {
      return steering.rate();
    }

    @Override
    public void setup(RegionServerServices server) {
      // Nothing to set up.
    }

    @Override
    public void start(String name) {
      // A compaction at home is not held.
    }

    @Override
    public long control(String name, long size) {
      return 0;
    }

    @Override
    public void finish(String name) {
      // Nor is this the end of one at a worker.
    }
  }
}
