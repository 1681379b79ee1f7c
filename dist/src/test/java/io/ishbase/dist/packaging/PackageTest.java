package io.ishbase.dist.packaging;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.ishbase.dist.Outcome;
import io.ishbase.it.OwnJvm;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.constructor.SafeConstructor;

/** What a release has in it, and what its programs say where something is missing. */
@OwnJvm
final class PackageTest {
  private static final String JAVA_HOME = System.getProperty("java.home");

  @TempDir private static Path directory;

  private static BuiltRelease release;

  @BeforeAll
  static void build() throws IOException, InterruptedException {
    release = new BuiltRelease(directory);
  }

  private static Set<String> names(Path of) throws IOException {
    try (Stream<Path> files = Files.list(of)) {
      return files
          .map(file -> file.getFileName().toString())
          .collect(Collectors.toCollection(TreeSet::new));
    }
  }

  private static Set<String> artifacts(String lib) throws IOException {
    return names(release.home().resolve("lib").resolve(lib)).stream()
        .map(name -> name.replaceFirst("-\\d.*", ""))
        .collect(Collectors.toSet());
  }

  @Test
  void serversGetWhatAStockHBaseLacks() throws IOException {
    assertThat(artifacts("plugin"))
        .containsExactlyInAnyOrder(
            "ishbase-core", "ishbase-protocol", "ishbase-plugin", "zstd-jni");
    assertThat(artifacts("daemon"))
        .containsExactlyInAnyOrder(
            "ishbase-core", "ishbase-protocol", "ishbase-daemon", "zstd-jni");
    Set<String> stock = new TreeSet<>(names(release.hbaseHome().resolve("lib")));
    assertThat(stock).anyMatch(name -> name.startsWith("hbase-server-2.6.")).hasSizeGreaterThan(90);
    for (String lib : List.of("plugin", "daemon", "cli")) {
      assertThat(names(release.home().resolve("lib").resolve(lib)))
          .doesNotContainAnyElementsOf(stock);
    }
  }

  @Test
  void theSameSourcesGiveTheSameBytes() throws IOException {
    List<Path> again = release.write(directory.resolve("again"));
    assertThat(again).hasSize(5);
    for (Path file : again) {
      assertThat(Files.mismatch(file, release.files().resolve(file.getFileName())))
          .as(file.toString())
          .isEqualTo(-1);
    }
  }

  @Test
  void checksumsAreThoseOfTheFiles() throws IOException, InterruptedException {
    for (String sum : List.of("256", "512")) {
      Outcome checked =
          Commands.run(
              release.files(), Map.of(), List.of("sha" + sum + "sum", "-c", "SHA" + sum + "SUMS"));
      assertThat(checked.code()).as(checked.err()).isZero();
      assertThat(checked.out().lines()).hasSize(3);
    }
  }

  @Test
  void theBillOfMaterialsListsEachBundledJar() throws IOException {
    JsonNode bill = new ObjectMapper().readTree(release.home().resolve("sbom.cdx.json").toFile());
    Set<String> listed = new TreeSet<>();
    bill.path("components")
        .forEach(
            component -> {
              assertThat(component.path("purl").asText()).startsWith("pkg:maven/");
              assertThat(component.path("licenses")).as(component.toString()).isNotEmpty();
              listed.add(component.path("hashes").get(0).path("content").asText());
            });
    Set<String> bundled = new TreeSet<>();
    try (Stream<Path> files = Files.walk(release.home().resolve("lib"))) {
      for (Path jar :
          (Iterable<Path>) files.filter(file -> file.toString().endsWith(".jar"))::iterator) {
        bundled.add(Checksums.of("SHA-256", jar));
      }
    }
    assertThat(listed).isEqualTo(bundled);
  }

  @Test
  void eachBundledJarOfOthersHasItsLicence() throws IOException {
    Path licences = release.home().resolve("licenses");
    String list = Files.readString(licences.resolve("LIST"));
    for (String lib : List.of("plugin", "daemon", "cli")) {
      for (String jar : names(release.home().resolve("lib").resolve(lib))) {
        if (!jar.startsWith("ishbase-")) {
          assertThat(list).contains(jar);
        }
      }
    }
    for (String notApache : List.of("zstd-jni", "HdrHistogram")) {
      assertThat(names(licences)).anyMatch(name -> name.startsWith(notApache));
    }
  }

  @Test
  void theDaemonSetIsYamlThatStartsTheDaemon() throws IOException {
    String text = Files.readString(release.home().resolve("deploy/kubernetes/issn-daemonset.yaml"));
    assertThat(text).doesNotContain("@VERSION@");
    LoaderOptions strict = new LoaderOptions();
    strict.setAllowDuplicateKeys(false);
    JsonNode set = new ObjectMapper().valueToTree(new Yaml(new SafeConstructor(strict)).load(text));
    assertThat(set.path("kind").asText()).isEqualTo("DaemonSet");
    assertThat(set.at("/spec/selector/matchLabels/app.kubernetes.io~1name").asText())
        .isEqualTo(set.at("/spec/template/metadata/labels/app.kubernetes.io~1name").asText())
        .isEqualTo("ishbase-issn");
    JsonNode pod = set.at("/spec/template/spec");
    Set<String> volumes = new TreeSet<>();
    pod.path("volumes").forEach(volume -> volumes.add(volume.path("name").asText()));
    pod.at("/containers/0/volumeMounts")
        .forEach(mount -> assertThat(volumes).contains(mount.path("name").asText()));
    assertThat(pod.at("/containers/0/args/0").asText()).isEqualTo("start");
  }

  /** What a program complains of, which is one line. */
  private static String complaint(
      Map<String, String> environment, String program, String... arguments)
      throws IOException, InterruptedException {
    Outcome outcome = release.run(environment, program, arguments);
    assertThat(outcome.code()).as(outcome.out() + outcome.err()).isEqualTo(1);
    assertThat(outcome.err().lines()).as(outcome.err()).hasSize(1);
    return outcome.err().strip();
  }

  private Map<String, String> environment(String... more) throws IOException {
    Map<String, String> environment = new HashMap<>();
    environment.put("HBASE_HOME", release.hbaseHome().toString());
    environment.put("HBASE_CONF_DIR", conf("ishbase.issn.port", "0").toString());
    environment.put("JAVA_HOME", JAVA_HOME);
    for (int i = 0; i < more.length; i += 2) {
      environment.put(more[i], more[i + 1]);
    }
    return environment;
  }

  private static Path conf(String key, String value) throws IOException {
    Path conf = Files.createTempDirectory(directory, "conf");
    Files.writeString(
        conf.resolve("hbase-site.xml"),
        "<configuration><property><name>"
            + key
            + "</name><value>"
            + value
            + "</value></property></configuration>");
    return conf;
  }

  private static Path program(Path file, String text) throws IOException {
    Files.createDirectories(file.getParent());
    Files.writeString(file, "#!/bin/sh\n" + text + "\n");
    assertThat(file.toFile().setExecutable(true)).isTrue();
    return file;
  }

  @Test
  void issnSaysInOneLineWhatIsMissing() throws IOException, InterruptedException {
    String none = directory.resolve("none").toString();
    String empty = Files.createTempDirectory(directory, "empty").toString();
    Map<String, String> unset = environment();
    unset.remove("HBASE_HOME");
    assertThat(complaint(unset, "issn", "start"))
        .startsWith("issn: HBASE_HOME is not set: name the directory");
    assertThat(complaint(environment("HBASE_HOME", none), "issn", "start"))
        .startsWith("issn: HBASE_HOME = " + none + " is no directory");
    assertThat(complaint(environment("HBASE_HOME", empty), "issn", "start"))
        .isEqualTo("issn: HBASE_HOME = " + empty + " has no hbase-server jar: is it an HBase?");
    assertThat(complaint(environment("HBASE_CONF_DIR", none), "issn", "start"))
        .startsWith("issn: HBASE_CONF_DIR = " + none + " is no directory");
    assertThat(complaint(environment("HBASE_CONF_DIR", empty), "issn", "start"))
        .startsWith("issn: there is no hbase-site.xml in " + empty);
    assertThat(complaint(environment("JAVA_HOME", none), "issn", "start"))
        .startsWith("issn: JAVA_HOME = " + none + " has no bin/java");
    assertThat(complaint(environment("ISSN_CONF_DIR", none), "issn", "start"))
        .isEqualTo("issn: ISSN_CONF_DIR = " + none + " has no issn-env.sh");
  }

  /** The shell would drop such a setting and go on, systemd would take it. */
  @Test
  void aSettingWithASpaceStandsInQuotes() throws IOException, InterruptedException {
    Path conf = Files.createDirectories(directory.resolve("spaces"));
    Path file = conf.resolve("issn-env.sh");
    Files.writeString(file, "# flags\n\nISSN_OPTS=-Done=1 -Dtwo=2\nISSN_HEAP=2g\n");
    for (String program : List.of("issn", "ishbase")) {
      assertThat(complaint(environment("ISSN_CONF_DIR", conf.toString()), program, "start"))
          .isEqualTo(
              program
                  + ": "
                  + file
                  + ", line 3: one NAME=value a line, in quotes if it has spaces");
    }
    // Where a daemon's process is named is heard of all the same, or it is said that it is not.
    Path pids = Files.createDirectories(directory.resolve("pids"));
    Files.writeString(pids.resolve("issn.pid"), "no number\n");
    Files.writeString(file, "export ISSN_HEAP=2g\nISSN_PID_DIR=" + pids + "\n");
    Map<String, String> inFile = environment("ISSN_CONF_DIR", conf.toString());
    assertThat(release.run(inFile, "issn", "stop").code()).isZero();
    assertThat(pids.resolve("issn.pid")).doesNotExist();
    Files.writeString(file, "export ISSN_PID_DIR=" + pids + "\n");
    for (String question : List.of("stop", "status")) {
      assertThat(release.run(inFile, "issn", question).code()).isEqualTo(4);
    }
    Path none = directory.resolve("none");
    Files.writeString(file, "ISSN_OPTS=\"-Done=1 -Dtwo=2\"\nJAVA_HOME=" + none + "\n");
    Map<String, String> unset = environment("ISSN_CONF_DIR", conf.toString());
    unset.remove("JAVA_HOME");
    assertThat(complaint(unset, "issn", "start"))
        .startsWith("issn: JAVA_HOME = " + none + " has no bin/java");
  }

  @Test
  void issnNeedsAJavaAndAnHBaseOfItsTime() throws IOException, InterruptedException {
    Path old = directory.resolve("java8");
    program(old.resolve("bin/java"), "echo '    java.specification.version = 1.8' >&2");
    assertThat(complaint(environment("JAVA_HOME", old.toString()), "issn", "start"))
        .startsWith("issn: " + old + "/bin/java is Java 8, and Java 17 or later is needed");
    Path hbase = directory.resolve("hbase260");
    Files.createDirectories(hbase.resolve("lib"));
    Files.createFile(hbase.resolve("lib/hbase-server-2.6.0.jar"));
    assertThat(complaint(environment("HBASE_HOME", hbase.toString()), "issn", "start"))
        .contains("is HBase 2.6.0, and IS-HBase " + Release.version() + " is for HBase 2.5.10");
  }

  @Test
  void javaIsTheOneThatHBaseIsToldToUse() throws IOException, InterruptedException {
    Path conf = conf("ishbase.issn.port", "0");
    Files.writeString(
        conf.resolve("hbase-env.sh"), "export JAVA_HOME=" + directory + "/of-hbase\n");
    Map<String, String> environment = environment("HBASE_CONF_DIR", conf.toString());
    environment.remove("JAVA_HOME");
    assertThat(complaint(environment, "issn", "start"))
        .startsWith("issn: JAVA_HOME = " + directory + "/of-hbase has no bin/java");
  }

  @Test
  void theClassPathIsTheOneOfHBasesServers() throws IOException, InterruptedException {
    Path hbase = directory.resolve("hbase-with-bin");
    Path asked = directory.resolve("asked");
    program(
        hbase.resolve("bin/hbase"),
        "echo \"$@\" > " + asked + "\necho noise\necho '" + release.hbaseHome() + "/lib/*'");
    Path conf = conf("ishbase.issn.port", "many");
    Outcome outcome =
        release.run(
            environment("HBASE_HOME", hbase.toString(), "HBASE_CONF_DIR", conf.toString()),
            "issn",
            "start");
    assertThat(outcome.code()).isEqualTo(1);
    assertThat(outcome.err()).contains("ishbase.issn.port = 'many'");
    assertThat(asked).hasContent("--config " + conf + " --internal-classpath classpath");
    program(hbase.resolve("bin/hbase"), "exit 3");
    assertThat(complaint(environment("HBASE_HOME", hbase.toString()), "issn", "start"))
        .contains("bin/hbase --internal-classpath classpath fails");
  }

  @Test
  void aDaemonWithWrongSettingsSaysSoInOneLine() throws IOException, InterruptedException {
    Map<String, String> environment =
        environment("HBASE_CONF_DIR", conf("ishbase.issn.handlers", "many").toString());
    assertThat(complaint(environment, "issn", "start"))
        .startsWith("issn cannot start: Wrong settings: ishbase.issn.handlers = 'many'");
    assertThat(complaint(environment, "issn", "start", "--daemon"))
        .startsWith("issn: it ended: Wrong settings: ishbase.issn.handlers = 'many'");
    assertThat(release.home().resolve("run/issn.pid")).doesNotExist();
  }

  @Test
  void whereNoDaemonRunsNothingIsToStop() throws IOException, InterruptedException {
    assertThat(release.run(environment(), "issn", "status"))
        .isEqualTo(new Outcome(3, "issn does not run\n", ""));
    assertThat(release.run(environment(), "issn", "stop"))
        .isEqualTo(new Outcome(0, "issn does not run\n", ""));
    // Of a daemon that was killed; another process has its number by now.
    Path pids = Files.createDirectories(directory.resolve("pids"));
    Files.writeString(pids.resolve("issn.pid"), ProcessHandle.current().pid() + "\n");
    assertThat(release.run(environment("ISSN_PID_DIR", pids.toString()), "issn", "status").code())
        .isEqualTo(3);
  }

  @Test
  void wrongArgumentsAreAnsweredWithTheRightOnes() throws IOException, InterruptedException {
    for (String[] arguments :
        new String[][] {{}, {"begin"}, {"start", "--deamon"}, {"stop", "1"}}) {
      Outcome outcome = release.run(environment(), "issn", arguments);
      assertThat(outcome.code()).isEqualTo(2);
      assertThat(outcome.err()).startsWith("usage: issn start ");
    }
    assertThat(release.run(environment(), "issn", "--help").out()).startsWith("usage: issn start ");
  }

  @Test
  void commandsThatTakeASourceTreeSaySo() throws IOException, InterruptedException {
    assertThat(complaint(environment(), "ishbase", "up", "--region-servers", "2"))
        .isEqualTo(
            "ishbase: A release does not start clusters and does not build: that takes the source"
                + " tree, and there ./ishbase up --region-servers 2");
    List<String> offered =
        new ArrayList<>(release.run(environment(), "ishbase", "--help").out().lines().toList());
    assertThat(offered).anyMatch(line -> line.startsWith("  verify "));
    for (String absent : List.of("up", "down", "demo", "bench", "chaos", "example", "package")) {
      assertThat(offered).noneMatch(line -> line.startsWith("  " + absent + " "));
    }
  }
}
