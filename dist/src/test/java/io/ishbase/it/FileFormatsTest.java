package io.ishbase.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.ishbase.plugin.metrics.InStorageMetrics;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.hbase.CompareOperator;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptor;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.filter.BinaryComparator;
import org.apache.hadoop.hbase.filter.QualifierFilter;
import org.apache.hadoop.hbase.io.compress.Compression.Algorithm;
import org.apache.hadoop.hbase.io.crypto.KeyProviderForTesting;
import org.apache.hadoop.hbase.io.encoding.DataBlockEncoding;
import org.apache.hadoop.hbase.regionserver.HStore;
import org.apache.hadoop.hbase.regionserver.HStoreFile;
import org.apache.hadoop.hbase.util.Bytes;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * Every kind of HFile that HBase writes on this class path is read in-storage: all compressions and
 * data-block encodings, encrypted or not. The cells have tags.
 */
class FileFormatsTest {
  private static final int ROWS = 150;
  private static final byte[][] QUALIFIERS = Bytes.toByteArrays(new String[] {"a", "b", "c"});

  private static MiniCluster cluster;

  @BeforeAll
  static void start() throws Exception {
    cluster =
        MiniCluster.start(
            conf -> {
              conf.set(
                  HConstants.CRYPTO_KEYPROVIDER_CONF_KEY, KeyProviderForTesting.class.getName());
              conf.set(HConstants.CRYPTO_MASTERKEY_NAME_CONF_KEY, "hbase");
              conf.setBoolean("ishbase.encrypted", true);
              conf.setInt("ishbase.batch.first.bytes", 4096);
            });
    cluster.startDaemons();
  }

  @AfterAll
  static void stop() throws Exception {
    cluster.close();
  }

  @Test
  void allAreReadInStorage() throws Exception {
    System.out.println("compressions: " + Codecs.USABLE);
    assertThat(Codecs.USABLE).contains(Algorithm.NONE, Algorithm.GZ, Algorithm.SNAPPY);
    List<ColumnFamilyDescriptor> families = new ArrayList<>();
    for (Algorithm compression : Codecs.USABLE) {
      for (DataBlockEncoding encoding : DataBlockEncoding.values()) {
        families.add(family(compression, encoding, false));
        families.add(family(compression, encoding, true));
      }
    }
    TableName name = TableName.valueOf("formats");
    cluster
        .util
        .getAdmin()
        .createTable(
            TableDescriptorBuilder.newBuilder(name)
                .setColumnFamilies(families)
                .setCompactionEnabled(false)
                .build());
    fill(name, families);
    for (ColumnFamilyDescriptor family : families) {
      checkFormat(name, family);
      Scan scan = new Scan().addFamily(family.getName());
      assertReadInStorage(name, scan);
      assertReadInStorage(name, new Scan(scan).setReversed(true));
      assertReadInStorage(
          name,
          new Scan(scan)
              .setFilter(
                  new QualifierFilter(
                      CompareOperator.GREATER, new BinaryComparator(QUALIFIERS[0]))));
    }
  }

  private static void assertReadInStorage(TableName name, Scan scan) throws Exception {
    long cells = InStorageMetrics.get().cells();
    ReadCheck.equal(cluster.connection(), name, scan, null, true);
    assertThat(InStorageMetrics.get().cells()).as(scan.toString()).isGreaterThan(cells + ROWS);
  }

  private static ColumnFamilyDescriptor family(
      Algorithm compression, DataBlockEncoding encoding, boolean isEncrypted) {
    ColumnFamilyDescriptorBuilder family =
        ColumnFamilyDescriptorBuilder.newBuilder(
                Bytes.toBytes(compression + "_" + encoding + (isEncrypted ? "_AES" : "")))
            .setCompressionType(compression)
            .setDataBlockEncoding(encoding)
            .setCompressTags(encoding != DataBlockEncoding.NONE)
            .setBlocksize(2048);
    if (isEncrypted) {
      family.setEncryptionType("AES");
    }
    return family.build();
  }

  /** Two files for each family, the second with newer cells, tags and deletes. */
  private static void fill(TableName name, List<ColumnFamilyDescriptor> families) throws Exception {
    try (Table table = cluster.connection().getTable(name)) {
      for (int file = 0; file < 2; file++) {
        List<Put> puts = new ArrayList<>();
        for (int row = 0; row < ROWS; row += 1 + file) {
          Put put = new Put(RandomCells.row(row));
          if (row % 5 == 0) {
            put.setTTL(3_600_000);
          }
          for (ColumnFamilyDescriptor family : families) {
            for (byte[] qualifier : QUALIFIERS) {
              put.addColumn(
                  family.getName(), qualifier, Bytes.toBytes("value " + row + " of " + file));
            }
          }
          puts.add(put);
        }
        table.put(puts);
        if (file == 1) {
          for (ColumnFamilyDescriptor family : families) {
            table.delete(new Delete(RandomCells.row(7)).addFamily(family.getName()));
            table.delete(
                new Delete(RandomCells.row(8)).addColumns(family.getName(), QUALIFIERS[1]));
          }
        }
        cluster.util.flush(name);
      }
    }
  }

  /** The files are of the kind that the test is about. */
  private static void checkFormat(TableName name, ColumnFamilyDescriptor family) {
    HStore store = cluster.regions(name).get(0).getStore(family.getName());
    assertThat(store.getStorefiles()).hasSize(2);
    for (HStoreFile file : store.getStorefiles()) {
      var reader = file.getReader().getHFileReader();
      assertThat(reader.getDataBlockEncoding()).isEqualTo(family.getDataBlockEncoding());
      assertThat(reader.getTrailer().getCompressionCodec()).isEqualTo(family.getCompressionType());
      assertThat(reader.getTrailer().getEncryptionKey() != null)
          .isEqualTo(family.getEncryptionType() != null);
    }
  }
}
