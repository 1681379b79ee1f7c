package io.ishbase.bench.tpcc;

/**
 * How much data there is.
 *
 * @param warehouses W of the specification
 * @param divisor by what the items, and the customers and orders of a district, are fewer than the
 *     specification's 100,000 and 3,000; a district has 10 customers and there are 100 items at
 *     least
 */
public record TpccScale(int warehouses, int divisor) {
  /** Districts of a warehouse; always the specification's. */
  static final int DISTRICTS = 10;

  private static final int ITEMS = 100_000;
  private static final int CUSTOMERS = 3000;
  private static final int LAST_NAMES = 1000;

  /**
   * Checks the bounds.
   *
   * @throws IllegalArgumentException if there is no warehouse or the divisor is not positive
   */
  public TpccScale {
    if (warehouses < 1 || divisor < 1) {
      throw new IllegalArgumentException(warehouses + " warehouses, divided by " + divisor);
    }
  }

  public int items() {
    return Math.max(100, ITEMS / divisor);
  }

  /** Customers of a district; it starts with as many orders. */
  public int customers() {
    return Math.max(10, CUSTOMERS / divisor);
  }

  /** Orders of a district that are not delivered at the start: the last 30 of 100. */
  int newOrders() {
    return customers() * 3 / 10;
  }

  /** How many different last names a district has. */
  int lastNames() {
    return Math.min(LAST_NAMES, customers());
  }

  /** Rows that the loader writes, indexes included; order lines as expected on average. */
  public long rows() {
    long district = 1 + 5L * customers() + newOrders() + 10L * customers();
    return items() + warehouses * (1 + items() + DISTRICTS * district);
  }

  /** The constant A of {@link TpccRandom#nonUniform}, smaller with the range it is used on. */
  int nonUniformA(int standard) {
    return Math.max(1, Integer.highestOneBit((standard + 1) / divisor) - 1);
  }
}
