package io.ishbase.plugin.compaction;

import io.ishbase.core.compaction.LocalReason;
import io.ishbase.core.compaction.SlowestPace;
import io.ishbase.core.compaction.Stall;
import io.ishbase.plugin.node.StorageNode;
import io.ishbase.plugin.node.StorageNodes;
import io.ishbase.plugin.node.WorkerClient;
import io.ishbase.protocol.AttemptDirectory;
import io.ishbase.protocol.CompactionLayout;
import io.ishbase.protocol.Protocol;
import io.ishbase.protocol.generated.CompactionProtos.CompactRequest;
import io.ishbase.protocol.generated.CompactionProtos.CompactResponse;
import io.ishbase.protocol.generated.CompactionProtos.ProgressRequest;
import io.ishbase.protocol.generated.CompactionProtos.ProgressResponse;
import io.ishbase.protocol.generated.CompactionProtos.StoragePolicy;
import io.ishbase.protocol.generated.IssnProtos.Code;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.ConnectException;
import java.net.SocketTimeoutException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.io.hfile.CacheConfig;
import org.apache.hadoop.hbase.io.hfile.HFile;
import org.apache.hadoop.hbase.regionserver.HMobStore;
import org.apache.hadoop.hbase.regionserver.HStore;
import org.apache.hadoop.hbase.regionserver.compactions.CompactionProgress;
import org.apache.hadoop.hdfs.protocol.HdfsFileStatus;
import org.apache.hadoop.ipc.RemoteException;
import org.apache.hadoop.ipc.StandbyException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One attempt at a compaction by a worker, seen from the region server: asks for it, waits, takes
 * the result. The attempt has a directory of its own, which the region server makes and, whatever
 * happens, deletes. After that the worker cannot write any more, however late it wakes up: HDFS
 * refuses to add blocks to a deleted file or to close it.
 *
 * <p>Used by the thread that compacts; the progress may be read by any.
 */
final class RemoteCompaction {
  private static final Logger LOG = LoggerFactory.getLogger(RemoteCompaction.class);
  private static final int WAIT_MILLIS = 10_000;

  /** One that is held back is to learn soon that the pressure rises. */
  private static final int HELD_BACK_WAIT_MILLIS = 1_000;

  private static final long PAUSE_MILLIS = 500;

  /** How long a worker may be silent while the store takes no writes, whatever its lease. */
  private static final long BLOCKED_NANOS = TimeUnit.SECONDS.toNanos(20);

  private static final long NONE = -1;

  private static final Pattern OUTPUT = Pattern.compile("[0-9a-f]{32}");

  private final HStore store;
  private final StorageNodes nodes;
  private final StorageNode worker;
  private final CompactRequest request;
  private final CompactionInput input;
  private final LongSupplier maxBytesPerSecond;
  private final Pressure pressure;
  private final WorkerClient client;
  private final CompactionProgress progress;
  private final Inspection inspection;
  private final FileSystem fs;
  private final Path directory;
  private final LongSupplier clock;
  private final long startNanos;
  private volatile long heldBackMillis;
  private boolean isHeldBack;

  /** Looks at the store's new files before one of them is taken. */
  @FunctionalInterface
  interface Inspection {
    /**
     * Throws if they are not to be taken.
     *
     * @param results open until this returns
     */
    void inspect(List<HFile.Reader> results) throws IOException;
  }

  /** The {@link #identity} of the attempt's directory when it was made. */
  private long made = NONE;

  /** Whether others have deleted it before the attempt ended. */
  private boolean isLost;

  /**
   * @param input what {@code request} is about
   * @param maxBytesPerSecond what the worker is allowed; 0: any rate
   * @param progress takes what the worker says
   * @param inspection may refuse what it wrote
   * @param clock nanoseconds
   */
  RemoteCompaction(
      HStore store,
      StorageNodes nodes,
      StorageNode worker,
      CompactRequest request,
      CompactionInput input,
      LongSupplier maxBytesPerSecond,
      Pressure pressure,
      CompactionProgress progress,
      Inspection inspection,
      LongSupplier clock) {
    this.store = store;
    this.nodes = nodes;
    this.worker = worker;
    this.request = request;
    this.input = input;
    this.clock = clock;
    this.startNanos = clock.getAsLong();
    this.maxBytesPerSecond = maxBytesPerSecond;
    this.pressure = pressure;
    this.client = new WorkerClient(nodes.client(), worker.address());
    this.progress = progress;
    this.inspection = inspection;
    this.fs = store.getFileSystem();
    this.directory =
        AttemptDirectory.of(
            store.getHRegion().getRegionFileSystem().getRegionDir(), request.getAttempt());
  }

  /**
   * Has the compaction carried out.
   *
   * @return the new files, where HBase's own compactor would have put them
   * @throws OffloadException if there is no result: it is to be done here
   * @throws InterruptedIOException if the store closes or the thread is interrupted
   * @throws IOException if nobody is to do it: the region is another server's
   */
  List<Path> run() throws IOException {
    try {
      return attempt();
    } catch (OffloadException e) {
      if (isLost) {
        throw new IOException(lost(), e);
      }
      throw e;
    }
  }

  private List<Path> attempt() throws IOException {
    boolean asked = false;
    boolean done = false;
    try {
      makeDirectory();
      asked = true;
      CompactResponse accepted = StoreWait.await(client.compact(request), store);
      if (accepted.getCode() != Code.OK) {
        throw refusal(accepted.getCode(), accepted.getMessage());
      }
      ProgressResponse result = awaitResult();
      done = true;
      return take(result);
    } finally {
      try {
        if (asked && !done) {
          client.progress(ask().setCancel(true).build());
        }
      } finally {
        isLost = made != NONE && identity() != made;
        delete(directory);
      }
    }
  }

  /** For how long the worker made way for others, as far as it has said. */
  long heldBackMillis() {
    return heldBackMillis;
  }

  /** The worker, since when it has been at it, and for how much of that it made way for others. */
  @Override
  public String toString() {
    return String.format(
        Locale.ROOT,
        "at %s for %.1f s%s",
        worker.name(),
        (clock.getAsLong() - startNanos) / 1e9,
        heldBackMillis == 0
            ? ""
            : String.format(Locale.ROOT, ", %.1f s of them held back", heldBackMillis / 1e3));
  }

  private void makeDirectory() throws IOException {
    try {
      Leftovers.sweep(fs, directory.getParent());
      // Those that files are in, too: what a worker of another user made, HBase could not delete,
      // and a region does not open as long as it cannot.
      for (String name : directories()) {
        if (!fs.mkdirs(new Path(directory, name))) {
          throw new IOException("It is not made");
        }
      }
      made = identity();
    } catch (IOException e) {
      InterruptedIOException interruption = StoreWait.interruption(e);
      throw interruption != null
          ? interruption
          : new OffloadException(LocalReason.HERE, "Cannot make " + directory + ": " + e);
    }
  }

  /**
   * Which directory it is: whoever opens the region deletes all that is temporary there, so that
   * the server that had it before can commit nothing, and a worker that is late may make another of
   * that name. {@link #NONE} if there is none; what {@link #made} is if nobody can tell.
   */
  private long identity() {
    try {
      return fs.getFileStatus(directory) instanceof HdfsFileStatus status ? status.getFileId() : 0;
    } catch (FileNotFoundException e) {
      return NONE;
    } catch (IOException e) {
      LOG.debug("{} is taken to be there", directory, e);
      return made;
    }
  }

  private String lost() {
    return directory + " was deleted meanwhile: the region may be open at another region server";
  }

  private ProgressResponse awaitResult() throws IOException {
    Stall stall = new Stall(request.getLeaseMillis(), clock);
    SlowestPace slowest = new SlowestPace(input.bytes(), clock);
    while (true) {
      long start = clock.getAsLong();
      ProgressResponse answer = answer();
      report(answer);
      switch (answer.getState()) {
        case DONE:
          return answer;
        case ENDED:
          throw refusal(answer.getCode(), answer.getMessage());
        case UNKNOWN:
          throw answer.hasCode()
              ? refusal(answer.getCode(), answer.getMessage())
              : new OffloadException(LocalReason.FORGOTTEN, "The worker has restarted");
        default:
          checkStall(stall, answer);
          checkPace(slowest, answer);
          // A worker with too many who wait answers at once.
          long millis = TimeUnit.NANOSECONDS.toMillis(clock.getAsLong() - start);
          StoreWait.pause(pauseMillis() - millis, store);
      }
    }
  }

  /** Between two questions: several in a lease. */
  private long pauseMillis() {
    return Math.min(PAUSE_MILLIS, request.getLeaseMillis() / 4);
  }

  private void checkStall(Stall stall, ProgressResponse answer) throws OffloadException {
    long nanos =
        stall.check(answer.hasActivity() ? answer.getActivity() : null, pressure.blocksWrites());
    if (nanos > 0) {
      throw new OffloadException(
          LocalReason.STALLED,
          "Nothing read or written for "
              + TimeUnit.NANOSECONDS.toMillis(nanos)
              + " ms, after "
              + answer.getCells()
              + " cells");
    }
  }

  private void checkPace(SlowestPace slowest, ProgressResponse answer) throws OffloadException {
    long nanos =
        slowest.check(
            maxBytesPerSecond.getAsLong(), answer.getHeldBackMillis(), pressure.blocksWrites());
    if (nanos > 0) {
      throw new OffloadException(
          LocalReason.STALLED,
          "Says that it gets on, but is not done with "
              + input.bytes()
              + " bytes of cells after "
              + TimeUnit.NANOSECONDS.toSeconds(nanos)
              + " s, of which it was held back "
              + TimeUnit.MILLISECONDS.toSeconds(answer.getHeldBackMillis())
              + " s: no worker is as slow");
    }
  }

  /**
   * Asks after the attempt until an answer comes, for a lease at the longest; where the store takes
   * no writes until it is compacted, not for as long as its table would.
   */
  private ProgressResponse answer() throws IOException {
    ProgressRequest question =
        ask()
            .setWaitMillis(
                Math.min(
                    isHeldBack ? HELD_BACK_WAIT_MILLIS : WAIT_MILLIS, request.getLeaseMillis() / 4))
            .build();
    long leaseNanos = TimeUnit.MILLISECONDS.toNanos(request.getLeaseMillis());
    long start = clock.getAsLong();
    while (true) {
      try {
        return StoreWait.await(client.progress(question), store);
      } catch (OffloadException e) {
        boolean isSilent = e.reason() == LocalReason.TIMEOUT;
        if (!isSilent && !isPassing(e.reason())
            || !isRegistered()
            || clock.getAsLong() - start
                > (pressure.blocksWrites() ? Math.min(leaseNanos, BLOCKED_NANOS) : leaseNanos)) {
          throw e;
        }
        LOG.debug("{} does not answer", worker, e);
        if (isSilent) {
          // Not without need: the questions of other attempts would fail with the connection.
          nodes.client().reconnectControl(worker.address());
        }
        StoreWait.pause(pauseMillis(), store);
      }
    }
  }

  /** Whether the same question may well be answered in a moment. */
  private static boolean isPassing(LocalReason reason) {
    return reason == LocalReason.UNREACHABLE
        || reason == LocalReason.BUSY
        || reason == LocalReason.BAD_ANSWER;
  }

  private boolean isRegistered() {
    return nodes.live().stream().anyMatch(node -> node.address().equals(worker.address()));
  }

  private ProgressRequest.Builder ask() {
    return ProgressRequest.newBuilder()
        .setVersion(Protocol.VERSION)
        .setAttempt(request.getAttempt())
        .setMaxBytesPerSecond(maxBytesPerSecond.getAsLong())
        .setPressure(pressure.now());
  }

  private void report(ProgressResponse answer) throws OffloadException {
    if (answer.getCells() > input.cells()) {
      throw new OffloadException(
          LocalReason.BAD_ANSWER,
          "Says that it wrote " + answer.getCells() + " of " + input.cells() + " cells");
    }
    progress.totalCompactingKVs = answer.getTotalCells();
    progress.currentCompactedKVs = answer.getCells();
    progress.totalCompactedSize = answer.getBytes();
    isHeldBack = answer.getHeldBackMillis() > heldBackMillis;
    heldBackMillis = answer.getHeldBackMillis();
  }

  /** Moves the new files to where HBase's compactor would have written them. */
  private List<Path> take(ProgressResponse result) throws IOException {
    if (identity() != made) {
      throw new IOException(lost());
    }
    List<Path> taken = new ArrayList<>();
    MobResult mob = store instanceof HMobStore ofMob ? new MobResult(ofMob, directory) : null;
    try {
      List<String> names = new ArrayList<>();
      for (String name : result.getOutputList()) {
        if (mob != null && MobResult.isOne(name)) {
          mob.add(name);
        } else {
          names.add(name);
        }
      }
      move(names, taken);
      check(taken, result);
      if (mob != null) {
        mob.commit(taken.get(0));
        mob.count(result.getMobCells());
      }
      return taken;
    } catch (IOException | RuntimeException e) {
      InterruptedIOException interruption = StoreWait.interruption(e);
      discard(taken, mob);
      if (interruption != null) {
        throw interruption;
      }
      throw e instanceof OffloadException known
          ? known
          : new OffloadException(isOfHdfs(e) ? LocalReason.HERE : LocalReason.BAD_ANSWER, e);
    }
  }

  /** Whether it is the NameNode that refuses, or is not there: no fault of the worker. */
  private static boolean isOfHdfs(Exception failure) {
    return Stream.<Throwable>iterate(failure, Objects::nonNull, Throwable::getCause)
        .anyMatch(
            cause ->
                cause instanceof RemoteException
                    || cause instanceof StandbyException
                    || cause instanceof ConnectException
                    || cause instanceof SocketTimeoutException);
  }

  private void discard(List<Path> taken, @Nullable MobResult mob) {
    taken.forEach(this::delete);
    if (mob != null) {
      mob.undo();
    }
  }

  /**
   * Moves the store's new files to where the worker does not write; {@code taken} is told of each.
   */
  private void move(List<String> names, List<Path> taken) throws IOException {
    if (names.size() > CompactionLayout.mostFiles(request)) {
      throw new IOException(names.size() + " files");
    }
    Set<String> directories = directories();
    for (String name : names) {
      // Nothing but what lies in the attempt's directory.
      int slash = name.lastIndexOf('/');
      if (!directories.contains(name.substring(0, slash + 1))
          || !OUTPUT.matcher(name.substring(slash + 1)).matches()) {
        throw new IOException("'" + name + "' is no new file");
      }
    }
    Path target = store.getHRegion().getRegionFileSystem().getTempDir();
    for (String name : names) {
      Path written = new Path(directory, name);
      Path file = new Path(target, name);
      fs.mkdirs(file.getParent());
      // Also if the answer is lost.
      taken.add(file);
      if (!fs.rename(written, file)) {
        throw new IOException("Cannot move " + written);
      }
    }
  }

  /** Looks whether the files may be the store's. */
  private void check(List<Path> files, ProgressResponse result) throws IOException {
    List<HFile.Reader> readers = new ArrayList<>();
    try {
      for (Path file : files) {
        HFile.Reader reader = open(file);
        readers.add(reader);
        input.check(reader, request);
      }
      long cells = readers.stream().mapToLong(HFile.Reader::getEntries).sum();
      if (files.isEmpty() && !mayBeEmpty(result) || cells != result.getCells()) {
        throw new IOException(
            files.size() + " files with " + cells + " cells instead of " + result.getCells());
      }
      inspection.inspect(readers);
      if (nodes.health().doubtsWorkers()) {
        throw new OffloadException(
            LocalReason.DOUBTED, "Another compaction was wrong while this one was under way");
      }
    } finally {
      for (HFile.Reader reader : readers) {
        reader.close();
      }
    }
  }

  private HFile.Reader open(Path file) throws IOException {
    return HFile.createReader(
        fs,
        file,
        CacheConfig.DISABLED,
        /* primaryReplicaReader= */ true,
        store.getReadOnlyConfiguration());
  }

  /** Whether it may be that no cell is left: who says so has at least looked at the files. */
  private boolean mayBeEmpty(ProgressResponse result) {
    return CompactionLayout.mayBeEmpty(request)
        && result.hasCells()
        && (result.getTotalCells() > 0 || input.cells() == 0);
  }

  /**
   * Where HBase's compactor writes, below the attempt's directory as below {@code .tmp}: files of
   * windows with a storage policy lie apart, and HBase's commit reads the policy from that.
   */
  private Set<String> directories() {
    String family = store.getColumnFamilyName() + "/";
    Set<String> directories = new HashSet<>();
    directories.add(family);
    if (request.hasMob()) {
      directories.add(AttemptDirectory.MOB);
    }
    for (StoragePolicy policy : request.getWindows().getPolicyList()) {
      directories.add(family + HConstants.STORAGE_POLICY_PREFIX + policy.getName() + "/");
    }
    return directories;
  }

  private void delete(Path path) {
    Leftovers.delete(fs, path);
  }

  private static OffloadException refusal(Code code, String message) {
    LocalReason reason =
        switch (code) {
          case BUSY -> LocalReason.BUSY;
          case STOPPING -> LocalReason.STOPPING;
          case VERSION -> LocalReason.VERSION;
          case REFUSED, BAD_REQUEST -> LocalReason.REFUSED;
          case NO_FILE -> LocalReason.NO_FILE;
          case CORRUPT -> LocalReason.CORRUPT_FILE;
          case STORAGE -> LocalReason.HERE;
          default -> LocalReason.FAILED;
        };
    return new OffloadException(reason, code + ": " + message);
  }
}
