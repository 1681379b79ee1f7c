package io.ishbase.dist.attach;

import io.ishbase.dist.JvmSizes;
import java.util.List;
import java.util.OptionalLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * {@code hbase-env.sh} as text, of which only a block of our own at the end is changed. Immutable.
 *
 * @param text empty: there is none
 */
record EnvText(String text) {
  static final String BEGIN = "# IS-HBase: added by ./ishbase attach, which takes it out again";
  static final String END = "# IS-HBase: end";

  private static final Pattern BLOCK =
      Pattern.compile(
          "(?m)^" + Pattern.quote(BEGIN) + "\\n(.*?)^" + Pattern.quote(END) + "\\n?",
          Pattern.DOTALL);

  /** Flags of processes that are no region servers. */
  private static final Pattern OF_OTHERS =
      Pattern.compile(
          "HBASE_(MASTER|ZOOKEEPER|THRIFT|REST|SHELL|JSHELL)_OPTS="
              + "(\"(\\\\.|[^\"\\\\])*\"|'[^']*'|[^\\s;]*)",
          Pattern.DOTALL);

  private static final Pattern COMMENT = Pattern.compile("(?m)^\\s*#.*$");

  /** The lines of our block; none if there is none. */
  List<String> block() {
    Matcher block = BLOCK.matcher(text);
    return block.find() ? block.group(1).lines().toList() : List.of();
  }

  /** The same with those lines as our block; without a block if there are none. */
  EnvText with(List<String> lines) {
    if (lines.equals(block())) {
      return this;
    }
    String without = BLOCK.matcher(text).replaceAll("");
    if (lines.isEmpty()) {
      return new EnvText(without);
    }
    String own = BEGIN + "\n" + String.join("\n", lines) + "\n" + END + "\n";
    return new EnvText(without + (without.isEmpty() || without.endsWith("\n") ? "" : "\n") + own);
  }

  /** What else it says. */
  EnvText withoutBlock() {
    return new EnvText(BLOCK.matcher(text).replaceAll(""));
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
