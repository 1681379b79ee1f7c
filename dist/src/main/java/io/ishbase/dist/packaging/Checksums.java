package io.ishbase.dist.packaging;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;

/** Checksums, as {@code sha256sum} and {@code sha512sum} write and check them. */
final class Checksums {
  static final List<String> ALGORITHMS = List.of("SHA-256", "SHA-512");

  private Checksums() {}

  static String of(String algorithm, Path file) throws IOException {
    return HexFormat.of().formatHex(digest(algorithm).digest(Files.readAllBytes(file)));
  }

  static MessageDigest digest(String algorithm) {
    try {
      return MessageDigest.getInstance(algorithm);
    } catch (NoSuchAlgorithmException e) {
      throw new AssertionError("every Java has it", e);
    }
  }

  /** Writes {@code SHA256SUMS} and {@code SHA512SUMS} beside files that are in one directory. */
  static void write(Path directory, List<Path> files) throws IOException {
    for (String algorithm : ALGORITHMS) {
      StringBuilder lines = new StringBuilder();
      for (Path file : files) {
        lines.append(of(algorithm, file)).append("  ").append(file.getFileName()).append('\n');
      }
      Files.writeString(directory.resolve(algorithm.replace("-", "") + "SUMS"), lines.toString());
    }
  }
}
