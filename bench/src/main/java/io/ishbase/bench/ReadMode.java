package io.ishbase.bench;

import org.apache.hadoop.hbase.client.OperationWithAttributes;
import org.apache.hadoop.hbase.util.Bytes;

/** The two ways in which one and the same table is read, and how a request asks for one of them. */
public enum ReadMode {
  STOCK("stock"),
  IN_STORAGE("in-storage");

  private static final String ATTRIBUTE = "ishbase.read";

  private final String text;

  ReadMode(String text) {
    this.text = text;
  }

  /** Makes {@code operation} be answered in this way, whatever the table is set to. */
  public <T extends OperationWithAttributes> T applyTo(T operation) {
    operation.setAttribute(ATTRIBUTE, Bytes.toBytes(text));
    return operation;
  }

  @Override
  public String toString() {
    return text;
  }
}
