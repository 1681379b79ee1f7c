package io.ishbase.dist;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import picocli.CommandLine;
import picocli.CommandLine.ParameterException;

/** The command line understands each command that stands on a line of its own in the docs. */
final class CommandsInDocsTest {
  private static final Path ROOT = Path.of("..");

  private static final Pattern COMMAND =
      Pattern.compile("(?m)^ {4}(?:\\./|\\./bin/)?ishbase ((?:\"[^\"\n]*\"|[^#\n])*)");

  private static final Pattern WORD = Pattern.compile("\"([^\"]*)\"|'([^']*)'|(\\S+)");

  /** By the script, with class paths of their own. */
  private static final Pattern BY_SCRIPT =
      Pattern.compile("(test|conformance|defects|fuzz|metamorphic|versions)\\b.*");

  @TestFactory
  Stream<DynamicTest> areUnderstood() throws IOException {
    List<Path> pages = new ArrayList<>(List.of(ROOT.resolve("README.md")));
    try (Stream<Path> docs = Files.walk(ROOT.resolve("docs"))) {
      docs.filter(file -> file.toString().endsWith(".md")).forEach(pages::add);
    }
    List<DynamicTest> tests = new ArrayList<>();
    for (Path page : pages) {
      Matcher commands = COMMAND.matcher(Files.readString(page));
      while (commands.find()) {
        String command = commands.group(1).strip();
        if (!BY_SCRIPT.matcher(command).matches()) {
          tests.add(DynamicTest.dynamicTest(page + ": " + command, () -> parse(command)));
        }
      }
    }
    assertThat(tests).hasSizeGreaterThan(60);
    return tests.stream();
  }

  private static void parse(String command) {
    List<String> words = new ArrayList<>();
    Matcher word = WORD.matcher(command);
    while (word.find()) {
      words.add(Stream.of(1, 2, 3).map(word::group).filter(text -> text != null).findFirst().get());
    }
    CommandLine line = new CommandLine(new Main()).setCaseInsensitiveEnumValuesAllowed(true);
    try {
      assertThat(line.parseArgs(words.toArray(String[]::new)).hasSubcommand()).isTrue();
    } catch (ParameterException e) {
      throw new AssertionError(command + ": " + e.getMessage(), e);
    }
  }
}
