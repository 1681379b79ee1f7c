package io.ishbase.sim.model;

import io.ishbase.sim.engine.EventLoop;
import io.ishbase.sim.engine.Link;
import io.ishbase.sim.engine.Processors;

/**
 * A request to the storage node and its answer: bytes out, half a round trip, the node's
 * processors, bytes in, the other half. Used again when it has ended.
 */
final class Rpc {
  private final Run run;
  private final Costs costs;
  private final EventLoop.Timer there;
  private final EventLoop.Timer back;
  private final Processors.Work work;
  private final Link.Transfer request;
  private final Link.Transfer answer;

  private boolean isBlock;
  private int cells;
  private long bytes;

  Rpc(Run run, Costs costs, Runnable arrived) {
    this.run = run;
    this.costs = costs;
    request = new Link.Transfer(this::sent);
    there = new EventLoop.Timer(this::atStorage);
    work = new Processors.Work(run.ofStorage(), this::picked);
    answer = new Link.Transfer(this::received);
    back = new EventLoop.Timer(arrived);
  }

  /**
   * Begins.
   *
   * @param ofBlock whether it asks for a block, else for cells
   * @param answerBytes of the block or the cells
   */
  void begin(boolean ofBlock, int cellsToPick, long answerBytes) {
    isBlock = ofBlock;
    cells = cellsToPick;
    bytes = answerBytes;
    run.rpcBegins(ofBlock, cellsToPick);
    long size = costs.request(isBlock, cells);
    if (size > 0) {
      run.line().request(request, onLine(size, costs.queuedRequestBytes()), !isBlock);
    } else {
      sent();
    }
  }

  private void sent() {
    run.loop().in(costs.roundTrip() / 2, there);
  }

  private void atStorage() {
    work.begin(costs.work(isBlock, cells));
  }

  private void picked() {
    long size = costs.answer(isBlock, cells, bytes);
    run.line().answer(answer, onLine(size, costs.queuedAnswerBytes()), !isBlock);
  }

  /** Where messages wait for the line they share packets, and acknowledgements fall away. */
  private long onLine(long size, long lessWhereQueued) {
    return isBlock || !run.line().isQueued() ? size : Math.max(0, size - lessWhereQueued);
  }

  private void received() {
    run.loop().in(costs.roundTrip() - costs.roundTrip() / 2, back);
  }
}
