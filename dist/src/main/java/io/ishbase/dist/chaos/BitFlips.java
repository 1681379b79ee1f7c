package io.ishbase.dist.chaos;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * Bits of blocks that flip on a DataNode's disk, as they do with age. Only of blocks of which
 * another DataNode has the same, and never of two replicas of one, so that no data are lost. For
 * one thread.
 */
final class BitFlips {
  private static final String BLOCK = "blk_";
  private static final String META = ".meta";

  private final List<Path> dataNodes;
  private final Random random;
  private final Set<String> flipped = new HashSet<>();

  /**
   * @param dataNodes the data directory of each DataNode
   */
  BitFlips(List<Path> dataNodes, long seed) {
    this.dataNodes = List.copyOf(dataNodes);
    this.random = new Random(seed);
  }

  /**
   * Flips a bit of a block of DataNode 1, 2, …
   *
   * @return which, in words; empty if there is no block of which another DataNode has the same
   */
  Optional<String> flip(int node) throws IOException {
    Map<String, Path> replicas = replicas(dataNodes.get(node - 1));
    Set<String> elsewhere = new HashSet<>();
    for (int other = 1; other <= dataNodes.size(); other++) {
      if (other != node) {
        elsewhere.addAll(replicas(dataNodes.get(other - 1)).keySet());
      }
    }
    List<String> candidates = new ArrayList<>(replicas.keySet());
    candidates.removeIf(replica -> !elsewhere.contains(replica));
    candidates.removeIf(replica -> flipped.contains(block(replica)));
    if (candidates.isEmpty()) {
      return Optional.empty();
    }
    String replica = candidates.get(random.nextInt(candidates.size()));
    flipped.add(block(replica));
    try (RandomAccessFile file = new RandomAccessFile(replicas.get(replica).toFile(), "rw")) {
      long place = random.nextLong(file.length());
      int bit = random.nextInt(Byte.SIZE);
      file.seek(place);
      int before = file.read();
      file.seek(place);
      file.write(before ^ 1 << bit);
      return Optional.of("bit " + bit + " of byte " + place + " of " + block(replica));
    }
  }

  /**
   * Whole replicas of blocks that nobody writes any more, by what two that are the same have in
   * common: the block, its generation, its length.
   */
  private static Map<String, Path> replicas(Path dataNode) throws IOException {
    Map<String, Path> replicas = new TreeMap<>();
    try (Stream<Path> tree = Files.walk(dataNode)) {
      for (Path meta : (Iterable<Path>) tree::iterator) {
        String name = meta.getFileName().toString();
        if (name.startsWith(BLOCK) && name.endsWith(META) && isFinalized(meta)) {
          Path data = meta.resolveSibling(block(name));
          if (Files.exists(data) && Files.size(data) > 0) {
            replicas.put(name + " " + Files.size(data), data);
          }
        }
      }
    } catch (NoSuchFileException e) {
      // Deleted meanwhile: those that were seen will do.
    } catch (UncheckedIOException e) {
      if (!(e.getCause() instanceof NoSuchFileException)) {
        throw e.getCause();
      }
    }
    return replicas;
  }

  private static boolean isFinalized(Path meta) {
    for (Path part : meta) {
      if (part.toString().equals("finalized")) {
        return true;
      }
    }
    return false;
  }

  /**
   * The name of a block's file, of that of its checksums: {@code blk_1} of {@code blk_1_2.meta}.
   */
  private static String block(String meta) {
    return meta.substring(0, meta.indexOf('_', BLOCK.length()));
  }
}
