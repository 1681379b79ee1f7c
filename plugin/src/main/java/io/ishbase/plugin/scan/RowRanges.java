package io.ishbase.plugin.scan;

import io.ishbase.protocol.generated.IssnProtos.RowRange;
import org.apache.hbase.thirdparty.com.google.protobuf.ByteString;
import org.apache.hbase.thirdparty.com.google.protobuf.UnsafeByteOperations;
import org.jspecify.annotations.Nullable;

/** Makes ranges of rows for requests; they keep the arrays that they are made of. */
public final class RowRanges {
  private RowRanges() {}

  /** The rows from {@code from} on, before {@code to}; null: to the last. */
  public static RowRange of(byte[] from, byte @Nullable [] to) {
    RowRange.Builder range =
        RowRange.newBuilder().setStartRow(UnsafeByteOperations.unsafeWrap(from));
    if (to != null) {
      range.setStopRow(UnsafeByteOperations.unsafeWrap(to));
    }
    return range.build();
  }

  /** One row. */
  public static RowRange of(byte[] row) {
    ByteString bytes = UnsafeByteOperations.unsafeWrap(row);
    return RowRange.newBuilder().setStartRow(bytes).setStopRow(bytes).setIncludeStop(true).build();
  }
}
