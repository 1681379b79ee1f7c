package io.ishbase.plugin.master;

import io.ishbase.core.compaction.Worker;
import io.ishbase.protocol.generated.CompactionProtos.PlaceResponse;
import io.ishbase.protocol.generated.IssnProtos.Code;
import java.util.List;

/** What the manager answers to a question that it could read. */
public final class PlaceAnswer {
  private PlaceAnswer() {}

  /**
   * Makes one.
   *
   * @param best workers to try, the best first; empty: ask again
   * @param waiting compactions that wait for a worker
   */
  public static PlaceResponse of(List<Worker> best, int waiting) {
    PlaceResponse.Builder answer = PlaceResponse.newBuilder().setCode(Code.OK).setWaiting(waiting);
    best.forEach(worker -> answer.addWorker(worker.name()));
    return answer.build();
  }
}
