package io.ishbase.dist.example;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.ishbase.bench.JdkClasses;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.zip.CRC32C;

/**
 * A class file of the JDK that runs this.
 *
 * @param path below {@code /modules}: module, package and class
 * @param bytes its size
 */
record ClassFile(String path, long bytes) {
  /** All of them, in the order of paths. */
  static List<ClassFile> all() throws IOException {
    return JdkClasses.files().stream().map(ClassFile::of).toList();
  }

  private static ClassFile of(Path path) {
    try {
      return new ClassFile(JdkClasses.MODULES.relativize(path).toString(), Files.size(path));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  byte[] encode() {
    return (bytes + " " + path).getBytes(UTF_8);
  }

  static ClassFile decode(byte[] message) {
    String text = new String(message, UTF_8);
    int space = text.indexOf(' ');
    return new ClassFile(text.substring(space + 1), Long.parseLong(text.substring(0, space)));
  }

  /** As {@code java.util.zip}; that of {@code module-info} is its module. */
  String packageName() {
    int module = path.indexOf('/');
    int name = path.lastIndexOf('/');
    return module == name
        ? "module " + path.substring(0, module)
        : path.substring(module + 1, name).replace('/', '.');
  }

  /** Reads it. */
  long checksum() throws IOException {
    CRC32C checksum = new CRC32C();
    checksum.update(Files.readAllBytes(JdkClasses.MODULES.resolve(path)));
    return checksum.getValue();
  }
}
