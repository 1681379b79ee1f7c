package io.ishbase.dist.example;

import io.ishbase.archetypes.graph.Edge;
import io.ishbase.bench.JdkClasses;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;

/**
 * The classes of some packages of the JDK that runs this, and what they have to do with each other:
 * which extends, implements or calls which, and from how many places.
 */
final class ClassGraph {
  static final String EXTENDS = "extends";
  static final String IMPLEMENTS = "implements";
  static final String CALLS = "calls";

  private static final List<String> PACKAGES =
      List.of(
          "java/io",
          "java/lang",
          "java/math",
          "java/net",
          "java/nio",
          "java/security",
          "java/text",
          "java/time",
          "java/util");

  private final Map<String, Map<String, String>> classes = new TreeMap<>();
  private final Map<Edge, Integer> edges = new HashMap<>();

  /** Reads them from module java.base. */
  static ClassGraph read() throws IOException {
    ClassGraph graph = new ClassGraph();
    Path module = JdkClasses.MODULES.resolve("java.base");
    for (Path file : JdkClasses.files()) {
      if (PACKAGES.stream().map(module::resolve).noneMatch(file::startsWith)) {
        continue;
      }
      new ClassReader(Files.readAllBytes(file))
          .accept(graph.new Visitor(), ClassReader.SKIP_DEBUG | ClassReader.SKIP_FRAMES);
    }
    graph.edges.keySet().removeIf(edge -> !graph.classes.containsKey(edge.to()));
    return graph;
  }

  /** Their names, as {@code java.util.HashMap}, with properties. */
  Map<String, Map<String, String>> classes() {
    return classes;
  }

  /** Edges between them, with properties. */
  Map<Edge, Map<String, String>> edges() {
    Map<Edge, Map<String, String>> all = new LinkedHashMap<>();
    edges.forEach((edge, places) -> all.put(edge, Map.of("places", places.toString())));
    return all;
  }

  private final class Visitor extends ClassVisitor {
    private String name = "";
    private int access;
    private int methods;

    Visitor() {
      super(Opcodes.ASM9);
    }

    @Override
    public void visit(
        int version, int flags, String internal, String signature, String parent, String[] of) {
      name = internal.replace('/', '.');
      access = flags;
      if (parent != null) {
        add(EXTENDS, parent);
      }
      for (String each : of) {
        add(IMPLEMENTS, each);
      }
    }

    private void add(String label, String internal) {
      // Methods of arrays are those of Object.
      if (!internal.startsWith("[")) {
        edges.merge(Edge.of(name, label, internal.replace('/', '.')), 1, Integer::sum);
      }
    }

    @Override
    public MethodVisitor visitMethod(
        int flags, String method, String descriptor, String signature, String[] exceptions) {
      methods++;
      return new MethodVisitor(Opcodes.ASM9) {
        @Override
        public void visitMethodInsn(
            int opcode, String owner, String called, String types, boolean isInterface) {
          add(CALLS, owner);
        }
      };
    }

    @Override
    public void visitEnd() {
      boolean isInterface = (access & Opcodes.ACC_INTERFACE) != 0;
      boolean isPublic = (access & Opcodes.ACC_PUBLIC) != 0;
      classes.put(
          name,
          Map.of(
              "kind", isInterface ? "interface" : "class",
              "methods", "" + methods,
              "public", "" + isPublic));
    }
  }
}
