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

  void begin(int cellsToPick, long answerBytes) {
    cells = cellsToPick;
    bytes = answerBytes;
    run.rpcBegins();
    if (costs.requestBytes() > 0) {
      run.line().out().send(request, costs.requestBytes());
    } else {
      sent();
    }
  }

  private void sent() {
    run.loop().in(costs.roundTrip() / 2, there);
  }

  private void atStorage() {
    work.begin(costs.rpc() + cells * costs.cell());
  }

  private void picked() {
    run.line().in().send(answer, costs.answerBytes() + bytes);
  }

  private void received() {
    run.loop().in(costs.roundTrip() - costs.roundTrip() / 2, back);
  }
}
