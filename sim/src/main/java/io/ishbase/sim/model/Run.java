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
  private final boolean memstoreAnswers;
  private final long warmUp;
  private final long toDo;
  private final long windowQueries;

  private long begun;
  private long ended;
  private long scans;
  private long queries;
  private long sumNanos;
  private long rpcs;
  private long blocks;
  private long cells;
  private long gets;
  private long getHits;

  /** At the end of the warm-up. */
  private Totals before;

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
        parameters.is("processors", "shared")
            ? ofRegionServer
            : new Processors(
                loop, parameters.whole("storage.processors"), parameters.number("storage.speed"));
    memstoreAnswers = parameters.is("get.memstore", "answers");
    warmUp = parameters.whole("warmup.requests");
    toDo = warmUp + parameters.whole("requests");
    windowQueries = parameters.whole("window.queries");
    design = which.make(parameters, data, this, load);
    before = totals();
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
    Totals all = totals().minus(before);
    Outcome outcome =
        new Outcome(
            all.ended,
            all.scans,
            all.queries,
            all.nanos,
            all.bytesIn,
            all.bytesOut,
            (double) all.inBusyNanos / all.nanos,
            (double) all.outBusyNanos / all.nanos,
            all.rpcs,
            all.blocks,
            all.cells,
            all.getHits,
            all.gets,
            all.cpuNanos,
            (double) all.sumNanos / all.ended,
            all.upgrades,
            all.downgrades,
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

  /** What has been counted until some time. */
  private record Totals(
      long ended,
      long scans,
      long queries,
      long nanos,
      long sumNanos,
      long bytesIn,
      long bytesOut,
      long inBusyNanos,
      long outBusyNanos,
      long rpcs,
      long blocks,
      long cells,
      long gets,
      long getHits,
      long cpuNanos,
      long upgrades,
      long downgrades) {
    Totals minus(Totals other) {
      return new Totals(
          ended - other.ended,
          scans - other.scans,
          queries - other.queries,
          nanos - other.nanos,
          sumNanos - other.sumNanos,
          bytesIn - other.bytesIn,
          bytesOut - other.bytesOut,
          inBusyNanos - other.inBusyNanos,
          outBusyNanos - other.outBusyNanos,
          rpcs - other.rpcs,
          blocks - other.blocks,
          cells - other.cells,
          gets - other.gets,
          getHits - other.getHits,
          cpuNanos - other.cpuNanos,
          upgrades - other.upgrades,
          downgrades - other.downgrades);
    }
  }

  private Totals totals() {
    long ofStorageNode = ofStorage == ofRegionServer ? 0 : ofStorage.busyNanos();
    return new Totals(
        ended,
        scans,
        queries,
        loop.now(),
        sumNanos,
        line.countedIn(),
        line.countedOut(),
        line.in().busyNanos(),
        line.out().busyNanos(),
        rpcs,
        blocks,
        cells,
        gets,
        getHits,
        ofRegionServer.busyNanos() + ofStorageNode,
        design.upgrades(),
        design.downgrades());
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

  void ended(Requests.Kind kind, boolean isHit, int rows, long nanos) {
    boolean isGet = kind == Requests.Kind.GET;
    ended++;
    scans += kind == Requests.Kind.SCAN ? 1 : 0;
    queries += rows;
    sumNanos += nanos;
    gets += isGet ? 1 : 0;
    getHits += isGet && isHit ? 1 : 0;
    if (ended == warmUp) {
      before = totals();
      closeWindow();
      windows.clear();
    } else if (queries - windowQueriesBefore >= windowQueries) {
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
      line.request(new Link.Transfer(() -> {}), bytes);
    }
  }

  /** Whether a Get of the row needs no more than the memstore. */
  boolean memstoreAnswers(int key) {
    return memstoreAnswers && data.isInMemstore(key);
  }

  void rpcBegins(boolean ofBlock, int cellsToPick) {
    rpcs++;
    blocks += ofBlock ? 1 : 0;
    cells += cellsToPick;
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
  public void inBackground(int cellsToPick, long bytes, Runnable arrived) {
    new Rpc(this, costs, arrived).begin(false, cellsToPick, bytes);
  }
}
