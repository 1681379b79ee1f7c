package io.ishbase.cluster;

import java.nio.charset.StandardCharsets;
import java.util.List;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Scan;

/** How a read is to be answered; asked for by an attribute of the operation. */
public enum Mode {
  STOCK("stock"),
  IN_STORAGE("in-storage"),
  AUTO("auto");

  /** The two that every scenario compares unless it is told otherwise. */
  public static final List<Mode> PLAIN = List.of(STOCK, IN_STORAGE);

  private static final String ATTRIBUTE = "ishbase.read";

  private final String text;
  private final byte[] value;

  Mode(String text) {
    this.text = text;
    this.value = text.getBytes(StandardCharsets.UTF_8);
  }

  /**
   * The mode of that name.
   *
   * @throws IllegalArgumentException if there is none
   */
  public static Mode of(String text) {
    for (Mode mode : values()) {
      if (mode.text.equals(text)) {
        return mode;
      }
    }
    throw new IllegalArgumentException("'" + text + "' is none of stock, in-storage, auto");
  }

  public Get on(Get get) {
    get.setAttribute(ATTRIBUTE, value);
    return get;
  }

  public Scan on(Scan scan) {
    scan.setAttribute(ATTRIBUTE, value);
    return scan;
  }

  @Override
  public String toString() {
    return text;
  }
}
