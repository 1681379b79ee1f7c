package io.ishbase.core;

import org.jspecify.annotations.Nullable;

/**
 * Who chooses how a read is answered. A family's value of {@link Setting#READ} stands before its
 * table's, that before the cluster's. An operation's attribute chooses among what the table allows:
 * where table or family say {@code stock}, of which the family's word counts, reads are stock
 * whatever a client asks for. Where they say nothing, or anything else, an operation may choose any
 * mode: the cluster's {@code stock}, given or not, is what reads do unless asked.
 *
 * @param byDefault how reads without the attribute are answered
 * @param isProhibited whether all reads are stock
 */
public record ReadChoice(ReadMode byDefault, boolean isProhibited) {
  /**
   * The choice of a family. Any of the texts may be null, which is: not given; one that names no
   * mode counts as the default.
   *
   * @param inForce what stands before the others
   */
  public static ReadChoice of(
      @Nullable String family, @Nullable String table, @Nullable String inForce) {
    ReadMode mode = mode(inForce);
    ReadMode own = mode(family) == null ? mode(table) : mode(family);
    return new ReadChoice(mode == null ? ReadMode.STOCK : mode, own == ReadMode.STOCK);
  }

  private static @Nullable ReadMode mode(@Nullable String text) {
    return text == null ? null : ReadMode.of(text.trim());
  }

  /**
   * How a read is to be answered.
   *
   * @param asked the operation's attribute; null: none. One that names no mode counts as none.
   */
  public ReadMode of(@Nullable String asked) {
    ReadMode mode = mode(asked);
    if (mode == null) {
      return byDefault;
    }
    return isProhibited ? ReadMode.STOCK : mode;
  }
}
