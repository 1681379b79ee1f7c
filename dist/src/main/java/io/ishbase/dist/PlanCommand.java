package io.ishbase.dist;

import io.ishbase.core.compaction.Sizing;
import java.util.Locale;
import java.util.concurrent.Callable;
import org.apache.hadoop.util.StringUtils.TraditionalBinaryPrefix;
import picocli.CommandLine.Command;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Option;
import picocli.CommandLine.TypeConversionException;

/** {@code ./ishbase plan}: how many compaction servers a load needs. */
@Command(
    name = "plan",
    description = {
      "How many compaction servers a load needs. Sizes and speeds take a suffix: K, M, G, T.",
      "Without options: the example of the paper the formula is from, which gives 2."
    },
    mixinStandardHelpOptions = true)
final class PlanCommand implements Callable<Integer> {
  @Option(
      names = "--compact-speed",
      paramLabel = "BYTES/S",
      defaultValue = "20M",
      converter = Bytes.class,
      description = "How fast a server compacts; ${DEFAULT-VALUE}.")
  private double compactSpeed;

  @Option(
      names = "--transfer-speed",
      paramLabel = "BYTES/S",
      defaultValue = "8M",
      converter = Bytes.class,
      description =
          "How fast the new file goes back to the region server's cache; 0: it does not;"
              + " ${DEFAULT-VALUE}.")
  private double transferSpeed;

  @Option(
      names = "--memory",
      paramLabel = "BYTES",
      defaultValue = "6G",
      converter = Bytes.class,
      description = "A server's memory for the files it works on; ${DEFAULT-VALUE}.")
  private double memory;

  @Option(
      names = "--size",
      paramLabel = "BYTES",
      defaultValue = "4G",
      converter = Bytes.class,
      description = "A compaction's mean size; ${DEFAULT-VALUE}.")
  private double size;

  @Option(
      names = "--per-hour",
      paramLabel = "NUMBER",
      defaultValue = "1",
      description = "Compactions of a region in an hour; ${DEFAULT-VALUE}.")
  private double perHour;

  @Option(
      names = "--regions",
      paramLabel = "NUMBER",
      defaultValue = "10",
      description = "Regions of the data set; ${DEFAULT-VALUE}.")
  private int regions;

  @Override
  public Integer call() {
    try {
      Sizing sizing = new Sizing(compactSpeed, transferSpeed, memory, size, 3600, perHour, regions);
      System.out.printf(
          Locale.ROOT,
          """
          a compaction takes            %.1f s
          at once on a server           %d
          in an hour on a server        %.1f
          regions that a server serves  %d
          compaction servers needed     %d
          """,
          sizing.compactionSeconds(),
          sizing.compactionsAtOnce(),
          sizing.compactionsPerServer(),
          sizing.regionsPerServer(),
          sizing.servers());
      return 0;
    } catch (IllegalArgumentException e) {
      throw new CliException(e.getMessage(), e);
    }
  }

  /** A whole number, with a suffix that multiplies by a power of 1024. */
  static final class Bytes implements ITypeConverter<Double> {
    @Override
    public Double convert(String text) {
      try {
        return (double) TraditionalBinaryPrefix.string2long(text);
      } catch (IllegalArgumentException e) {
        throw new TypeConversionException("'" + text + "' is no size: write 8M or 1536K");
      }
    }
  }
}
