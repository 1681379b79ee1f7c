package io.ishbase.dist.cluster;

import io.ishbase.cluster.ClusterServer;
import java.io.Closeable;
import java.io.IOException;
import java.time.Duration;
import java.util.Set;
import java.util.TreeSet;

/** A server of a local cluster. For one thread at a time. */
final class LocalServer implements ClusterServer {
  /** What differs between kinds. */
  interface Service {
    Process start() throws IOException;

    /** Names of those that are known where it is known, of which one is enough. */
    Set<String> known() throws IOException;
  }

  private final LocalCluster cluster;
  private final String name;
  private final Service service;

  /** Under which names it was known before it ended. */
  private Set<String> before = new TreeSet<>();

  LocalServer(LocalCluster cluster, String name, Service service) {
    this.cluster = cluster;
    this.name = name;
    this.service = service;
  }

  @Override
  public Standstill standstill() throws IOException {
    return new Signals(cluster.server(name));
  }

  @Override
  public Closeable fullDisk() throws IOException {
    return new FullDisk(cluster.server(name));
  }

  @Override
  public void setClock(Duration ahead) throws IOException {
    cluster.clock(name).set(ahead);
  }

  @Override
  public void kill() throws IOException {
    try {
      before = service.known();
    } catch (IOException e) {
      // Where nobody can say, who comes next is another in any case.
      before = new TreeSet<>();
    }
    cluster.take(name, ServerProcess::kill);
  }

  @Override
  public void end() throws IOException {
    before = service.known();
    cluster.take(name, ServerProcess::terminate);
  }

  @Override
  public void start() throws IOException {
    cluster.launch(name, service::start);
    cluster.observe();
  }

  @Override
  public void awaitServing() throws IOException {
    cluster.awaitServing(
        name,
        () -> {
          Set<String> now = service.known();
          return now.size() == 1 && !before.containsAll(now);
        });
  }
}
