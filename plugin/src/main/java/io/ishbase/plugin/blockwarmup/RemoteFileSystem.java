package io.ishbase.plugin.blockwarmup;

import java.io.IOException;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSInputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.FilterFileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hbase.fs.HFileSystem;
import org.apache.hbase.thirdparty.com.google.protobuf.ByteString;

/**
 * HBase's file system, in which one file is read from a worker's memory as far as that has it. Only
 * the stream whose bytes HBase verifies by its own checksums is replaced: where they do not agree,
 * HBase reads the block again by the other one, from HDFS.
 *
 * <p>Relies on HBase 2.6: {@code FSDataInputStreamWrapper} opens the latter by {@code open} and the
 * former by {@code getNoChecksumFs().open}.
 */
final class RemoteFileSystem extends HFileSystem {
  private final HFileSystem original;
  private final FileSystem remote;
  private final RemoteFile file;

  /** What was fetched ahead, and where it begins; replaced together. */
  private volatile Ahead ahead = new Ahead(0, ByteString.EMPTY);

  private record Ahead(long offset, ByteString data) {}

  RemoteFileSystem(HFileSystem original, RemoteFile file) {
    super(original);
    this.original = original;
    this.file = file;
    this.remote =
        new FilterFileSystem(original.getNoChecksumFs()) {
          @Override
          public FSDataInputStream open(Path path, int bufferSize) throws IOException {
            return new FSDataInputStream(new Stream(super.open(path, bufferSize)));
          }
        };
  }

  @Override
  public FileSystem getNoChecksumFs() {
    return remote;
  }

  @Override
  public boolean useHBaseChecksum() {
    return original.useHBaseChecksum();
  }

  /** Fetches a part of the file, for the reads that follow. */
  void fetchAhead(long offset, int bytes) {
    ByteString data = useHBaseChecksum() ? file.fetch(offset, bytes) : null;
    ahead = new Ahead(offset, data == null ? ByteString.EMPTY : data);
  }

  private final class Stream extends FSInputStream {
    private final FSDataInputStream hdfs;

    Stream(FSDataInputStream hdfs) {
      this.hdfs = hdfs;
    }

    @Override
    public int read(long position, byte[] buffer, int offset, int length) throws IOException {
      Ahead have = ahead;
      long at = position - have.offset;
      if (at < 0 || at >= have.data.size()) {
        ByteString data = length == 0 ? null : file.fetch(position, length);
        if (data == null) {
          return hdfs.read(position, buffer, offset, length);
        }
        have = new Ahead(position, data);
        at = 0;
      }
      int read = (int) Math.min(length, have.data.size() - at);
      have.data.copyTo(buffer, (int) at, offset, read);
      return read;
    }

    @Override
    public int read() throws IOException {
      return hdfs.read();
    }

    @Override
    public int read(byte[] buffer, int offset, int length) throws IOException {
      return hdfs.read(buffer, offset, length);
    }

    @Override
    public void seek(long position) throws IOException {
      hdfs.seek(position);
    }

    @Override
    public long getPos() throws IOException {
      return hdfs.getPos();
    }

    @Override
    public boolean seekToNewSource(long position) throws IOException {
      return hdfs.seekToNewSource(position);
    }

    @Override
    public void close() throws IOException {
      hdfs.close();
    }
  }
}
