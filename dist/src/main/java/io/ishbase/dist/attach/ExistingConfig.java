package io.ishbase.dist.attach;

import io.ishbase.dist.CliException;
import java.io.IOException;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.jspecify.annotations.Nullable;

/**
 * The configuration of an HBase as its files have it.
 *
 * @param directory of HBase's files, as it was given
 * @param hdfs HDFS's own, a fresh one if there is none
 * @param environment empty if there is no {@code hbase-env.sh}
 * @param inForce what all of it sets together, without HBase's defaults
 * @param release HBase's, from the jars beside its configuration; empty if they are elsewhere
 */
record ExistingConfig(
    Path directory,
    SiteText hbase,
    SiteText hdfs,
    EnvText environment,
    Configuration inForce,
    Optional<String> release) {
  static final String HBASE = "hbase-site.xml";
  static final String HDFS = "hdfs-site.xml";
  static final String CORE = "core-site.xml";
  static final String ENVIRONMENT = "hbase-env.sh";

  /**
   * Each byte is a letter: whatever a file's encoding, what is not changed in it stays as it is.
   */
  static final Charset BYTES = StandardCharsets.ISO_8859_1;

  private static final Pattern SERVER_JAR = Pattern.compile("hbase-server-(\\d[\\w.-]*)\\.jar");

  /**
   * Reads it.
   *
   * @param hadoop the directory of Hadoop's files; null: they are in HBase's, if anywhere
   * @throws CliException if a directory is none, or has no such file, or one that cannot be read
   */
  static ExistingConfig read(Path hbase, Path hadoop) throws IOException {
    Path site = hbase.resolve(HBASE);
    if (!Files.exists(site)) {
      throw new CliException("--hbase-conf: there is no " + HBASE + " in " + hbase);
    }
    if (hadoop != null && !Files.exists(hadoop.resolve(HDFS))) {
      throw new CliException("--hadoop-conf: there is no " + HDFS + " in " + hadoop);
    }
    Path ofHdfs = hadoop == null ? hbase : hadoop;
    Path hdfs = ofHdfs.resolve(HDFS);
    Path environment = hbase.resolve(ENVIRONMENT);
    for (Path file : List.of(ofHdfs.resolve(CORE), hdfs, site, environment)) {
      // What is said to change in it would be all that it has.
      if (Files.exists(file) && !Files.isReadable(file)) {
        throw new CliException(file + " cannot be read: do it as a user who may");
      }
    }
    Configuration inForce = new Configuration(false);
    for (Path file : List.of(ofHdfs.resolve(CORE), hdfs, site)) {
      if (Files.exists(file)) {
        inForce.addResource(new org.apache.hadoop.fs.Path(file.toUri()));
      }
    }
    ExistingConfig config =
        new ExistingConfig(
            hbase,
            text(HBASE, site),
            Files.exists(hdfs) ? text(HDFS, hdfs) : SiteText.fresh(HDFS, hdfs),
            new EnvText(Files.exists(environment) ? Files.readString(environment, BYTES) : ""),
            inForce,
            release(hbase));
    // Each of them, so that the one that is wrong is named.
    config.hbase().properties();
    config.hdfs().properties();
    return config;
  }

  private static SiteText text(String name, Path file) throws IOException {
    return new SiteText(name, file, Files.readString(file, BYTES));
  }

  /** By the directory that HBase is delivered as. */
  private static Optional<String> release(Path conf) throws IOException {
    Path lib = conf.toRealPath().resolveSibling("lib");
    if (!Files.isDirectory(lib)) {
      return Optional.empty();
    }
    try (Stream<Path> jars = Files.list(lib)) {
      return jars.map(jar -> SERVER_JAR.matcher(jar.getFileName().toString()))
          .filter(Matcher::matches)
          .map(jar -> jar.group(1))
          .filter(release -> !release.endsWith("tests"))
          .findFirst();
    }
  }

  /** A property; null: not set, or with a variable that only the servers' environment has. */
  @Nullable String known(String key) {
    String value = inForce.get(key);
    return value == null || value.contains("${") ? null : value;
  }

  /** A property, trimmed; empty if it is not set. */
  String get(String key) {
    return inForce.getTrimmed(key, "");
  }
}
