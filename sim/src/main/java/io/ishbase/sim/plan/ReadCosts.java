package io.ishbase.sim.plan;

import io.ishbase.sim.miniature.Fetches;

/**
 * What a Get or Scan of a table needs, on average.
 *
 * @param aSecond of the cluster
 * @param fetches requests to storage that it waits for, one after the other
 * @param inBytes from storage for each of them
 * @param outBytes to storage
 * @param serverSeconds of a region server's processors, for all of it
 * @param storageSeconds of a storage node's processors, for each fetch
 * @param answerBytes to the client
 * @param unasked requests to storage behind its back, which it does not wait for
 * @param unaskedInBytes from storage for all of these
 * @param unaskedStorageSeconds of a storage node's processors for them
 */
public record ReadCosts(
    boolean isGet,
    double aSecond,
    double fetches,
    double inBytes,
    double outBytes,
    double serverSeconds,
    double storageSeconds,
    double answerBytes,
    double unasked,
    double unaskedInBytes,
    double unaskedStorageSeconds) {

  /** So many times as many of it. */
  ReadCosts times(double times) {
    return new ReadCosts(
        isGet,
        aSecond * times,
        fetches,
        inBytes,
        outBytes,
        serverSeconds,
        storageSeconds,
        answerBytes,
        unasked,
        unaskedInBytes,
        unaskedStorageSeconds);
  }

  /** A Get that fetches so much. */
  public static ReadCosts ofGet(Side side, Values values, Inputs.Table table, Fetches fetches) {
    double row = values.of(table, "row.bytes");
    double open = values.openRow(table);
    double server = values.seconds("cpu.read.us");
    if (side == Side.TODAY) {
      double blocks =
          fetches.ofGet() * (1 + values.of("bloom.errors") * (values.of(table, "files") - 1));
      return ofBlocks(true, values, table, values.of(table, "gets"), blocks, server, open);
    }
    return new ReadCosts(
        true,
        values.of(table, "gets"),
        fetches.ofGet(),
        values.of("get.in.bytes") + row,
        values.of("rpc.out.bytes"),
        server + (fetches.ofGet() + fetches.unasked()) * values.seconds("cpu.rpc.us"),
        values.seconds("cpu.rpc.storage.us"),
        open,
        fetches.unasked(),
        unaskedInBytes(values, table, fetches),
        unaskedStorageSeconds(values, table, fetches));
  }

  private static double unaskedRows(Values values, Inputs.Table table, Fetches fetches) {
    return fetches.unaskedBytes() / values.openRow(table);
  }

  private static double unaskedInBytes(Values values, Inputs.Table table, Fetches fetches) {
    return fetches.unasked() * values.of("scan.in.bytes")
        + unaskedRows(values, table, fetches)
            * (values.of(table, "row.bytes") + values.of("scan.row.bytes"));
  }

  private static double unaskedStorageSeconds(Values values, Inputs.Table table, Fetches fetches) {
    return fetches.unasked() * values.seconds("cpu.rpc.storage.us")
        + unaskedRows(values, table, fetches) * values.seconds("cpu.row.storage.us");
  }

  /** A Scan that fetches so much. */
  public static ReadCosts ofScan(Side side, Values values, Inputs.Table table, Fetches fetches) {
    double row = values.of(table, "row.bytes");
    double open = values.openRow(table);
    double rows = values.of(table, "scan.rows");
    double server = values.seconds("cpu.read.us") + rows * values.seconds("cpu.row.us");
    if (side == Side.TODAY) {
      double block = Math.max(row, values.of(table, "block.bytes"));
      double blocksPassed = 1 + rows * row / block;
      double missed = fetches.ofScan() / blocksPassed;
      // A scan looks into one block of each file at least.
      double blocks = fetches.ofScan() + missed * (values.of(table, "files") - 1);
      return ofBlocks(false, values, table, values.of(table, "scans"), blocks, server, rows * open);
    }
    double requests = fetches.ofScan();
    double rowsFetched = fetches.scanBytes() / open;
    double ofEach = requests == 0 ? 0 : rowsFetched / requests;
    return new ReadCosts(
        false,
        values.of(table, "scans"),
        requests,
        values.of("scan.in.bytes") + ofEach * (row + values.of("scan.row.bytes")),
        values.of("rpc.out.bytes"),
        server + (requests + fetches.unasked()) * values.seconds("cpu.rpc.us"),
        values.seconds("cpu.rpc.storage.us") + ofEach * values.seconds("cpu.row.storage.us"),
        rows * open,
        fetches.unasked(),
        unaskedInBytes(values, table, fetches),
        unaskedStorageSeconds(values, table, fetches));
  }

  private static ReadCosts ofBlocks(
      boolean isGet,
      Values values,
      Inputs.Table table,
      double aSecond,
      double blocks,
      double serverSeconds,
      double answerBytes) {
    double block = Math.max(values.of(table, "row.bytes"), values.of(table, "block.bytes"));
    return new ReadCosts(
        isGet,
        aSecond,
        blocks,
        block * values.of("block.in.factor"),
        values.of("block.out.bytes"),
        serverSeconds + blocks * values.seconds("cpu.block.us"),
        values.seconds("cpu.block.storage.us"),
        answerBytes,
        0,
        0,
        0);
  }
}
