package io.ishbase.it;

import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.filter.FilterBase;

/** Filters that HBase does not ship: cells whose value ends with a byte. */
final class OwnFilters {
  private OwnFilters() {}

  private abstract static class EndsWith extends FilterBase {
    private final byte last;

    EndsWith(byte last) {
      this.last = last;
    }

    @Override
    public ReturnCode filterCell(Cell cell) {
      int length = cell.getValueLength();
      return length > 0 && cell.getValueArray()[cell.getValueOffset() + length - 1] == last
          ? ReturnCode.INCLUDE
          : ReturnCode.SKIP;
    }

    @Override
    public byte[] toByteArray() {
      return new byte[] {last};
    }
  }

  /** Declared at region servers and daemons. */
  public static final class Declared extends EndsWith {
    Declared(byte last) {
      super(last);
    }

    public static Declared parseFrom(byte[] bytes) {
      return new Declared(bytes[0]);
    }
  }

  /** Declared at region servers, unknown to daemons. */
  public static final class UnknownThere extends EndsWith {
    UnknownThere(byte last) {
      super(last);
    }

    public static UnknownThere parseFrom(byte[] bytes) {
      return new UnknownThere(bytes[0]);
    }
  }

  /** Declared nowhere. */
  public static final class Undeclared extends EndsWith {
    Undeclared(byte last) {
      super(last);
    }

    public static Undeclared parseFrom(byte[] bytes) {
      return new Undeclared(bytes[0]);
    }
  }
}
