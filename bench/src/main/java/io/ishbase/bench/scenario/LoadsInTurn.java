package io.ishbase.bench.scenario;

import io.ishbase.bench.Load;
import io.ishbase.bench.Tally;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

/** Several loads, one after the other and again, each for some operations of all clients. */
final class LoadsInTurn implements Load {
  /**
   * A load and how long its turn is.
   *
   * @param operations of all clients together, at least 1
   */
  record Turn(Load load, long operations) {}

  private final List<Turn> turns;
  private final AtomicLong taken = new AtomicLong();

  LoadsInTurn(List<Turn> turns) {
    this.turns = List.copyOf(turns);
  }

  /** Operations after which the first load has its turn again. */
  long operations() {
    return turns.stream().mapToLong(Turn::operations).sum();
  }

  private int next() {
    long place = taken.getAndIncrement() % operations();
    int turn = 0;
    while (place >= turns.get(turn).operations) {
      place -= turns.get(turn).operations;
      turn++;
    }
    return turn;
  }

  @Override
  public Client open(int worker) throws IOException {
    List<Client> clients = new ArrayList<>();
    for (Turn turn : turns) {
      clients.add(turn.load.open(worker));
    }
    return new Client() {
      @Override
      public void operate(Tally tally) throws IOException {
        clients.get(next()).operate(tally);
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
