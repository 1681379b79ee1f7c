package io.ishbase.bench;

import io.ishbase.cluster.Mode;
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

  /** Reads of the same data in each mode, the baseline first. */
  public static List<Variant> modes(List<Mode> modes, Function<Mode, Load> load) {
    return modes.stream().map(mode -> of(mode.toString(), load.apply(mode))).toList();
  }
}
