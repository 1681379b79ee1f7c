package io.ishbase.plugin.local;

import java.util.Optional;
import org.apache.hadoop.hbase.KeepDeletedCells;
import org.apache.hadoop.hbase.coprocessor.ObserverContext;
import org.apache.hadoop.hbase.coprocessor.RegionCoprocessor;
import org.apache.hadoop.hbase.coprocessor.RegionCoprocessorEnvironment;
import org.apache.hadoop.hbase.coprocessor.RegionObserver;
import org.apache.hadoop.hbase.regionserver.ScanOptions;
import org.apache.hadoop.hbase.regionserver.Store;
import org.apache.hadoop.hbase.util.Bytes;

/** A coprocessor that has a read see by other rules than the family's, if the read asks for it. */
public final class OtherRules implements RegionCoprocessor, RegionObserver {
  /** What a read asks for: words with commas between them. */
  static final String ATTRIBUTE = "rules";

  @Override
  public Optional<RegionObserver> getRegionObserver() {
    return Optional.of(this);
  }

  @Override
  public void preStoreScannerOpen(
      ObserverContext<RegionCoprocessorEnvironment> context, Store store, ScanOptions options) {
    byte[] asked = options.getScan().getAttribute(ATTRIBUTE);
    if (asked == null) {
      return;
    }
    for (String word : Bytes.toString(asked).split(",")) {
      switch (word) {
        case "more-versions" -> options.setMaxVersions(options.getMaxVersions() + 2);
        case "one-version" -> options.setMaxVersions(1);
        case "for-ever" -> options.setTTL(Long.MAX_VALUE);
        case "less-long" -> options.setTTL(300);
        case "keep" -> options.setKeepDeletedCells(KeepDeletedCells.TRUE);
        case "keep-ttl" -> options.setKeepDeletedCells(KeepDeletedCells.TTL);
        case "keep-none" -> options.setKeepDeletedCells(KeepDeletedCells.FALSE);
        case "at-least-two" -> options.setMinVersions(2);
        case "at-least-none" -> options.setMinVersions(0);
        default -> throw new IllegalArgumentException(word);
      }
    }
  }
}
