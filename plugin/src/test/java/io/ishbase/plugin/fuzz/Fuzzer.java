package io.ishbase.plugin.fuzz;

import java.util.Map;
import java.util.Random;

/** Draws inputs, gives them to one end of a protocol, and judges what becomes of them. */
public interface Fuzzer extends AutoCloseable {
  /**
   * Tries one input.
   *
   * @param random of which all is drawn that is drawn for it
   * @throws Exception or AssertionError, if it did harm
   */
  void tryOne(Random random) throws Exception;

  /**
   * Checks that those who send what they should are still served.
   *
   * @throws Exception or AssertionError, if not
   */
  void check() throws Exception;

  /** The input that was tried last, as {@link #retry} takes it. */
  byte[] input();

  /** Tries an input once more. */
  void retry(byte[] input) throws Exception;

  /** How many were tried, by kind and by what became of them; sorted by name. */
  Map<String, Long> counts();

  /** Waits until nothing of what was tried is under way any more. */
  default void settle() throws Exception {}
}
