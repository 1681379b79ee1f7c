package io.ishbase.core.compaction;

import io.ishbase.core.Setting;
import org.jspecify.annotations.Nullable;

/**
 * What keeps a region server's block cache warm through a compaction that was carried out
 * elsewhere: the values of {@link Setting#COMPACTION_WARMUP}.
 */
public enum WarmUpMode {
  /** Nothing: reads switch to the new file and miss. */
  NONE("none"),
  /** Reads switch at once; misses are answered from the memory of the daemon that compacted. */
  REMOTE("remote"),
  /** Reads switch when all blocks are in the block cache. */
  PRE_SWITCH("pre-switch"),
  /** Reads of a row switch when its blocks are in the block cache; rows follow in their order. */
  INCREMENTAL("incremental"),
  /** The same at a bounded rate. */
  THROTTLED("throttled");

  private final String text;

  WarmUpMode(String text) {
    this.text = text;
  }

  /** The mode that a value of the setting names, or null if it names none. */
  public static @Nullable WarmUpMode of(String text) {
    for (WarmUpMode mode : values()) {
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
