package io.ishbase.dist;

import io.ishbase.cluster.Printable;
import io.ishbase.core.Setting;
import io.ishbase.dist.attach.PlugIn;
import io.ishbase.plugin.settings.StoreSettings;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.apache.hadoop.hbase.RegionMetrics;
import org.apache.hadoop.hbase.ServerName;
import org.apache.hadoop.hbase.Size;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptor;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hbase.client.CoprocessorDescriptor;
import org.apache.hadoop.hbase.client.TableDescriptor;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code ./ishbase tables}: the user tables, their sizes, and how they are read and compacted. */
@Command(
    name = "tables",
    description = "List the tables: regions, MB in files and in memory, how read and compacted.",
    mixinStandardHelpOptions = true)
final class TablesCommand implements Callable<Integer> {
  private static final String LINE = "%-30s %7s %9s %9s  %-20s %s%n";

  @Mixin private TargetCluster cluster;

  @Override
  public Integer call() throws IOException {
    try (Connection connection = ConnectionFactory.createConnection(cluster.configuration());
        Admin admin = connection.getAdmin()) {
      TargetCluster.requireAnswer(admin);
      System.out.printf(LINE, "table", "regions", "MB files", "MB memory", "read", "compaction");
      List<TableDescriptor> tables = admin.listTableDescriptors();
      for (TableDescriptor table : tables) {
        print(admin, table);
      }
      for (TableDescriptor table : tables) {
        for (String place : withOurClasses(table)) {
          System.out.println(
              Printable.line(table.getTableName() + " has " + place)
                  + ": to be taken off before its jar goes");
        }
      }
    }
    System.out.println("(site): as hbase-site.xml of the region servers says" + ofSite());
    return 0;
  }

  /** What of a table names a class of the plug-in's, without whose jars it does not open. */
  static List<String> withOurClasses(TableDescriptor table) {
    List<String> found = new ArrayList<>();
    for (CoprocessorDescriptor coprocessor : table.getCoprocessorDescriptors()) {
      if (coprocessor.getClassName().startsWith(PlugIn.OURS)) {
        found.add(coprocessor.getClassName());
      }
    }
    table
        .getValues()
        .forEach((key, value) -> addSetting(found, "", key.toString(), value.toString()));
    for (ColumnFamilyDescriptor family : table.getColumnFamilies()) {
      String of = family.getNameAsString() + ":";
      family
          .getValues()
          .forEach((key, value) -> addSetting(found, of, key.toString(), value.toString()));
      family.getConfiguration().forEach((key, value) -> addSetting(found, of, key, value));
    }
    return found;
  }

  private static void addSetting(List<String> found, String of, String key, String value) {
    if (value.startsWith(PlugIn.OURS)) {
      found.add(of + key + " = " + value);
    }
  }

  private String ofSite() {
    return cluster.isLocal()
        ? ", here "
            + String.join(
                ", ",
                List.of(Setting.READ, Setting.COMPACTION).stream()
                    .map(setting -> setting.key() + "=" + setting.text(Home.running().site()::get))
                    .toList())
        : "";
  }

  private static void print(Admin admin, TableDescriptor table) throws IOException {
    int regions = 0;
    double files = 0;
    double memory = 0;
    for (ServerName server : admin.getRegionServers()) {
      for (RegionMetrics region : admin.getRegionMetrics(server, table.getTableName())) {
        regions++;
        files += region.getStoreFileSize().get(Size.Unit.MEGABYTE);
        memory += region.getMemStoreSize().get(Size.Unit.MEGABYTE);
      }
    }
    System.out.printf(
        LINE,
        table.getTableName(),
        regions,
        String.format("%.0f", files),
        String.format("%.0f", memory),
        chosen(table, Setting.READ),
        chosen(table, Setting.COMPACTION));
  }

  /** What a table and its families say of a setting. */
  static String chosen(TableDescriptor table, Setting setting) {
    List<String> words = new ArrayList<>();
    words.add(Optional.ofNullable(table.getValue(setting.key())).orElse("(site)"));
    for (ColumnFamilyDescriptor family : table.getColumnFamilies()) {
      String own = StoreSettings.value(family, setting.key());
      if (own != null) {
        words.add(family.getNameAsString() + ":" + own);
      }
    }
    return Printable.line(String.join(", ", words));
  }
}
