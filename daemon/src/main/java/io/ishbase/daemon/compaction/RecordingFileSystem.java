package io.ishbase.daemon.compaction;

import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.util.function.Consumer;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.hbase.fs.HFileSystem;
import org.apache.hadoop.hbase.util.FSUtils;
import org.apache.hadoop.util.Progressable;
import org.jspecify.annotations.Nullable;

/**
 * HBase's file system, which also gives what is written to the remote cache. Reads are not touched.
 *
 * <p>Relies on HBase 2.6: {@code FSUtils.create}, by which the writer of an HFile makes it, calls
 * {@code create} on a file system whose backing one is not HDFS; favoured nodes come from here
 * then.
 */
final class RecordingFileSystem extends HFileSystem {
  private final HFileSystem original;
  private final Configuration conf;
  private final InetSocketAddress @Nullable [] favoredNodes;
  private final RemoteCache cache;
  private final Consumer<String> begun;

  /**
   * Makes one.
   *
   * @param conf what HBase's writer would have: with the family's replication
   * @param favoredNodes DataNodes that shall hold new files; null: any
   * @param begun is told the name of each file that is given to the cache
   */
  RecordingFileSystem(
      HFileSystem original,
      Configuration conf,
      InetSocketAddress @Nullable [] favoredNodes,
      RemoteCache cache,
      Consumer<String> begun) {
    super(original);
    this.original = original;
    this.conf = conf;
    this.favoredNodes = favoredNodes;
    this.cache = cache;
    this.begun = begun;
  }

  @Override
  public FileSystem getNoChecksumFs() {
    return original.getNoChecksumFs();
  }

  @Override
  public boolean useHBaseChecksum() {
    return original.useHBaseChecksum();
  }

  @Override
  public FSDataOutputStream create(
      Path path,
      FsPermission permission,
      boolean overwrite,
      int bufferSize,
      short replication,
      long blockSize,
      Progressable progress)
      throws IOException {
    FSDataOutputStream out = FSUtils.create(conf, original, path, permission, favoredNodes);
    cache.begin(path.getName());
    begun.accept(path.getName());
    return new FSDataOutputStream(new Recorder(out, path.getName()), null);
  }

  private final class Recorder extends FilterOutputStream {
    private final String name;

    Recorder(OutputStream out, String name) {
      super(out);
      this.name = name;
    }

    @Override
    public void write(int value) throws IOException {
      write(new byte[] {(byte) value}, 0, 1);
    }

    @Override
    public void write(byte[] bytes, int offset, int length) throws IOException {
      out.write(bytes, offset, length);
      cache.append(name, bytes, offset, length);
    }

    @Override
    public void close() throws IOException {
      try {
        super.close();
      } catch (IOException e) {
        cache.drop(name);
        throw e;
      }
      cache.complete(name);
    }
  }
}
