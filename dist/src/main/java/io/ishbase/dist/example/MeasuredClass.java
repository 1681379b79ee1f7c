package io.ishbase.dist.example;

import io.ishbase.bench.JdkClasses;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;

/**
 * What is measured of a class file of the running JDK.
 *
 * @param packageName empty: it is in none
 * @param bytes of the file
 * @param constants places in the constant pool
 * @param methods constructors and initializers are among them
 */
record MeasuredClass(String module, String packageName, int bytes, int constants, int methods) {
  /** All, in the order of their paths. */
  static List<MeasuredClass> all() throws IOException {
    List<MeasuredClass> classes = new ArrayList<>();
    for (Path file : JdkClasses.files()) {
      classes.add(of(JdkClasses.MODULES.relativize(file).toString(), Files.readAllBytes(file)));
    }
    return classes;
  }

  private static MeasuredClass of(String path, byte[] content) {
    int module = path.indexOf('/');
    int name = path.lastIndexOf('/');
    ClassReader reader = new ClassReader(content);
    Methods methods = new Methods();
    reader.accept(methods, ClassReader.SKIP_CODE);
    return new MeasuredClass(
        path.substring(0, module),
        name == module ? "" : path.substring(module + 1, name).replace('/', '.'),
        content.length,
        reader.getItemCount(),
        methods.count);
  }

  /** Counts methods. */
  private static final class Methods extends ClassVisitor {
    int count;

    Methods() {
      super(Opcodes.ASM9);
    }

    @Override
    public MethodVisitor visitMethod(
        int access, String name, String descriptor, String signature, String[] exceptions) {
      count++;
      return null;
    }
  }
}
