package io.ishbase.dist.attach;

import com.github.difflib.DiffUtils;
import com.github.difflib.UnifiedDiffUtils;
import io.ishbase.dist.CliException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/** IS-HBase switched on in a configuration, or off: what is to be said, and the new files. */
public final class Attachment {
  private static final String DIFF = "attach.diff";
  private static final String STEPS = "steps.txt";
  private static final String NO_FILE = "/dev/null";
  private static final int CONTEXT_LINES = 3;
  private static final Path OWN_PROCESS = Path.of("/proc/self");

  private static final Map<String, String> ROLES =
      Map.of(
          ExistingConfig.HBASE, "region servers, masters, storage daemons",
          ExistingConfig.HDFS, "DataNodes, storage daemons",
          ExistingConfig.ENVIRONMENT, "region servers, masters");

  private final ExistingConfig config;
  private final Changes changes;
  private final List<String> obstacles;
  private final List<String> lines = new ArrayList<>();

  private Attachment(ExistingConfig config, Changes changes, List<String> obstacles) {
    this.config = config;
    this.changes = changes;
    this.obstacles = obstacles;
  }

  /**
   * What switches it on.
   *
   * @param hbase the directory of HBase's files
   * @param hadoop that of Hadoop's; null: the same
   * @throws CliException if they cannot be read or changed
   */
  public static Attachment on(Path hbase, Path hadoop, Wanted wanted) throws IOException {
    ExistingConfig config = ExistingConfig.read(hbase, hadoop);
    List<String> obstacles = Obstacles.of(config, wanted);
    Changes changes =
        obstacles.isEmpty() ? Changes.attaching(config, wanted) : Changes.none(config);
    Attachment attachment = new Attachment(config, changes, obstacles);
    attachment.describe(
        "is attached already: nothing is to be changed",
        Remarks.of(config, wanted),
        Steps.attaching(config, wanted, changes));
    if (attachment.changesNothing() && !attachment.isImpossible() && wanted.table().isPresent()) {
      attachment.lines.add(Steps.alter(wanted));
    }
    return attachment;
  }

  /** What switches it off; the same as for {@link #on}. */
  public static Attachment off(Path hbase, Path hadoop, Optional<String> table) throws IOException {
    ExistingConfig config = ExistingConfig.read(hbase, hadoop);
    Changes changes = Changes.detaching(config);
    Attachment attachment = new Attachment(config, changes, List.of());
    attachment.describe(
        "is not attached: nothing is to be changed", List.of(), Steps.detaching(table, changes));
    return attachment;
  }

  private void describe(String nothing, List<String> remarks, List<String> steps) {
    lines.add(
        "HBase as "
            + config.directory()
            + " has it: "
            + config.get("hbase.rootdir")
            + ", HBase "
            + config.release().orElse("of unknown release")
            + ", "
            + (Obstacles.isSecured(config) ? "Kerberos" : "no Kerberos"));
    section("In the way", obstacles.stream().map(each -> "  - " + each).toList());
    if (isImpossible()) {
      return;
    }
    if (changesNothing()) {
      lines.add("It " + nothing + ".");
      return;
    }
    for (String file : ofEach().keySet()) {
      section(
          file + ", of " + ROLES.get(file),
          changes.edits().stream()
              .filter(edit -> edit.file().equals(file))
              .map(Edit::lines)
              .toList());
    }
    section("To know", remarks.stream().map(each -> "  - " + each).toList());
    section("In this order", steps);
  }

  private void section(String title, List<String> body) {
    if (!body.isEmpty()) {
      lines.add("");
      lines.add(title);
      lines.addAll(body);
    }
  }

  /** What is to be said, a line each. */
  public List<String> lines() {
    return lines;
  }

  /** Whether something stands in the way. */
  public boolean isImpossible() {
    return !obstacles.isEmpty();
  }

  /** Whether the configuration is already as it is to be. */
  public boolean changesNothing() {
    return changes.edits().isEmpty();
  }

  /** Of each file that changes, by its name, the old text and the new one. */
  private Map<String, String[]> ofEach() {
    Map<String, String[]> texts = new LinkedHashMap<>();
    put(texts, ExistingConfig.HBASE, config.hbase().text(), changes.hbase().text());
    put(texts, ExistingConfig.HDFS, config.hdfs().text(), changes.hdfs().text());
    put(
        texts,
        ExistingConfig.ENVIRONMENT,
        config.environment().text(),
        changes.environment().text());
    return texts;
  }

  private static void put(Map<String, String[]> texts, String file, String old, String changed) {
    if (!old.equals(changed)) {
      texts.put(file, new String[] {old, changed});
    }
  }

  /** Lines as a patch has them: with what ends them but LF, and a remark on a last one without. */
  private static List<String> patchLines(String text) {
    List<String> lines = new ArrayList<>(List.of(text.split("\n", -1)));
    String last = lines.remove(lines.size() - 1);
    if (!last.isEmpty()) {
      lines.add(last + "\n\\ No newline at end of file");
    }
    return lines;
  }

  /** The changes as a patch. */
  public String diff() {
    List<String> diff = new ArrayList<>();
    ofEach()
        .forEach(
            (file, texts) -> {
              boolean isThere = Files.exists(origin(file));
              List<String> old = isThere ? patchLines(texts[0]) : List.of();
              List<String> lines =
                  UnifiedDiffUtils.generateUnifiedDiff(
                      isThere ? "a/" + file : NO_FILE,
                      "b/" + file,
                      old,
                      DiffUtils.diff(old, patchLines(texts[1])),
                      CONTEXT_LINES);
              // Of no lines, the first is not the one with the number 1.
              lines.replaceAll(line -> isThere ? line : line.replaceFirst("^@@ -1,0 ", "@@ -0,0 "));
              diff.addAll(lines);
            });
    return String.join("\n", diff) + "\n";
  }

  /**
   * Writes the changed files, the patch, and what is to be said, into a directory that is made for
   * it, or is empty; nobody else may look into it from then on.
   *
   * @throws CliException if it is not, or another user's
   */
  public void write(Path directory) throws IOException {
    if (Files.exists(directory)) {
      if (!Files.isDirectory(directory)) {
        throw new CliException("--write " + directory + " is no directory");
      }
      try (Stream<Path> there = Files.list(directory)) {
        if (there.findAny().isPresent()) {
          throw new CliException(
              "--write " + directory + " is not empty: name a directory for these files alone");
        }
      }
      if (!Files.getAttribute(directory, "unix:uid")
          .equals(Files.getAttribute(OWN_PROCESS, "unix:uid"))) {
        throw new CliException(
            "--write " + directory + " is another user's, who could change what is written there");
      }
    }
    try {
      Files.createDirectories(directory);
    } catch (IOException e) {
      throw new CliException("--write " + directory + " cannot be made: " + e, e);
    }
    // The files may hold passwords, and what stands in hbase-env.sh will be run.
    Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwx------"));
    for (Map.Entry<String, String[]> file : ofEach().entrySet()) {
      Path copy = directory.resolve(file.getKey());
      Files.writeString(copy, file.getValue()[1], ExistingConfig.BYTES);
      Path like = origin(file.getKey());
      takeOver(Files.exists(like) ? like : config.hbase().origin(), copy);
    }
    Files.writeString(directory.resolve(DIFF), diff(), ExistingConfig.BYTES);
    Files.writeString(directory.resolve(STEPS), String.join("\n", lines) + "\n");
  }

  private Path origin(String file) {
    return switch (file) {
      case ExistingConfig.HBASE -> config.hbase().origin();
      case ExistingConfig.HDFS -> config.hdfs().origin();
      default -> config.directory().resolve(file);
    };
  }

  /** What is put in the place of a file is for the same eyes, as far as this user may say so. */
  private static void takeOver(Path origin, Path copy) throws IOException {
    PosixFileAttributes of = Files.readAttributes(origin, PosixFileAttributes.class);
    PosixFileAttributeView to = Files.getFileAttributeView(copy, PosixFileAttributeView.class);
    to.setPermissions(of.permissions());
    try {
      to.setGroup(of.group());
      to.setOwner(of.owner());
    } catch (IOException e) {
      // Only root gives files away.
    }
  }

  /** The names of the files that {@link #write} makes. */
  public List<String> files() {
    List<String> names = new ArrayList<>(ofEach().keySet());
    names.addAll(List.of(DIFF, STEPS));
    return names;
  }
}
