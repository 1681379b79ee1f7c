package io.ishbase.daemon.compaction;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hbase.KeyValue;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptor;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.io.compress.Compression;
import org.apache.hadoop.hbase.io.encoding.DataBlockEncoding;
import org.apache.hadoop.hbase.util.Bytes;

/**
 * Processor time of compactions with and without copied blocks, on the local file system: no test,
 * run by hand. Arguments: bytes of a value, cells of a file, codec, encoding, {@code apart} or
 * {@code mixed} for the rows of the four files.
 */
final class BlockCopyTimes {
  private static final int FILES = 4;
  private static final ThreadMXBean TIMES = ManagementFactory.getThreadMXBean();

  private BlockCopyTimes() {}

  public static void main(String[] args) throws Exception {
    int valueBytes = Integer.parseInt(args[0]);
    int cells = Integer.parseInt(args[1]);
    boolean apart = args[4].equals("apart");
    ColumnFamilyDescriptor family =
        ColumnFamilyDescriptorBuilder.newBuilder(Bytes.toBytes("f"))
            .setCompressionType(Compression.Algorithm.valueOf(args[2]))
            .setDataBlockEncoding(DataBlockEncoding.valueOf(args[3]))
            .build();
    java.nio.file.Path directory = Files.createTempDirectory("block-copy");
    LocalStore store = new LocalStore(directory, family);
    Random random = new Random(1);
    long bytes = 0;
    for (int file = 0; file < FILES; file++) {
      List<KeyValue> content = new ArrayList<>();
      for (int cell = 0; cell < cells; cell++) {
        int number = apart ? file * cells + cell : cell * FILES + file;
        byte[] value = new byte[valueBytes];
        // About half of it can be compressed.
        for (int i = 0; i < valueBytes; i += 2) {
          value[i] = (byte) random.nextInt();
        }
        KeyValue keyValue =
            new KeyValue(
                Bytes.toBytes(String.format("user%012d", number)),
                Bytes.toBytes("f"),
                Bytes.toBytes("q"),
                1_700_000_000_000L + number,
                value);
        keyValue.setSequenceId(number + 1);
        content.add(keyValue);
      }
      Path path = store.add(content, store.usual());
      bytes += store.fs().getFileStatus(path).getLen();
    }
    List<Double> ratios = new ArrayList<>();
    for (int round = 0; round < 7; round++) {
      double[] seconds = new double[2];
      long copied = 0;
      for (int i = 0; i < 2; i++) {
        boolean copy = (i + round) % 2 == 0;
        System.gc();
        // Of this thread's processor time, so that others on the machine do not count.
        long start = TIMES.getCurrentThreadCpuTime();
        LocalStore.Output output = store.compact(copy, true, true, Long.MAX_VALUE / 2);
        seconds[copy ? 1 : 0] = (TIMES.getCurrentThreadCpuTime() - start) / 1e9;
        copied += output.copiedBlocks();
        store.fs().delete(output.file(), false);
      }
      System.out.printf(
          "%d MB, merged %.3f s, copied %.3f s, ratio %.2f, %d blocks%n",
          bytes >> 20, seconds[0], seconds[1], seconds[1] / seconds[0], copied);
      ratios.add(seconds[1] / seconds[0]);
    }
    // The first two warm up.
    Collections.sort(ratios.subList(2, 7));
    System.out.printf("%s: median ratio %.2f%n", String.join(" ", args), ratios.get(4));
    try (var files = Files.walk(directory)) {
      files.sorted(Collections.reverseOrder()).forEach(file -> file.toFile().delete());
    }
  }
}
