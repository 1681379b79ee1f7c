package io.ishbase.dist.packaging;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.HexFormat;
import java.util.List;
import org.apache.commons.compress.archivers.ar.ArArchiveEntry;
import org.apache.commons.compress.archivers.ar.ArArchiveOutputStream;

/** A release as a Debian package: the same files where Debian has them, and a systemd unit. */
final class DebianPackage {
  static final String NAME = "ishbase-issn";

  private static final String HOME = "usr/lib/ishbase";
  private static final String ETC = "etc/ishbase";
  private static final String DOCUMENTATION = "usr/share/doc/" + NAME;
  private static final String UNIT = NAME + ".service";
  private static final List<String> SCRIPTS = List.of("postinst", "prerm", "postrm");

  private final Sources sources;
  private final FileTree data = new FileTree();

  /**
   * A package of a release.
   *
   * @param sources where {@code debian} is
   */
  DebianPackage(Sources sources, FileTree release) throws IOException {
    this.sources = sources;
    data.graft(HOME, release);
    moveAll(release, "conf/", ETC);
    moveAll(release, "docs/", DOCUMENTATION + "/docs");
    for (String page : List.of("README.md", "CHANGELOG.md", "NOTICE")) {
      data.move(HOME + "/" + page, DOCUMENTATION + "/" + page);
    }
    data.file(DOCUMENTATION + "/copyright", sources.text("debian/copyright"));
    data.file("usr/lib/systemd/system/" + UNIT, sources.text("debian/" + UNIT));
    data.link("usr/bin/issn", "../lib/ishbase/bin/issn");
    data.link("usr/bin/ishbase", "../lib/ishbase/bin/ishbase");
    data.link(HOME + "/conf", "/" + ETC);
    // Where bin/issn writes unless told otherwise.
    data.link(HOME + "/logs", "/var/log/ishbase");
    data.link(HOME + "/run", "/var/lib/ishbase");
    data.directory("var/log/ishbase");
    data.directory("var/lib/ishbase");
  }

  private void moveAll(FileTree release, String from, String to) {
    for (String file : release.files(from)) {
      data.move(HOME + "/" + file, to + "/" + file.substring(from.length()));
    }
    data.remove(HOME + "/" + from.substring(0, from.length() - 1));
  }

  /** A version as Debian orders them: what comes before a release is older than it. */
  static String version(String version) {
    return version.replace('-', '~');
  }

  static String fileName(String version) {
    return NAME + "_" + version(version) + "_all.deb";
  }

  void write(Path file, String version, Instant time) throws IOException {
    try (OutputStream out = Files.newOutputStream(file);
        ArArchiveOutputStream ar = new ArArchiveOutputStream(out)) {
      put(ar, "debian-binary", "2.0\n".getBytes(StandardCharsets.US_ASCII), time);
      put(ar, "control.tar.gz", tar(control(version), time), time);
      put(ar, "data.tar.gz", tar(data, time), time);
    }
  }

  private FileTree control(String version) throws IOException {
    FileTree control = new FileTree();
    control.file(
        "control",
        sources
            .text("debian/control")
            .replace("@DEBIAN_VERSION@", version(version))
            .replace("@INSTALLED_KB@", Long.toString(data.bytes() >> 10)));
    for (String script : SCRIPTS) {
      control.file(
          script,
          sources.text("debian/" + script).getBytes(StandardCharsets.UTF_8),
          FileTree.EXECUTABLE);
    }
    StringBuilder conffiles = new StringBuilder();
    data.files(ETC).forEach(path -> conffiles.append('/').append(path).append('\n'));
    control.file("conffiles", conffiles.toString());
    StringBuilder sums = new StringBuilder();
    for (String path : data.files("")) {
      sums.append(HexFormat.of().formatHex(Checksums.digest("MD5").digest(data.content(path))))
          .append("  ")
          .append(path)
          .append('\n');
    }
    control.file("md5sums", sums.toString());
    return control;
  }

  private static byte[] tar(FileTree tree, Instant time) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    tree.writeTar(bytes, "./", time);
    return bytes.toByteArray();
  }

  private static void put(ArArchiveOutputStream ar, String name, byte[] content, Instant time)
      throws IOException {
    ar.putArchiveEntry(
        new ArArchiveEntry(name, content.length, 0, 0, 0100644, time.getEpochSecond()));
    ar.write(content);
    ar.closeArchiveEntry();
  }
}
