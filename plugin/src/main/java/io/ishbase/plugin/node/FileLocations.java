package io.ishbase.plugin.node;

import io.ishbase.core.Rendezvous;
import io.ishbase.core.Replicas;
import io.ishbase.core.Topology;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.DoubleSupplier;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.function.ToDoubleFunction;
import java.util.function.ToLongFunction;
import org.apache.hadoop.fs.BlockLocation;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Where files lie, and which storage node should therefore read them. Thread safe. */
public final class FileLocations {
  private static final Logger LOG = LoggerFactory.getLogger(FileLocations.class);
  private static final int MAX_FILES = 100_000;
  private static final int MORE_THAN_A_LOAD = 1_000;
  private static final int MORE_THAN_A_DISTANCE = 1_000_000;

  /** Data-transfer addresses of the DataNodes that hold the whole file, by path. */
  private final Remembered<List<String>> places;

  private final Supplier<List<StorageNode>> readers;
  private final NodeHealth health;

  private final ToLongFunction<StorageNode> usualNanos;
  private final Predicate<StorageNode> isDoubted;
  private final ToDoubleFunction<StorageNode> begun;
  private final DoubleSupplier draws;
  private final Topology topology;

  /**
   * @param readers the nodes that answer reads now, in one order
   * @param topology learns where DataNodes are
   * @param usualNanos how long one usually takes; 0: not known
   * @param isDoubted whether one answers nobody now
   * @param begun how far one has, from 0 to 1
   */
  public FileLocations(
      Supplier<List<StorageNode>> readers,
      NodeHealth health,
      Topology topology,
      ToLongFunction<StorageNode> usualNanos,
      Predicate<StorageNode> isDoubted,
      ToDoubleFunction<StorageNode> begun) {
    this(
        readers,
        health,
        topology,
        usualNanos,
        isDoubted,
        begun,
        () -> ThreadLocalRandom.current().nextDouble(),
        new Remembered<>(MAX_FILES));
  }

  /**
   * @param draws numbers from 0 to 1
   */
  FileLocations(
      Supplier<List<StorageNode>> readers,
      NodeHealth health,
      Topology topology,
      ToLongFunction<StorageNode> usualNanos,
      Predicate<StorageNode> isDoubted,
      ToDoubleFunction<StorageNode> begun,
      DoubleSupplier draws,
      Remembered<List<String>> places) {
    this.readers = readers;
    this.health = health;
    this.topology = topology;
    this.usualNanos = usualNanos;
    this.isDoubted = isDoubted;
    this.begun = begun;
    this.draws = draws;
    this.places = places;
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
    List<StorageNode> live = readers.get();
    if (live.isEmpty()) {
      return null;
    }
    List<String> addresses = places(fs, path, budget);
    if (addresses == null) {
      return null;
    }
    List<StorageNode> holding =
        live.stream().filter(node -> addresses.contains(node.dataNodeIp())).toList();
    // Where all are left alone, one that is in doubt or slow is asked, not one that has failed.
    StorageNode holder =
        Replicas.choose(
            holding,
            preferred,
            leftAlone(holding),
            node -> (isClosed(node) ? MORE_THAN_A_DISTANCE : 0) + price(node));
    return holder != null ? holder : byDirectory(path, live);
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
    for (String path : paths) {
      List<String> addresses = holding.isEmpty() ? null : places.known(path);
      if (addresses == null) {
        return null;
      }
      holding.removeIf(node -> !addresses.contains(node.dataNodeIp()));
    }
    return Replicas.choose(holding, List.of(), isDoubted, this::price);
  }

  /** Grows with the distance, and then with the load. */
  private int price(StorageNode node) {
    return MORE_THAN_A_LOAD * topology.distance(node.dataNodeIp()).ordinal() + node.loadPercent();
  }

  private boolean isClosed(StorageNode node) {
    return health.isClosed(node.name());
  }

  /**
   * The data-transfer addresses of the DataNodes that hold the whole file at {@code path}, as far
   * as is known.
   */
  public List<String> holders(FileSystem fs, Path path) {
    List<String> addresses = places(fs, path, new WaitBudget());
    return addresses == null ? List.of() : addresses;
  }

  private @Nullable List<String> places(FileSystem fs, Path path, WaitBudget budget) {
    return places.get(path.toUri().getPath(), () -> locate(fs, path), budget);
  }

  /** Asks the NameNode anew when the files at {@code paths} are wanted again. */
  public void forget(Collection<String> paths) {
    places.forget(paths);
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

  private @Nullable List<String> locate(FileSystem fs, Path path) {
    try {
      List<String> all = null;
      for (BlockLocation block : fs.getFileBlockLocations(path, 0, Long.MAX_VALUE)) {
        List<String> names = List.of(block.getNames());
        String[] paths = block.getTopologyPaths();
        for (int i = 0; i < Math.min(paths.length, names.size()); i++) {
          topology.learn(names.get(i), paths[i]);
        }
        if (all == null) {
          all = new ArrayList<>(names);
        } else {
          all.retainAll(names);
        }
      }
      return all == null ? List.of() : List.copyOf(all);
    } catch (IOException e) {
      LOG.warn("The NameNode does not say where {} lies", path, e);
      return null;
    }
  }
}
