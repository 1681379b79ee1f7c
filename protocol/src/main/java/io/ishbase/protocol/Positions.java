package io.ishbase.protocol;

import io.ishbase.protocol.generated.IssnProtos.Position;
import java.util.BitSet;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellComparator;
import org.apache.hadoop.hbase.ExtendedCell;
import org.apache.hadoop.hbase.KeyValue;
import org.apache.hadoop.hbase.PrivateCellUtil;
import org.apache.hbase.thirdparty.com.google.protobuf.ByteString;
import org.apache.hbase.thirdparty.com.google.protobuf.UnsafeByteOperations;

/** Places in the merged order of a request's files. */
public final class Positions {
  /** By code. What has another one cannot even be printed. */
  private static final BitSet TYPES = new BitSet();

  static {
    for (KeyValue.Type type : KeyValue.Type.values()) {
      TYPES.set(Byte.toUnsignedInt(type.getCode()));
    }
  }

  private Positions() {}

  /** Before the first cell with the key of {@code seekKey}. */
  public static Position atKey(Cell seekKey) {
    return Position.newBuilder().setKey(key(seekKey)).build();
  }

  /** Exactly at {@code cell} of the file with index {@code file}. */
  public static Position atCell(ExtendedCell cell, int file) {
    return Position.newBuilder()
        .setKey(key(cell))
        .setSequenceId(cell.getSequenceId())
        .setFile(file)
        .build();
  }

  /** Just after {@code cell} of the file with index {@code file}. */
  public static Position afterCell(ExtendedCell cell, int file) {
    return atCell(cell, file).toBuilder().setAfter(true).build();
  }

  /** Whether it is at {@code cell} of the file with index {@code file}, or just after it. */
  public static boolean isAt(Position position, ExtendedCell cell, int file) {
    return position.hasSequenceId()
        && position.getSequenceId() == cell.getSequenceId()
        && position.getFile() == file
        && position.getKey().equals(key(cell));
  }

  /**
   * Whether the key of {@code position} is one, whose parts lie within it, of a type that there is.
   * Of no other may anything be asked.
   */
  public static boolean isSound(Position position) {
    ByteString key = position.getKey();
    int rest = key.size() - KeyValue.KEY_INFRASTRUCTURE_SIZE;
    if (rest < 0) {
      return false;
    }
    int row = (short) (key.byteAt(0) << 8 | key.byteAt(1) & 0xff);
    return row >= 0
        && row <= rest
        && isWithin(key.byteAt(KeyValue.ROW_LENGTH_SIZE + row), rest - row)
        && TYPES.get(Byte.toUnsignedInt(key.byteAt(key.size() - 1)));
  }

  /**
   * Whether {@code cell} of a file is one that HBase's own check of cells lets pass. Others, which
   * a client can make by hand, would be taken for an answer that came wrong.
   */
  public static boolean isSound(Cell cell) {
    return cell.getTimestamp() >= 0 && TYPES.get(Byte.toUnsignedInt(cell.getTypeByte()));
  }

  private static boolean isWithin(byte familyLength, int max) {
    return familyLength >= 0 && familyLength <= max;
  }

  /** The key of a position, to seek with. */
  public static KeyValue.KeyOnlyKeyValue seekKey(Position position) {
    return new KeyValue.KeyOnlyKeyValue(position.getKey().toByteArray());
  }

  /**
   * Whether {@code cell} of the file with index {@code file} sorts before {@code position}. Equal
   * keys sort by descending sequence id, then the newest file first.
   */
  public static boolean isBefore(
      CellComparator comparator, Cell cell, int file, Cell seekKey, Position position) {
    int order = PrivateCellUtil.compareKeyIgnoresMvcc(comparator, cell, seekKey);
    if (order != 0 || !position.hasSequenceId()) {
      return order < 0;
    }
    int bySequence = Long.compare(position.getSequenceId(), cell.getSequenceId());
    if (bySequence != 0) {
      return bySequence < 0;
    }
    return position.getAfter() ? file >= position.getFile() : file > position.getFile();
  }

  private static ByteString key(Cell cell) {
    return UnsafeByteOperations.unsafeWrap(PrivateCellUtil.getCellKeySerializedAsKeyValueKey(cell));
  }
}
