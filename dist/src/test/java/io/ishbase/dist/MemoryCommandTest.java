package io.ishbase.dist;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is printed and written; {@code -Dishbase.golden=write} writes the texts anew. */
class MemoryCommandTest {
  private static final Path GOLDEN = Path.of("src/test/resources/golden");

  /** The same machine and the same JVM wherever the test runs. */
  private static final String[] MACHINE = {
    "memory", "--machine", "64G", "--processors", "16", "--others", "6G", "--read", "in-storage"
  };

  @TempDir private Path directory;

  private static Outcome onMachine(String... more) {
    return Outcome.run(Stream.of(MACHINE, more).flatMap(Stream::of).toArray(String[]::new));
  }

  /** A program that answers as a JVM does that is asked for its flags. */
  private String jvm(String release, String... flags) throws IOException {
    StringBuilder script = new StringBuilder("#!/bin/sh\necho '[Global flags]'\n");
    for (String flag : flags) {
      script.append("echo '     bool ").append(flag);
      script.append("     = false                         {product} {default}'\n");
    }
    script.append("echo 'openjdk version \"").append(release).append("\" 2023-09-19' >&2\n");
    Path java = Files.writeString(directory.resolve("java-" + release), script);
    assertThat(java.toFile().setExecutable(true)).isTrue();
    return java.toString();
  }

  private void compare(String name, String text) throws IOException {
    Path golden = GOLDEN.resolve(name);
    if ("write".equals(System.getProperty("ishbase.golden"))) {
      Files.createDirectories(GOLDEN);
      Files.writeString(golden, text);
    }
    assertThat(text).isEqualTo(Files.readString(golden));
  }

  @Test
  void tableAndFilesAreAsTheyWere() throws IOException {
    String java = jvm("21.0.4", "UseG1GC", "UseZGC", "ZGenerational");
    Outcome outcome = onMachine("--java", java, "--write", directory.toString());
    assertThat(outcome.code()).as(outcome.err()).isZero();
    compare("memory.txt", outcome.out().replace(directory.toString(), "DIR"));
    compare("memory-site.xml", Files.readString(directory.resolve("ishbase-memory-site.xml")));
    compare("memory-env.sh", Files.readString(directory.resolve("ishbase-memory-env.sh")));
  }

  @Test
  void theFilesAreReadAsTheCommandSays() throws Exception {
    onMachine("--java", jvm("17.0.9", "UseG1GC", "UseZGC"), "--write", directory.toString());
    Path site =
        Files.writeString(
            directory.resolve("hbase-site.xml"),
            "<configuration>\n<property><name>own</name><value>1</value></property>\n"
                + "<xi:include xmlns:xi=\"http://www.w3.org/2001/XInclude\""
                + " href=\"ishbase-memory-site.xml\"/>\n</configuration>\n");
    Configuration conf = new Configuration(false);
    conf.addResource(site.toUri().toURL());
    assertThat(conf.get("own")).isEqualTo("1");
    assertThat(conf.get("hbase.bucketcache.ioengine")).isEqualTo("offheap");
    assertThat(conf.getLong("hbase.bucketcache.size", 0)).isGreaterThan(1000);
    Process shell =
        new ProcessBuilder(
                "sh",
                "-eu",
                "-c",
                "HBASE_REGIONSERVER_OPTS=-Dmine; . "
                    + directory.resolve("ishbase-memory-env.sh")
                    + "; echo $HBASE_REGIONSERVER_OPTS")
            .redirectErrorStream(true)
            .start();
    assertThat(new String(shell.getInputStream().readAllBytes(), StandardCharsets.UTF_8))
        .matches(
            "-Dmine -Xmx\\d+m -XX:MaxDirectMemorySize=\\d+m -XX:\\+UseG1GC"
                + " -XX:MaxGCPauseMillis=100 -XX:G1HeapRegionSize=8m\n");
  }

  @Test
  void aJvmWithoutTheFlagsIsOneLineAndTheRestGoesOn() throws IOException {
    Outcome outcome = onMachine("--java", jvm("17.0.9"), "--write", directory.toString());
    assertThat(outcome.code()).isZero();
    assertThat(outcome.out())
        .containsOnlyOnce("This JVM has neither generational ZGC nor G1: it keeps its own");
    assertThat(Files.readString(directory.resolve("ishbase-memory-env.sh")))
        .contains("-XX:MaxDirectMemorySize=")
        .doesNotContain("-XX:+Use");
  }

  @Test
  void theJvmOfThisTestIsUnderstood() {
    assertThat(JvmProbe.ask(JvmProbe.own()).flags()).contains("UseG1GC", "MaxDirectMemorySize");
    assertThat(JvmProbe.ask(JvmProbe.own()).release()).isEqualTo(Runtime.version().feature());
  }

  @Test
  void whatCannotBeIsOneLine() {
    String[][] wrong = {
      {"--region-servers", "60", "Of 65536 MB there are 921 MB for each region server"},
      {"--region-servers", "0", "--region-servers and --processors are 1 or more"},
      {"--others", "-1", "--machine and --others are not negative"},
      {"--read", "fast", "--read is in-storage, auto or stock, not 'fast'"},
      {"--java", "/none/java", "/none/java does not start"},
      {"--write", "/none/dir", "--write /none/dir: there is no such directory"},
    };
    for (String[] each : wrong) {
      Outcome outcome = Outcome.run("memory", "--machine=64G", each[0] + "=" + each[1]);
      assertThat(outcome.code()).as(each[0] + "=" + each[1]).isEqualTo(1);
      assertThat(outcome.err()).startsWith("ishbase: " + each[2]).hasLineCount(1);
    }
  }
}
