package io.ishbase.core;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/**
 * Which DataNodes HDFS gives no new blocks, because they are full, or on their way out of service,
 * as far as it has said so. DataNodes go by their data-transfer addresses. Thread safe.
 */
public final class WriteTargets {
  /**
   * One of which nothing is heard for so long may be a target again. That it is, another block that
   * it was given mostly says long before.
   */
  static final long FORGOTTEN_MILLIS = TimeUnit.DAYS.toMillis(1);

  /** When those that are none were last said to be none. */
  private final Map<String, Long> refusing = new ConcurrentHashMap<>();

  /** Takes note of what HDFS said of a DataNode just now. */
  public void learn(String dataNode, boolean takesBlocks, long nowMillis) {
    if (takesBlocks) {
      refusing.remove(dataNode);
    } else {
      refusing.put(dataNode, nowMillis);
    }
  }

  /** Whether a DataNode may be given new blocks. */
  public boolean takesBlocks(String dataNode, long nowMillis) {
    Long said = refusing.get(dataNode);
    if (said == null) {
      return true;
    }
    return nowMillis - said >= FORGOTTEN_MILLIS && refusing.remove(dataNode, said);
  }
}
