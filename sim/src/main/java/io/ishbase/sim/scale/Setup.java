package io.ishbase.sim.scale;

import io.ishbase.sim.plan.Inputs;
import io.ishbase.sim.plan.PlanFile;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * A cluster and its day.
 *
 * @param hours of the day
 */
public record Setup(int storageNodes, int regionServers, int regions, int hours) {
  private static final int RACK = 20;
  private static final int LEAST_RACKS = 5;

  /** Of each region; chosen: HBase splits at 10 GB. */
  private static final long REGION_BYTES = 5L << 30;

  /** Of each region server; chosen. */
  private static final int GETS = 20_000;

  private static final int PUTS = 2_000;

  /** Regions that are written at all: of time series and logs, the newest. */
  static final double WRITTEN = 0.05;

  /** Exponent of Zipf's law among regions, which lie anywhere. */
  static final double REGION_SKEW = 0.5;

  /** Bytes that a bulk load brings into a region, in so many files, and into which of them. */
  static final long BULK_BYTES = 1280L << 20;

  static final int BULK_FILES = 5;
  static final double BULK_REGIONS = 0.02;

  /** Checks it. */
  public Setup {
    positive("storage nodes", storageNodes);
    positive("region servers", regionServers);
    positive("regions", regions);
    positive("hours", hours);
  }

  private static void positive(String name, int value) {
    if (value < 1) {
      throw new IllegalArgumentException(name + " are 1 or more, not " + value);
    }
  }

  /** Storage nodes of a rack. */
  int rack() {
    return Math.max(1, Math.min(RACK, storageNodes / LEAST_RACKS));
  }

  /** The same as the input of a plan. */
  Inputs inputs() {
    try (InputStream file = Setup.class.getResourceAsStream("/io/ishbase/sim/scale.conf")) {
      if (file == null) {
        throw new IllegalStateException("scale.conf is missing");
      }
      BufferedReader reader =
          new BufferedReader(new InputStreamReader(file, StandardCharsets.UTF_8));
      List<String> lines = reader.lines().map(this::filled).toList();
      return PlanFile.read("scale.conf", lines);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private String filled(String line) {
    return line.replaceFirst("#.*", "")
        .replace("{nodes}", "" + storageNodes)
        .replace("{servers}", "" + regionServers)
        .replace("{regions}", "" + regions)
        .replace("{bytes}", "" + regions * REGION_BYTES)
        .replace("{gets}", "" + (long) GETS * regionServers)
        .replace("{puts}", "" + (long) PUTS * regionServers);
  }
}
