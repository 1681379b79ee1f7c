package io.ishbase.dist;

import io.ishbase.dist.attach.Attachment;
import io.ishbase.dist.attach.Wanted;
import io.ishbase.dist.attach.Wanted.ShortCircuit;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code ./ishbase attach}: how IS-HBase is switched on in an existing HBase, and off again. */
@Command(
    name = "attach",
    description = {
      "Read the configuration of an existing HBase and say what switches IS-HBase on there, what",
      "stands in the way, and who is restarted when. No file is changed in its place."
    },
    mixinStandardHelpOptions = true)
final class AttachCommand implements Callable<Integer> {
  /** More than any machine has, and no sum with it overflows. */
  private static final double MOST_CACHE_BYTES = 16L << 40;

  @Option(
      names = "--hbase-conf",
      paramLabel = "DIR",
      required = true,
      description = "Directory with the servers' hbase-site.xml, and hbase-env.sh.")
  private Path hbase;

  @Option(
      names = "--hadoop-conf",
      paramLabel = "DIR",
      description = {
        "Directory with the DataNodes' hdfs-site.xml and core-site.xml; the same unless said."
      })
  private Path hadoop;

  @Option(
      names = "--write",
      paramLabel = "DIR",
      description = {
        "Write changed copies, a patch of them, and what is said here into a directory that is",
        "empty or not there."
      })
  private Path output;

  @Option(names = "--detach", description = "The way back.")
  private boolean detach;

  @Option(
      names = "--table",
      paramLabel = "TABLE",
      description = "For the shell: the line that switches this table.")
  private String table;

  @Option(
      names = "--reads-only",
      description = "Leave compactions as they are: no compactor's class, no manager.")
  private boolean readsOnly;

  @Option(
      names = "--segment-cache",
      paramLabel = "BYTES",
      converter = PlanCommand.Bytes.class,
      description = {
        "Of each region server, with a suffix K, M, G, and direct memory for it; a quarter of the",
        "direct memory that there is unless said. 0: none."
      })
  private Double segmentCache;

  @Option(
      names = "--short-circuit",
      paramLabel = "WAY",
      defaultValue = "usual",
      description = {
        "How daemons get at the blocks beside them: domain-socket, legacy (no native library, no",
        "Kerberos), or keep what is configured. Unless said, over the socket that DataNodes have, or",
        "else as it is configured."
      })
  private String shortCircuit;

  @Option(
      names = "--user",
      paramLabel = "NAME",
      defaultValue = "hbase",
      description = "Who runs HBase's servers and the daemons; ${DEFAULT-VALUE}.")
  private String user;

  @Option(
      names = "--lib",
      paramLabel = "DIR",
      defaultValue = "/usr/lib/ishbase/lib/plugin",
      description = {
        "Where the plug-in's jars lie on every machine, with a tarball its lib/plugin;",
        "${DEFAULT-VALUE}."
      })
  private String lib;

  @Override
  public Integer call() throws IOException {
    if (segmentCache != null && !(segmentCache >= 0 && segmentCache <= MOST_CACHE_BYTES)) {
      throw new CliException("--segment-cache is 0 to 16T");
    }
    if (table != null) {
      TargetTable.of(table, null).name();
    }
    if (!lib.matches("/[\\w./-]*[\\w.-]")) {
      throw new CliException("--lib is an absolute directory without spaces, not '" + lib + "'");
    }
    if (!user.matches("[\\w.-]+[$]?")) {
      throw new CliException("--user is the name of an account, not '" + user + "'");
    }
    if (output != null && Files.exists(output) && isOneOfTheirs(output)) {
      throw new CliException("--write " + output + ": no file is changed in its place");
    }
    Attachment attachment =
        detach
            ? Attachment.off(hbase, hadoop, Optional.ofNullable(table))
            : Attachment.on(hbase, hadoop, wanted());
    attachment.lines().forEach(System.out::println);
    if (attachment.isImpossible()) {
      System.err.println(
          "ishbase: It cannot be attached as it is: see 'In the way'"
              + (output == null ? "" : "; nothing was written"));
      return 1;
    }
    if (output != null && !attachment.changesNothing()) {
      attachment.write(output);
      System.out.println();
      System.out.println(
          "Written into " + output + ": " + String.join(", ", attachment.files()) + ".");
    }
    return 0;
  }

  private boolean isOneOfTheirs(Path directory) throws IOException {
    return Files.exists(hbase) && Files.isSameFile(directory, hbase)
        || hadoop != null && Files.exists(hadoop) && Files.isSameFile(directory, hadoop);
  }

  private Wanted wanted() {
    return new Wanted(
        !readsOnly,
        segmentCache == null ? -1 : segmentCache.longValue(),
        way(),
        user,
        lib,
        Optional.ofNullable(table));
  }

  private ShortCircuit way() {
    for (ShortCircuit way : ShortCircuit.values()) {
      if (way.name().toLowerCase(Locale.ROOT).replace('_', '-').equals(shortCircuit)) {
        return way;
      }
    }
    throw new CliException(
        "--short-circuit is domain-socket, legacy or keep, not '" + shortCircuit + "'");
  }
}
