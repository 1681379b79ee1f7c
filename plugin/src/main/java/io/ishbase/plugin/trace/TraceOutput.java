package io.ishbase.plugin.trace;

import io.ishbase.core.trace.TraceEntry.Keys;
import io.ishbase.core.trace.TraceText;
import java.io.Closeable;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.hbase.util.EnvironmentEdgeManager;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.jspecify.annotations.Nullable;

/**
 * A file of recorded operations below the HBase root, where its rights and its encryption are those
 * of the tables: {@code .ishbase-trace/SERVER-TIME.trace}, for HBase's user only. Nothing is
 * written that would take the files of this server, of whatever start, beyond a bound.
 *
 * <p>What is there is in order up to where the server died: an operation is a line, and a last one
 * without an end is none. Used by one thread.
 */
final class TraceOutput implements Closeable {
  static final String DIRECTORY = ".ishbase-trace";
  static final String SUFFIX = ".trace";

  private static final FsPermission DIRECTORY_RIGHTS = new FsPermission("700");
  private static final FsPermission FILE_RIGHTS = new FsPermission("600");
  private static final int BUFFER_BYTES = 1 << 16;
  private static final List<String> REMARKS =
      List.of(
          "recorded operations of a sample of neighbourhoods of rows, none of the others",
          "times are those at which an operation ended",
          "a Scan's length is rows that it returned; one over several neighbourhoods is a Scan in"
              + " each that is recorded");

  private final Path file;
  private final FSDataOutputStream out;
  private long left;

  private TraceOutput(Path file, FSDataOutputStream out, long left) {
    this.file = file;
    this.out = out;
    this.left = left;
  }

  /**
   * A new file.
   *
   * @param server HBase's name of it: host, port and when it started, with commas
   * @param mostBytes of all files of this host and port
   * @param firstBytes what is to be written first
   * @return null if they have no room for it
   * @throws IOException also while it is not known how long the file of a dead server is
   */
  static @Nullable TraceOutput open(
      FileSystem fs, Path root, String server, long mostBytes, long firstBytes) throws IOException {
    Path directory = new Path(root, DIRECTORY);
    byte[] header = TraceText.header(Keys.ROWS, REMARKS).getBytes(StandardCharsets.ISO_8859_1);
    long left = mostBytes - used(fs, directory, server) - header.length;
    if (left < firstBytes) {
      // Not a file with nothing in it each time that it is tried again.
      return null;
    }
    fs.mkdirs(directory, DIRECTORY_RIGHTS);
    Path file = new Path(directory, server + "-" + EnvironmentEdgeManager.currentTime() + SUFFIX);
    FSDataOutputStream out =
        fs.create(
            file,
            FILE_RIGHTS,
            false,
            BUFFER_BYTES,
            fs.getDefaultReplication(file),
            fs.getDefaultBlockSize(file),
            null);
    try {
      out.write(header);
      out.hflush();
    } catch (IOException e) {
      closeQuietly(out);
      throw e;
    }
    return new TraceOutput(file, out, left);
  }

  private static long used(FileSystem fs, Path directory, String server) throws IOException {
    String hostAndPort = server.substring(0, Math.max(0, server.lastIndexOf(','))) + ",";
    FileStatus[] all;
    try {
      all = fs.listStatus(directory);
    } catch (FileNotFoundException e) {
      return 0;
    }
    long used = 0;
    for (FileStatus status : all) {
      if (status.getPath().getName().startsWith(hostAndPort)) {
        try {
          used += used(fs, status.getPath());
        } catch (FileNotFoundException e) {
          // Somebody has deleted it, which makes room.
          continue;
        }
      }
    }
    return used;
  }

  private static long used(FileSystem fs, Path written) throws IOException {
    if (fs instanceof DistributedFileSystem hdfs && !hdfs.recoverLease(written)) {
      // To the NameNode a file that nobody has closed has no bytes since its last block.
      throw new IOException(written + " of a server that died is being closed");
    }
    return fs.getFileStatus(written).getLen();
  }

  Path file() {
    return file;
  }

  /**
   * Writes whole lines, ISO 8859-1.
   *
   * @return false if there is no room for them: nothing was written
   */
  boolean write(CharSequence lines) throws IOException {
    if (lines.length() > left) {
      return false;
    }
    left -= lines.length();
    out.write(lines.toString().getBytes(StandardCharsets.ISO_8859_1));
    return true;
  }

  /** Others can read what was written. */
  void flush() throws IOException {
    out.hflush();
  }

  @Override
  public void close() throws IOException {
    out.close();
  }

  private static void closeQuietly(FSDataOutputStream out) {
    try {
      out.close();
    } catch (IOException e) {
      // The first failure is the one that is thrown.
    }
  }
}
