package io.ishbase.bench.tpcc;

/** The five transactions. */
public enum TpccTransaction {
  NEW_ORDER("New-Order", 45),
  PAYMENT("Payment", 43),
  ORDER_STATUS("Order-Status", 4),
  DELIVERY("Delivery", 4),
  STOCK_LEVEL("Stock-Level", 4);

  private final String text;
  private final int sharePercent;

  TpccTransaction(String text, int sharePercent) {
    this.text = text;
    this.sharePercent = sharePercent;
  }

  int sharePercent() {
    return sharePercent;
  }

  /** The specification's name. */
  @Override
  public String toString() {
    return text;
  }
}
