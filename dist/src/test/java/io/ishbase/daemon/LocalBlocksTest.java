package io.ishbase.daemon;

import static org.assertj.core.api.Assertions.assertThat;

import io.ishbase.it.OwnJvm;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.hdfs.MiniDFSCluster;
import org.apache.hadoop.hdfs.client.HdfsDataInputStream;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.apache.hadoop.security.UserGroupInformation;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** On real DataNodes, by the file system as daemons open it. */
@OwnJvm // HBase's mini clusters delete the directory in which Jetty unpacks what HDFS's pages need
class LocalBlocksTest {
  private static final int BLOCK = 1 << 20;
  private static final int BYTES = 2 * BLOCK + 12_345;
  private static final org.apache.hadoop.fs.Path FILE = new org.apache.hadoop.fs.Path("/file");
  private static final byte[] CONTENT = new byte[BYTES];

  @TempDir private static Path directory;
  private static MiniDFSCluster hdfs;

  private final Configuration conf = new Configuration(hdfs.getConfiguration(0));
  private DaemonFileSystem fs;

  @BeforeAll
  static void startHdfs() throws IOException {
    Configuration conf = new Configuration();
    conf.setInt("dfs.blocksize", BLOCK);
    conf.setInt("dfs.replication", 1);
    // As a daemon's user is named.
    conf.set(
        "dfs.block.local-path-access.user", UserGroupInformation.getCurrentUser().getUserName());
    hdfs = new MiniDFSCluster.Builder(conf, directory.toFile()).build();
    long seed = System.nanoTime();
    System.out.println("Seed " + seed);
    new Random(seed).nextBytes(CONTENT);
    try (FSDataOutputStream out = hdfs.getFileSystem().create(FILE)) {
      out.write(CONTENT);
    }
  }

  @AfterAll
  static void stopHdfs() {
    if (hdfs != null) {
      hdfs.shutdown(true);
    }
  }

  @BeforeEach
  void open() throws IOException {
    conf.setBoolean("dfs.client.read.shortcircuit", true);
    conf.setBoolean("dfs.client.use.legacy.blockreader.local", true);
    // Not the file system of another configuration.
    conf.setBoolean("fs.hdfs.impl.disable.cache", true);
    fs = new DaemonFileSystem(conf);
  }

  @AfterEach
  void close() throws IOException {
    fs.close();
    assertThat(openBlocks()).isEmpty();
  }

  @Test
  void readsWhatIsThere() throws IOException {
    try (FSDataInputStream stream = fs.getNoChecksumFs().open(FILE)) {
      for (int position :
          List.of(0, 1, 77_777, BLOCK - 1, BLOCK, 2 * BLOCK - 30_000, 2 * BLOCK, BYTES - 1)) {
        assertThat(read(stream, position, ByteBuffer.allocateDirect(65_000))).isPositive();
        assertThat(read(stream, position, ByteBuffer.allocate(65_000))).isPositive();
      }
      assertThat(openBlocks()).hasSize(3);
    }
  }

  @Test
  void opensABlockOnceAndCountsWhatItReads() throws IOException {
    try (FSDataInputStream stream = fs.getNoChecksumFs().open(FILE)) {
      long bytes = 0;
      for (int i = 0; i < 100; i++) {
        bytes += read(stream, i * 1000, ByteBuffer.allocateDirect(1000));
      }
      assertThat(openBlocks()).hasSize(1);
      HdfsDataInputStream counted = (HdfsDataInputStream) stream;
      assertThat(counted.getReadStatistics().getTotalBytesRead()).isEqualTo(bytes);
      assertThat(counted.getReadStatistics().getTotalShortCircuitBytesRead()).isEqualTo(bytes);
    }
  }

  @Test
  void endsWhereTheFileEnds() throws IOException {
    try (FSDataInputStream stream = fs.getNoChecksumFs().open(FILE)) {
      ByteBuffer buffer = ByteBuffer.allocateDirect(100);
      assertThat(stream.read(BYTES, buffer)).isEqualTo(-1);
      assertThat(read(stream, BYTES - 10, buffer)).isEqualTo(10);
      assertThat(stream.read(0, ByteBuffer.allocate(0))).isZero();
    }
  }

  @Test
  void leavesTheRoomOfABufferAsItIs() throws IOException {
    try (FSDataInputStream stream = fs.getNoChecksumFs().open(FILE)) {
      ByteBuffer buffer = ByteBuffer.allocateDirect(100);
      buffer.position(20).limit(50);
      assertThat(stream.read(BLOCK - 10, buffer)).isEqualTo(10);
      assertThat(buffer.position()).isEqualTo(30);
      assertThat(buffer.limit()).isEqualTo(50);
    }
  }

  @Test
  void readsOnWhereAThreadWasInterrupted() throws IOException {
    try (FSDataInputStream stream = fs.getNoChecksumFs().open(FILE)) {
      read(stream, 0, ByteBuffer.allocateDirect(1000));
      Thread.currentThread().interrupt();
      try {
        stream.read(0, ByteBuffer.allocateDirect(1000));
      } catch (IOException e) {
        // HDFS's client minds the interruption, too.
        assertThat(e).isInstanceOf(IOException.class);
      } finally {
        assertThat(Thread.interrupted()).isTrue();
      }
      read(stream, 5, ByteBuffer.allocateDirect(1000));
      assertThat(openBlocks()).hasSize(1);
    }
  }

  @Test
  void isReadByManyThreadsAtOnce() throws IOException {
    try (FSDataInputStream stream = fs.getNoChecksumFs().open(FILE)) {
      CompletableFuture<?>[] readers =
          IntStream.range(0, 8)
              .mapToObj(
                  reader ->
                      CompletableFuture.runAsync(
                          () -> {
                            for (int i = 0; i < 200; i++) {
                              int position = (reader * 200 + i) * 1300 % BYTES;
                              try {
                                read(stream, position, ByteBuffer.allocateDirect(4000));
                              } catch (IOException e) {
                                throw new AssertionError(e);
                              }
                            }
                          }))
              .toArray(CompletableFuture<?>[]::new);
      CompletableFuture.allOf(readers).join();
    }
  }

  @Test
  void isReadByHdfsWhereItsClientDoesNotOpenFiles() throws IOException {
    conf.setBoolean("dfs.client.use.legacy.blockreader.local", false);
    conf.setBoolean("dfs.client.read.shortcircuit", false);
    try (DaemonFileSystem other = new DaemonFileSystem(conf);
        FSDataInputStream stream = other.getNoChecksumFs().open(FILE)) {
      assertThat(read(stream, 0, ByteBuffer.allocateDirect(1000))).isPositive();
      assertThat(openBlocks()).isEmpty();
    }
  }

  @Test
  void isReadByHdfsWhereTheFileIsNotToBeHad() throws IOException {
    try (LocalBlocks blocks = LocalBlocks.of(conf);
        FSDataInputStream stream = fs.getNoChecksumFs().open(FILE)) {
      List<Path> moved = move("", ".away");
      assertThat(moved).hasSize(3);
      try {
        assertThat(blocks.read(first(stream), 0, ByteBuffer.allocate(10))).isZero();
      } finally {
        assertThat(move(".away", "")).hasSameSizeAs(moved);
      }
      assertThat(read(stream, 0, ByteBuffer.allocateDirect(1000))).isPositive();
    }
  }

  @Test
  void aDataNodeThatIsNotToBeAskedIsLeftAlone() throws IOException {
    try (LocalBlocks blocks = LocalBlocks.of(conf);
        FSDataInputStream stream = fs.getNoChecksumFs().open(FILE)) {
      List<LocatedBlock> all = ((HdfsDataInputStream) stream).getAllBlocks();
      DatanodeInfo there = all.get(0).getLocations()[0];
      // Its place, but nobody listens at its port.
      DatanodeInfo away =
          new DatanodeInfo.DatanodeInfoBuilder().setNodeID(there).setIpcPort(1).build();
      for (LocatedBlock block : all) {
        LocatedBlock moved = new LocatedBlock(block.getBlock(), new DatanodeInfo[] {away});
        moved.setBlockToken(block.getBlockToken());
        assertThat(blocks.read(moved, 0, ByteBuffer.allocate(10))).isZero();
      }
      // All of that node, not one block of it.
      assertThat(blocks.read(all.get(0), 0, ByteBuffer.allocate(10))).isZero();
    }
  }

  @Test
  void readsWhereHdfsDoesNotHedge() {
    conf.setInt("dfs.client.hedged.read.threadpool.size", 10);
    assertThat(LocalBlocks.of(conf)).isNull();
  }

  private static LocatedBlock first(FSDataInputStream stream) throws IOException {
    return ((HdfsDataInputStream) stream).getAllBlocks().get(0);
  }

  /** Reads at {@code position} and compares with what was written; gives the bytes read. */
  private static int read(FSDataInputStream stream, int position, ByteBuffer buffer)
      throws IOException {
    buffer.clear();
    int read = stream.read(position, buffer);
    assertThat(read).isEqualTo(buffer.position());
    byte[] bytes = new byte[read];
    buffer.flip().get(bytes);
    assertThat(bytes).isEqualTo(Arrays.copyOfRange(CONTENT, position, position + read));
    return read;
  }

  /** Renames the files of blocks, and gives their names then. */
  private static List<Path> move(String from, String to) throws IOException {
    try (Stream<Path> files = Files.walk(directory)) {
      List<Path> blocks =
          files.filter(file -> file.getFileName().toString().matches("blk_\\d+" + from)).toList();
      for (Path block : blocks) {
        String name = block.getFileName().toString();
        Files.move(
            block, block.resolveSibling(name.substring(0, name.length() - from.length()) + to));
      }
      return blocks;
    }
  }

  /** Files of blocks that this process has open to be read by position. */
  private static List<Path> openBlocks() throws IOException {
    try (Stream<Path> descriptors = Files.list(Path.of("/proc/self/fd"))) {
      return descriptors
          .flatMap(
              descriptor -> {
                try {
                  return Stream.of(Files.readSymbolicLink(descriptor));
                } catch (IOException e) {
                  return Stream.empty();
                }
              })
          .filter(file -> file.getFileName() != null)
          .filter(file -> file.getFileName().toString().matches("blk_\\d+( \\(deleted\\))?"))
          .toList();
    }
  }
}
