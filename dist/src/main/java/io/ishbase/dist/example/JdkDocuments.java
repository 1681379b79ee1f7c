package io.ishbase.dist.example;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.ishbase.bench.JdkClasses;
import java.io.IOException;
import java.lang.module.ModuleDescriptor;
import java.lang.module.ModuleFinder;
import java.lang.module.ModuleReference;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.FieldVisitor;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;

/** The running JDK as JSON: what its modules declare, and what is in some of its class files. */
final class JdkDocuments {
  private static final JsonNodeFactory NODES = JsonNodeFactory.withExactBigDecimals(true);
  private static final int CONSTANT_STRING = 8;
  private static final int CONSTANT_CLASS = 7;

  private JdkDocuments() {}

  /** A document for each module, by {@code module/NAME}. */
  static Map<String, ObjectNode> modules() {
    Map<String, ObjectNode> documents = new TreeMap<>();
    for (ModuleReference reference : ModuleFinder.ofSystem().findAll()) {
      ModuleDescriptor module = reference.descriptor();
      documents.put("module/" + module.name(), module(module));
    }
    return documents;
  }

  private static ObjectNode module(ModuleDescriptor module) {
    ObjectNode document = NODES.objectNode();
    document.put("name", module.name()).put("open", module.isOpen());
    module.rawVersion().ifPresent(version -> document.put("version", version));
    ArrayNode requires = document.putArray("requires");
    module.requires().stream()
        .sorted()
        .forEach(
            one ->
                texts(requires.addObject().put("name", one.name()), "modifiers", one.modifiers()));
    ArrayNode exports = document.putArray("exports");
    module.exports().stream()
        .sorted()
        .forEach(
            one -> texts(exports.addObject().put("package", one.source()), "to", one.targets()));
    texts(document, "uses", module.uses());
    ArrayNode provides = document.putArray("provides");
    module.provides().stream()
        .sorted()
        .forEach(
            one ->
                texts(provides.addObject().put("service", one.service()), "with", one.providers()));
    texts(document, "packages", module.packages());
    return document;
  }

  private static void texts(ObjectNode object, String name, Collection<?> values) {
    ArrayNode array = object.putArray(name);
    values.stream().map(Object::toString).sorted().forEach(array::add);
  }

  /** So many class files at even distances among all of the JDK. */
  static List<Path> classFiles(int count) throws IOException {
    List<Path> all =
        JdkClasses.files().stream().filter(path -> !path.endsWith("module-info.class")).toList();
    int wanted = Math.min(count, all.size());
    return IntStream.range(0, wanted)
        .mapToObj(i -> all.get((int) ((long) i * all.size() / wanted)))
        .toList();
  }

  /** {@code class/MODULE/NAME} of a class file. */
  static String id(Path classFile) {
    String path = JdkClasses.MODULES.relativize(classFile).toString();
    return "class/" + path.substring(0, path.length() - ".class".length());
  }

  /** The document of a class file, which stands in it whole as well, in Base64. */
  static ObjectNode document(Path classFile) throws IOException {
    byte[] bytes = Files.readAllBytes(classFile);
    ClassReader reader = new ClassReader(bytes);
    ObjectNode document = NODES.objectNode();
    document.put("name", reader.getClassName()).put("module", classFile.getName(1).toString());
    document.put("super", reader.getSuperName()).put("access", reader.getAccess());
    texts(document, "interfaces", List.of(reader.getInterfaces()));
    reader.accept(new Members(document), ClassReader.SKIP_CODE | ClassReader.SKIP_FRAMES);
    pool(reader, document.putObject("pool"));
    document.put("file", Base64.getEncoder().encodeToString(bytes));
    return document;
  }

  private static void pool(ClassReader reader, ObjectNode pool) {
    ArrayNode classes = pool.putArray("classes");
    ArrayNode strings = pool.putArray("strings");
    char[] buffer = new char[reader.getMaxStringLength()];
    for (int i = 1; i < reader.getItemCount(); i++) {
      // Behind a long or a double there is no item.
      int item = reader.getItem(i);
      int tag = item == 0 ? 0 : reader.readByte(item - 1);
      if (tag == CONSTANT_CLASS) {
        classes.add(reader.readUTF8(item, buffer));
      } else if (tag == CONSTANT_STRING) {
        String text = reader.readUTF8(item, buffer);
        // Some tables of characters are no Unicode text.
        if (StandardCharsets.UTF_8.newEncoder().canEncode(text)) {
          strings.add(text);
        }
      }
    }
  }

  /** Adds fields and methods to a document. */
  private static final class Members extends ClassVisitor {
    private final ArrayNode fields;
    private final ArrayNode methods;

    Members(ObjectNode document) {
      super(Opcodes.ASM9);
      fields = document.putArray("fields");
      methods = document.putArray("methods");
    }

    @Override
    public FieldVisitor visitField(
        int access, String name, String descriptor, String signature, Object value) {
      ObjectNode field = fields.addObject().put("name", name).put("descriptor", descriptor);
      if (value instanceof Integer number) {
        field.put("value", number);
      } else if (value instanceof Long number) {
        field.put("value", number);
      }
      return null;
    }

    @Override
    public MethodVisitor visitMethod(
        int access, String name, String descriptor, String signature, String[] exceptions) {
      ObjectNode method = methods.addObject().put("name", name).put("descriptor", descriptor);
      if (exceptions != null) {
        texts(method, "throws", List.of(exceptions));
      }
      return null;
    }
  }
}
