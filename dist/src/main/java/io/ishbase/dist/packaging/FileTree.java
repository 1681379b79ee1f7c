package io.ishbase.dist.packaging;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.zip.Deflater;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveOutputStream;
import org.apache.commons.compress.archivers.tar.TarConstants;
import org.apache.commons.compress.compressors.gzip.GzipCompressorOutputStream;
import org.apache.commons.compress.compressors.gzip.GzipParameters;

/**
 * Files that are to be in an archive, by path without a slash at its begin. An archive of the same
 * files is the same bytes whoever makes it, when and where.
 */
final class FileTree {
  static final int PLAIN = 0644;
  static final int EXECUTABLE = 0755;

  /** A file, a link if it has a target, or a directory if it has neither. */
  private record Entry(byte[] content, String target, int mode) {}

  private static final Entry DIRECTORY = new Entry(null, null, EXECUTABLE);

  private final SortedMap<String, Entry> entries = new TreeMap<>();

  void file(String path, byte[] content, int mode) {
    put(path, new Entry(content, null, mode));
  }

  void file(String path, String text) {
    file(path, text.getBytes(StandardCharsets.UTF_8), PLAIN);
  }

  void file(String path, Path from) throws IOException {
    file(path, Files.readAllBytes(from), Files.isExecutable(from) ? EXECUTABLE : PLAIN);
  }

  void link(String path, String target) {
    put(path, new Entry(null, target, 0777));
  }

  void directory(String path) {
    put(path, DIRECTORY);
  }

  /** All of another tree, below a directory of this one. */
  void graft(String directory, FileTree other) {
    other.entries.forEach((path, entry) -> put(directory + "/" + path, entry));
  }

  /** Moves a file to another place. */
  void move(String from, String to) {
    put(to, entries.remove(from));
  }

  /** Takes out a directory and all that is below it. */
  void remove(String directory) {
    entries.keySet().removeIf(path -> (path + "/").startsWith(directory + "/"));
  }

  private void put(String path, Entry entry) {
    for (int slash = path.indexOf('/'); slash > 0; slash = path.indexOf('/', slash + 1)) {
      entries.putIfAbsent(path.substring(0, slash), DIRECTORY);
    }
    entries.put(path, entry);
  }

  /** Paths of its files that begin so. */
  List<String> files(String prefix) {
    List<String> files = new ArrayList<>();
    entries.forEach(
        (path, entry) -> {
          if (entry.content != null && path.startsWith(prefix)) {
            files.add(path);
          }
        });
    return files;
  }

  byte[] content(String path) {
    return entries.get(path).content;
  }

  long bytes() {
    return entries.values().stream()
        .filter(entry -> entry.content != null)
        .mapToLong(entry -> entry.content.length)
        .sum();
  }

  /** The tree as a tar archive, compressed by gzip; paths in it begin with {@code prefix}. */
  void writeTar(OutputStream out, String prefix, Instant time) throws IOException {
    GzipParameters parameters = new GzipParameters();
    parameters.setCompressionLevel(Deflater.BEST_COMPRESSION);
    try (TarArchiveOutputStream tar =
        new TarArchiveOutputStream(new GzipCompressorOutputStream(out, parameters), "UTF-8")) {
      tar.setLongFileMode(TarArchiveOutputStream.LONGFILE_POSIX);
      for (Map.Entry<String, Entry> each : entries.entrySet()) {
        write(tar, prefix + each.getKey(), each.getValue(), time);
      }
    }
  }

  private static void write(TarArchiveOutputStream tar, String path, Entry entry, Instant time)
      throws IOException {
    boolean isDirectory = entry.content == null && entry.target == null;
    TarArchiveEntry header =
        entry.target == null
            ? new TarArchiveEntry(isDirectory ? path + "/" : path)
            : new TarArchiveEntry(path, TarConstants.LF_SYMLINK);
    if (entry.target != null) {
      header.setLinkName(entry.target);
    }
    header.setSize(entry.content == null ? 0 : entry.content.length);
    header.setMode(entry.mode);
    header.setModTime(time.toEpochMilli());
    header.setIds(0, 0);
    header.setNames("root", "root");
    tar.putArchiveEntry(header);
    if (entry.content != null) {
      tar.write(entry.content);
    }
    tar.closeArchiveEntry();
  }
}
