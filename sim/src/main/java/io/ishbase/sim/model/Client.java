package io.ishbase.sim.model;

import io.ishbase.sim.design.Read;
import io.ishbase.sim.engine.EventLoop;
import io.ishbase.sim.engine.Link;
import io.ishbase.sim.engine.Processors;
import io.ishbase.sim.workload.RequestStream;
import io.ishbase.sim.workload.RequestStream.Kind;

/** A client of a closed loop: it has one request at a time and never rests. */
final class Client {
  private final Run run;
  private final Costs costs;
  private final Read read = new Read();
  private final Rpc rpc;
  private final Processors.Work work;
  private final Link.Transfer logged;
  private final EventLoop.Timer inLog;

  private Kind kind = Kind.GET;
  private int key;
  private int rows;
  private long begun;
  private boolean hit;

  Client(Run run, Costs costs) {
    this.run = run;
    this.costs = costs;
    rpc = new Rpc(run, costs, this::goOn);
    work = new Processors.Work(run.ofRegionServer(), this::worked);
    logged = new Link.Transfer(this::logged);
    inLog = new EventLoop.Timer(this::ends);
  }

  /** Begins the next request, if there is one. */
  void next() {
    if (!run.begin()) {
      return;
    }
    RequestStream drawn = run.requestsDrawn();
    kind = drawn.kind();
    key = drawn.key();
    rows = drawn.rows();
    begun = run.loop().now();
    hit = true;
    work.begin(nanos());
  }

  private double nanos() {
    return switch (kind) {
      case GET -> costs.query();
      case PUT -> costs.put();
      case SCAN -> costs.scan() + costs.next() * rows;
    };
  }

  private void worked() {
    if (kind == Kind.PUT) {
      run.line().request(logged, costs.putBytes());
    } else if (kind == Kind.GET && run.memstoreAnswers(key)) {
      ends();
    } else {
      read.begin(kind == Kind.GET, key, rows);
      goOn();
    }
  }

  private void goOn() {
    if (run.design().goesOn(read)) {
      hit = false;
      rpc.begin(read.isBlock(), read.cells(), read.bytes());
    } else {
      ends();
    }
  }

  private void logged() {
    run.loop().in(costs.wal(), inLog);
  }

  private void ends() {
    if (kind == Kind.PUT) {
      run.put(key);
    }
    run.ended(kind, hit, rows, run.loop().now() - begun);
    next();
  }
}
