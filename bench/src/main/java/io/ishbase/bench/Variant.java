package io.ishbase.bench;

import java.util.Arrays;
import java.util.List;
import java.util.function.Function;

/**
 * One of the things that are compared.
 *
 * @param name as the report calls it
 * @param counters what grows with this variant alone, beside the network's bytes
 */
public record Variant(String name, Load load, Counters counters) {
  public static Variant of(String name, Load load) {
    return new Variant(name, load, Counters.NONE);
  }

  /** Stock and in-storage reads of the same data. */
  public static List<Variant> modes(Function<Mode, Load> load) {
    return Arrays.stream(Mode.values()).map(mode -> of(mode.toString(), load.apply(mode))).toList();
  }
}
