package io.ishbase.it.defects;

import io.ishbase.it.SourceTree;
import java.io.IOException;
import java.nio.file.Path;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Locale;

/** Writes {@code docs/results/defects.md}. */
final class DefectsPage {
  static final Path PATH = Path.of("..", "docs", "results", "defects.md");

  private DefectsPage() {}

  /** The commit of the source tree; null: it has changes that are not committed. */
  static String commit() throws IOException {
    String changes = SourceTree.git("status", "--porcelain");
    return changes.isEmpty() ? SourceTree.git("rev-parse", "--short", "HEAD") : null;
  }

  static String of(List<Verdict> verdicts, String commit) {
    StringBuilder rows = new StringBuilder();
    for (Verdict verdict : verdicts) {
      Defect defect = verdict.defect();
      rows.append(
          String.format(
              Locale.ROOT,
              "| `%s` | %s | %s: `%s` | %s%s | %.0f |%n",
              defect.name(),
              defect.says(),
              defect.module(),
              defect.where(),
              verdict.isCaught() ? verdict.caughtBy() : "**nothing**",
              verdict.blind().isEmpty() || !verdict.isCaught()
                  ? ""
                  : "; not by " + String.join(", ", verdict.blind()),
              verdict.millis() / 1e3));
    }
    return """
        # Seeded defects
        Mistakes that somebody might make, one after the other in the class files of what ships, and the tests that fail then.
        How that is done: [architecture](../architecture.md#who-tests-the-tests). Written by

            ./ishbase defects --page

        - commit: %s
        - date: %s
        - caught: %d of %d

        Without a defect all of these test classes pass. Of those named for a defect one after the other is run until one fails; *not by*: those before it, which did not notice. Seconds are those of all that were run, with the start of their JVMs.

        | defect | what is wrong then | where | caught by | s |
        | --- | --- | --- | --- | ---: |
        %s"""
        .formatted(
            commit,
            LocalDate.now(ZoneOffset.UTC),
            verdicts.stream().filter(Verdict::isCaught).count(),
            verdicts.size(),
            rows);
  }
}
