package io.ishbase.dist.attach;

import io.ishbase.core.sizing.MemoryPlan;
import io.ishbase.dist.JvmSizes;
import java.util.List;
import java.util.OptionalLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * {@code hbase-env.sh} as text, of which only a block of our own at the end is changed. Immutable.
 *
 * @param text empty: there is none
 */
record EnvText(String text) {
  static final String BEGIN = "# IS-HBase: added by ./ishbase attach, which takes it out again";
  static final String END = "# IS-HBase: end";

  /** What begins a line that has the plug-in's jars on the class path. */
  static final String CLASS_PATH = "export HBASE_CLASSPATH=\"${HBASE_CLASSPATH:+$HBASE_CLASSPATH:}";

  /** What begins a line that gives region servers direct memory. */
  static final String DIRECT =
      "export HBASE_REGIONSERVER_OPTS=\"$HBASE_REGIONSERVER_OPTS " + MemoryPlan.DIRECT_FLAG;

  private static final Pattern BLOCK =
      Pattern.compile(
          "(?m)^" + Pattern.quote(BEGIN) + "\\n(.*?)^" + Pattern.quote(END) + "\\n?",
          Pattern.DOTALL);

  /** Flags of processes that are no region servers. */
  private static final Pattern OF_OTHERS =
      Pattern.compile(
          "HBASE_(MASTER|ZOOKEEPER|THRIFT|REST|SHELL|JSHELL)_OPTS="
              + "(\"(?:[^\"\\\\]++|\\\\.)*+\"|'[^']*'|[^\\s;]*)",
          Pattern.DOTALL);

  private static final Pattern COMMENT = Pattern.compile("(?m)^\\s*#.*$");

  /** Our lines in our block; none if there is none. */
  List<String> block() {
    Matcher block = BLOCK.matcher(text);
    return block.find() ? block.group(1).lines().filter(EnvText::isOurs).toList() : List.of();
  }

  private static boolean isOurs(String line) {
    return line.startsWith(CLASS_PATH) || line.startsWith(DIRECT);
  }

  /**
   * The same with those lines as our block; without a block if there are none. What others have
   * written into it stays where it is.
   */
  EnvText with(List<String> lines) {
    if (lines.equals(block())) {
      return this;
    }
    String without = withoutBlock().text;
    if (lines.isEmpty()) {
      return new EnvText(without);
    }
    String own = BEGIN + "\n" + String.join("\n", lines) + "\n" + END + "\n";
    return new EnvText(without + (without.isEmpty() || without.endsWith("\n") ? "" : "\n") + own);
  }

  /** What else it says. */
  EnvText withoutBlock() {
    return new EnvText(
        BLOCK
            .matcher(text)
            .replaceAll(
                block ->
                    Matcher.quoteReplacement(
                        block
                            .group(1)
                            .lines()
                            .filter(line -> !isOurs(line))
                            .map(line -> line + "\n")
                            .collect(Collectors.joining()))));
  }

  /** Bytes of direct memory that a region server gets, as far as this file says so. */
  OptionalLong directBytes() {
    return JvmSizes.direct(OF_OTHERS.matcher(withoutComments()).replaceAll(""));
  }

  /** Whether something in it that is no comment has what lies in a directory on a class path. */
  boolean hasOnClassPath(String directory) {
    return Pattern.compile("(^|[=:}\"'\\s])" + Pattern.quote(directory) + "/", Pattern.MULTILINE)
        .matcher(withoutComments())
        .find();
  }

  private String withoutComments() {
    return COMMENT.matcher(text).replaceAll("");
  }
}
