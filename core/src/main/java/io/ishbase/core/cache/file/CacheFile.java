package io.ishbase.core.cache.file;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;

/**
 * The bytes of a cache on a disk of the machine: one file, this process's alone, which its owner
 * alone may read. What an earlier process left there is of no use.
 *
 * <p>Thread safe. A thread that is interrupted reads on: Java closes a channel then, which is
 * opened again.
 */
final class CacheFile implements AutoCloseable {
  /** Before the bytes of the cache: by it a file is known as one that may be overwritten. */
  static final int HEADER_BYTES = 4096;

  private static final byte[] MAGIC = "IS-HBase cache of rows\n".getBytes(US_ASCII);
  private static final FileAttribute<?> OWNERS =
      PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));

  /** Of one operation: so often may other threads be interrupted meanwhile. */
  private static final int TRIES = 100;

  private final Path path;
  private final FileChannel lock;

  // Written by the monitor.
  private volatile FileChannel channel;
  private volatile boolean isClosed;

  private CacheFile(Path path, FileChannel lock, FileChannel channel) {
    this.path = path;
    this.lock = lock;
    this.channel = channel;
  }

  /**
   * Makes the file, or takes over one that an earlier process left.
   *
   * @param bytes that it is to hold
   * @throws IOException if it is not to be had: the message says why, and nothing was overwritten
   *     that is not such a file
   */
  static CacheFile open(Path path, long bytes) throws IOException {
    if (!path.isAbsolute()) {
      throw new IOException("not an absolute path");
    }
    Path directory = path.getParent();
    if (directory == null || !Files.isDirectory(directory)) {
      throw new IOException("there is no directory " + directory);
    }
    // Before the lock: who is refused leaves nothing behind.
    checkIsOurs(path);
    long left = Files.getFileStore(directory).getUsableSpace() + sizeOf(path);
    if (left < bytes + HEADER_BYTES) {
      throw new IOException(left + " bytes are left there, " + bytes + " are to be taken");
    }
    Path lockPath = path.resolveSibling(path.getFileName() + ".lock");
    if (isOther(lockPath)) {
      throw new IOException(lockPath + " is not a file");
    }
    FileChannel lock = open(lockPath, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
    try {
      if (!isLocked(lock)) {
        throw new IOException("another process uses it");
      }
      FileChannel channel =
          open(path, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE);
      CacheFile file = new CacheFile(path, lock, channel);
      try {
        channel.truncate(0);
        Files.setPosixFilePermissions(path, PosixFilePermissions.fromString("rw-------"));
        writeFully(channel, ByteBuffer.wrap(MAGIC), 0);
        // A machine that loses power is to know it again.
        channel.force(true);
      } catch (IOException e) {
        file.close();
        throw e;
      }
      return file;
    } catch (IOException | RuntimeException e) {
      lock.close();
      throw e;
    }
  }

  private static FileChannel open(Path path, StandardOpenOption... options) throws IOException {
    Set<OpenOption> all = new HashSet<>(Arrays.asList(options));
    all.add(LinkOption.NOFOLLOW_LINKS);
    return FileChannel.open(path, all, OWNERS);
  }

  /** Whether there is something that is no file: to open a pipe may take for ever. */
  private static boolean isOther(Path path) {
    return Files.exists(path, LinkOption.NOFOLLOW_LINKS)
        && !Files.isRegularFile(path, LinkOption.NOFOLLOW_LINKS);
  }

  private static boolean isLocked(FileChannel lock) throws IOException {
    try {
      return lock.tryLock() != null;
    } catch (OverlappingFileLockException e) {
      return false;
    }
  }

  private static long sizeOf(Path path) throws IOException {
    try {
      return Files.size(path);
    } catch (NoSuchFileException e) {
      return 0;
    }
  }

  /** What somebody else has written is not overwritten, whatever the setting says. */
  private static void checkIsOurs(Path path) throws IOException {
    if (Files.notExists(path, LinkOption.NOFOLLOW_LINKS)) {
      return;
    }
    if (isOther(path)) {
      throw new IOException("it is not a file");
    }
    try (FileChannel there = open(path, StandardOpenOption.READ)) {
      ByteBuffer begin = ByteBuffer.allocate(MAGIC.length);
      boolean isEmpty = there.read(begin, 0) < 0;
      if (!isEmpty && !Arrays.equals(begin.array(), MAGIC)) {
        throw new IOException("it is another's file, which is not overwritten");
      }
    }
  }

  /**
   * Reads bytes of the cache.
   *
   * @throws EOFException if not all of them were ever written
   */
  void read(ByteBuffer bytes, long position) throws IOException {
    int from = bytes.position();
    uninterrupted(
        current -> {
          bytes.position(from);
          while (bytes.hasRemaining()) {
            long at = HEADER_BYTES + position + bytes.position() - from;
            if (current.read(bytes, at) < 0) {
              throw new EOFException(path + " ends before " + at);
            }
          }
        });
  }

  /** Writes bytes of the cache. */
  void write(ByteBuffer bytes, long position) throws IOException {
    int from = bytes.position();
    uninterrupted(
        current -> {
          bytes.position(from);
          writeFully(current, bytes, HEADER_BYTES + position);
        });
  }

  private static void writeFully(FileChannel channel, ByteBuffer bytes, long position)
      throws IOException {
    long at = position;
    while (bytes.hasRemaining()) {
      at += channel.write(bytes, at);
    }
  }

  /** To be done with a channel, more than once if it is closed meanwhile. */
  private interface Operation {
    void on(FileChannel channel) throws IOException;
  }

  private void uninterrupted(Operation operation) throws IOException {
    boolean isInterrupted = false;
    try {
      for (int tries = 1; ; tries++) {
        FileChannel current = channel;
        try {
          operation.on(current);
          return;
        } catch (ClosedChannelException e) {
          isInterrupted |= Thread.interrupted();
          if (isClosed || tries == TRIES) {
            throw e;
          }
          reopen(current);
        }
      }
    } finally {
      if (isInterrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  private synchronized void reopen(FileChannel closed) throws IOException {
    if (channel == closed && !isClosed) {
      channel = open(path, StandardOpenOption.READ, StandardOpenOption.WRITE);
    }
  }

  /** Deletes the file. */
  @Override
  public synchronized void close() throws IOException {
    if (isClosed) {
      return;
    }
    isClosed = true;
    try (lock;
        FileChannel last = channel) {
      Files.deleteIfExists(path);
    }
  }
}
