package io.ishbase.daemon;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import com.github.benmanes.caffeine.cache.RemovalCause;
import com.github.benmanes.caffeine.cache.Scheduler;
import com.sun.management.UnixOperatingSystemMXBean;
import io.ishbase.core.Setting;
import io.ishbase.core.Silence;
import io.ishbase.protocol.ReleaseAdapter;
import java.io.Closeable;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.FileChannel;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.CommonConfigurationKeysPublic;
import org.apache.hadoop.hdfs.DFSUtilClient;
import org.apache.hadoop.hdfs.client.HdfsClientConfigKeys;
import org.apache.hadoop.hdfs.protocol.ClientDatanodeProtocol;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.apache.hadoop.ipc.RPC;
import org.apache.hadoop.ipc.RemoteException;
import org.apache.hadoop.net.NetUtils;
import org.apache.hadoop.security.AccessControlException;
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
  private static final int MOST_TO_HEAP = 1 << 20;
  private static final Logger LOG = LoggerFactory.getLogger(LocalBlocks.class);

  private static final int MAX_OPEN = 4096;

  /** After a failure a block is left to HDFS's client for so long. */
  static final Duration LEFT_ALONE = Duration.ofMinutes(1);

  private static final int MAX_LEFT_ALONE = 100_000;

  /** After that a file is opened anew: the DataNode may have replaced what was corrupt. */
  private static final Duration LOOKED_FOR_AGAIN = Duration.ofHours(1);

  private static final int TIMEOUT_MILLIS = 2000;

  /** Of the files that the process may have open. */
  private static final int OPEN_PART = 4;

  private record Key(String pool, long id, long generation) {
    static Key of(LocatedBlock located) {
      ExtendedBlock block = located.getBlock();
      return new Key(block.getBlockPoolId(), block.getBlockId(), block.getGenerationStamp());
    }
  }

  private final Silence failures = new Silence(LEFT_ALONE.toNanos(), System.nanoTime());
  private final Configuration conf;
  private final boolean byHostname;
  private final Cache<Key, FileChannel> open;
  private final Cache<Key, Boolean> leftAlone =
      Caffeine.newBuilder().maximumSize(MAX_LEFT_ALONE).expireAfterWrite(LEFT_ALONE).build();
  private final Cache<String, Boolean> nodesLeftAlone =
      Caffeine.newBuilder().expireAfterWrite(LEFT_ALONE).build();

  /** DataNodes that a thread asks now. */
  private final Set<String> asked = ConcurrentHashMap.newKeySet();

  private LocalBlocks(Configuration conf) {
    this.conf = new Configuration(conf);
    // A reader waits, who may as well read by HDFS's client.
    this.conf.setInt(CommonConfigurationKeysPublic.IPC_CLIENT_CONNECT_TIMEOUT_KEY, TIMEOUT_MILLIS);
    this.conf.setInt(CommonConfigurationKeysPublic.IPC_CLIENT_CONNECT_MAX_RETRIES_KEY, 0);
    this.conf.setInt(
        CommonConfigurationKeysPublic.IPC_CLIENT_CONNECT_MAX_RETRIES_ON_SOCKET_TIMEOUTS_KEY, 0);
    this.byHostname =
        conf.getBoolean(
            HdfsClientConfigKeys.DFS_CLIENT_USE_DN_HOSTNAME,
            HdfsClientConfigKeys.DFS_CLIENT_USE_DN_HOSTNAME_DEFAULT);
    this.open =
        Caffeine.newBuilder()
            .maximumSize(mostOpen())
            .expireAfterAccess(Duration.ofSeconds(Setting.ISSN_READERS_IDLE.integer(conf::get)))
            .expireAfterWrite(LOOKED_FOR_AGAIN)
            .scheduler(Scheduler.systemScheduler())
            .executor(Runnable::run)
            .removalListener((Key key, FileChannel file, RemovalCause cause) -> close(key, file))
            .build();
  }

  private static long mostOpen() {
    return ManagementFactory.getOperatingSystemMXBean() instanceof UnixOperatingSystemMXBean system
        ? Math.min(MAX_OPEN, system.getMaxFileDescriptorCount() / OPEN_PART)
        : MAX_OPEN;
  }

  /**
   * Those of a process with that configuration; null: HDFS's client is to open no such files, or
   * reads what is slow here from another DataNode as well.
   */
  static @Nullable LocalBlocks of(Configuration conf) {
    return conf.getBoolean(HdfsClientConfigKeys.Read.ShortCircuit.KEY, false)
            && conf.getBoolean(HdfsClientConfigKeys.DFS_CLIENT_USE_LEGACY_BLOCKREADERLOCAL, false)
            && conf.getInt(HdfsClientConfigKeys.HedgedRead.THREADPOOL_SIZE_KEY, 0) == 0
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
      // Of what goes to the heap the JVM makes and keeps a copy off the heap for each thread.
      long most = buffer.isDirect() ? Integer.MAX_VALUE : MOST_TO_HEAP;
      buffer.limit((int) Math.min(limit, position + Math.min(most, block.getBlockSize() - offset)));
      int read = file.read(buffer, offset);
      if (read > 0) {
        return read;
      }
      throw new IOException("It ends before " + offset);
    } catch (IOException e) {
      // A thread that is interrupted closes it for all.
      LOG.debug("Cannot read the file of {}", block, e);
      open.asMap().remove(key, file);
      if (!(e instanceof ClosedChannelException)) {
        leftAlone.put(key, true);
      }
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
    for (DatanodeInfo node : ReleaseAdapter.locations(block)) {
      if (isHere(node)) {
        return open(key, block, node.getXferAddr(), node);
      }
    }
    leftAlone.put(key, true);
    return null;
  }

  private boolean isHere(DatanodeInfo node) {
    try {
      return DFSUtilClient.isLocalAddress(NetUtils.createSocketAddr(node.getXferAddr(byHostname)));
    } catch (IOException | IllegalArgumentException e) {
      LOG.debug("Where is {}", node, e);
      return false;
    }
  }

  /**
   * One thread asks a DataNode at a time: it may be slow to answer, and HDFS's client reads too.
   */
  private @Nullable FileChannel open(Key key, LocatedBlock block, String name, DatanodeInfo node) {
    if (nodesLeftAlone.getIfPresent(name) != null || !asked.add(name)) {
      return null;
    }
    try {
      FileChannel file = opened(block, path(block, node));
      FileChannel sooner = open.asMap().putIfAbsent(key, file);
      if (sooner == null) {
        return file;
      }
      close(key, file);
      return sooner;
    } catch (IOException | RuntimeException e) {
      if (isOfNode(e)) {
        nodesLeftAlone.put(name, true);
      } else {
        leftAlone.put(key, true);
      }
      long silent = failures.next(System.nanoTime());
      if (silent >= 0) {
        LOG.info(
            "Read by HDFS's client, as its file cannot be opened: {} at {}: {}; and {} more",
            block.getBlock(),
            name,
            e.toString(),
            silent);
      }
      return null;
    } finally {
      asked.remove(name);
    }
  }

  /** Whether it would be the same with other blocks: no answer, or no right. */
  private static boolean isOfNode(Exception failure) {
    return failure instanceof RemoteException remote
        ? remote.getClassName().equals(AccessControlException.class.getName())
        : !(failure instanceof FileSystemException) || failure instanceof AccessDeniedException;
  }

  private String path(LocatedBlock block, DatanodeInfo node) throws IOException {
    ClientDatanodeProtocol dataNode =
        DFSUtilClient.createClientDatanodeProtocolProxy(node, conf, TIMEOUT_MILLIS, byHostname);
    try {
      return dataNode.getBlockLocalPathInfo(block.getBlock(), block.getBlockToken()).getBlockPath();
    } finally {
      RPC.stopProxy(dataNode);
    }
  }

  private static FileChannel opened(LocatedBlock block, String path) throws IOException {
    FileChannel file = FileChannel.open(Path.of(path));
    boolean isWhole = false;
    try {
      isWhole = file.size() >= block.getBlockSize();
    } finally {
      if (!isWhole) {
        file.close();
      }
    }
    if (!isWhole) {
      throw new FileSystemException(path, null, "has not all of the block");
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

  @Override
  public void close() {
    open.invalidateAll();
  }
}
