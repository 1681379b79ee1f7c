package io.ishbase.dist;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.util.Bytes;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A configuration → what is printed and the patch: the texts below {@code
 * src/test/resources/golden/attach}. {@code -Dishbase.golden=write} writes them anew, to be
 * reviewed as a change.
 */
class AttachCommandTest {
  private static final Path GOLDEN = Path.of("src/test/resources/golden/attach");
  private static final String MANAGER = "io.ishbase.plugin.master.CompactionManager";

  @TempDir private Path directory;

  /** A copy of a case's configuration, as the {@code conf} of a delivered HBase. */
  private Path conf(String name) throws IOException {
    Path conf = Files.createDirectories(directory.resolve("hbase/conf"));
    try (Stream<Path> files = Files.list(GOLDEN.resolve(name))) {
      for (Path file : (Iterable<Path>) files::iterator) {
        if (file.toString().matches(".*\\.(xml|sh)")) {
          Files.copy(file, conf.resolve(file.getFileName()));
        }
      }
    }
    Path lib = Files.createDirectories(directory.resolve("hbase/lib"));
    String release = Files.readString(GOLDEN.resolve(name).resolve("release.txt")).strip();
    Files.createFile(lib.resolve("hbase-server-" + release + ".jar"));
    return conf;
  }

  private static String[] arguments(String name) throws IOException {
    return Files.readString(GOLDEN.resolve(name).resolve("arguments.txt")).strip().split(" ");
  }

  private static Outcome attach(Path conf, String... more) {
    List<String> all = new ArrayList<>(List.of("attach", "--hbase-conf", conf.toString()));
    all.addAll(List.of(more));
    return Outcome.run(all.toArray(new String[0]));
  }

  private static void compare(Path golden, String text) throws IOException {
    if ("write".equals(System.getProperty("ishbase.golden"))) {
      Files.writeString(golden, text);
    }
    assertThat(text).isEqualTo(Files.readString(golden));
  }

  private static Map<String, String> texts(Path conf) throws IOException {
    Map<String, String> texts = new TreeMap<>();
    try (Stream<Path> files = Files.list(conf)) {
      for (Path file : (Iterable<Path>) files::iterator) {
        texts.put(file.getFileName().toString(), Files.readString(file));
      }
    }
    return texts;
  }

  /** Puts what was written over what was there, as an operator does. */
  private static void install(Path written, Path conf) throws IOException {
    for (Map.Entry<String, String> file : texts(written).entrySet()) {
      if (file.getKey().matches(".*\\.(xml|sh)")) {
        Files.writeString(conf.resolve(file.getKey()), file.getValue());
      }
    }
  }

  @Test
  void whereNothingCanBeWritten() throws IOException {
    Path conf = conf("stock");
    String file = Files.writeString(directory.resolve("file"), "").toString();
    assertThat(attach(conf, "--write", file).err())
        .isEqualToIgnoringNewLines("ishbase: --write " + file + " is no directory");
    assertThat(attach(conf, "--write", file + "/below").err())
        .startsWith("ishbase: --write " + file + "/below cannot be made: ");
  }

  @ParameterizedTest
  @ValueSource(strings = {"stock", "secured", "foreign"})
  void saysAndWritesAsBefore(String name) throws IOException {
    Path conf = conf(name);
    Map<String, String> before = texts(conf);
    Path written = directory.resolve("new");
    List<String> more = new ArrayList<>(List.of(arguments(name)));
    more.addAll(List.of("--write", written.toString()));
    Outcome outcome = attach(conf, more.toArray(new String[0]));
    boolean isForeign = name.equals("foreign");
    assertThat(outcome.code()).as(outcome.err()).isEqualTo(isForeign ? 1 : 0);
    compare(
        GOLDEN.resolve(name).resolve("printed.txt"),
        outcome.out().replace(directory.toString(), "DIR"));
    if (isForeign) {
      assertThat(outcome.err()).contains("nothing was written").hasLineCount(1);
      assertThat(written).doesNotExist();
    } else {
      compare(
          GOLDEN.resolve(name).resolve("attach.diff"),
          Files.readString(written.resolve("attach.diff")));
    }
    assertThat(texts(conf)).isEqualTo(before);
  }

  @ParameterizedTest
  @ValueSource(strings = {"stock", "secured"})
  void twiceIsOnceAndTheWayBackEndsWhereItBegan(String name) throws IOException {
    Path conf = conf(name);
    Path attached = directory.resolve("attached");
    assertThat(attach(conf, "--write", attached.toString(), "--segment-cache", "1G").code())
        .isZero();
    // For what was changed where it stood, and not added, the old value is not known any more.
    Map<String, String> before = texts(conf);
    install(attached, conf);
    Map<String, String> after = texts(conf);
    Outcome again = attach(conf, "--write", directory.resolve("none").toString());
    assertThat(again.out()).contains("It is attached already: nothing is to be changed.");
    assertThat(again.code()).isZero();
    assertThat(directory.resolve("none")).doesNotExist();
    assertThat(texts(conf)).isEqualTo(after);

    Path detached = directory.resolve("detached");
    Outcome back = attach(conf, "--detach", "--write", detached.toString());
    assertThat(back.code()).as(back.err()).isZero();
    install(detached, conf);
    Map<String, String> restored = texts(conf);
    restored.values().removeIf(String::isEmpty);
    if (name.equals("stock")) {
      assertThat(restored).isEqualTo(before);
    } else {
      assertThat(restored.get("hbase-env.sh")).isEqualTo(before.get("hbase-env.sh"));
      assertThat(property(conf, "hbase.coprocessor.master.classes"))
          .isEqualTo("org.apache.hadoop.hbase.security.access.AccessController,org.example.Audit");
    }
    assertThat(attach(conf, "--detach").out())
        .contains("It is not attached: nothing is to be changed.");
  }

  /** A class path that is switched off, or another directory's, is none. */
  @ParameterizedTest
  @ValueSource(
      strings = {"# export HBASE_CLASSPATH=LIB/*\n", "export HBASE_CLASSPATH=/data/LIB/*\n"})
  void aClassPathInACommentOrOfAnotherDirectoryIsNone(String line) throws IOException {
    Path conf = conf("stock");
    Path attached = directory.resolve("attached");
    assertThat(attach(conf, "--write", attached.toString()).code()).isZero();
    String export =
        Files.readString(attached.resolve("hbase-env.sh"))
            .lines()
            .filter(each -> each.contains("HBASE_CLASSPATH"))
            .findFirst()
            .orElseThrow();
    String lib = export.replaceAll(".*:}(.*)/\\*.*", "$1");
    Files.writeString(conf.resolve("hbase-env.sh"), line.replace("LIB", lib));
    Path again = directory.resolve("again");
    assertThat(attach(conf, "--write", again.toString()).code()).isZero();
    assertThat(Files.readString(again.resolve("hbase-env.sh"))).contains(export);
  }

  /** A file of ours in its place would have none of the DataNode's disks, or of HBase's memory. */
  @Test
  void nothingIsWrittenInPlaceOfWhatIsNotSeen() throws IOException {
    Path conf = conf("stock");
    Files.delete(conf.resolve("hdfs-site.xml"));
    for (String way : List.of("domain-socket", "legacy")) {
      Outcome outcome = attach(conf, "--short-circuit", way);
      assertThat(outcome.code()).isEqualTo(1);
      assertThat(outcome.out())
          .contains("There is no ", "hdfs-site.xml", "--hadoop-conf")
          .doesNotContain("In this order");
    }
    Path attached = directory.resolve("attached");
    Outcome outcome = attach(conf, "--write", attached.toString());
    assertThat(outcome.code()).as(outcome.err()).isZero();
    assertThat(outcome.out()).contains("over the loopback interface");
    assertThat(attached.resolve("hdfs-site.xml")).doesNotExist();
    Path environment = conf.resolve("hbase-env.sh");
    Files.deleteIfExists(environment);
    Files.createSymbolicLink(environment, directory);
    assertThat(attach(conf).code()).isNotZero();
  }

  /** They may hold passwords. */
  @Test
  void nobodyElseMayLookAtWhatIsWritten() throws IOException {
    Path attached = directory.resolve("attached");
    assertThat(attach(conf("stock"), "--write", attached.toString()).code()).isZero();
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(attached)))
        .isEqualTo("rwx------");
  }

  /** Servers could not read what a careful administrator's shell makes for root alone. */
  @Test
  void aFileThatWasNotThereIsForTheEyesOfTheOthers() throws IOException {
    Path conf = conf("stock");
    Files.setPosixFilePermissions(
        conf.resolve("hbase-site.xml"), PosixFilePermissions.fromString("rwxr-xr--"));
    Path written = directory.resolve("new");
    attach(conf, "--write", written.toString());
    assertThat(conf.resolve("hbase-env.sh")).doesNotExist();
    assertThat(Files.getPosixFilePermissions(written.resolve("hbase-env.sh")))
        .isEqualTo(PosixFilePermissions.fromString("rwxr-xr--"));
  }

  @Test
  void whatIsPutInPlaceOfAFileIsForTheSameEyes() throws IOException {
    Path conf = conf("stock");
    Files.setPosixFilePermissions(
        conf.resolve("hbase-site.xml"), PosixFilePermissions.fromString("rw-r-----"));
    Path attached = directory.resolve("attached");
    assertThat(attach(conf, "--write", attached.toString()).code()).isZero();
    assertThat(
            PosixFilePermissions.toString(
                Files.getPosixFilePermissions(attached.resolve("hbase-site.xml"))))
        .isEqualTo("rw-r-----");
  }

  /** As editors leave files, on whatever system, and where one is not there yet. */
  @ParameterizedTest
  @ValueSource(strings = {"no newline", "crlf", "no environment"})
  void thePatchLeadsThereAndBack(String kind) throws Exception {
    Path conf = conf("stock");
    Path site = conf.resolve("hbase-site.xml");
    String text = Files.readString(site).stripTrailing();
    Files.writeString(site, kind.equals("crlf") ? text.replace("\n", "\r\n") + "\r\n" : text);
    if (kind.equals("no environment")) {
      Files.deleteIfExists(conf.resolve("hbase-env.sh"));
    }
    Map<String, String> before = texts(conf);
    Path attached = directory.resolve("attached");
    assertThat(attach(conf, "--write", attached.toString()).code()).isZero();
    String patch = attached.resolve("attach.diff").toString();
    apply(conf, patch);
    for (String file : List.of("hbase-site.xml", "hbase-env.sh")) {
      assertThat(conf.resolve(file)).hasSameBinaryContentAs(attached.resolve(file));
    }
    apply(conf, "-R", patch);
    assertThat(texts(conf)).containsAllEntriesOf(before);
  }

  private static void apply(Path conf, String... arguments) throws Exception {
    List<String> command = new ArrayList<>(List.of("git", "apply", "--whitespace=nowarn"));
    command.addAll(List.of(arguments));
    ProcessBuilder git = new ProcessBuilder(command).directory(conf.toFile());
    // The directory lies in no repository, whatever is above it.
    git.environment().put("GIT_CEILING_DIRECTORIES", conf.getParent().toString());
    Process process = git.redirectErrorStream(true).start();
    String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor()).as(said).isZero();
  }

  /** What region servers have does not open a socket at DataNodes. */
  @Test
  void whatIsAskedForInWordsDataNodesGet() throws IOException {
    Path conf = conf("stock");
    set(conf, "dfs.client.read.shortcircuit", "true");
    set(conf, "dfs.domain.socket.path", "/run/dn");
    Path attached = directory.resolve("attached");
    String[] wanted = {"--short-circuit", "domain-socket", "--write", attached.toString()};
    assertThat(attach(conf, wanted).code()).isZero();
    assertThat(attached.resolve("hdfs-site.xml"))
        .content()
        .contains("dfs.client.read.shortcircuit", "<value>/run/dn</value>");
  }

  private static void set(Path conf, String key, String value) throws IOException {
    Path site = conf.resolve("hbase-site.xml");
    String property = "<property><name>%s</name><value>%s</value></property></configuration>";
    Files.writeString(
        site,
        Files.readString(site).replace("</configuration>", String.format(property, key, value)));
  }

  private static String property(Path conf, String key) {
    Configuration site = new Configuration(false);
    site.addResource(new org.apache.hadoop.fs.Path(conf.resolve("hbase-site.xml").toUri()));
    return site.get(key);
  }

  @Test
  void whatOthersAddedToTheCoprocessorsMeanwhileStays() throws IOException {
    Path conf = conf("stock");
    Path attached = directory.resolve("attached");
    attach(conf, "--write", attached.toString());
    install(attached, conf);
    Path site = conf.resolve("hbase-site.xml");
    Files.writeString(site, Files.readString(site).replace(MANAGER, "org.example.Own," + MANAGER));
    Path detached = directory.resolve("detached");
    assertThat(attach(conf, "--detach", "--write", detached.toString()).code()).isZero();
    assertThat(property(detached, "hbase.coprocessor.master.classes")).isEqualTo("org.example.Own");
    assertThat(property(detached, "hbase.hregion.impl")).isNull();
  }

  /** Without the jars no region opens, wherever a class of theirs stands. */
  @Test
  void theWayBackFindsClassesInAllPlaces() throws IOException {
    Path conf = conf("stock");
    String compactor = "io.ishbase.plugin.compaction.OffloadingCompactor";
    String aggregates = "io.ishbase.plugin.aggregate.AggregateEndpoint";
    set(conf, "hbase.hstore.mobengine.compactor.class", compactor);
    set(conf, "hbase.coprocessor.user.region.classes", aggregates + "|7, org.example.Own");
    assertThat(attach(conf).code()).as("either compactor will do").isZero();
    Path detached = directory.resolve("detached");
    assertThat(attach(conf, "--detach", "--write", detached.toString()).code()).isZero();
    assertThat(property(detached, "hbase.hstore.mobengine.compactor.class")).isNull();
    assertThat(property(detached, "hbase.coprocessor.user.region.classes"))
        .isEqualTo("org.example.Own");
  }

  @Test
  void aTableSaysWhatItHasOfThePlugIn() throws IOException {
    String compactor = "hbase.hstore.defaultengine.compactor.class";
    String own = "io.ishbase.plugin.compaction.OffloadingCompactor";
    String aggregates = "io.ishbase.plugin.aggregate.AggregateEndpoint";
    assertThat(
            TablesCommand.withOurClasses(
                TableDescriptorBuilder.newBuilder(TableName.valueOf("t"))
                    .setCoprocessor(aggregates)
                    .setCoprocessor("org.example.Own")
                    .setValue(compactor, own)
                    .setValue("ishbase.read", "auto")
                    .setColumnFamily(
                        ColumnFamilyDescriptorBuilder.newBuilder(Bytes.toBytes("f"))
                            .setConfiguration(compactor, own)
                            .build())
                    .build()))
        .containsExactly(aggregates, compactor + " = " + own, "f:" + compactor + " = " + own);
  }

  /** It is what the servers' environment says, which is not this one. */
  @Test
  void aVariableOfTheServersIsTheirs() throws IOException {
    Path conf = conf("stock");
    set(conf, "ishbase.cache.bytes", "${env.ISHBASE_SEGMENTS}");
    set(conf, "hbase.hstore.min.locality.to.skip.major.compact", "0.7");
    Outcome outcome = attach(conf);
    assertThat(outcome.code()).as(outcome.out()).isZero();
    assertThat(outcome.out()).contains("HBase would compact each store anew");
  }

  /** Whatever stands between the marks. */
  @Test
  void whatOthersAddedBesideStays() throws IOException {
    Path conf = conf("stock");
    Path attached = directory.resolve("attached");
    attach(conf, "--write", attached.toString(), "--segment-cache", "1G");
    install(attached, conf);
    Path site = conf.resolve("hbase-site.xml");
    String handlers = "<property><name>hbase.regionserver.handler.count</name><value>99</value>";
    String end = "  <!-- IS-HBase: end -->";
    Files.writeString(site, Files.readString(site).replace(end, handlers + "</property>\n" + end));
    Path environment = conf.resolve("hbase-env.sh");
    end = "# IS-HBase: end";
    Files.writeString(
        environment,
        Files.readString(environment).replace(end, "export HBASE_HEAPSIZE=8G\n" + end));
    Path detached = directory.resolve("detached");
    Outcome outcome = attach(conf, "--detach", "--write", detached.toString());
    assertThat(outcome.code()).as(outcome.err()).isZero();
    assertThat(outcome.out()).doesNotContain("handler.count", "HEAPSIZE");
    assertThat(property(detached, "hbase.regionserver.handler.count")).isEqualTo("99");
    assertThat(property(detached, "hbase.hregion.impl")).isNull();
    assertThat(detached.resolve("hbase-site.xml")).content().doesNotContain("IS-HBase");
    assertThat(detached.resolve("hbase-env.sh"))
        .content()
        .contains("export HBASE_HEAPSIZE=8G\n")
        .doesNotContain("IS-HBase", "CLASSPATH:+");
  }

  /** Hadoop reads properties in this form, too. */
  @Test
  void anAttributeIsNoBeginOfAnElement() throws IOException {
    Path conf = conf("stock");
    Path site = conf.resolve("hbase-site.xml");
    String attributes = "<property name=\"a/b\" value=\"x>y\"/>\n</configuration>";
    Files.writeString(site, Files.readString(site).replace("</configuration>", attributes));
    Map<String, String> before = texts(conf);
    Path attached = directory.resolve("attached");
    assertThat(attach(conf, "--write", attached.toString()).code()).isZero();
    install(attached, conf);
    Path detached = directory.resolve("detached");
    Outcome outcome = attach(conf, "--detach", "--write", detached.toString());
    assertThat(outcome.code()).as(outcome.err()).isZero();
    assertThat(Files.readString(detached.resolve("hbase-site.xml")))
        .isEqualTo(before.get("hbase-site.xml"));
  }

  @Test
  void aFileStaysInItsEncoding() throws IOException {
    Path conf = conf("stock");
    Path site = conf.resolve("hbase-site.xml");
    String text =
        Files.readString(site)
            .replaceFirst("<\\?xml[^>]*>", "")
            .replace("</configuration>", "<!-- Gr\u00fc\u00dfe --></configuration>");
    byte[] latin =
        ("<?xml version=\"1.0\" encoding=\"ISO-8859-1\"?>" + text)
            .getBytes(StandardCharsets.ISO_8859_1);
    Files.write(site, latin);
    Path environment = conf.resolve("hbase-env.sh");
    Files.write(environment, "# f\u00fcr\n".getBytes(StandardCharsets.ISO_8859_1));
    Path attached = directory.resolve("attached");
    Outcome outcome = attach(conf, "--write", attached.toString());
    assertThat(outcome.code()).as(outcome.err()).isZero();
    assertThat(Files.readString(attached.resolve("hbase-site.xml"), StandardCharsets.ISO_8859_1))
        .contains("Gr\u00fc\u00dfe");
    assertThat(Files.readString(attached.resolve("hbase-env.sh"), StandardCharsets.ISO_8859_1))
        .startsWith("# f\u00fcr\n");
    assertThat(property(attached, "hbase.hregion.impl")).isNotNull();
  }

  @Test
  void readsOnlyLeavesAnothersCompactor() throws IOException {
    Path conf = conf("stock");
    set(conf, "hbase.hstore.defaultengine.compactor.class", "com.example.Own");
    assertThat(attach(conf).code()).isEqualTo(1);
    Outcome outcome = attach(conf, "--reads-only");
    assertThat(outcome.code()).isZero();
    assertThat(outcome.out()).contains("hbase.hregion.impl").doesNotContain("Compact");
  }

  @Test
  void theEnvironmentGivesServersTheJarsAndTheMemory() throws Exception {
    Path conf = conf("secured");
    Path written = directory.resolve("new");
    attach(conf, "--segment-cache", "8G", "--lib", "/jars", "--write", written.toString());
    Process shell =
        new ProcessBuilder(
                "sh",
                "-eu",
                "-c",
                "HBASE_CLASSPATH=/own; HBASE_REGIONSERVER_OPTS=-Dmine; . "
                    + written.resolve("hbase-env.sh")
                    + "; echo $HBASE_REGIONSERVER_OPTS; echo \"$HBASE_CLASSPATH\"")
            .redirectErrorStream(true)
            .start();
    // 16 GB of block cache, 8 GB of segment cache, RPC buffers and connections.
    assertThat(new String(shell.getInputStream().readAllBytes(), StandardCharsets.UTF_8))
        .matches("-Dmine -XX:MaxDirectMemorySize=2[45]\\d{3}m\n/own:/jars/\\*\n");
  }

  @Test
  void whatCannotBeIsOneLine() throws IOException {
    Path conf = conf("stock");
    String[][] wrong = {
      {"--write", conf.toString(), "no file is changed in its place"},
      {"--write", directory.toString(), "is not empty: name a directory for these files alone"},
      {"--short-circuit", "fast", "is domain-socket, legacy or keep, not 'fast'"},
      {"--lib", "lib", "--lib is an absolute directory without spaces, not 'lib'"},
      {"--user", "a b;c", "--user is the name of an account, not 'a b;c'"},
      {"--segment-cache", "-1", "--segment-cache is 0 to 16T"},
      {"--segment-cache", "9223372036854775807", "--segment-cache is 0 to 16T"},
      {"--hadoop-conf", "/none", "--hadoop-conf: there is no hdfs-site.xml in /none"},
    };
    for (String[] each : wrong) {
      Outcome outcome = attach(conf, each[0] + "=" + each[1]);
      assertThat(outcome.code()).as(each[0] + "=" + each[1]).isEqualTo(1);
      assertThat(outcome.err()).startsWith("ishbase: ").contains(each[2]).hasLineCount(1);
    }
    Outcome none = Outcome.run("attach", "--hbase-conf", "/none");
    assertThat(none.err()).startsWith("ishbase: --hbase-conf: there is no hbase-site.xml in /none");
    Files.writeString(conf.resolve("hbase-site.xml"), "<configuration><property>");
    assertThat(attach(conf).err())
        .contains("hbase-site.xml is no configuration that Hadoop can read");
  }
}
