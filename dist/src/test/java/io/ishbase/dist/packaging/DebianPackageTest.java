package io.ishbase.dist.packaging;

import static org.assertj.core.api.Assertions.assertThat;

import io.ishbase.it.OwnJvm;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.commons.compress.archivers.ar.ArArchiveEntry;
import org.apache.commons.compress.archivers.ar.ArArchiveInputStream;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveInputStream;
import org.apache.commons.compress.compressors.gzip.GzipCompressorInputStream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is in the Debian package. */
@OwnJvm
final class DebianPackageTest {
  private record Member(TarArchiveEntry header, byte[] content) {
    String text() {
      return new String(content, StandardCharsets.UTF_8);
    }
  }

  @TempDir private static Path directory;

  private static final Map<String, byte[]> PARTS = new LinkedHashMap<>();
  private static Map<String, Member> control;
  private static Map<String, Member> data;

  @BeforeAll
  static void read() throws IOException, InterruptedException {
    BuiltRelease release = new BuiltRelease(directory);
    Path file = release.files().resolve(DebianPackage.fileName(Release.version()));
    try (InputStream in = Files.newInputStream(file);
        ArArchiveInputStream ar = new ArArchiveInputStream(in)) {
      for (ArArchiveEntry part = ar.getNextEntry(); part != null; part = ar.getNextEntry()) {
        PARTS.put(part.getName(), ar.readAllBytes());
      }
    }
    control = members(PARTS.get("control.tar.gz"));
    data = members(PARTS.get("data.tar.gz"));
  }

  private static Map<String, Member> members(byte[] archive) throws IOException {
    Map<String, Member> members = new HashMap<>();
    try (TarArchiveInputStream tar =
        new TarArchiveInputStream(
            new GzipCompressorInputStream(new ByteArrayInputStream(archive)))) {
      for (TarArchiveEntry each = tar.getNextEntry(); each != null; each = tar.getNextEntry()) {
        members.put(each.getName(), new Member(each, tar.readAllBytes()));
      }
    }
    return members;
  }

  @Test
  void itsPartsStandInDebiansOrder() {
    assertThat(PARTS.keySet()).containsExactly("debian-binary", "control.tar.gz", "data.tar.gz");
    assertThat(PARTS.get("debian-binary")).asString(StandardCharsets.US_ASCII).isEqualTo("2.0\n");
    assertThat(control.get("./control").text())
        .contains("Package: ishbase-issn\n")
        .contains("Version: " + DebianPackage.version(Release.version()) + "\n")
        .containsPattern("Installed-Size: \\d{4,}\n")
        .doesNotContain("@DEBIAN", "@INSTALLED");
    for (String script : List.of("postinst", "prerm", "postrm")) {
      assertThat(control.get("./" + script).header().getMode()).isEqualTo(0755);
    }
  }

  @Test
  void whatComesBeforeAReleaseIsOlderThanIt() {
    assertThat(DebianPackage.version("0.1.0-SNAPSHOT")).isEqualTo("0.1.0~SNAPSHOT");
    assertThat(DebianPackage.fileName("1.2.3")).isEqualTo("ishbase-issn_1.2.3_all.deb");
  }

  @Test
  void allFilesAreRootsAndInPlace() {
    data.forEach(
        (path, member) -> {
          assertThat(path).startsWith("./").doesNotContain("..");
          assertThat(member.header().getLongUserId()).as(path).isZero();
          assertThat(member.header().getUserName()).as(path).isEqualTo("root");
        });
    assertThat(data.get("./usr/lib/ishbase/bin/issn").header().getMode() & 0111).isEqualTo(0111);
    assertThat(data.get("./usr/bin/issn").header().getLinkName())
        .isEqualTo("../lib/ishbase/bin/issn");
    assertThat(data.get("./usr/lib/ishbase/conf").header().getLinkName()).isEqualTo("/etc/ishbase");
    assertThat(data).containsKey("./usr/share/doc/ishbase-issn/docs/install.md");
    assertThat(data.get("./usr/lib/systemd/system/ishbase-issn.service").text())
        .contains("User=hbase\n")
        .contains("EnvironmentFile=-/etc/ishbase/issn-env.sh\n")
        .contains("Restart=on-failure\n");
  }

  @Test
  void whatAnOperatorChangesStays() {
    List<String> conffiles = control.get("./conffiles").text().lines().toList();
    assertThat(conffiles).contains("/etc/ishbase/issn-env.sh", "/etc/ishbase/log4j2.properties");
    assertThat(conffiles).allSatisfy(file -> assertThat(data).containsKey("." + file));
  }
}
