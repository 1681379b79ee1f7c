package io.ishbase.dist;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.security.UserGroupInformation;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The cluster of a command that asks HDFS, too. */
final class TargetFiles {
  private static final String HBASE = "hbase-site.xml";

  private static final List<String> SITES =
      List.of("core-site.xml", "hdfs-site.xml", HBASE, "ssl-client.xml");

  private static final List<String> DEFAULTS =
      List.of("core-default.xml", "hdfs-default.xml", "hbase-default.xml");

  @Mixin private TargetCluster cluster;

  @Option(
      names = "--hbase-conf",
      paramLabel = "DIR",
      description = {
        "Of the cluster that this configuration is of: a directory with hbase-site.xml and, for HDFS,",
        "core-site.xml and hdfs-site.xml."
      })
  private Path directory;

  @Option(
      names = "--hadoop-conf",
      paramLabel = "DIR",
      description = "Directory with core-site.xml and hdfs-site.xml; the same unless said.")
  private Path hadoop;

  /** The configuration of a client of its HBase and HDFS. */
  Configuration configuration() {
    if (directory == null) {
      Configuration conf = cluster.configuration();
      if (cluster.isLocal()) {
        addSites(conf, Home.running().clientConf());
      }
      addSitesOfHadoop(conf);
      if (cluster.isNamed() && (hadoop == null || !Files.isReadable(hadoop.resolve(HBASE)))) {
        // What is read once more has that of the class path.
        conf.unset(HConstants.HBASE_DIR);
      }
      return conf;
    }
    if (cluster.isNamed()) {
      throw new CliException("--zookeeper or --hbase-conf, not both");
    }
    if (!Files.isReadable(directory.resolve(HBASE))) {
      throw new CliException("--hbase-conf: there is no hbase-site.xml in " + directory);
    }
    // Without the sites of the class path, which may be another cluster's.
    Configuration conf = new Configuration(false);
    DEFAULTS.forEach(conf::addResource);
    addSitesOfHadoop(conf);
    addSites(conf, directory);
    UserGroupInformation.setConfiguration(conf);
    return conf;
  }

  private void addSitesOfHadoop(Configuration conf) {
    if (hadoop == null) {
      return;
    }
    if (!Files.isReadable(hadoop.resolve("hdfs-site.xml"))) {
      throw new CliException("--hadoop-conf: there is no hdfs-site.xml in " + hadoop);
    }
    addSites(conf, hadoop);
  }

  private static void addSites(Configuration conf, Path directory) {
    for (String file : SITES) {
      Path site = directory.resolve(file);
      if (Files.isReadable(site)) {
        conf.addResource(new org.apache.hadoop.fs.Path(site.toUri()));
      }
    }
  }
}
