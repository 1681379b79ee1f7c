package io.ishbase.plugin.master;

import static org.assertj.core.api.Assertions.assertThat;

import io.ishbase.core.compaction.CompactionQueue;
import io.ishbase.core.compaction.Placement;
import io.ishbase.core.compaction.Worker;
import io.ishbase.plugin.compaction.PlaceQuestion;
import io.ishbase.protocol.MessageChecksum;
import io.ishbase.protocol.generated.CompactionProtos.PlaceRequest;
import io.ishbase.protocol.generated.CompactionProtos.PlaceResponse;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** What a question to the manager and its answer weigh in a large cluster. */
class PlaceMessagesTest {
  private static final long GB = 1L << 30;
  private static final int MOST_BYTES = 2_048;
  private static final int WORKERS = 1_000;

  /** 62 characters: nodes of a data centre have long names. */
  private static String name(int number) {
    return String.format(
        "storage-node-%04d.rack-%02d.example.com,16060,17000000%05d", number, number % 40, number);
  }

  @Test
  void aQuestionNamesFewWorkers() {
    Map<String, Long> held = new HashMap<>();
    List<String> avoided = new ArrayList<>();
    for (int i = 0; i < WORKERS; i++) {
      held.put(name(i), GB + i);
      avoided.add(name(i));
    }
    PlaceRequest question =
        MessageChecksum.sealed(
            PlaceQuestion.of(
                "0123456789abcdef0123456789abcdef",
                "namespace:table/0123456789abcdef0123456789abcdef/family",
                WORKERS * GB,
                held,
                avoided,
                1.5,
                0.5,
                true));
    assertThat(question.getSerializedSize()).isLessThanOrEqualTo(MOST_BYTES);
    // Those that have most of it.
    assertThat(question.getHeld(0).getWorker()).isEqualTo(name(WORKERS - 1));
  }

  @Test
  void anAnswerNamesFewWorkers() {
    List<Worker> workers = new ArrayList<>();
    for (int i = 0; i < WORKERS; i++) {
      workers.add(new Worker(name(i), 2, 0, 0, 0, 0, 0, 0, false, 0));
    }
    CompactionQueue queue = new CompactionQueue(new Placement(GB));
    List<Worker> best =
        queue.ask(
            new CompactionQueue.Request("t", "s", GB, Map.of(), 1, 0, Set.of()), workers, 1_000);
    PlaceResponse answer = MessageChecksum.sealed(PlaceAnswer.of(best, WORKERS));
    assertThat(answer.getWorkerList()).isNotEmpty().contains(best.get(0).name());
    assertThat(answer.getSerializedSize()).isLessThanOrEqualTo(MOST_BYTES);
  }
}
