package io.ishbase.it.conformance;

import java.io.File;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.jar.JarFile;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * A class of HBase's tests and how it is run: a line of {@code classes.txt}.
 *
 * @param testClass without {@code org.apache.hadoop.hbase}
 * @param inCi when it is run on a change; it always is for the page
 */
record PlannedRun(String testClass, Pass pass, InCi inCi) {
  /** When CI runs a class. */
  enum InCi {
    ALWAYS("ci", "*"),
    /** With a few others, another few each day. */
    IN_TURN("turn", "+"),
    NEVER("page", "");

    private final String word;
    private final String mark;

    InCi(String word, String mark) {
      this.word = word;
      this.mark = mark;
    }

    /** As on the page. */
    String mark() {
      return mark;
    }

    private static InCi of(String word) {
      return Stream.of(values())
          .filter(when -> when.word.equals(word))
          .findFirst()
          .orElseThrow(() -> new IllegalArgumentException("What is this: " + word));
    }
  }

  private static final String PACKAGE = "org.apache.hadoop.hbase.";
  private static final Pattern TESTS =
      Pattern.compile("hbase-(server|endpoint|mapreduce)-[^/]*-tests\\.jar$");

  /** Classes that have their turn. */
  private static final int AT_A_TIME = 2;

  /** Packages. */
  private static final List<String> FIRST =
      List.of(
          "regionserver",
          "filter",
          "coprocessor",
          "regionserver.compactions",
          "regionserver.querymatcher",
          "mob",
          "io.hfile",
          "client",
          "quotas",
          "snapshot",
          "",
          "security.visibility",
          "security.access");

  /** All of the file, in its order: the longest first. */
  static List<PlannedRun> all() {
    return Resources.lines("classes.txt").stream().map(PlannedRun::of).toList();
  }

  /** Those that CI runs always, and so many of those that have their turn. */
  static List<PlannedRun> inCi(long turn) {
    List<PlannedRun> inTurn = all().stream().filter(run -> run.inCi == InCi.IN_TURN).toList();
    List<PlannedRun> planned =
        new ArrayList<>(all().stream().filter(run -> run.inCi == InCi.ALWAYS).toList());
    for (int i = 0; i < AT_A_TIME; i++) {
      planned.add(0, inTurn.get((int) Math.floorMod(turn * AT_A_TIME + i, (long) inTurn.size())));
    }
    return planned;
  }

  /**
   * All classes of HBase's test jars on the class path whose names begin as those of tests do.
   * First those that are about what is changed here.
   */
  static List<PlannedRun> ofJars() throws IOException {
    Set<String> classes =
        new TreeSet<>(Comparator.comparingInt(PlannedRun::rank).thenComparing(name -> name));
    for (String entry : System.getProperty("java.class.path").split(File.pathSeparator)) {
      if (TESTS.matcher(entry).find()) {
        try (JarFile jar = new JarFile(entry)) {
          jar.stream()
              .map(file -> file.getName().replace('/', '.'))
              .filter(
                  name ->
                      name.matches("org\\.apache\\.hadoop\\.hbase\\.(.*\\.)?Test[^.$]*\\.class"))
              .forEach(
                  name ->
                      classes.add(
                          name.substring(PACKAGE.length(), name.length() - ".class".length())));
        }
      }
    }
    return classes.stream().map(name -> new PlannedRun(name, Pass.EVERYTHING, InCi.NEVER)).toList();
  }

  private static int rank(String testClass) {
    String of = testClass.contains(".") ? testClass.substring(0, testClass.lastIndexOf('.')) : "";
    int rank = FIRST.indexOf(of);
    return rank < 0 ? FIRST.size() : rank;
  }

  /** {@code testClass} with or without {@code org.apache.hadoop.hbase}. */
  static PlannedRun of(String testClass, Pass pass) {
    return new PlannedRun(testClass.replace(PACKAGE, ""), pass, InCi.NEVER);
  }

  private static PlannedRun of(String line) {
    String[] fields = line.split("\\s+");
    return new PlannedRun(fields[0], Pass.of(fields[1]), InCi.of(fields[2]));
  }

  String fullName() {
    return PACKAGE + testClass;
  }
}
