package io.ishbase.bench.tpcc;

/** Draws transactions so that each has its share: 45, 43, 4, 4 and 4 per cent. */
final class TpccMix {
  private TpccMix() {}

  static TpccTransaction next(TpccRandom random) {
    int card = random.uniform(1, 100);
    for (TpccTransaction transaction : TpccTransaction.values()) {
      card -= transaction.sharePercent();
      if (card <= 0) {
        return transaction;
      }
    }
    throw new AssertionError("the shares do not add up to 100");
  }
}
