package io.ishbase.dist;

import io.ishbase.cluster.ClusterNeeds.RegionServer;
import io.ishbase.core.ReadMode;
import io.ishbase.core.Setting;
import io.ishbase.core.sizing.Choice;
import io.ishbase.core.sizing.Collector;
import io.ishbase.core.sizing.DirectMemory;
import io.ishbase.core.sizing.JvmFeatures;
import io.ishbase.core.sizing.MachineMemory;
import io.ishbase.core.sizing.MemoryPlan;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What the region servers of a local cluster get of this machine.
 *
 * @param each what each is like
 * @param explanation of that, for the user, a line each
 */
record LocalMemory(RegionServer each, List<String> explanation) {
  private static final long MB = 1L << 20;
  private static final String STOCK = "stock";
  private static final String AUTO = "auto";
  private static final String HEAP = "-Xmx";

  /** Heaps of ZooKeeper, NameNode, master, two DataNodes, two daemons, and half as much again. */
  private static final long OTHER_BYTES = (128 + 256 + 384 + 2 * 256 + 2 * 512) * MB * 3 / 2;

  /** Who only tries something out does not need more, and has other programs. */
  private static final long MOST_BYTES = 4096 * MB;

  /** HBase's defaults, with the block cache on the heap. */
  private static final RegionServer DEFAULTS = RegionServer.caching(256 * MB);

  /**
   * The answer.
   *
   * @param wish {@code auto}: as the machine has it; {@code stock}: HBase's defaults; else bytes
   * @param machineBytes the machine's memory
   * @param site properties that the user wants, which stand before those chosen here
   * @throws CliException if the wish cannot be fulfilled
   */
  static LocalMemory of(
      String wish,
      long machineBytes,
      int processors,
      int regionServers,
      ReadMode read,
      JvmFeatures jvm,
      Map<String, String> site) {
    List<String> lines = new ArrayList<>();
    RegionServer each = DEFAULTS;
    if (wish.equals(STOCK)) {
      lines.add(defaults("as --memory " + STOCK + " says"));
    } else if (wish.equals(AUTO) && Setting.MEMORY.text(site::get).equals("auto")) {
      lines.add(defaults("since " + Setting.MEMORY.key() + " = auto moves what is on the heap"));
    } else {
      long bytes = wish.equals(AUTO) ? share(machineBytes, regionServers) : bytes(wish);
      Optional<MemoryPlan> plan = MemoryPlan.of(bytes, processors, read);
      if (plan.isPresent()) {
        ServerMemory memory =
            new ServerMemory(plan.get(), Collector.of(jvm, plan.get().heapBytes(), processors));
        each = regionServer(memory);
        lines.add(
            "Memory of each region server: "
                + MemoryCommand.mb(bytes)
                + (wish.equals(AUTO)
                    ? ", half of what the other servers leave of this machine's "
                        + MemoryCommand.mb(machineBytes)
                        + ", 4096 MB at most; --memory chooses another"
                    : ", as --memory says"));
        lines.addAll(memory.table());
      } else {
        String little =
            MemoryCommand.mb(bytes)
                + " are too little to put anything off the heap, that takes "
                + MemoryCommand.mb(MemoryPlan.leastBytes(processors));
        if (!wish.equals(AUTO)) {
          throw new CliException("--memory " + wish + ": " + little);
        }
        lines.add(defaults(little));
      }
    }
    for (Map.Entry<String, String> property : site.entrySet()) {
      each = each.with(property.getKey(), property.getValue());
    }
    shortage(each).map(line -> line + "; here --memory BYTES is for that").ifPresent(lines::add);
    return new LocalMemory(each, List.copyOf(lines));
  }

  private static String defaults(String why) {
    return "Memory of each region server: HBase's defaults, "
        + why
        + "; heap "
        + DEFAULTS.heapMb()
        + " MB, block cache of "
        + MemoryCommand.mb(DEFAULTS.blockCacheBytes())
        + " on it";
  }

  private static long share(long machineBytes, int regionServers) {
    MachineMemory machine = new MachineMemory(machineBytes, OTHER_BYTES, regionServers);
    return Math.min(MOST_BYTES, machine.serverBytes() / 2);
  }

  private static long bytes(String wish) {
    try {
      return new PlanCommand.Bytes().convert(wish).longValue();
    } catch (RuntimeException e) {
      throw new CliException(
          "--memory is " + AUTO + ", " + STOCK + " or a size as 4G, not '" + wish + "'", e);
    }
  }

  private static RegionServer regionServer(ServerMemory memory) {
    long heap = memory.plan().heapBytes();
    RegionServer server = new RegionServer((int) (heap / MB), heap / 5, Map.of(), List.of(), 0);
    for (Choice property : memory.plan().properties()) {
      server = server.with(property.name(), property.value());
    }
    for (Choice flag : memory.flags()) {
      if (!flag.name().equals(HEAP)) {
        server = server.withFlag(flag.name() + flag.value());
      }
    }
    return server;
  }

  /** What the region server's log will say, said before it starts. */
  private static Optional<String> shortage(RegionServer each) {
    long direct = (long) each.heapMb() * MB;
    for (String flag : each.jvmFlags()) {
      if (flag.startsWith(MemoryPlan.DIRECT_FLAG)) {
        direct = Long.parseLong(flag.replaceAll("\\D", "")) * MB;
      }
    }
    DirectMemory memory = DirectMemory.of(each.site()::get);
    long wanted = Setting.CACHE_BYTES.longInteger(each.site()::get);
    return memory.shortage(direct, wanted < 0 ? memory.usualSegmentCache(direct) : wanted);
  }
}
