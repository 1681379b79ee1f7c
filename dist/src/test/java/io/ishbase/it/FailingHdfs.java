package io.ishbase.it;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.EnumSet;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.CreateFlag;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.Options.ChecksumOpt;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.util.Progressable;

/** HDFS's client, which fails where a test says so; for a whole mini cluster. */
public final class FailingHdfs extends DistributedFileSystem {
  /** Decides on each call. */
  interface Fault {
    /**
     * @param operation {@code open}, {@code create} or {@code mkdirs}
     * @return null: the call goes on
     */
    IOException of(String operation, String path);
  }

  private static final Fault NONE = (operation, path) -> null;
  private static final AtomicInteger FAILURES = new AtomicInteger();
  private static volatile Fault fault = NONE;

  static void use(Configuration conf) {
    conf.set("fs.hdfs.impl", FailingHdfs.class.getName());
  }

  /** From now on calls fail as {@code wanted} says. */
  static void fail(Fault wanted) {
    FAILURES.set(0);
    fault = wanted;
  }

  static void work() {
    fault = NONE;
  }

  /** Calls that failed since it was said which. */
  static int failures() {
    return FAILURES.get();
  }

  private static void check(String operation, Path path) throws IOException {
    IOException failure = fault.of(operation, path.toUri().getPath());
    if (failure != null) {
      FAILURES.incrementAndGet();
      throw failure;
    }
  }

  @Override
  public FSDataInputStream open(Path path, int bufferSize) throws IOException {
    check("open", path);
    return super.open(path, bufferSize);
  }

  @Override
  public boolean mkdirs(Path path, FsPermission permission) throws IOException {
    check("mkdirs", path);
    return super.mkdirs(path, permission);
  }

  @Override
  public FSDataOutputStream create(
      Path path,
      FsPermission permission,
      EnumSet<CreateFlag> flags,
      int bufferSize,
      short replication,
      long blockSize,
      Progressable progress,
      ChecksumOpt checksum)
      throws IOException {
    check("create", path);
    return super.create(
        path, permission, flags, bufferSize, replication, blockSize, progress, checksum);
  }

  @Override
  public HdfsDataOutputStreamBuilder createFile(Path path) {
    try {
      check("create", path);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return super.createFile(path);
  }
}
