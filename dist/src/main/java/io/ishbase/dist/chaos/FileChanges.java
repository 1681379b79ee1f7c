package io.ishbase.dist.chaos;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.hadoop.hbase.ServerName;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.RegionInfo;

/**
 * What changes a table's files and places all the time: flushes, compactions, splits, merges,
 * moves. While servers are away many of them fail, as they may. For one thread.
 */
final class FileChanges {
  private static final long MOST_PAUSE_MILLIS = 800;
  private static final int MOST_REGIONS = 12;
  private static final int LEAST_REGIONS = 3;
  private static final int LIMIT_SECONDS = 10;

  private final Connection connection;
  private final TableName table;
  private final Random random;
  private int done;
  private int failed;

  FileChanges(Connection connection, TableName table, long seed) {
    this.connection = connection;
    this.table = table;
    this.random = new Random(seed);
  }

  void run(CountDownLatch isOver) throws IOException {
    try (Admin admin = connection.getAdmin()) {
      while (!isOver.await(random.nextLong(MOST_PAUSE_MILLIS), TimeUnit.MILLISECONDS)) {
        try {
          change(admin);
          done++;
        } catch (IOException | ExecutionException | TimeoutException e) {
          failed++;
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void change(Admin admin)
      throws IOException, InterruptedException, ExecutionException, TimeoutException {
    List<RegionInfo> regions = new ArrayList<>(admin.getRegions(table));
    if (regions.isEmpty()) {
      throw new IOException("No table " + table + " now");
    }
    regions.sort(RegionInfo.COMPARATOR);
    RegionInfo region = regions.get(random.nextInt(regions.size()));
    int draw = random.nextInt(100);
    if (draw < 50) {
      admin.flushRegion(region.getRegionName());
    } else if (draw < 70) {
      admin.compactRegion(region.getRegionName());
    } else if (draw < 80) {
      admin.majorCompactRegion(region.getRegionName());
    } else if (draw < 90) {
      List<ServerName> servers = List.copyOf(admin.getRegionServers());
      admin.move(region.getEncodedNameAsBytes(), servers.get(random.nextInt(servers.size())));
    } else if (draw < 95 && regions.size() < MOST_REGIONS) {
      admin.splitRegionAsync(region.getRegionName()).get(LIMIT_SECONDS, TimeUnit.SECONDS);
    } else if (regions.size() > LEAST_REGIONS) {
      int first = random.nextInt(regions.size() - 1);
      admin
          .mergeRegionsAsync(
              new byte[][] {
                regions.get(first).getRegionName(), regions.get(first + 1).getRegionName()
              },
              false)
          .get(LIMIT_SECONDS, TimeUnit.SECONDS);
    }
  }

  @Override
  public String toString() {
    return done + " changes of files and regions, " + failed + " more that failed";
  }
}
