package io.ishbase.core;

import org.jspecify.annotations.Nullable;

/** How reads of a table, family or operation are answered: the values of {@link Setting#READ}. */
public enum ReadMode {
  /** By HBase's own read path. */
  STOCK("stock"),
  /** By the daemons where that is faster, as a {@link Gate} finds. */
  AUTO("auto"),
  /** By the storage daemons, with HBase's own read path as the way home. */
  IN_STORAGE("in-storage");

  private final String text;

  ReadMode(String text) {
    this.text = text;
  }

  /** The mode that a value of {@link Setting#READ} names, or null if it names none. */
  public static @Nullable ReadMode of(String text) {
    for (ReadMode mode : values()) {
      if (mode.text.equals(text)) {
        return mode;
      }
    }
    return null;
  }

  @Override
  public String toString() {
    return text;
  }
}
