package io.ishbase.daemon;

import java.io.IOException;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.FilterFileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hbase.fs.HFileSystem;
import org.apache.hadoop.hdfs.DFSInputStream;
import org.apache.hadoop.hdfs.client.HdfsDataInputStream;
import org.jspecify.annotations.Nullable;

/**
 * HBase's file system, by which HFiles are read from the files of {@link LocalBlocks} if HDFS's
 * client is set up to open those itself.
 *
 * <p>Relies on HBase 2.6: {@code FSDataInputStreamWrapper} opens what it reads with HBase's own
 * checksums from {@code getNoChecksumFs}, and what failed them from the other.
 */
final class DaemonFileSystem extends HFileSystem {
  private final @Nullable LocalBlocks blocks;
  private final FileSystem noChecksums;

  DaemonFileSystem(Configuration conf) throws IOException {
    super(conf, true);
    blocks = LocalBlocks.of(conf);
    FileSystem hdfs = super.getNoChecksumFs();
    noChecksums = blocks == null ? hdfs : new FromBlocks(hdfs, blocks);
  }

  @Override
  public FileSystem getNoChecksumFs() {
    return noChecksums;
  }

  @Override
  public void close() throws IOException {
    try {
      super.close();
    } finally {
      if (blocks != null) {
        blocks.close();
      }
    }
  }

  private static final class FromBlocks extends FilterFileSystem {
    private final LocalBlocks blocks;

    FromBlocks(FileSystem hdfs, LocalBlocks blocks) {
      super(hdfs);
      this.blocks = blocks;
    }

    @Override
    public FSDataInputStream open(Path file, int bufferSize) throws IOException {
      FSDataInputStream stream = super.open(file, bufferSize);
      // One that decrypts, or puts stripes together, is another class.
      return stream instanceof HdfsDataInputStream
              && stream.getWrappedStream().getClass() == DFSInputStream.class
          ? new LocalBlockStream((DFSInputStream) stream.getWrappedStream(), blocks)
          : stream;
    }
  }
}
