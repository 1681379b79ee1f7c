package io.ishbase.plugin.prewarm;

import io.ishbase.core.Setting;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.channels.Channels;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;
import java.util.regex.Pattern;
import org.apache.hadoop.hbase.regionserver.HStore;
import org.apache.hadoop.hbase.util.MD5Hash;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The directory of the machine where a region server that stops leaves what its segment cache
 * holds, a file for each store. Rows lie there in the clear, so it is its owner's alone.
 */
public final class RestartDirectory {
  private static final Logger LOG = LoggerFactory.getLogger(RestartDirectory.class);
  private static final long LEAST_FREE_BYTES = 1L << 30;

  private static final String SUFFIX = ".rows";
  private static final String SUFFIX_OF_FLUSHED = ".flushed" + SUFFIX;

  /** Those of {@link #path}: region, family, and which of the two. */
  private static final Pattern NAME =
      Pattern.compile("[0-9a-f]{32}\\.[0-9a-f]{32}(\\.flushed)?\\.rows");

  private final Path directory;
  private final FileTime openedAt = FileTime.fromMillis(System.currentTimeMillis());

  private RestartDirectory(Path directory) {
    this.directory = directory;
  }

  /**
   * Makes the directory if there is none.
   *
   * @param name of the directory; empty: none
   * @return null if there is none, or it cannot be used, which is in the log then
   */
  public static @Nullable RestartDirectory of(String name) {
    if (name.isEmpty()) {
      return null;
    }
    try {
      Path directory = Path.of(name);
      if (!directory.isAbsolute()) {
        throw new IOException("not an absolute path");
      }
      Files.createDirectories(
          directory,
          PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
      Set<PosixFilePermission> permissions = Files.getPosixFilePermissions(directory);
      if (!PosixFilePermissions.toString(permissions).endsWith("------")) {
        throw new IOException("others may read or write it: chmod 700");
      }
      if (!Files.isWritable(directory)) {
        throw new IOException("it cannot be written to");
      }
      return new RestartDirectory(directory);
    } catch (IOException | RuntimeException e) {
      LOG.warn(
          "{} = {}: {}. What the segment cache holds is not kept through a restart",
          Setting.CACHE_RESTART_DIRECTORY.key(),
          name,
          e.toString());
      return null;
    }
  }

  /** Whether others have enough left of its disk. */
  boolean hasRoom() {
    return directory.toFile().getUsableSpace() >= LEAST_FREE_BYTES;
  }

  private Path path(HStore store, String suffix) {
    return directory.resolve(
        store.getRegionInfo().getEncodedName()
            + "."
            + MD5Hash.getMD5AsHex(store.getColumnFamilyDescriptor().getName())
            + suffix);
  }

  /** A new file for a store, in place of what there is. */
  OutputStream create(HStore store) throws IOException {
    delete(store);
    return create(path(store, SUFFIX));
  }

  /** A new file beside it, for what was flushed since. */
  OutputStream createFlushed(HStore store) throws IOException {
    return create(path(store, SUFFIX_OF_FLUSHED));
  }

  private static OutputStream create(Path path) throws IOException {
    Files.deleteIfExists(path);
    return Channels.newOutputStream(
        Files.newByteChannel(
            path,
            Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE),
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"))));
  }

  /** The file of a store; null if there is none. */
  @Nullable InputStream open(HStore store) throws IOException {
    return open(path(store, SUFFIX));
  }

  /** That of what was flushed since; null if there is none. */
  @Nullable InputStream openFlushed(HStore store) throws IOException {
    return open(path(store, SUFFIX_OF_FLUSHED));
  }

  private static @Nullable InputStream open(Path path) throws IOException {
    return Files.exists(path) ? Files.newInputStream(path) : null;
  }

  /** Deletes the files of a store, if there are any. */
  void delete(HStore store) {
    delete(path(store, SUFFIX));
    delete(path(store, SUFFIX_OF_FLUSHED));
  }

  private static void delete(Path path) {
    try {
      Files.deleteIfExists(path);
    } catch (IOException e) {
      LOG.warn("{} cannot be deleted: {}", path, e.toString());
    }
  }

  /** Deletes what earlier processes left and nobody has come for. */
  void sweep() {
    try (DirectoryStream<Path> files = Files.newDirectoryStream(directory, "*" + SUFFIX)) {
      for (Path file : files) {
        if (NAME.matcher(file.getFileName().toString()).matches()
            && Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)
            && Files.getLastModifiedTime(file).compareTo(openedAt) < 0) {
          delete(file);
        }
      }
    } catch (IOException | RuntimeException e) {
      LOG.warn("{} is not swept: {}", directory, e.toString());
    }
  }
}
