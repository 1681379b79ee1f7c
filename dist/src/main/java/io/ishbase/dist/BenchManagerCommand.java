package io.ishbase.dist;

import io.ishbase.core.Rendezvous;
import io.ishbase.core.compaction.CompactionQueue;
import io.ishbase.core.compaction.Placement;
import io.ishbase.core.compaction.Worker;
import io.ishbase.plugin.compaction.PlaceQuestion;
import io.ishbase.plugin.master.PlaceAnswer;
import io.ishbase.protocol.MessageChecksum;
import io.ishbase.protocol.generated.CompactionProtos.PlaceRequest;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.function.IntConsumer;
import org.apache.hbase.thirdparty.com.google.protobuf.InvalidProtocolBufferException;
import org.apache.hbase.thirdparty.com.google.protobuf.Message;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * {@code ./ishbase bench-manager}: what a question costs the compaction manager of a large cluster.
 * Needs no cluster; docs/results/scale-manager.md has its output.
 */
@Command(
    name = "bench-manager",
    hidden = true,
    description = "Measure questions to the compaction manager, without a cluster.",
    mixinStandardHelpOptions = true)
final class BenchManagerCommand implements Callable<Integer> {
  private static final long GB = 1L << 30;
  private static final int REPLICAS = 3;
  private static final long NETWORK_BYTES_PER_SECOND = 100 << 20;
  private static final int WARM_UP_QUESTIONS = 5_000;
  private static final int QUESTIONS = 5_000;

  @Option(names = "--workers", description = "1,000.")
  private int workers = 1_000;

  @Option(names = "--stores", description = "That wait; 1,000.")
  private int stores = 1_000;

  @Option(names = "--seed")
  private long seed = 1;

  @Override
  public Integer call() {
    System.out.printf("%d workers, %d waiting stores, seed %d%n", workers, stores, seed);
    List<String> names = names();
    print("a question", question(0, REPLICAS, List.of()));
    print("the largest question", question(0, workers, names));
    print("the largest answer", PlaceAnswer.of(askedFirst(), stores));
    measure("every slot taken", 0);
    measure("one worker in ten has a slot", 10);
    measure("every worker has a slot", 1);
    measure("Rendezvous.first", i -> Rendezvous.first("region" + i, names));
    measure("Rendezvous.order", i -> Rendezvous.order("region" + i, names));
    return 0;
  }

  private static void print(String name, Message message) {
    System.out.printf(
        "%-30s %6d bytes%n", name, MessageChecksum.sealed(message).getSerializedSize());
  }

  /** Whom the first that asks is told, if every worker has a slot. */
  private List<Worker> askedFirst() {
    byte[] question = MessageChecksum.sealed(question(0, REPLICAS, List.of())).toByteArray();
    return new CompactionQueue(new Placement(NETWORK_BYTES_PER_SECOND))
        .ask(request(question), workers(1), 1);
  }

  private List<String> names() {
    List<String> names = new ArrayList<>();
    for (int i = 0; i < workers; i++) {
      names.add(worker(i));
    }
    return names;
  }

  private static String worker(int number) {
    return String.format(
        "storage-node-%04d.rack-%02d.example.com,16060,17000000%05d", number, number % 40, number);
  }

  /** Of a store whose files lie at so many nodes, and which avoids some. */
  private PlaceRequest question(int store, int nodes, List<String> avoided) {
    Map<String, Long> held = new HashMap<>();
    for (int i = 0; i < nodes; i++) {
      held.put(worker(new Random(seed + store * 31L + i).nextInt(workers)), GB + i);
    }
    return PlaceQuestion.of(
        String.format("%032x", store),
        String.format("namespace:table/%032x/family", store),
        GB,
        held,
        avoided,
        store % 100 / 60.0,
        store % 7 / 10.0,
        false);
  }

  /** {@code oneIn}: has a free slot; 0: none. */
  private List<Worker> workers(int oneIn) {
    Random random = new Random(seed);
    List<Worker> now = new ArrayList<>();
    for (int i = 0; i < workers; i++) {
      int free = oneIn > 0 && i % oneIn == 0 ? 1 : 0;
      now.add(
          new Worker(
              worker(i),
              2,
              2 - free,
              random.nextLong(GB),
              0,
              random.nextInt(100),
              50 << 20,
              GB,
              false,
              2));
    }
    return now;
  }

  private void measure(String name, int oneIn) {
    List<Worker> now = workers(oneIn);
    CompactionQueue queue = new CompactionQueue(new Placement(NETWORK_BYTES_PER_SECOND));
    byte[][] questions = new byte[stores][];
    for (int store = 0; store < stores; store++) {
      questions[store] = MessageChecksum.sealed(question(store, REPLICAS, List.of())).toByteArray();
    }
    long[] clock = {1_000_000};
    measure(
        name,
        i -> {
          // All ask twice a second, and those that got a slot ask for another compaction at once.
          clock[0] += i % stores == 0 ? 500 : 0;
          queue.ask(request(questions[i % stores]), List.copyOf(now), clock[0]);
        });
  }

  private static CompactionQueue.Request request(byte[] bytes) {
    try {
      PlaceRequest request = PlaceRequest.parseFrom(bytes);
      if (!MessageChecksum.isIntact(request)) {
        throw new IllegalStateException("Checksum");
      }
      Map<String, Long> held = new HashMap<>();
      request.getHeldList().forEach(part -> held.put(part.getWorker(), part.getBytes()));
      return new CompactionQueue.Request(
          request.getTicket(),
          request.getStore(),
          request.getBytes(),
          held,
          request.getPressure(),
          request.getDeletes(),
          Set.copyOf(request.getAvoidedList()));
    } catch (InvalidProtocolBufferException e) {
      throw new IllegalStateException(e);
    }
  }

  private static void measure(String name, IntConsumer question) {
    for (int i = 0; i < WARM_UP_QUESTIONS; i++) {
      question.accept(i);
    }
    long[] nanos = new long[QUESTIONS];
    for (int i = 0; i < QUESTIONS; i++) {
      long start = System.nanoTime();
      question.accept(i);
      nanos[i] = System.nanoTime() - start;
    }
    Arrays.sort(nanos);
    System.out.printf(
        "%-30s median %6.3f ms, 99 %% within %6.3f ms%n",
        name, nanos[QUESTIONS / 2] / 1e6, nanos[QUESTIONS * 99 / 100] / 1e6);
  }
}
