package io.ishbase.it.defects;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;

/**
 * A mistake that somebody might make, in a class file: where the file stands first on a class path,
 * what runs there has it.
 *
 * @param name as on the command line
 * @param says what is wrong then
 * @param module whose class it is
 * @param className of the class, with {@code $} where it lies in another
 * @param edits what is otherwise
 * @param tests that are to catch it, each {@code module:class}
 */
record Defect(
    String name,
    String says,
    String module,
    String className,
    List<Edit> edits,
    List<TestClass> tests) {
  /** The source tree's modules, from the directory of one of them. */
  private static final Path HOME = Path.of("").toAbsolutePath().getParent();

  /** A class of tests of a module. */
  record TestClass(String module, String name) {
    /** Its name without the package. */
    String simpleName() {
      return name.substring(name.lastIndexOf('.') + 1);
    }
  }

  static Path directory(String module) {
    return HOME.resolve(module);
  }

  @Override
  public String toString() {
    return name;
  }

  /** The class and the methods that are otherwise. */
  String where() {
    String simple = className.substring(className.lastIndexOf('.') + 1).replace('$', '.');
    return simple
        + "."
        + String.join(", ", edits.stream().map(Edit::methodName).distinct().toList());
  }

  /** Writes the class below {@code directory}, where a class path finds it. */
  void writeTo(Path directory) {
    Path file = directory.resolve(fileName());
    try {
      Files.createDirectories(file.getParent());
      Files.write(file, classFile());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private String fileName() {
    return className.replace('.', '/') + ".class";
  }

  /** The class's file, as it ships. */
  Path shipped() {
    return directory(module).resolve("target/classes").resolve(fileName());
  }

  /**
   * The class, with the defect.
   *
   * @throws IllegalStateException if the source is no longer what the defect was written for
   */
  byte[] classFile() throws IOException {
    ClassReader shipped = new ClassReader(Files.readAllBytes(shipped()));
    ClassWriter written = new ClassWriter(shipped, ClassWriter.COMPUTE_MAXS);
    edits.forEach(Edit::forget);
    shipped.accept(new Rewriter(written), 0);
    edits.forEach(edit -> edit.check(className));
    return written.toByteArray();
  }

  private final class Rewriter extends ClassVisitor {
    Rewriter(ClassVisitor next) {
      super(Opcodes.ASM9, next);
    }

    @Override
    public MethodVisitor visitMethod(
        int access, String method, String descriptor, String signature, String[] exceptions) {
      MethodVisitor code = super.visitMethod(access, method, descriptor, signature, exceptions);
      if ((access & (Opcodes.ACC_BRIDGE | Opcodes.ACC_ABSTRACT)) == 0) {
        for (Edit edit : edits) {
          if (edit.isIn(method, descriptor)) {
            code = edit.rewriting(code, access, descriptor);
          }
        }
      }
      return code;
    }
  }
}
