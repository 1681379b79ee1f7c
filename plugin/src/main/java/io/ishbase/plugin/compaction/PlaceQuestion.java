package io.ishbase.plugin.compaction;

import io.ishbase.protocol.Protocol;
import io.ishbase.protocol.generated.CompactionProtos.Held;
import io.ishbase.protocol.generated.CompactionProtos.PlaceRequest;
import java.util.Collection;
import java.util.Map;

/**
 * What a region server asks the manager. It names a few workers, however many there are: those that
 * have most of the files, and those that it avoids. At the others next to nothing lies, for a
 * region's files have homes.
 */
public final class PlaceQuestion {
  private static final int MOST_HOLDERS = 16;
  private static final int MOST_AVOIDED = 8;

  private PlaceQuestion() {}

  /**
   * Makes one.
   *
   * @param store table, region and family, for operators
   * @param bytes of the files
   * @param held how many of these lie beside which worker, by its name
   * @param fill files of the store over the number that blocks writes
   * @param deletes share of delete markers among its cells
   * @param isLast whether it will not be asked again
   */
  public static PlaceRequest of(
      String ticket,
      String store,
      long bytes,
      Map<String, Long> held,
      Collection<String> avoided,
      double fill,
      double deletes,
      boolean isLast) {
    PlaceRequest.Builder request =
        PlaceRequest.newBuilder()
            .setVersion(Protocol.VERSION)
            .setTicket(ticket)
            .setStore(store)
            .setBytes(bytes)
            .setPressure(fill)
            .setDeletes(deletes);
    if (isLast) {
      request.setLast(true);
    }
    held.entrySet().stream()
        .filter(entry -> entry.getValue() > 0)
        .sorted(Map.Entry.<String, Long>comparingByValue().reversed())
        .limit(MOST_HOLDERS)
        .forEach(
            entry ->
                request.addHeld(
                    Held.newBuilder().setWorker(entry.getKey()).setBytes(entry.getValue())));
    avoided.stream().limit(MOST_AVOIDED).forEach(request::addAvoided);
    return request.build();
  }
}
