package io.ishbase.daemon;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import com.github.benmanes.caffeine.cache.RemovalCause;
import com.github.benmanes.caffeine.cache.Scheduler;
import io.ishbase.core.Setting;
import io.ishbase.core.Silence;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.time.Duration;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.DFSUtilClient;
import org.apache.hadoop.hdfs.client.HdfsClientConfigKeys;
import org.apache.hadoop.hdfs.protocol.ClientDatanodeProtocol;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.apache.hadoop.ipc.RPC;
import org.apache.hadoop.net.NetUtils;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The files in which the DataNode of this machine has blocks, kept open. HDFS's reader without a
 * domain socket opens a block's file for each read by position, and asks for its length for a line
 * of its log that is not said. The DataNode is asked where the file lies as that reader asks it,
 * and says so to nobody else ({@code dfs.block.local-path-access.user}).
 *
 * <p>A block of an HFile never changes. One that has left the DataNode is read on until nobody has
 * for a while. What cannot be read here is read by HDFS's client. Thread safe.
 */
final class LocalBlocks implements Closeable {
  private static final Logger LOG = LoggerFactory.getLogger(LocalBlocks.class);

  private static final int MAX_OPEN = 4096;

  /** After a failure a block is left to HDFS's client for so long. */
  private static final Duration LEFT_ALONE = Duration.ofMinutes(1);

  private static final int MAX_LEFT_ALONE = 100_000;

  /** HDFS's own default of {@code dfs.client.socket-timeout}. */
  private static final int DEFAULT_TIMEOUT_MILLIS = 60_000;

  private record Key(String pool, long id, long generation) {
    static Key of(LocatedBlock located) {
      ExtendedBlock block = located.getBlock();
      return new Key(block.getBlockPoolId(), block.getBlockId(), block.getGenerationStamp());
    }
  }

  private final Silence failures = new Silence(LEFT_ALONE.toNanos(), System.nanoTime());
  private final Configuration conf;
  private final int timeoutMillis;
  private final boolean byHostname;
  private final Cache<Key, FileChannel> open;
  private final Cache<Key, Boolean> leftAlone =
      Caffeine.newBuilder().maximumSize(MAX_LEFT_ALONE).expireAfterWrite(LEFT_ALONE).build();

  private LocalBlocks(Configuration conf) {
    this.conf = conf;
    this.timeoutMillis =
        conf.getInt(HdfsClientConfigKeys.DFS_CLIENT_SOCKET_TIMEOUT_KEY, DEFAULT_TIMEOUT_MILLIS);
    this.byHostname =
        conf.getBoolean(
            HdfsClientConfigKeys.DFS_CLIENT_USE_DN_HOSTNAME,
            HdfsClientConfigKeys.DFS_CLIENT_USE_DN_HOSTNAME_DEFAULT);
    this.open =
        Caffeine.newBuilder()
            .maximumSize(MAX_OPEN)
            .expireAfterAccess(Duration.ofSeconds(Setting.ISSN_READERS_IDLE.integer(conf::get)))
            .scheduler(Scheduler.systemScheduler())
            .executor(Runnable::run)
            .removalListener((Key key, FileChannel file, RemovalCause cause) -> close(key, file))
            .build();
  }

  /** Those of a process with that configuration; null: HDFS's client is to open no such files. */
  static @Nullable LocalBlocks of(Configuration conf) {
    return conf.getBoolean(HdfsClientConfigKeys.Read.ShortCircuit.KEY, false)
            && conf.getBoolean(HdfsClientConfigKeys.DFS_CLIENT_USE_LEGACY_BLOCKREADERLOCAL, false)
        ? new LocalBlocks(conf)
        : null;
  }

  /**
   * Reads what the buffer has room for, or less.
   *
   * @param offset in the block, less than its length
   * @return bytes read; 0: it is not to be had here, and the buffer is as it was
   */
  int read(LocatedBlock block, long offset, ByteBuffer buffer) {
    Key key = Key.of(block);
    FileChannel file = open.getIfPresent(key);
    if (file == null) {
      file = open(key, block);
      if (file == null) {
        return 0;
      }
    }
    int position = buffer.position();
    int limit = buffer.limit();
    try {
      buffer.limit((int) Math.min(limit, position + block.getBlockSize() - offset));
      int read = file.read(buffer, offset);
      if (read > 0) {
        return read;
      }
      throw new IOException("It ends before " + offset);
    } catch (IOException e) {
      // A thread that is interrupted closes it for all.
      LOG.debug("Cannot read the file of {}", block, e);
      open.asMap().remove(key, file);
      buffer.position(position);
      return 0;
    } finally {
      buffer.limit(limit);
    }
  }

  private @Nullable FileChannel open(Key key, LocatedBlock block) {
    if (leftAlone.getIfPresent(key) != null) {
      return null;
    }
    FileChannel file = null;
    try {
      for (DatanodeInfo node : block.getLocations()) {
        if (isHere(node)) {
          file = open(block, node);
          break;
        }
      }
    } catch (IOException | RuntimeException e) {
      long silent = failures.next(System.nanoTime());
      if (silent >= 0) {
        LOG.info(
            "Read by HDFS's client, since its file cannot be opened: {}: {}; and {} more",
            block,
            e.toString(),
            silent);
      }
    }
    if (file == null) {
      leftAlone.put(key, true);
      return null;
    }
    FileChannel sooner = open.asMap().putIfAbsent(key, file);
    if (sooner == null) {
      return file;
    }
    close(key, file);
    return sooner;
  }

  private boolean isHere(DatanodeInfo node) throws IOException {
    return DFSUtilClient.isLocalAddress(NetUtils.createSocketAddr(node.getXferAddr(byHostname)));
  }

  private FileChannel open(LocatedBlock block, DatanodeInfo node) throws IOException {
    ClientDatanodeProtocol dataNode =
        DFSUtilClient.createClientDatanodeProtocolProxy(node, conf, timeoutMillis, byHostname);
    String path;
    try {
      path = dataNode.getBlockLocalPathInfo(block.getBlock(), block.getBlockToken()).getBlockPath();
    } finally {
      RPC.stopProxy(dataNode);
    }
    FileChannel file = FileChannel.open(Path.of(path));
    if (file.size() < block.getBlockSize()) {
      file.close();
      throw new IOException(path + " has not all of it");
    }
    return file;
  }

  private static void close(Key key, FileChannel file) {
    try {
      file.close();
    } catch (IOException e) {
      LOG.warn("Cannot close the file of {}", key, e);
    }
  }

  /** Closes the file of a block. Who reads it meanwhile opens it again. */
  void forget(LocatedBlock block) {
    open.invalidate(Key.of(block));
  }

  /** Files that are open. */
  long size() {
    return open.estimatedSize();
  }

  @Override
  public void close() {
    open.invalidateAll();
  }
}
