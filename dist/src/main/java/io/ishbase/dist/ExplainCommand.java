package io.ishbase.dist;

import io.ishbase.cluster.Printable;
import io.ishbase.cluster.RegionServerJmx;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.Callable;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.ServerName;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.util.Bytes;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/**
 * {@code ./ishbase explain TABLE}: how a Get or Scan would be read, without reading it; {@code
 * --memory}: who has the region servers' memory.
 */
@Command(
    name = "explain",
    description = {
      "Show how a Get or Scan would be read: which files of which nodes, what they would leave out,",
      "and why not more. Or, with --memory, how region servers divide their memory, and why."
    },
    mixinStandardHelpOptions = true)
final class ExplainCommand implements Callable<Integer> {
  static final String ATTRIBUTE = "ishbase.explain";

  @Spec private CommandSpec spec;

  @Parameters(
      index = "0",
      arity = "0..1",
      paramLabel = "TABLE",
      description = "Its name, with its namespace if it has one.")
  private String table;

  @Mixin private TargetCluster cluster;

  @Option(
      names = "--memory",
      description = "Who has how much of each region server's memory, and what more would bring.")
  private boolean memory;

  @Option(names = "--get", paramLabel = "ROW", description = "Explain a Get of this row.")
  private String get;

  @Mixin private ScanOptions options;

  @Option(names = "--reversed", description = "From the last row to the first.")
  private boolean reversed;

  @Override
  public Integer call() throws IOException {
    if (memory == (table != null)) {
      throw new ParameterException(spec.commandLine(), "Explain what? A TABLE, or --memory");
    }
    if (memory) {
      explainMemory();
    } else {
      explainRead();
    }
    return 0;
  }

  private void explainMemory() throws IOException {
    try (Connection connection = ConnectionFactory.createConnection(cluster.configuration());
        Admin admin = connection.getAdmin()) {
      TargetCluster.requireAnswer(admin);
      MemoryLines.of(admin).forEach(System.out::println);
    }
  }

  private void explainRead() throws IOException {
    TargetTable target = TargetTable.of(table, cluster);
    if (get != null && (options.sayWhichRows() || reversed)) {
      throw new CliException("--get is one row: leave --start, --stop, --limit, --reversed away");
    }
    String id = UUID.randomUUID().toString();
    Scan scan = scan();
    scan.setAttribute(ATTRIBUTE, Bytes.toBytes(id));
    Configuration conf = target.configuration();
    try (Connection connection = ConnectionFactory.createConnection(conf);
        Admin admin = connection.getAdmin()) {
      TableName name = target.readable(connection);
      requireFamilies(admin.getDescriptor(name), scan);
      try (Table client = connection.getTable(name);
          ResultScanner none = client.getScanner(scan)) {
        none.next();
      }
      boolean explained = false;
      List<String> silent = new ArrayList<>();
      for (ServerName server : admin.getRegionServers()) {
        try {
          List<String> lines = RegionServerJmx.of(admin, server).explanation(id);
          lines.stream().map(Printable::line).forEach(System.out::println);
          explained |= !lines.isEmpty();
        } catch (IOException e) {
          System.err.println(server + " does not answer: " + e);
          silent.add(server.toString());
        }
      }
      if (!explained && !silent.isEmpty()) {
        throw new CliException(
            "How "
                + name
                + " is read is not known: no answer, over HTTP and without a login, from the pages"
                + " of "
                + String.join(", ", silent));
      }
      if (!explained) {
        throw new CliException(
            "No region server explains "
                + name
                + ": it has no region of a user table there, or no plug-in (hbase.hregion.impl)");
      }
    }
  }

  private static void requireFamilies(TableDescriptor table, Scan scan) {
    for (byte[] family : scan.getFamilyMap().keySet()) {
      TargetTable.requireFamily(table, family);
    }
  }

  private Scan scan() throws IOException {
    Scan scan = get == null ? new Scan() : new Scan(new Get(RowKey.of(get)));
    return options.addTo(scan).setReversed(reversed);
  }
}
