package io.ishbase.sim.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.withinPercentage;

import java.util.SplittableRandom;
import java.util.function.Consumer;
import java.util.function.DoubleSupplier;
import org.junit.jupiter.api.Test;

/** Queues of which formulas are known. Always the same draws, so nothing here is luck. */
class QueueTest {
  private static final int CUSTOMERS = 1_000_000;
  private static final double MEAN_SERVICE = 1_000_000;

  private final EventLoop loop = new EventLoop();
  private final SplittableRandom random = new SplittableRandom(7);

  private double sumOfStays;
  private int present;
  private double areaOfPresent;
  private long countedTo;
  private long left;

  @Test
  void mm1OnProcessors() {
    run(0.7, () -> exponential(MEAN_SERVICE), onProcessors(1));
    assertThat(meanStay()).isCloseTo(MEAN_SERVICE / (1 - 0.7), withinPercentage(2));
    littlesLaw();
  }

  @Test
  void md1OnProcessors() {
    run(0.7, () -> MEAN_SERVICE, onProcessors(1));
    // Pollaczek and Khinchine.
    double expected = MEAN_SERVICE * (1 + 0.7 / (2 * (1 - 0.7)));
    assertThat(meanStay()).isCloseTo(expected, withinPercentage(2));
    littlesLaw();
  }

  @Test
  void mm4OnProcessors() {
    run(0.75 * 4, () -> exponential(MEAN_SERVICE), onProcessors(4));
    // Erlang's C for four servers and an offered load of 3.
    double all = 1 + 3 + 9 / 2.0 + 27 / 6.0;
    double waits = 81 / 24.0 / 0.25;
    double c = waits / (all + waits);
    double expected = MEAN_SERVICE * (1 + c / (4 - 3));
    assertThat(meanStay()).isCloseTo(expected, withinPercentage(2));
    littlesLaw();
  }

  @Test
  void speedDividesWork() {
    Processors slow = new Processors(loop, 1, 0.5);
    long[] done = {0};
    new Processors.Work(slow, () -> done[0] = loop.now()).begin(1000);
    loop.step();
    assertThat(done[0]).isEqualTo(2000);
    assertThat(slow.busyNanos()).isEqualTo(2000);
  }

  /** With processor sharing the mean stay does not depend on how sizes are distributed. */
  @Test
  void mg1OnALink() {
    Link link = new Link(loop, Bandwidth.constant(8)); // MEAN_SERVICE is that of 1000 bytes
    // Half of the transfers are nearly empty, half twice the mean.
    run(
        0.7,
        () -> random.nextBoolean() ? 2000 : 1,
        arrived -> {
          long size = Math.round(arrived.size);
          link.send(new Link.Transfer(arrived::leaves), size);
        });
    double mean = MEAN_SERVICE * 2001 / 2 / 1000;
    double load = 0.7 * 2001 / 2000;
    assertThat(meanStay()).isCloseTo(mean / (1 - load), withinPercentage(2));
    littlesLaw();
  }

  @Test
  void mm1OnALink() {
    Link link = new Link(loop, Bandwidth.constant(8));
    run(
        0.5,
        () -> exponential(1000),
        arrived -> {
          link.send(new Link.Transfer(arrived::leaves), (long) Math.ceil(arrived.size));
        });
    // Sizes are rounded up: half a byte more.
    assertThat(meanStay()).isCloseTo(MEAN_SERVICE / (1 - 0.5), withinPercentage(2));
    littlesLaw();
  }

  private final class Customer {
    private final long came = loop.now();
    private final double size;

    Customer(double size) {
      this.size = size;
    }

    void leaves() {
      count();
      present--;
      left++;
      sumOfStays += loop.now() - came;
    }
  }

  private Consumer<Customer> onProcessors(int count) {
    Processors processors = new Processors(loop, count, 1);
    return customer -> new Processors.Work(processors, customer::leaves).begin(customer.size);
  }

  /** Poisson arrivals, so many in the mean time of a service. */
  private void run(double perService, DoubleSupplier sizes, Consumer<Customer> served) {
    EventLoop.Timer[] arrival = new EventLoop.Timer[1];
    int[] came = {0};
    arrival[0] =
        new EventLoop.Timer(
            () -> {
              count();
              present++;
              served.accept(new Customer(sizes.getAsDouble()));
              if (++came[0] < CUSTOMERS) {
                loop.in((long) exponential(MEAN_SERVICE / perService), arrival[0]);
              }
            });
    loop.in(0, arrival[0]);
    while (loop.step()) {}
    assertThat(left).isEqualTo(CUSTOMERS);
  }

  private double exponential(double mean) {
    return -mean * Math.log(1 - random.nextDouble());
  }

  private void count() {
    areaOfPresent += (double) present * (loop.now() - countedTo);
    countedTo = loop.now();
  }

  private double meanStay() {
    return sumOfStays / left;
  }

  private void littlesLaw() {
    double meanPresent = areaOfPresent / loop.now();
    double rate = left / (double) loop.now();
    assertThat(meanPresent).isCloseTo(rate * meanStay(), withinPercentage(0.001));
  }
}
