package io.ishbase.archetypes.metrics;

import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Not all increments of a flush are known to have been applied. Those that it does not name have
 * been, each once, but for one that HBase's client sent again to another server. None of those it
 * names is sent again unless the caller does so.
 */
public final class IncrementsException extends IOException {
  private static final long serialVersionUID = 1;

  private final transient List<Delta> refused;
  private final transient List<Delta> unknown;
  private final transient List<Delta> nearlyFull;

  IncrementsException(
      List<Delta> refused, List<Delta> unknown, List<Delta> nearlyFull, @Nullable Throwable cause) {
    super(
        "%d increments were refused, of %d it is not known whether they were applied%s%s"
            .formatted(
                refused.size(),
                unknown.size(),
                nearlyFull.isEmpty()
                    ? ""
                    : "; %d counters are beyond 2^62 and take no more, as %s"
                        .formatted(nearlyFull.size(), nearlyFull.get(0)),
                cause == null ? "" : ": " + cause.getMessage()),
        cause);
    this.refused = List.copyOf(refused);
    this.unknown = List.copyOf(unknown);
    this.nearlyFull = List.copyOf(nearlyFull);
  }

  /**
   * Those that HBase refused (no such table or family, no right to write, ...), and those that were
   * not sent because of it. They have not been applied, except if the answer to an earlier attempt
   * of HBase's client was lost and HBase began to refuse only then.
   */
  public List<Delta> refused() {
    return refused;
  }

  /**
   * Those to which no answer came before HBase's client gave up. Each was applied once or not at
   * all; twice only if its region went to another server between an attempt whose answer was lost
   * and the next.
   */
  public List<Delta> unknown() {
    return unknown;
  }

  /**
   * Those that were applied, once, but left a counter beyond 2<sup>62</sup>. It is still right. The
   * writer takes nothing more for it.
   */
  public List<Delta> nearlyFull() {
    return nearlyFull;
  }
}
