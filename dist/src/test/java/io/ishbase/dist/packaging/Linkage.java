package io.ishbase.dist.packaging;

import io.ishbase.dist.cluster.Installed;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Modifier;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import org.jspecify.annotations.Nullable;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.FieldVisitor;
import org.objectweb.asm.Handle;
import org.objectweb.asm.Label;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;

/**
 * Whether what class files refer to is there, and may be used, in other jars than those that they
 * were compiled with: as the JVM would find out, one reference after the other, while it runs (Java
 * Virtual Machine Specification 17, section 5.4).
 */
final class Linkage implements Closeable {
  private static final String WHOSE = "org/apache/";
  private static final String OURS = "io/ishbase/";

  /** They look for each member, or class, that they use. */
  private static final Set<String> ADAPTERS =
      Set.of("io/ishbase/protocol/StorageReads", "io/ishbase/protocol/ReleaseAdapter");

  /** What looks first whether HBase is of the line 2.6, and what is not loaded where it is not. */
  private static final Set<String> GUARDED =
      Set.of(
          "io/ishbase/plugin/hbase/ErasureCoding",
          "org/apache/hadoop/hbase/regionserver/BlockProgress",
          // The daemon copies blocks where stores compare as those of HBase 2.6 do.
          "org/apache/hadoop/hbase/io/hfile/CopyingBlockWriter");

  /** Methods by which HBase 2.6 alone, or the Hadoop that it is built with, calls ours. */
  private static final Set<String> SINCE_2_6 =
      Set.of(
          "recordBlockSize(Ljava/util/function/IntConsumer;)V",
          "close(ZZZ)Ljava/util/Map;",
          // An older Curator knows no others than the servers that it is given.
          "setConnectionString(Ljava/lang/String;)V",
          "updateServerListEnabled()Z",
          "read(JLjava/nio/ByteBuffer;)I");

  /**
   * What is found of class files.
   *
   * @param faults what does not link
   * @param overrides methods that override one of HBase's or Hadoop's
   * @param is26 whether HBase is of that line
   */
  private record Found(SortedSet<String> faults, SortedSet<String> overrides, boolean is26) {}

  /** What of a class others see. */
  private record Known(
      String name,
      int access,
      @Nullable String parent,
      List<String> interfaces,
      Map<String, Integer> members) {
    String directory() {
      return name.substring(0, name.lastIndexOf('/') + 1);
    }
  }

  private final URLClassLoader jars;
  private final Map<String, @Nullable Known> known = new HashMap<>();
  private final SortedSet<String> faults = new TreeSet<>();
  private final SortedSet<String> overrides = new TreeSet<>();

  private Linkage(List<Path> directories) throws IOException {
    List<URL> urls = new ArrayList<>();
    for (Path directory : directories) {
      try (DirectoryStream<Path> all = Files.newDirectoryStream(directory, "*.jar")) {
        for (Path jar : all) {
          urls.add(jar.toUri().toURL());
        }
      }
    }
    jars = new URLClassLoader(urls.toArray(URL[]::new), ClassLoader.getPlatformClassLoader());
  }

  /** What of our jars does not link there, or overrides a method no more. */
  static SortedSet<String> faults(Installed there, Installed asBuilt) throws IOException {
    SortedSet<String> faults = new TreeSet<>();
    for (String program : List.of("plugin", "daemon")) {
      Found found = of(there, program);
      faults.addAll(found.faults());
      for (String each : of(asBuilt, program).overrides()) {
        boolean isLookedAt =
            found.is26() || !GUARDED.contains(each.substring(0, each.indexOf('.')));
        if (isLookedAt && !found.overrides().contains(each)) {
          faults.add(each + " overrides nothing");
        }
      }
    }
    return faults;
  }

  private static Found of(Installed installed, String program) throws IOException {
    Path own = installed.release().resolve("lib").resolve(program);
    Path plugin = installed.release().resolve("lib/plugin");
    Path hbase = installed.hbaseHome().resolve("lib");
    List<Path> ours = new ArrayList<>();
    try (DirectoryStream<Path> jars = Files.newDirectoryStream(own, "ishbase-*.jar")) {
      jars.forEach(ours::add);
    }
    return of(ours, List.of(own, plugin, hbase, hbase.resolve("client-facing-thirdparty")));
  }

  /**
   * Looks at class files.
   *
   * @param ours jars whose classes are looked at
   * @param directories of all jars that are there
   */
  private static Found of(List<Path> ours, List<Path> directories) throws IOException {
    try (Linkage linkage = new Linkage(directories)) {
      for (Path jar : ours) {
        try (ZipFile zip = new ZipFile(jar.toFile())) {
          for (ZipEntry entry :
              (Iterable<ZipEntry>) zip.stream().map(e -> (ZipEntry) e)::iterator) {
            if (entry.getName().endsWith(".class")) {
              try (InputStream in = zip.getInputStream(entry)) {
                linkage.look(new ClassReader(in.readAllBytes()));
              }
            }
          }
        }
      }
      linkage.call();
      return new Found(linkage.faults, linkage.overrides, linkage.isOf26());
    }
  }

  /** What an adapter refers to is not looked at: it is called. */
  private void call() throws IOException {
    try {
      Class<?> reads = Class.forName("io.ishbase.protocol.StorageReads", true, jars);
      Class<?> count = Class.forName(reads.getName() + "$Count", true, jars);
      ((AutoCloseable) reads.getMethod("begin").invoke(null)).close();
      ((AutoCloseable) reads.getMethod("pause").invoke(null)).close();
      reads
          .getMethod("count", count, long.class)
          .invoke(
              null,
              count.getConstructor(long.class, long.class, long.class).newInstance(1, 1, 1),
              1);
    } catch (InvocationTargetException e) {
      faults.add("io/ishbase/protocol/StorageReads: " + e.getCause());
    } catch (LinkageError e) {
      faults.add("io/ishbase/protocol/StorageReads: " + e);
    } catch (Exception e) {
      throw new IOException(e);
    }
  }

  private void look(ClassReader reader) throws IOException {
    Known self = known(reader.getClassName());
    if (self == null || ADAPTERS.contains(self.name) || GUARDED.contains(self.name) && !isOf26()) {
      return;
    }
    if (self.parent != null) {
      requireClass(self, self.parent);
    }
    for (String each : self.interfaces) {
      requireClass(self, each);
    }
    requireImplemented(self);
    reader.accept(
        new ClassVisitor(Opcodes.ASM9) {
          @Override
          public MethodVisitor visitMethod(
              int access, String name, String type, String signature, String[] exceptions) {
            boolean isOverride =
                (access & (Opcodes.ACC_STATIC | Opcodes.ACC_PRIVATE)) == 0
                    && !name.equals("<init>")
                    && isOverride(self, name + type);
            if (SINCE_2_6.contains(name + type)) {
              return isOverride ? new References(self) : null;
            }
            if (isOverride) {
              overrides.add(self.name + "." + name + type);
            }
            return new References(self);
          }
        },
        ClassReader.SKIP_FRAMES | ClassReader.SKIP_DEBUG);
  }

  private boolean isOf26() throws IOException {
    Known scanner = known("org/apache/hadoop/hbase/regionserver/KeyValueScanner");
    return scanner != null
        && scanner.members.keySet().stream()
            .anyMatch(member -> member.startsWith("recordBlockSize"));
  }

  private final class References extends MethodVisitor {
    private final Known from;
    private boolean expectsNoMethod;

    References(Known from) {
      super(Opcodes.ASM9);
      this.from = from;
    }

    @Override
    public void visitTryCatchBlock(Label start, Label end, Label handler, String type) {
      expectsNoMethod |= "java/lang/NoSuchMethodError".equals(type);
    }

    @Override
    public void visitTypeInsn(int opcode, String type) {
      requireClass(from, type);
    }

    @Override
    public void visitMethodInsn(
        int opcode, String owner, String name, String type, boolean isInterface) {
      if (!expectsNoMethod) {
        requireMember(from, owner, name + type);
      }
    }

    @Override
    public void visitFieldInsn(int opcode, String owner, String name, String type) {
      requireMember(from, owner, name + " " + type);
    }

    @Override
    public void visitInvokeDynamicInsn(
        String name, String type, Handle bootstrap, Object... arguments) {
      for (Object each : arguments) {
        if (each instanceof Handle handle) {
          boolean isField = handle.getTag() <= Opcodes.H_PUTSTATIC;
          requireMember(
              from, handle.getOwner(), handle.getName() + (isField ? " " : "") + handle.getDesc());
        }
      }
    }
  }

  /** As section 5.4.5 says, and only of what is not ours. */
  private boolean isOverride(Known self, String method) {
    Set<String> seen = new HashSet<>();
    Known above = holder(self.parent, method, seen);
    for (int i = 0; above == null && i < self.interfaces.size(); i++) {
      above = holder(self.interfaces.get(i), method, seen);
    }
    if (above == null || !above.name.startsWith(WHOSE)) {
      return false;
    }
    int access = above.members.get(method);
    return (access & (Opcodes.ACC_STATIC | Opcodes.ACC_PRIVATE)) == 0
        && ((access & (Opcodes.ACC_PUBLIC | Opcodes.ACC_PROTECTED)) != 0
            || above.directory().equals(self.directory()));
  }

  private void requireClass(Known from, String name) {
    if (!name.startsWith(WHOSE)) {
      return;
    }
    Known found = known(name);
    if (found == null) {
      faults.add(from.name + ": no class " + name);
    } else if (!Modifier.isPublic(found.access) && !found.directory().equals(from.directory())) {
      faults.add(from.name + ": class " + name + " is not public");
    }
  }

  private void requireMember(Known from, String owner, String member) {
    requireClass(from, owner);
    if (known(owner) == null) {
      return;
    }
    // What is inherited is called by the name of the class that inherits, which may be ours.
    Known holder = holder(owner, member, new HashSet<>());
    if (holder == null) {
      if (owner.startsWith(WHOSE) || owner.startsWith(OURS)) {
        faults.add(from.name + ": no " + owner + "." + member);
      }
      return;
    }
    if (!holder.name.startsWith(WHOSE) || outermost(holder.name).equals(outermost(from.name))) {
      return;
    }
    int access = holder.members.get(member);
    boolean isNear = holder.directory().equals(from.directory());
    if (Modifier.isPublic(access)
        || isNear && !Modifier.isPrivate(access)
        || Modifier.isProtected(access) && isBelow(from.name, holder.name)) {
      return;
    }
    faults.add(from.name + ": may not use " + owner + "." + member);
  }

  /** Nestmates use each other's private members. */
  private static String outermost(String name) {
    int dollar = name.indexOf('$');
    return dollar < 0 ? name : name.substring(0, dollar);
  }

  /** Who declares it, of a class and all above. */
  private @Nullable Known holder(@Nullable String name, String member, Set<String> seen) {
    Known at = name == null || !seen.add(name) ? null : known(name);
    if (at == null || at.members.containsKey(member)) {
      return at;
    }
    Known above = holder(at.parent, member, seen);
    for (int i = 0; above == null && i < at.interfaces.size(); i++) {
      above = holder(at.interfaces.get(i), member, seen);
    }
    return above;
  }

  private boolean isBelow(@Nullable String name, String above) {
    for (Known at = name == null ? null : known(name); at != null; ) {
      if (at.name.equals(above)) {
        return true;
      }
      at = at.parent == null ? null : known(at.parent);
    }
    return false;
  }

  /** A class that is one has all that is abstract above it. */
  private void requireImplemented(Known self) {
    if (Modifier.isAbstract(self.access)) {
      return;
    }
    Map<String, String> wanted = new HashMap<>();
    Set<String> had = new HashSet<>();
    collect(self.name, wanted, had, new HashSet<>());
    wanted.forEach(
        (member, owner) -> {
          if (!had.contains(member) && owner.startsWith(WHOSE)) {
            faults.add(self.name + ": does not have " + owner + "." + member);
          }
        });
  }

  private void collect(
      @Nullable String name, Map<String, String> wanted, Set<String> had, Set<String> seen) {
    Known at = name == null || !seen.add(name) ? null : known(name);
    if (at == null) {
      return;
    }
    at.members.forEach(
        (member, access) -> {
          if (Modifier.isAbstract(access)) {
            wanted.putIfAbsent(member, at.name);
          } else if (!Modifier.isStatic(access)) {
            had.add(member);
          }
        });
    collect(at.parent, wanted, had, seen);
    at.interfaces.forEach(each -> collect(each, wanted, had, seen));
  }

  private @Nullable Known known(String name) {
    if (!known.containsKey(name)) {
      known.put(name, read(name.startsWith("[") ? "java/lang/Object" : name));
    }
    return known.get(name);
  }

  private @Nullable Known read(String name) {
    try (InputStream in = jars.getResourceAsStream(name + ".class")) {
      if (in == null) {
        return null;
      }
      ClassReader reader = new ClassReader(in.readAllBytes());
      Map<String, Integer> members = new HashMap<>();
      int[] access = {reader.getAccess()};
      reader.accept(
          new ClassVisitor(Opcodes.ASM9) {
            @Override
            public void visitInnerClass(String inner, String outer, String simple, int flags) {
              if (inner.equals(name)) {
                access[0] = flags;
              }
            }

            @Override
            public MethodVisitor visitMethod(
                int flags, String method, String type, String signature, String[] exceptions) {
              members.put(method + type, flags);
              return null;
            }

            @Override
            public FieldVisitor visitField(
                int flags, String field, String type, String signature, Object value) {
              members.put(field + " " + type, flags);
              return null;
            }
          },
          ClassReader.SKIP_CODE);
      // The JVM looks at the class's own flags, in which a protected class is public.
      int own = Modifier.isProtected(access[0]) ? access[0] | Modifier.PUBLIC : access[0];
      return new Known(name, own, reader.getSuperName(), List.of(reader.getInterfaces()), members);
    } catch (IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
  }

  @Override
  public void close() throws IOException {
    jars.close();
  }
}
