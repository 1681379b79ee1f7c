package io.ishbase.dist;

import io.ishbase.core.ReadMode;
import io.ishbase.core.sizing.Collector;
import io.ishbase.core.sizing.MachineMemory;
import io.ishbase.core.sizing.MemoryPlan;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code ./ishbase memory}: how a region server's memory is best divided, as HBase's own files. */
@Command(
    name = "memory",
    description = {
      "Divide a machine's memory: what region servers get, off the heap where that is possible.",
      "Sizes take a suffix: K, M, G, T."
    },
    mixinStandardHelpOptions = true)
final class MemoryCommand implements Callable<Integer> {
  static final String SITE = "ishbase-memory-site.xml";
  static final String ENVIRONMENT = "ishbase-memory-env.sh";

  @Option(
      names = "--machine",
      paramLabel = "BYTES",
      converter = PlanCommand.Bytes.class,
      description = "The machine's memory; this machine's, or its container's, unless said.")
  private Double machineBytes;

  @Option(
      names = "--processors",
      paramLabel = "N",
      description = "The machine's; as many as here unless said.")
  private Integer processors;

  @Option(
      names = "--others",
      paramLabel = "BYTES",
      defaultValue = "2G",
      converter = PlanCommand.Bytes.class,
      description =
          "What other processes of the machine need, DataNode and storage daemon;"
              + " ${DEFAULT-VALUE}.")
  private double otherBytes;

  @Option(
      names = "--region-servers",
      paramLabel = "N",
      defaultValue = "1",
      description = "How many share the machine; ${DEFAULT-VALUE}.")
  private int regionServers;

  @Option(
      names = "--read",
      defaultValue = "auto",
      description = "How most tables are read: ${DEFAULT-VALUE}, in-storage or stock.")
  private String read;

  @Option(
      names = "--java",
      paramLabel = "PATH",
      description = "The java of the region servers, which is asked for its flags; else this one.")
  private Path java;

  @Option(
      names = "--write",
      paramLabel = "DIR",
      description =
          "Write " + SITE + " and " + ENVIRONMENT + " there, in place of such as are there.")
  private Path directory;

  @Override
  public Integer call() throws IOException {
    ReadMode mode = ReadMode.of(read);
    if (mode == null) {
      throw new CliException("--read is in-storage, auto or stock, not '" + read + "'");
    }
    if (regionServers < 1 || (processors != null && processors < 1)) {
      throw new CliException("--region-servers and --processors are 1 or more");
    }
    if (otherBytes < 0 || (machineBytes != null && machineBytes < 0)) {
      throw new CliException("--machine and --others are not negative");
    }
    int count = processors != null ? processors : MachineLimits.processors();
    MachineMemory machine =
        new MachineMemory(
            machineBytes != null ? machineBytes.longValue() : MachineLimits.memoryBytes(),
            (long) otherBytes,
            regionServers);
    MemoryPlan plan =
        MemoryPlan.of(machine.serverBytes(), count, mode)
            .orElseThrow(() -> new CliException(tooLittle(machine, count)));
    ServerMemory memory =
        new ServerMemory(
            plan,
            Collector.of(
                JvmProbe.ask(java != null ? java : JvmProbe.own()), plan.heapBytes(), count));
    String heading = heading(machine, count, mode);
    System.out.println(heading + ":");
    memory.table().forEach(System.out::println);
    if (directory != null) {
      write(memory, heading);
    }
    return 0;
  }

  private void write(ServerMemory memory, String heading) throws IOException {
    if (!Files.isDirectory(directory)) {
      throw new CliException("--write " + directory + ": there is no such directory");
    }
    Path site = directory.resolve(SITE);
    Path environment = directory.resolve(ENVIRONMENT);
    write(site, memory.site(heading));
    write(environment, memory.environment(heading));
    System.out.println("Written: " + site + " and " + environment + ".");
    System.out.println("In hbase-site.xml of the region servers, below <configuration>:");
    System.out.println(
        "  <xi:include xmlns:xi=\"http://www.w3.org/2001/XInclude\" href=\"" + SITE + "\"/>");
    System.out.println("At the end of their hbase-env.sh, which must choose no collector itself:");
    System.out.println("  . \"${HBASE_CONF_DIR}/" + ENVIRONMENT + "\"");
  }

  /** Servers may read the old text, and read the new one whoever writes it. */
  private static void write(Path file, String text) throws IOException {
    Path next = file.resolveSibling(file.getFileName() + ".next");
    Files.writeString(next, text);
    Files.setPosixFilePermissions(next, PosixFilePermissions.fromString("rw-r--r--"));
    Files.move(next, file, StandardCopyOption.ATOMIC_MOVE);
  }

  private static String heading(MachineMemory machine, int processors, ReadMode mode) {
    return String.format(
        Locale.ROOT,
        "%s for each region server: of %s the system keeps %s, others have %s; region servers %d,"
            + " processors %d, tables read %s",
        mb(machine.serverBytes()),
        mb(machine.memoryBytes()),
        mb(machine.systemBytes()),
        mb(machine.otherBytes()),
        machine.regionServers(),
        processors,
        mode);
  }

  private static String tooLittle(MachineMemory machine, int processors) {
    return "Of "
        + mb(machine.memoryBytes())
        + " there are "
        + mb(machine.serverBytes())
        + " for each region server, and to put anything off the heap takes "
        + mb(MemoryPlan.leastBytes(processors))
        + ": leave HBase's defaults, or see --others and --region-servers";
  }

  static String mb(long bytes) {
    return (bytes >> 20) + " MB";
  }
}
