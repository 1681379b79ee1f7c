package io.ishbase.plugin.cache;

import static org.assertj.core.api.Assertions.assertThat;

import io.ishbase.core.cache.Change;
import io.ishbase.core.cache.Merge;
import io.ishbase.core.cache.SegmentCache;
import io.ishbase.core.cache.StoreCache;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.CellComparator;
import org.apache.hadoop.hbase.KeepDeletedCells;
import org.apache.hadoop.hbase.KeyValue;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.IsolationLevel;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.filter.Filter;
import org.apache.hadoop.hbase.filter.PageFilter;
import org.apache.hadoop.hbase.filter.TimestampsFilter;
import org.apache.hadoop.hbase.regionserver.ScanInfo;
import org.apache.hadoop.hbase.util.Bytes;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Each part of the rule on its own. */
class CacheVisibilityTest {
  private static final byte[] FAMILY = Bytes.toBytes("f");
  private static final byte[] WHOLE = Bytes.toBytes("whole");
  private static final byte[] TRIMMED = Bytes.toBytes("trimmed");
  private static final long TTL = 1000;
  private static final long TRIMMED_AT = 50;

  private final SegmentCache cache = new SegmentCache(SegmentCache.MIN_BUDGET_BYTES, () -> 0);
  private final StoreCache rows = cache.open("t");
  private final ScanInfo family = rules(2, 0, TTL, KeepDeletedCells.FALSE);
  private final CacheVisibility visibility =
      new CacheVisibility(family, true, rows, new RowCodec("f", null, () -> false));

  CacheVisibilityTest() {
    fill(WHOLE);
    fill(TRIMMED);
    visibility.trimming(TRIMMED_AT);
    visibility.trimming(TRIMMED_AT - 10);
    byte[] payload = payload(TRIMMED);
    try (Change change = rows.change()) {
      change.merge(
          TRIMMED, (columns, present, offset, length) -> new Merge.Merged(payload, true, true));
    }
  }

  @AfterEach
  void closeCache() {
    cache.close();
  }

  private void fill(byte[] row) {
    byte[] payload = payload(row);
    rows.put(rows.ticket(), row, null, payload, 0, payload.length, true);
  }

  /** A cell of sequence id 10. */
  private static byte[] payload(byte[] row) {
    KeyValue cell = new KeyValue(row, FAMILY, FAMILY, 1, row);
    cell.setSequenceId(10);
    return CachedRow.encode(List.of(cell));
  }

  private static ScanInfo rules(
      int versions, int minVersions, long ttl, KeepDeletedCells keepDeletedCells) {
    return new ScanInfo(
        new Configuration(false),
        ColumnFamilyDescriptorBuilder.newBuilder(FAMILY)
            .setMaxVersions(versions)
            .setMinVersions(minVersions)
            .setKeepDeletedCells(keepDeletedCells)
            .build(),
        ttl,
        0,
        CellComparator.getInstance());
  }

  private CacheVisibility.Reader plain() {
    return visibility.reader(new Scan(), family, Long.MAX_VALUE);
  }

  private CacheVisibility.Reader with(ScanInfo rules) {
    return visibility.reader(new Scan(), rules, Long.MAX_VALUE);
  }

  private CacheVisibility.Reader with(Scan scan) {
    return visibility.reader(scan, family, Long.MAX_VALUE);
  }

  private static String seen(CacheVisibility.Reader reader) {
    return (reader.find(WHOLE, null) == null ? "" : "whole ")
        + (reader.find(TRIMMED, null) == null ? "" : "trimmed ")
        + (reader.mayFill() ? "fills" : "");
  }

  @Test
  void aPlainReadSeesAll() {
    assertThat(seen(plain())).isEqualTo("whole trimmed fills");
    assertThat(plain().covers(WHOLE, null)).isTrue();
    assertThat(plain().covers(TRIMMED, null)).isTrue();
  }

  @Test
  void whoReadsBeforeRowsWereTrimmedSeesNoneOfThem() {
    assertThat(seen(visibility.reader(new Scan(), family, TRIMMED_AT)))
        .isEqualTo("whole trimmed fills");
    CacheVisibility.Reader old = visibility.reader(new Scan(), family, TRIMMED_AT - 1);
    assertThat(seen(old)).isEqualTo("whole fills");
    assertThat(old.covers(TRIMMED, null)).isFalse();
    visibility.trimming(TRIMMED_AT + 1);
    assertThat(seen(visibility.reader(new Scan(), family, TRIMMED_AT))).isEqualTo("whole fills");
  }

  @Test
  void whoSeesMarkersThatAreYetToComeSeesNoTrimmedRow() {
    Scan uncommitted = new Scan().setIsolationLevel(IsolationLevel.READ_UNCOMMITTED);
    assertThat(seen(with(uncommitted))).isEqualTo("whole fills");
  }

  @Test
  void cellsBeyondTheReadPointAreNotSeen() {
    CacheVisibility.Reader before = visibility.reader(new Scan(), family, 9);
    assertThat(before.find(WHOLE, null).next()).isNull();
    assertThat(visibility.reader(new Scan(), family, 10).find(WHOLE, null).next()).isNotNull();
  }

  @Test
  void whoChoseHisFilesBeforeARewriteEndedSeesNothing() {
    CacheVisibility.Reader before = plain();
    CacheVisibility.Reader during;
    try (Change change = rows.change()) {
      change.compacted();
      during = plain();
      assertThat(seen(during)).isEqualTo("whole trimmed fills");
    }
    assertThat(seen(before)).isEqualTo("fills");
    assertThat(seen(during)).isEqualTo("fills");
    assertThat(before.covers(WHOLE, null)).isFalse();
    assertThat(seen(plain())).isEqualTo("whole trimmed fills");
  }

  @Test
  void aFlushHidesNothingFromWhoBeganBefore() {
    CacheVisibility.Reader before = plain();
    byte[] payload = payload(WHOLE);
    try (Change change = rows.change()) {
      change.merge(
          WHOLE, (columns, present, offset, length) -> new Merge.Merged(payload, true, true));
    }
    assertThat(seen(before)).isEqualTo("whole trimmed fills");
  }

  @Test
  void whoMaySeeOlderVersionsSeesNoTrimmedRow() {
    for (ScanInfo rules :
        List.of(
            rules(3, 0, TTL, KeepDeletedCells.FALSE),
            rules(2, 0, TTL, KeepDeletedCells.TRUE),
            rules(Integer.MAX_VALUE, 0, TTL, KeepDeletedCells.TTL))) {
      assertThat(seen(with(rules))).isEqualTo("whole fills");
    }
    assertThat(seen(with(rules(1, 0, TTL, KeepDeletedCells.FALSE))))
        .isEqualTo("whole trimmed fills");
    for (Filter filter : List.of(new TimestampsFilter(List.of(1L)), new ByHint())) {
      assertThat(seen(with(new Scan().setFilter(filter)))).isEqualTo("whole fills");
    }
    assertThat(seen(with(new Scan().setFilter(new PageFilter(1)))))
        .isEqualTo("whole trimmed fills");
  }

  /** A filter that HBase does not ship. */
  private static final class ByHint extends org.apache.hadoop.hbase.filter.FilterBase {}

  @Test
  void aTimeRangeSeesWholeRowsAndFillsNone() throws Exception {
    assertThat(seen(with(new Scan().setTimeRange(0, 10)))).isEqualTo("whole ");
    assertThat(seen(with(new Scan().setColumnFamilyTimeRange(FAMILY, 0, 10)))).isEqualTo("whole ");
  }

  @Test
  void whoLooksBackFurtherFillsButSeesNothing() {
    assertThat(seen(with(rules(2, 0, TTL + 1, KeepDeletedCells.FALSE)))).isEqualTo("fills");
    assertThat(seen(with(rules(2, 1, TTL, KeepDeletedCells.FALSE)))).isEqualTo("fills");
    assertThat(with(rules(2, 1, TTL, KeepDeletedCells.FALSE)).mayUse()).isFalse();
  }

  @Test
  void whoLooksBackLessFarSeesButFillsNothing() {
    assertThat(seen(with(rules(2, 0, TTL - 1, KeepDeletedCells.FALSE))))
        .isEqualTo("whole trimmed ");
  }

  @Test
  void rawAndReverseScansNeitherSeeNorFill() {
    assertThat(seen(with(new Scan().setRaw(true)))).isEmpty();
    assertThat(seen(with(new Scan().setReversed(true)))).isEmpty();
  }

  @Test
  void whatIsNotToBeCachedIsNot() {
    assertThat(seen(with(new Scan().setCacheBlocks(false)))).isEqualTo("whole trimmed ");
    CacheVisibility ofNone =
        new CacheVisibility(family, false, rows, new RowCodec("f", null, () -> false));
    assertThat(ofNone.reader(new Scan(), family, 0).mayFill()).isFalse();
  }
}
