package io.ishbase.sim.model;

import io.ishbase.sim.design.Contender;
import io.ishbase.sim.design.Data;
import io.ishbase.sim.design.Design;
import io.ishbase.sim.design.Designs;
import io.ishbase.sim.design.RegionServer;
import io.ishbase.sim.engine.EventLoop;
import io.ishbase.sim.engine.Link;
import io.ishbase.sim.engine.Processors;
import io.ishbase.sim.workload.Parameters;
import io.ishbase.sim.workload.RequestStream;
import io.ishbase.sim.workload.Requests;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongToDoubleFunction;
import java.util.function.Supplier;

/** One design under one load, from the first request to the last. */
public final class Run implements RegionServer {
  private final EventLoop loop = new EventLoop();
  private final Costs costs;
  private final RequestStream requests;
  private final Data data;
  private final Design design;
  private final Line line;
  private final Processors ofRegionServer;
  private final Processors ofStorage;
  private final long toDo;
  private final long windowQueries;

  private long begun;
  private long ended;
  private long queries;
  private long sumNanos;
  private long rpcs;
  private long gets;
  private long getHits;

  private final List<Outcome.Window> windows = new ArrayList<>();
  private long windowBegan;
  private long windowQueriesBefore;
  private long upgradesBefore;
  private long downgradesBefore;

  private Run(Parameters parameters, Contender which, Supplier<? extends RequestStream> load) {
    costs = new Costs(parameters);
    requests = load.get();
    data = new Data(parameters);
    line = new Line(loop, parameters);
    ofRegionServer = new Processors(loop, parameters.whole("region.server.processors"), 1);
    ofStorage =
        new Processors(
            loop, parameters.whole("storage.processors"), parameters.number("storage.speed"));
    toDo = parameters.whole("requests");
    windowQueries = parameters.whole("window.queries");
    design = which.make(parameters, data, this, load);
    for (int client = 0; client < parameters.whole("clients"); client++) {
      new Client(this, costs).next();
    }
  }

  /** Runs a design with the share of Gets that the parameters say. */
  public static Outcome of(Designs design, Parameters parameters, long seed) {
    return of(design, parameters, () -> new Requests(parameters, seed));
  }

  /**
   * Runs a design.
   *
   * @param getShare of Gets among reads, by the number of requests before
   */
  public static Outcome of(
      Designs design, Parameters parameters, long seed, LongToDoubleFunction getShare) {
    return of(design, parameters, () -> new Requests(parameters, seed, getShare));
  }

  /**
   * Runs a design, or a bound.
   *
   * @param load the requests, from the first on each time it is asked
   */
  public static Outcome of(
      Contender which, Parameters parameters, Supplier<? extends RequestStream> load) {
    return new Run(parameters, which, load).toEnd();
  }

  private Outcome toEnd() {
    while (ended < toDo && loop.step()) {}
    Outcome outcome =
        new Outcome(
            ended,
            queries,
            loop.now(),
            line.in().bytes(),
            line.out().bytes(),
            rpcs,
            getHits,
            gets,
            ofRegionServer.busyNanos() + ofStorage.busyNanos(),
            (double) sumNanos / ended,
            design.upgrades(),
            design.downgrades(),
            windows,
            loop.events());
    if (design instanceof AutoCloseable resources) {
      try {
        resources.close();
      } catch (Exception e) {
        throw new IllegalStateException(e);
      }
    }
    return outcome;
  }

  // What clients ask of the run.

  /** Draws the next request; false if there is to be none. */
  boolean begin() {
    if (begun == toDo || !requests.next()) {
      return false;
    }
    line.requestBegins(begun++);
    return true;
  }

  void ended(boolean isGet, boolean isHit, int rows, long nanos) {
    ended++;
    queries += rows;
    sumNanos += nanos;
    gets += isGet ? 1 : 0;
    getHits += isGet && isHit ? 1 : 0;
    if (queries - windowQueriesBefore >= windowQueries) {
      closeWindow();
    }
  }

  private void closeWindow() {
    long upgrades = design.upgrades();
    long downgrades = design.downgrades();
    windows.add(
        new Outcome.Window(
            queries - windowQueriesBefore,
            loop.now() - windowBegan,
            upgrades - upgradesBefore,
            downgrades - downgradesBefore));
    windowBegan = loop.now();
    windowQueriesBefore = queries;
    upgradesBefore = upgrades;
    downgradesBefore = downgrades;
  }

  void put(int key) {
    if (data.put(key)) {
      long bytes = data.flush(design);
      line.out().send(new Link.Transfer(() -> {}), bytes);
    }
  }

  void rpcBegins() {
    rpcs++;
  }

  EventLoop loop() {
    return loop;
  }

  RequestStream requestsDrawn() {
    return requests;
  }

  Data data() {
    return data;
  }

  Design design() {
    return design;
  }

  Line line() {
    return line;
  }

  Processors ofRegionServer() {
    return ofRegionServer;
  }

  Processors ofStorage() {
    return ofStorage;
  }

  // What a design asks of its region server.

  @Override
  public long nanos() {
    return loop.now();
  }

  @Override
  public double mbps() {
    return line.in().mbps();
  }

  @Override
  public long requests() {
    return begun;
  }

  @Override
  public void inBackground(int cells, long bytes, Runnable arrived) {
    new Rpc(this, costs, arrived).begin(cells, bytes);
  }
}
