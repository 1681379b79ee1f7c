package io.ishbase.bench;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** The order in which variants have their turns: A B B A, so that none is always first. */
public final class Order {
  private Order() {}

  /** The variants in the order of that round, which counts from 0. */
  public static <T> List<T> ofRound(int round, List<T> variants) {
    List<T> order = new ArrayList<>(variants);
    if (round % 2 == 1) {
      Collections.reverse(order);
    }
    return order;
  }
}
