package io.ishbase.bench.scenario;

import io.ishbase.bench.Alternation;
import io.ishbase.bench.BenchOptions;
import io.ishbase.bench.Comparison;
import io.ishbase.bench.Load;
import io.ishbase.bench.Point;
import io.ishbase.bench.Sample;
import io.ishbase.bench.Scenario;
import io.ishbase.bench.ScenarioContext;
import io.ishbase.bench.Variant;
import io.ishbase.bench.YcsbTable;
import io.ishbase.cluster.ClusterNeeds;
import io.ishbase.cluster.Mode;
import io.ishbase.cluster.RegionServerJmx;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.HBaseConfiguration;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.ServerName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hbase.quotas.QuotaSettingsFactory;
import org.apache.hadoop.hbase.quotas.ThrottleType;
import org.apache.hadoop.security.UserGroupInformation;

/**
 * {@code throttled}: what a user reads whom HBase's quota holds back, of blocks at the region
 * server and of blocks at daemons.
 */
final class Throttled implements Scenario {
  private static final int MB_PER_SECOND = 10;
  private static final int LOADS = 2;
  private static final int TRIES = 100_000;

  @Override
  public String name() {
    return "throttled";
  }

  @Override
  public String description() {
    return "Reads of a user who may read 10 MB of blocks a second";
  }

  @Override
  public String seedFigures() {
    return "";
  }

  @Override
  public ClusterNeeds needs(BenchOptions options) {
    return ClusterNeeds.usual(options.rowsOrPreset())
        .with("hbase.quota.enabled", true)
        .with("hbase.quota.refresh.period", 1000);
  }

  @Override
  public double estimatedSeconds(BenchOptions options) {
    return 20
        + options.rowsOrPreset() * 1e-4
        + LOADS * 2 * (double) options.firstWarmUp().toSeconds()
        + options.secondsOf(2 * LOADS * options.roundsOrPreset());
  }

  @Override
  public void run(ScenarioContext context) throws IOException {
    BenchOptions options = context.options();
    YcsbTable table = YcsbTable.shared(context, options.usualTable());
    String user = UserGroupInformation.getCurrentUser().getShortUserName();
    try (Connection waiting = ConnectionFactory.createConnection(retryingForLong(context));
        Admin admin = context.connection().getAdmin()) {
      ServerName server = admin.getRegionServers().iterator().next();
      RegionServerJmx page = RegionServerJmx.of(admin, server);
      admin.setQuota(
          QuotaSettingsFactory.throttleUser(
              user, table.name(), ThrottleType.READ_SIZE, MB_PER_SECOND << 20, TimeUnit.SECONDS));
      try {
        YcsbTable throttled = new YcsbTable(waiting, table.shape());
        for (String reads : SameRows.reads(options, Mode.STOCK).keySet()) {
          measure(context, throttled, reads, page);
        }
      } finally {
        admin.setQuota(QuotaSettingsFactory.unthrottleUser(user, table.name()));
      }
    }
  }

  /** HBase says to come back in some milliseconds, and eight threads do: few are let in at once. */
  private static Configuration retryingForLong(ScenarioContext context) {
    Configuration conf = HBaseConfiguration.create(context.connection().getConfiguration());
    conf.setInt(HConstants.HBASE_CLIENT_RETRIES_NUMBER, TRIES);
    return conf;
  }

  private static void measure(
      ScenarioContext context, YcsbTable table, String reads, RegionServerJmx page)
      throws IOException {
    List<Variant> variants =
        context.options().modes().stream()
            .map(
                mode -> {
                  Function<YcsbTable, Load> load =
                      SameRows.reads(context.options(), mode).get(reads);
                  return new Variant(mode.toString(), load.apply(table), page::blocksRead);
                })
            .toList();
    Alternation alternation = context.alternation(context.driver());
    context.warmUp(reads, alternation, variants);
    Point point =
        Point.uncapped().with("load", reads).target(MB_PER_SECOND + " MB/s, ratio 0.9 to 1.1");
    context.measure(alternation, point, variants, Map.of("blocks MB/s", Throttled::megabytes));
  }

  /** Median over the windows of what HBase counts as read of blocks. */
  private static double megabytes(Comparison comparison, String variant) {
    return comparison.median(variant, Throttled::megabytes);
  }

  private static double megabytes(Sample window) {
    return window.counters().get(RegionServerJmx.BLOCK_BYTES) / (1 << 20) / window.seconds();
  }
}
