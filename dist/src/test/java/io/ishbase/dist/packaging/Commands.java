package io.ishbase.dist.packaging;

import io.ishbase.dist.Outcome;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** Runs programs as a shell would, with nothing in their environment but what is said. */
final class Commands {
  private static final String PATH = "/usr/sbin:/usr/bin:/sbin:/bin";

  private Commands() {}

  static Outcome run(Path directory, Map<String, String> environment, List<String> command)
      throws IOException, InterruptedException {
    Path out = Files.createTempFile(directory, "out", "");
    Path err = Files.createTempFile(directory, "err", "");
    try {
      ProcessBuilder builder =
          new ProcessBuilder(command)
              .directory(directory.toFile())
              .redirectInput(ProcessBuilder.Redirect.from(Path.of("/dev/null").toFile()))
              .redirectOutput(out.toFile())
              .redirectError(err.toFile());
      builder.environment().clear();
      builder.environment().put("PATH", PATH);
      builder.environment().putAll(environment);
      int code = builder.start().waitFor();
      return new Outcome(code, Files.readString(out), Files.readString(err));
    } finally {
      Files.delete(out);
      Files.delete(err);
    }
  }
}
