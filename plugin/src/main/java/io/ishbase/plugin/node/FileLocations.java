package io.ishbase.plugin.node;

import io.ishbase.core.Rendezvous;
import io.ishbase.core.Replicas;
import io.ishbase.core.Silence;
import io.ishbase.core.Topology;
import io.ishbase.core.WriteTargets;
import io.ishbase.plugin.hbase.DataFiles;
import io.ishbase.plugin.hbase.ErasureCoding;
import io.ishbase.protocol.ReleaseAdapter;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.DoubleSupplier;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.function.ToDoubleFunction;
import java.util.function.ToLongFunction;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.BlockLocation;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.HdfsBlockLocation;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hbase.util.EnvironmentEdgeManager;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.apache.hbase.thirdparty.com.google.common.collect.Interner;
import org.apache.hbase.thirdparty.com.google.common.collect.Interners;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Where files lie, and which storage node should therefore read them. Thread safe. */
public final class FileLocations {
  private static final Logger LOG = LoggerFactory.getLogger(FileLocations.class);
  private static final long UNLOCATED_EVERY_NANOS = TimeUnit.MINUTES.toNanos(1);
  private static final int ROOM_AGAIN = 10;
  private static final int MORE_THAN_A_LOAD = 1_000;
  private static final int MORE_THAN_A_DISTANCE = 1_000_000;

  /** Data-transfer addresses of the DataNodes that hold the whole file, by path. */
  private final Remembered<Places> places;

  /** Where files are now that were at a path when they were opened. */
  private final Remembered<Path> moved;

  private final Supplier<List<StorageNode>> readers;
  private final NodeHealth health;

  private final ToLongFunction<StorageNode> usualNanos;
  private final Predicate<StorageNode> isDoubted;
  private final ToDoubleFunction<StorageNode> begun;
  private final DoubleSupplier draws;
  private final Topology topology;
  private final WriteTargets targets;

  /** Of a few hundred DataNodes there are hundreds of thousands of places. */
  private final Interner<String> addresses = Interners.newWeakInterner();

  /** Of files that the NameNode, in safe mode for instance, was asked for in vain. */
  private final Silence unlocated = new Silence(UNLOCATED_EVERY_NANOS, System.nanoTime());

  /** By the address of their DataNodes; of the list that readers were last. */
  private volatile Nodes nodes = new Nodes(List.of());

  /**
   * @param readers the nodes that answer reads now, in one order
   * @param topology learns where DataNodes are
   * @param targets learns which of them are given new blocks
   * @param usualNanos how long one usually takes; 0: not known
   * @param isDoubted whether one answers nobody now
   * @param begun how far one has, from 0 to 1
   */
  public FileLocations(
      Supplier<List<StorageNode>> readers,
      NodeHealth health,
      Topology topology,
      WriteTargets targets,
      ToLongFunction<StorageNode> usualNanos,
      Predicate<StorageNode> isDoubted,
      ToDoubleFunction<StorageNode> begun) {
    this(
        readers,
        health,
        topology,
        targets,
        usualNanos,
        isDoubted,
        begun,
        () -> ThreadLocalRandom.current().nextDouble(),
        Remembered.ofFiles(places -> !places.areComplete()),
        Remembered.ofFiles(path -> false));
  }

  /**
   * @param draws numbers from 0 to 1
   */
  FileLocations(
      Supplier<List<StorageNode>> readers,
      NodeHealth health,
      Topology topology,
      WriteTargets targets,
      ToLongFunction<StorageNode> usualNanos,
      Predicate<StorageNode> isDoubted,
      ToDoubleFunction<StorageNode> begun,
      DoubleSupplier draws,
      Remembered<Places> places,
      Remembered<Path> moved) {
    this.readers = readers;
    this.health = health;
    this.topology = topology;
    this.targets = targets;
    this.usualNanos = usualNanos;
    this.isDoubted = isDoubted;
    this.begun = begun;
    this.draws = draws;
    this.places = places;
    this.moved = moved;
  }

  /**
   * The node that should serve the file at {@code path}, or null if there is none, or the NameNode
   * has not said where it lies: nobody waits for it as long as it may take. Of several that hold it
   * the one in {@code preferred} wins, so that a store's files go into one request, then the
   * nearest of those that are not quarantined, the least loaded of several; one that is slow, or
   * has just begun, is passed over mostly, one that answers nobody now always. A file that no live
   * daemon holds whole is read by one that is chosen by its directory: it still spares the network
   * between storage and compute.
   *
   * @param budget of the reader, for all its files
   */
  public @Nullable StorageNode nodeFor(
      FileSystem fs, Path path, Set<StorageNode> preferred, WaitBudget budget) {
    Nodes live = live();
    if (live.all.isEmpty()) {
      return null;
    }
    Places holders = places(fs, path, budget);
    if (holders == null) {
      return null;
    }
    List<StorageNode> holding = live.at(holders.addresses());
    // Where all are left alone, one that is in doubt or slow is asked, not one that has failed.
    StorageNode holder =
        Replicas.choose(
            holding,
            preferred,
            leftAlone(holding),
            node -> (isClosed(node) ? MORE_THAN_A_DISTANCE : 0) + price(node));
    return holder != null ? holder : byDirectory(path, live.all);
  }

  /**
   * Where a file is.
   *
   * @param addresses of the DataNodes that have all of it: with the host's address and, where the
   *     NameNode says it, with its name
   * @param areComplete whether each block is where it is to be, and nothing else is to be expected
   */
  record Places(List<String> addresses, boolean areComplete) {}

  /** Those that answer reads, and which is beside each DataNode. */
  private static final class Nodes {
    private final List<StorageNode> all;
    private final Map<String, List<Integer>> byAddress = new HashMap<>();

    Nodes(List<StorageNode> all) {
      this.all = all;
      Map<String, Set<String>> ofNames = new HashMap<>();
      for (int i = 0; i < all.size(); i++) {
        StorageNode node = all.get(i);
        byAddress.computeIfAbsent(node.dataNodeIp(), address -> new ArrayList<>()).add(i);
        ofNames.computeIfAbsent(node.dataNode(), name -> new HashSet<>()).add(node.dataNodeIp());
      }
      for (int i = 0; i < all.size(); i++) {
        String name = all.get(i).dataNode();
        // Where each says localhost it is the name of none.
        if (ofNames.getOrDefault(name, Set.of()).size() == 1
            && !name.equals(all.get(i).dataNodeIp())) {
          byAddress.computeIfAbsent(name, address -> new ArrayList<>()).add(i);
        }
      }
    }

    /** Those beside the DataNodes at {@code addresses}, in the order of all. */
    List<StorageNode> at(List<String> addresses) {
      return addresses.stream()
          .flatMap(address -> byAddress.getOrDefault(address, List.of()).stream())
          .distinct()
          .sorted()
          .map(all::get)
          .toList();
    }
  }

  private Nodes live() {
    List<StorageNode> now = readers.get();
    Nodes known = nodes;
    if (known.all != now) {
      known = new Nodes(now);
      nodes = known;
    }
    return known;
  }

  private Predicate<StorageNode> leftAlone(List<StorageNode> holding) {
    if (holding.size() < 2) {
      return this::isClosed;
    }
    // Of those that might be asked: none is slow beside one that has failed.
    long fastest =
        holding.stream()
            .filter(this::isOpen)
            .mapToLong(usualNanos)
            .filter(nanos -> nanos > 0)
            .min()
            .orElse(0);
    double draw = draws.getAsDouble();
    Predicate<StorageNode> isSlow =
        node -> Replicas.isPassedOver(usualNanos.applyAsLong(node), fastest, draw);
    // Nor is one spared for another that has failed, is slow, or is to be spared itself.
    boolean spares =
        holding.stream()
            .anyMatch(node -> isOpen(node) && !isSlow.test(node) && !isSpared(node, draw));
    return node -> !isOpen(node) || spares && isSpared(node, draw) || isSlow.test(node);
  }

  private boolean isOpen(StorageNode node) {
    return !isClosed(node) && !isDoubted.test(node);
  }

  private boolean isSpared(StorageNode node, double draw) {
    return Replicas.isSpared(begun.applyAsDouble(node), draw);
  }

  /** Whether any node answers reads now. */
  public boolean hasReaders() {
    return !readers.get().isEmpty();
  }

  /**
   * Another node that holds the files at {@code paths} and is not left alone now: the nearest, the
   * least loaded of several. Null if there is none, or the NameNode would have to be asked.
   *
   * @param isAway whether {@code than} will not answer: then one that has answered nobody for a
   *     moment is better than none, as it is where {@code than} is left alone itself
   */
  public @Nullable StorageNode other(StorageNode than, boolean isAway, Collection<String> paths) {
    boolean isHopeless = isAway || !isOpen(than);
    List<StorageNode> holding = new ArrayList<>(readers.get());
    holding.removeIf(
        node -> node.equals(than) || isClosed(node) || !isHopeless && isDoubted.test(node));
    Nodes live = live();
    for (String path : paths) {
      Places known = holding.isEmpty() ? null : places.known(path);
      if (known == null) {
        return null;
      }
      holding.retainAll(live.at(known.addresses()));
    }
    return Replicas.choose(holding, List.of(), isDoubted, this::price);
  }

  /** Grows with the distance, and then with the load. */
  private int price(StorageNode node) {
    int distance =
        Math.min(
            topology.distance(node.dataNodeIp()).ordinal(),
            topology.distance(node.dataNode()).ordinal());
    return MORE_THAN_A_LOAD * distance + node.loadPercent();
  }

  private boolean isClosed(StorageNode node) {
    return health.isClosed(node.name());
  }

  /**
   * The data-transfer addresses of the DataNodes that hold the whole file at {@code path}, as far
   * as is known: with the host's address and, where the NameNode says it, with its name.
   *
   * @param budget of whoever asks, for all his files
   */
  public List<String> holders(FileSystem fs, Path path, WaitBudget budget) {
    Places known = places(fs, path, budget);
    return known == null ? List.of() : known.addresses();
  }

  /**
   * Where a file of any region is now that was at {@code opened} when it was opened: there, if it
   * is not known.
   *
   * @param conf says where HBase's root is
   * @param budget of the reader, for all its files
   */
  public Path present(FileSystem fs, Supplier<Configuration> conf, Path opened, WaitBudget budget) {
    Path now = moved.get(opened.toUri().getPath(), () -> look(fs, conf.get(), opened), budget);
    return now == null ? opened : now;
  }

  private static @Nullable Path look(FileSystem fs, Configuration conf, Path opened) {
    try {
      return DataFiles.now(conf, fs, opened);
    } catch (IOException | RuntimeException e) {
      LOG.debug("{} is not in HBase's directories", opened, e);
      return null;
    }
  }

  private @Nullable Places places(FileSystem fs, Path path, WaitBudget budget) {
    return places.get(path.toUri().getPath(), () -> locate(fs, path), budget);
  }

  /** Asks the NameNode anew when the files at {@code paths} are wanted again. */
  public void forget(Collection<String> paths) {
    places.forget(paths);
    moved.forget(paths);
  }

  /** The same; until it has answered what is known holds. */
  public void refresh(Collection<String> paths) {
    places.refresh(paths);
  }

  /**
   * Asks the NameNode anew about each file that is wanted again; until then what is known holds.
   */
  void refresh() {
    places.refresh();
  }

  private StorageNode byDirectory(Path path, List<StorageNode> live) {
    if (live.size() == 1) {
      return live.get(0);
    }
    Map<String, StorageNode> byName = new HashMap<>();
    for (StorageNode node : live) {
      if (!isClosed(node)) {
        byName.put(node.name(), node);
      }
    }
    String first = Rendezvous.first(path.getParent().toUri().getPath(), byName.keySet());
    return first == null ? live.get(0) : byName.getOrDefault(first, live.get(0));
  }

  private @Nullable Places locate(FileSystem fs, Path path) {
    try {
      Set<String> all = null;
      boolean areComplete = true;
      for (BlockLocation block : fs.getFileBlockLocations(path, 0, Long.MAX_VALUE)) {
        Set<String> names = namesOf(block);
        learnTargets(block, () -> fs.getDefaultBlockSize(path));
        // A DataNode says a moment after a file was written that it has it.
        areComplete &=
            ErasureCoding.isStriped(block)
                || block.getNames().length >= fs.getDefaultReplication(path);
        if (all == null) {
          all = names;
        } else {
          all.retainAll(names);
        }
      }
      return new Places(all == null ? List.of() : List.copyOf(all), areComplete);
    } catch (FileNotFoundException e) {
      LOG.debug("{} is not there any more", path);
      moved.forget(List.of(path.toUri().getPath()));
      return null;
    } catch (IOException e) {
      long silent = unlocated.next(System.nanoTime());
      if (silent >= 0) {
        LOG.warn(
            "The NameNode does not say where {} lies{}",
            path,
            silent == 0 ? "" : "; and of " + silent + " more since one was said",
            e);
      }
      return null;
    }
  }

  /** HDFS says with each block how those that have it fare. */
  private void learnTargets(BlockLocation block, LongSupplier blockBytes) {
    if (block instanceof HdfsBlockLocation ofHdfs) {
      long now = EnvironmentEdgeManager.currentTime();
      for (DatanodeInfo node : ReleaseAdapter.locations(ofHdfs.getLocatedBlock())) {
        // HDFS wants room for a whole block; one that was full is so until it has more than a few.
        long wanted = blockBytes.getAsLong();
        if (!targets.takesBlocks(node.getXferAddr(), now)) {
          wanted *= ROOM_AGAIN;
        }
        boolean isFull = node.getCapacity() > 0 && node.getRemaining() < wanted;
        boolean takesBlocks = node.isInService() && !isFull;
        targets.learn(addresses.intern(node.getXferAddr()), takesBlocks, now);
        targets.learn(addresses.intern(node.getXferAddrWithHostname()), takesBlocks, now);
      }
    }
  }

  private Set<String> namesOf(BlockLocation block) throws IOException {
    Set<String> all = new LinkedHashSet<>();
    String[] names = block.getNames();
    String[] hosts = block.getHosts();
    String[] paths = block.getTopologyPaths();
    for (int i = 0; i < names.length; i++) {
      List<String> ofOne = new ArrayList<>(List.of(addresses.intern(names[i])));
      if (i < hosts.length) {
        // Here the name may be looked up as another address of the same machine.
        ofOne.add(addresses.intern(hosts[i] + names[i].substring(names[i].lastIndexOf(':'))));
      }
      for (String name : ofOne) {
        if (i < paths.length) {
          topology.learn(name, paths[i]);
        }
        // Of a stripe each has a part only.
        if (!ErasureCoding.isStriped(block)) {
          all.add(name);
        }
      }
    }
    return all;
  }
}
