package io.ishbase.bench;

import io.ishbase.cluster.Mode;
import io.ishbase.cluster.Progress;
import io.ishbase.cluster.Tables;
import java.io.IOException;
import java.net.URI;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.BufferedMutator;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.util.Bytes;

/**
 * Every class file of the running JDK as a table: row = module and path, columns = size, SHA-256
 * and bytes. Some 30,000 real values from hundreds of bytes to hundreds of kilobytes.
 */
public final class JdkClasses {
  private static final TableName NAME = TableName.valueOf("jdk_classes");
  private static final byte[] FAMILY = Bytes.toBytes("f");
  private static final byte[] SIZE = Bytes.toBytes("size");
  private static final byte[] SHA256 = Bytes.toBytes("sha256");
  private static final byte[] BYTES = Bytes.toBytes("bytes");
  private static final int STORERS = 4;
  private static final int SCAN_ROWS = 200;

  /** A directory for each module of the running JDK. */
  public static final Path MODULES =
      FileSystems.getFileSystem(URI.create("jrt:/")).getPath("/modules");

  private final Connection connection;
  private final int readers;
  private final List<Path> files;

  /** What was stored: SHA-256 by row. */
  private final Map<String, byte[]> stored = new ConcurrentHashMap<>();

  private final AtomicLong storedBytes = new AtomicLong();

  /** Finds the class files; {@code readers} threads will read by Get. */
  public JdkClasses(Connection connection, int readers) throws IOException {
    this.connection = connection;
    this.readers = readers;
    this.files = new ArrayList<>(files());
  }

  /** As the other, with the class files of one module alone. */
  public JdkClasses(Connection connection, int readers, String module) throws IOException {
    this(connection, readers);
    files.removeIf(file -> !file.startsWith(MODULES.resolve(module)));
  }

  /** The class files of the running JDK, in the order of their paths below {@link #MODULES}. */
  public static List<Path> files() throws IOException {
    try (Stream<Path> tree = Files.walk(MODULES)) {
      return tree.filter(path -> path.toString().endsWith(".class"))
          .sorted(Comparator.comparing(Path::toString))
          .toList();
    }
  }

  /** Class files stored. */
  public int count() {
    return stored.size();
  }

  /** Bytes of the class files stored. */
  public long bytes() {
    return storedBytes.get();
  }

  /** Stores all and writes the memstore out. */
  public void store() throws IOException {
    Tables.recreate(
        connection,
        TableDescriptorBuilder.newBuilder(NAME)
            .setColumnFamily(ColumnFamilyDescriptorBuilder.of(FAMILY))
            .build());
    try (Progress progress = new Progress("storing the JDK's class files", files.size());
        BufferedMutator table = connection.getBufferedMutator(NAME)) {
      Workers.run(
          STORERS,
          worker -> {
            for (Path file : Workers.slice(files, worker, STORERS)) {
              table.mutate(put(file));
              progress.add(1);
            }
          });
      table.flush();
      progress.note("flush");
      Tables.flush(connection, NAME);
      progress.done(count() + " files, " + bytes() / 1_000_000 + " MB");
    }
  }

  private Put put(Path file) throws IOException {
    byte[] content = Files.readAllBytes(file);
    byte[] digest = sha256(content);
    String row = file.toString().substring("/modules/".length());
    stored.put(row, digest);
    storedBytes.addAndGet(content.length);
    return new Put(Bytes.toBytes(row))
        .addColumn(FAMILY, SIZE, Bytes.toBytes((long) content.length))
        .addColumn(FAMILY, SHA256, digest)
        .addColumn(FAMILY, BYTES, content);
  }

  /** Reads all by Get and checks each. */
  public void checkByGet(Mode mode) throws IOException {
    List<String> rows = new ArrayList<>(stored.keySet());
    try (Progress progress = new Progress("reading them by Get, " + mode, rows.size())) {
      Workers.run(
          readers,
          worker -> {
            try (Table table = connection.getTable(NAME)) {
              for (String row : Workers.slice(rows, worker, readers)) {
                check(mode, row, table.get(mode.on(new Get(Bytes.toBytes(row)))));
                progress.add(1);
              }
            }
          });
      progress.done("all " + rows.size() + " SHA-256 are right");
    }
  }

  /**
   * Reads all by one Scan and checks each, and that none is missing, twice there or out of order.
   */
  public void checkByScan(Mode mode) throws IOException {
    try (Progress progress = new Progress("reading them by Scan, " + mode, stored.size());
        Table table = connection.getTable(NAME);
        ResultScanner scanner =
            table.getScanner(mode.on(new Scan().setCaching(SCAN_ROWS).setCacheBlocks(false)))) {
      int count = 0;
      byte[] before = new byte[0];
      for (Result row : scanner) {
        if (Bytes.compareTo(before, row.getRow()) >= 0) {
          throw new IOException(mode + " Scan: row out of order: " + Bytes.toString(row.getRow()));
        }
        before = row.getRow();
        check(mode, Bytes.toString(before), row);
        count++;
        progress.add(1);
      }
      if (count != stored.size()) {
        throw new IOException(mode + " Scan: " + count + " rows instead of " + stored.size());
      }
      progress.done("all " + count + " SHA-256 are right");
    }
  }

  private void check(Mode mode, String row, Result result) throws IOException {
    byte[] expected = stored.get(row);
    byte[] content = result.getValue(FAMILY, BYTES);
    byte[] size = result.getValue(FAMILY, SIZE);
    if (expected == null
        || content == null
        || size == null
        || Bytes.toLong(size) != content.length
        || !Arrays.equals(expected, result.getValue(FAMILY, SHA256))
        || !Arrays.equals(expected, sha256(content))) {
      throw new IOException(mode + " read a wrong answer for row " + row + ": " + result);
    }
  }

  private static byte[] sha256(byte[] content) {
    try {
      return MessageDigest.getInstance("SHA-256").digest(content);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e); // Every JDK has it.
    }
  }
}
