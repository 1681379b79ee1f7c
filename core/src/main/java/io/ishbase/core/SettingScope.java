package io.ishbase.core;

/** Where the value of a {@link Setting} may stand. */
public enum SettingScope {
  /** In {@code hbase-site.xml} of region servers and masters. */
  SITE("site"),
  /** As a value of a table. */
  TABLE("table"),
  /** As a value of a column family, which stands before the table's. */
  FAMILY("family"),
  /** As an attribute of a Get or Scan. */
  OPERATION("operation"),
  /** In {@code hbase-site.xml} of storage daemons. */
  DAEMON("daemon");

  private final String text;

  SettingScope(String text) {
    this.text = text;
  }

  @Override
  public String toString() {
    return text;
  }
}
