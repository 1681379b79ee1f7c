package io.ishbase.plugin.prewarm;

import io.ishbase.core.cache.Stretch;
import io.ishbase.plugin.cache.RowFill;
import io.ishbase.plugin.cache.ScanFill;
import io.ishbase.plugin.node.ReadCall;
import io.ishbase.plugin.node.ReadClient;
import io.ishbase.plugin.scan.NodeBatch;
import io.ishbase.plugin.scan.ReadPlan;
import io.ishbase.plugin.scan.ReadSpec;
import io.ishbase.plugin.scan.RowRanges;
import io.ishbase.protocol.generated.IssnProtos.ReadRequest;
import java.io.IOException;
import java.util.concurrent.Executor;
import org.apache.hadoop.hbase.CellComparator;
import org.apache.hadoop.hbase.regionserver.StoreFileScannerAccess;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Where Gets miss many rows of a neighbourhood, all of it is fetched into the segment cache, beside
 * the Get that missed last. Nobody waits for it.
 */
public final class Neighbours {
  private static final Logger LOG = LoggerFactory.getLogger(Neighbours.class);

  private Neighbours() {}

  /**
   * Asks for the neighbours of a Get's row, if the cache wants them.
   *
   * @param part all files of the store: others may have the neighbours
   * @param background takes the answer
   */
  public static void fetch(
      RowFill fill,
      ReadPlan.Part part,
      ReadSpec read,
      ReadClient client,
      CellComparator comparator,
      Executor background) {
    Stretch stretch = fill.neighbours();
    if (stretch == null
        || part.guards().stream()
            .anyMatch(file -> StoreFileScannerAccess.maxSequenceId(file) > read.readPoint())) {
      return;
    }
    WholeRows source =
        new WholeRows(part.node(), part.directory(), part.names(), read.readPoint(), fill.ticket());
    ReadRequest request =
        source
            .request((int) Math.min(stretch.maxBytes(), read.maxBatchBytes()))
            .addRange(RowRanges.of(stretch.from(), stretch.to()))
            .build();
    ScanFill neighbours = fill.fillOf(stretch);
    ReadCall call = client.read(part.node().address(), request);
    call.whenCompleteAsync(
        (response, failure) -> {
          try {
            neighbours.received(NodeBatch.of(call, request, comparator), request, null);
          } catch (IOException | RuntimeException e) {
            // Nobody waits for it; who wants these rows will see for himself.
            LOG.debug("Neighbours of a row of {} did not come", part.directory(), e);
          }
        },
        background);
  }
}
