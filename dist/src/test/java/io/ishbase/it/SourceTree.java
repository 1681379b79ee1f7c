package io.ishbase.it;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** The repository that a program of the tests runs in. */
public final class SourceTree {
  private SourceTree() {}

  /** What {@code git} prints of the repository, without the blanks around it. */
  public static String git(String... arguments) throws IOException {
    List<String> command = new ArrayList<>(List.of("git"));
    command.addAll(List.of(arguments));
    try (InputStream out = new ProcessBuilder(command).start().getInputStream()) {
      return new String(out.readAllBytes(), StandardCharsets.UTF_8).strip();
    }
  }
}
