package io.ishbase.sim.design;

import io.ishbase.sim.workload.Parameters;
import io.ishbase.sim.workload.RequestStream;
import java.util.Locale;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** What is compared side by side: a design, or a bound on all of them. */
public interface Contender {
  /** Its name in figures. */
  String label();

  /**
   * One of it; to be closed if it can be.
   *
   * @param data that it reads
   * @param server where it lives
   * @param load the requests that will come, from the first on; only bounds look at it
   */
  Design make(
      Parameters parameters,
      Data data,
      RegionServer server,
      Supplier<? extends RequestStream> load);

  /**
   * The one of a label. Of the seed's designs the end is enough: {@code SA}. Case does not matter.
   *
   * @throws IllegalArgumentException if there is none
   */
  static Contender named(String name) {
    String wanted = name.strip().toLowerCase(Locale.ROOT);
    return all()
        .filter(
            each -> {
              String label = each.label().toLowerCase(Locale.ROOT);
              return label.equals(wanted) || label.replaceFirst("(is-)?hbase-", "").equals(wanted);
            })
        .findFirst()
        .orElseThrow(
            () ->
                new IllegalArgumentException(
                    "No design '"
                        + name.strip()
                        + "': there are "
                        + all().map(Contender::label).collect(Collectors.joining(", "))));
  }

  private static Stream<Contender> all() {
    return Stream.concat(Stream.of(Designs.values()), Stream.of(Bounds.values()));
  }
}
