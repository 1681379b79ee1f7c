package io.ishbase.core.sizing;

import java.util.Set;

/**
 * What a JVM can do.
 *
 * @param release of Java: 17; 0: not known
 * @param flags names of the flags that it knows, without {@code -XX:}; none: not known
 */
public record JvmFeatures(int release, Set<String> flags) {
  public JvmFeatures {
    flags = Set.copyOf(flags);
  }

  boolean has(String flag) {
    return flags.contains(flag);
  }
}
