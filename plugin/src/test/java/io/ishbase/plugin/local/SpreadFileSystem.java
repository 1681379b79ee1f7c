package io.ishbase.plugin.local;

import io.ishbase.core.compaction.Worker;
import io.ishbase.plugin.node.StorageNode;
import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.fs.BlockLocation;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSInputStream;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.LocalFileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hbase.ServerName;

/**
 * The local file system, whose files storage nodes hold in turn, in the order of first questions,
 * or all of them.
 */
public final class SpreadFileSystem extends LocalFileSystem {
  private static final Map<String, String> HOLDERS = new LinkedHashMap<>();
  private static List<StorageNode> nodes = List.of();
  private static boolean copies;
  private static boolean failsToOpen;

  /** By path; null: files are read where they are. */
  private static Map<String, byte[]> inMemory;

  /**
   * So many nodes, which hold no file yet.
   *
   * @param toAll whether each of them will hold all files
   */
  static synchronized List<StorageNode> over(int count, boolean toAll) {
    HOLDERS.clear();
    inMemory = null;
    copies = toAll;
    List<StorageNode> all = new ArrayList<>();
    for (int i = 1; i <= count; i++) {
      ServerName name = ServerName.valueOf("node" + i, 1, 1);
      Worker none = new Worker(name.toString(), 0, 0, 0, 0, 0, 0, 0, false, 0);
      all.add(
          new StorageNode(
              name, "node" + i + ":2", "node" + i + ":2", 0, true, none, 0, true, true));
    }
    nodes = all;
    return all;
  }

  /** The next file that is opened cannot be. */
  static synchronized void failNextOpen() {
    failsToOpen = true;
  }

  private static synchronized boolean takeFailure() {
    boolean fails = failsToOpen;
    failsToOpen = false;
    return fails;
  }

  /** From now on what is opened is read once and kept; files must not change. */
  static synchronized void keepInMemory() {
    inMemory = new HashMap<>();
  }

  private byte[] kept(Path file) throws IOException {
    synchronized (SpreadFileSystem.class) {
      if (inMemory == null) {
        return null;
      }
      byte[] bytes = inMemory.get(file.toUri().getPath());
      if (bytes == null) {
        bytes = Files.readAllBytes(java.nio.file.Path.of(file.toUri().getPath()));
        inMemory.put(file.toUri().getPath(), bytes);
      }
      return bytes;
    }
  }

  @Override
  public FSDataInputStream open(Path file, int bufferSize) throws IOException {
    if (takeFailure()) {
      throw new IOException("Cannot open " + file + ", as told");
    }
    byte[] bytes = kept(file);
    return bytes == null
        ? super.open(file, bufferSize)
        : new FSDataInputStream(new BytesStream(bytes));
  }

  /** A file that is in memory. */
  private static final class BytesStream extends FSInputStream {
    private final byte[] bytes;
    private int position;

    BytesStream(byte[] bytes) {
      this.bytes = bytes;
    }

    @Override
    public void seek(long to) {
      position = (int) to;
    }

    @Override
    public long getPos() {
      return position;
    }

    @Override
    public boolean seekToNewSource(long target) {
      return false;
    }

    @Override
    public int read() {
      return position < bytes.length ? Byte.toUnsignedInt(bytes[position++]) : -1;
    }

    @Override
    public int read(byte[] into, int offset, int length) {
      int read = read(position, into, offset, length);
      position += Math.max(0, read);
      return read;
    }

    @Override
    public int read(long from, byte[] into, int offset, int length) {
      if (from >= bytes.length) {
        return length == 0 ? 0 : -1;
      }
      int read = Math.min(length, bytes.length - (int) from);
      System.arraycopy(bytes, (int) from, into, offset, read);
      return read;
    }
  }

  private static synchronized List<String> holders(Path file) {
    return copies
        ? nodes.stream().map(StorageNode::dataNodeIp).toList()
        : List.of(
            HOLDERS.computeIfAbsent(
                file.getName(), name -> nodes.get(HOLDERS.size() % nodes.size()).dataNodeIp()));
  }

  @Override
  public BlockLocation[] getFileBlockLocations(FileStatus file, long start, long length) {
    List<String> holders = holders(file.getPath());
    String[] hosts =
        holders.stream()
            .map(holder -> holder.substring(0, holder.indexOf(':')))
            .toArray(String[]::new);
    return new BlockLocation[] {
      new BlockLocation(holders.toArray(String[]::new), hosts, 0, file.getLen())
    };
  }
}
