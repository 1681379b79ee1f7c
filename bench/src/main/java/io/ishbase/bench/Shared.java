package io.ishbase.bench;

import java.io.IOException;
import java.util.HashMap;
import java.util.Map;

/** What scenarios that run on the same cluster leave to each other. */
public final class Shared {
  /** Loads a table. */
  @FunctionalInterface
  public interface Loading<T> {
    T load() throws IOException;
  }

  private final Map<String, Object> tables = new HashMap<>();
  private boolean warm;

  /**
   * The table of that name, loaded now unless it is there. Nobody changes it later. A name always
   * has the same type.
   */
  @SuppressWarnings("unchecked")
  public <T> T table(String name, Loading<T> loading) throws IOException {
    Object table = tables.get(name);
    if (table == null) {
      table = loading.load();
      tables.put(name, table);
    }
    return (T) table;
  }

  /** Whether the servers have been warmed up; they count as warm from now on. */
  boolean warm() {
    boolean before = warm;
    warm = true;
    return before;
  }
}
