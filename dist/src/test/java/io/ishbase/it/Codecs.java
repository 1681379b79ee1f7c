package io.ishbase.it;

import java.io.IOException;
import java.util.List;
import java.util.stream.Stream;
import org.apache.hadoop.hbase.io.compress.Compression.Algorithm;
import org.apache.hadoop.hbase.util.CompressionTest;

/** The compressions that HBase has a codec for on this class path. */
public final class Codecs {
  public static final List<Algorithm> USABLE =
      Stream.of(Algorithm.values()).filter(Codecs::isUsable).toList();

  private Codecs() {}

  private static boolean isUsable(Algorithm algorithm) {
    try {
      CompressionTest.testCompression(algorithm);
      return true;
    } catch (IOException e) {
      return false;
    }
  }
}
