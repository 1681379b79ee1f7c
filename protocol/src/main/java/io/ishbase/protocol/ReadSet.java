package io.ishbase.protocol;

import io.ishbase.protocol.generated.IssnProtos.ReadRequest;
import io.ishbase.protocol.generated.IssnProtos.RowRange;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.List;
import org.apache.hbase.thirdparty.com.google.protobuf.ByteString;
import org.apache.hbase.thirdparty.com.google.protobuf.InvalidProtocolBufferException;

/**
 * What many reads of a store have in common: where it is, its files, how an answer is to be. It is
 * known by a handle, which is a hash of it, so that no two ends have to agree on one, and a wrong
 * one means nothing. Immutable.
 *
 * <p>A read has two forms, with one meaning and one checksum, which is that of the full one:
 *
 * <ul>
 *   <li>the full one, with all fields and ranges;
 *   <li>the short one, with a handle in place of the fields of the set, but for read point and
 *       bytes where they differ, and rows in place of ranges of one row each.
 * </ul>
 */
public final class ReadSet {
  private final ReadRequest common;
  private final long handle;
  private final int bytes;

  private ReadSet(ReadRequest common, byte[] encoded) {
    this.common = common;
    this.handle = hash(encoded);
    this.bytes = encoded.length;
  }

  /** That of {@code full}, of which it keeps nothing: that may lie in a buffer of HBase's RPC. */
  public static ReadSet of(ReadRequest full) {
    byte[] encoded = common(full).toByteArray();
    try {
      return new ReadSet(ReadRequest.parseFrom(encoded), encoded);
    } catch (InvalidProtocolBufferException e) {
      throw new IllegalStateException("It was encoded just now", e);
    }
  }

  private static ReadRequest common(ReadRequest full) {
    ReadRequest.Builder common =
        ReadRequest.newBuilder()
            .setVersion(full.getVersion())
            .setDirectory(full.getDirectory())
            .addAllFile(full.getFileList())
            .setReadPoint(full.getReadPoint());
    if (full.hasMaxBytes()) {
      common.setMaxBytes(full.getMaxBytes());
    }
    if (full.hasTrimVersions()) {
      common.setTrimVersions(full.getTrimVersions());
    }
    if (full.hasPack()) {
      common.setPack(full.getPack());
    }
    if (full.hasDictionary()) {
      common.setDictionary(full.getDictionary());
    }
    return common.build();
  }

  private static long hash(byte[] encoded) {
    try {
      return ByteBuffer.wrap(MessageDigest.getInstance("SHA-256").digest(encoded)).getLong();
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("Every JDK has it", e);
    }
  }

  public long handle() {
    return handle;
  }

  /** Encoded size. */
  public int bytes() {
    return bytes;
  }

  /** How many files it names. */
  public int files() {
    return common.getFileCount();
  }

  /** Whether it is that of {@code full}. */
  public boolean isOf(ReadRequest full) {
    return common(full).equals(common);
  }

  /** Whether {@code request} is in the short form. */
  public static boolean isShort(ReadRequest request) {
    return request.hasHandle() && !request.hasDirectory();
  }

  /** Whether a short form says what its handle says, too: then it is no sound one. */
  public static boolean contradicts(ReadRequest shortForm) {
    return shortForm.hasVersion()
        || shortForm.getFileCount() > 0
        || shortForm.hasTrimVersions()
        || shortForm.hasPack()
        || shortForm.hasDictionary()
        || shortForm.getRowCount() > 0 && shortForm.getRangeCount() > 0;
  }

  /** {@code full}, of which this is the set, and what that is to be known by from now on. */
  public ReadRequest taughtBy(ReadRequest full) {
    return full.toBuilder().setHandle(handle).build();
  }

  /**
   * The short form of a read that has all of the set but for its read point and its bytes, and says
   * how many bytes it wants if the set does.
   */
  public ReadRequest shortened(ReadRequest full) {
    ReadRequest.Builder shortForm =
        full.toBuilder()
            .clearVersion()
            .clearDirectory()
            .clearFile()
            .clearTrimVersions()
            .clearPack()
            .clearDictionary()
            .setHandle(handle);
    if (full.getReadPoint() == common.getReadPoint()) {
      shortForm.clearReadPoint();
    }
    if (full.getMaxBytes() == common.getMaxBytes()) {
      shortForm.clearMaxBytes();
    }
    List<RowRange> ranges = full.getRangeList();
    if (ranges.stream().allMatch(ReadSet::isOfOneRow)) {
      shortForm.clearRange();
      ranges.forEach(range -> shortForm.addRow(range.getStartRow()));
    }
    return shortForm.build();
  }

  /** The full form of one of its reads. */
  public ReadRequest expanded(ReadRequest shortForm) {
    ReadRequest.Builder full = common.toBuilder().mergeFrom(shortForm).clearHandle().clearRow();
    for (ByteString row : shortForm.getRowList()) {
      full.addRange(RowRange.newBuilder().setStartRow(row).setStopRow(row).setIncludeStop(true));
    }
    return full.build();
  }

  /** Whether it is as {@link #expanded} makes it. */
  private static boolean isOfOneRow(RowRange range) {
    return range.hasStartRow()
        && !range.hasIncludeStart()
        && range.hasStopRow()
        && range.getIncludeStop()
        && range.getStartRow().equals(range.getStopRow());
  }
}
