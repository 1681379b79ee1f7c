package io.ishbase.dist;

import io.ishbase.core.Reason;
import io.ishbase.plugin.metrics.InStorageMetrics;
import io.ishbase.plugin.snapshot.InStorageSnapshotScanner;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.hbase.HBaseConfiguration;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.snapshot.SnapshotDoesNotExistException;
import org.apache.hadoop.hbase.util.CommonFSUtils;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code ./ishbase snapshot-scan SNAPSHOT}: scans it at the storage nodes. */
@Command(
    name = "snapshot-scan",
    description = {
      "Print the rows of a snapshot: row, column, timestamp, value of each cell. Storage nodes",
      "evaluate the filter, and no region server does anything. At the end it says, on standard",
      "error, what it read from where."
    },
    mixinStandardHelpOptions = true)
final class SnapshotScanCommand implements Callable<Integer> {
  private static final FsPermission OWN = new FsPermission((short) 0700);

  private static final String HBASE = "hbase-site.xml";

  private static final List<String> SITE = List.of("core-site.xml", "hdfs-site.xml", HBASE);

  @Parameters(index = "0", paramLabel = "SNAPSHOT", description = "Its name.")
  private String snapshot;

  @Mixin private ScanOptions options;

  @Option(names = "--count", description = "Print how many rows there are, not the rows.")
  private boolean count;

  @Option(
      names = "--conf",
      paramLabel = "DIR",
      description = {
        "Directory with core-site.xml, hdfs-site.xml and hbase-site.xml of a client of the cluster;",
        "that of the cluster that ./ishbase up started unless said, in a release HBASE_CONF_DIR."
      })
  private Path conf;

  @Option(
      names = "--restore-dir",
      paramLabel = "DIR",
      defaultValue = "/tmp",
      description = {
        "Directory of HDFS, not below the HBase root, where a directory for links to the snapshot's",
        "files is made, which nobody else may read, and deleted again; ${DEFAULT-VALUE}."
      })
  private String restoreDirectory;

  @Override
  public Integer call() throws IOException {
    if (snapshot.isBlank()) {
      throw new CliException("SNAPSHOT is the name of one, not '" + snapshot + "'");
    }
    Scan scan = options.addTo(new Scan());
    Configuration client = configuration();
    FileSystem fs = CommonFSUtils.getRootDirFileSystem(client);
    org.apache.hadoop.fs.Path restored;
    try {
      restored =
          fs.makeQualified(
              new org.apache.hadoop.fs.Path(
                  restoreDirectory, "ishbase-snapshot-" + UUID.randomUUID()));
    } catch (IllegalArgumentException e) {
      throw new CliException(
          "--restore-dir is a directory of the file system of hbase.rootdir, "
              + fs.getUri()
              + ": "
              + e.getMessage(),
          e);
    }
    fs.mkdirs(restored, OWN);
    // Also after an interrupt.
    fs.deleteOnExit(restored);
    long rows;
    try {
      rows = scan(client, restored, scan);
    } finally {
      fs.delete(restored, true);
    }
    if (count) {
      System.out.println(rows);
    }
    System.err.println(rows + " rows; " + sources());
    return 0;
  }

  /** Prints the rows, or counts them. */
  private long scan(Configuration client, org.apache.hadoop.fs.Path restored, Scan scan)
      throws IOException {
    long rows = 0;
    try (InStorageSnapshotScanner scanner =
        new InStorageSnapshotScanner(client, restored, snapshot, scan)) {
      for (Result row = scanner.next(); row != null; row = scanner.next()) {
        rows++;
        if (!count) {
          Column.print(row);
          if (System.out.checkError()) {
            break;
          }
        }
      }
    } catch (SnapshotDoesNotExistException e) {
      throw new CliException(e.getMessage(), e);
    }
    return rows;
  }

  private Configuration configuration() {
    Path directory = conf == null ? ownConf() : conf;
    Configuration client = HBaseConfiguration.create();
    if (!Files.isReadable(directory.resolve(HBASE))) {
      throw new CliException("--conf: there is no " + HBASE + " in " + directory);
    }
    for (String file : SITE) {
      Path site = directory.resolve(file);
      // Hadoop's may be in HADOOP_CONF_DIR, which is on the class path.
      if (Files.isReadable(site)) {
        client.addResource(new org.apache.hadoop.fs.Path(site.toUri()));
      }
    }
    return client;
  }

  private static Path ownConf() {
    return Home.isRelease()
        ? Path.of(System.getenv("HBASE_CONF_DIR"))
        : Home.running().clientConf();
  }

  private static String sources() {
    InStorageMetrics metrics = InStorageMetrics.get();
    String reasons =
        Stream.of(Reason.values())
            .filter(reason -> metrics.fallbacks(reason) > 0)
            .map(reason -> "; from HDFS because " + reason.description())
            .collect(Collectors.joining());
    return metrics.inStorageBytes()
        + " bytes from storage daemons, "
        + InStorageMetrics.blockBytes()
        + " from HDFS"
        + reasons;
  }
}
