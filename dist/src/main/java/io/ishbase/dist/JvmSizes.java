package io.ishbase.dist;

import java.math.BigInteger;
import java.util.OptionalLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Sizes of memory among the flags of a JVM, or in a script that starts one: the last one counts.
 */
public final class JvmSizes {
  private static final Pattern DIRECT =
      Pattern.compile(
          "-XX:MaxDirectMemorySize=(\\d+)([kKmMgGtT]?)|HBASE_OFFHEAPSIZE=[\"']?(\\d+)([kKmMgGtT]?)");
  private static final Pattern HEAP =
      Pattern.compile("-Xmx(\\d+)([kKmMgGtT]?)|HBASE_HEAPSIZE=[\"']?(\\d+)([kKmMgGtT]?)");

  private static final BigInteger MOST = BigInteger.valueOf(Long.MAX_VALUE);

  private JvmSizes() {}

  /**
   * Bytes of direct memory: what the flag says, or as much as the heap.
   *
   * @return empty if neither is said
   */
  public static OptionalLong direct(String text) {
    OptionalLong direct = last(DIRECT, text);
    return direct.isPresent() ? direct : last(HEAP, text);
  }

  // A bare number is bytes to the JVM, and megabytes to HBase's scripts.
  private static OptionalLong last(Pattern pattern, String text) {
    OptionalLong found = OptionalLong.empty();
    Matcher sizes = pattern.matcher(text);
    while (sizes.find()) {
      boolean isOfScript = sizes.group(3) != null;
      BigInteger number = new BigInteger(sizes.group(isOfScript ? 3 : 1));
      String unit = sizes.group(isOfScript ? 4 : 2);
      found =
          OptionalLong.of(
              number
                  .shiftLeft(shift(unit.isEmpty() && isOfScript ? "m" : unit))
                  .min(MOST)
                  .longValue());
    }
    return found;
  }

  private static int shift(String unit) {
    return unit.isEmpty() ? 0 : 10 * (1 + "kmgt".indexOf(Character.toLowerCase(unit.charAt(0))));
  }
}
