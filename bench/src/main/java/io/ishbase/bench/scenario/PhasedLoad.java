package io.ishbase.bench.scenario;

import io.ishbase.bench.Load;
import io.ishbase.bench.Tally;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** Several loads, one of which all workers carry out at a time. */
final class PhasedLoad implements Load {
  private final List<Load> loads;
  private volatile int phase;

  PhasedLoad(List<Load> loads) {
    this.loads = loads;
  }

  /** Goes over to that load. */
  void enter(int number) {
    phase = number;
  }

  @Override
  public Client open(int worker) throws IOException {
    List<Client> clients = new ArrayList<>();
    for (Load load : loads) {
      clients.add(load.open(worker));
    }
    return new Client() {
      @Override
      public void operate(Tally tally) throws IOException {
        clients.get(phase).operate(tally);
      }

      @Override
      public void close() throws IOException {
        for (Client client : clients) {
          client.close();
        }
      }
    };
  }
}
