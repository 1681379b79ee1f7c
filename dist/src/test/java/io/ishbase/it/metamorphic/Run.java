package io.ishbase.it.metamorphic;

import java.io.IOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntConsumer;
import java.util.stream.Collectors;
import java.util.zip.CRC32;
import org.apache.hadoop.hbase.TableName;

/**
 * Does the operations of a file to a table of each configuration, and to one of stock HBase; what
 * was read is compared before anything changes again. Ends with the first answer that is not
 * stock's, unless HBase alone differs so: over the same files, in a table that has the same cells,
 * or in a table of its own, without which the run goes on. If that is the table which all others
 * are compared with, the run is over, and has found nothing.
 */
final class Run {
  private static final AtomicInteger TABLES = new AtomicInteger();
  private static final int OPERATION_MINUTES = 2;

  /** Operations that are done before the first of their answers is compared. */
  private static final int LONGEST_STRETCH = 500;

  private static final Line ALL_CELLS = Line.of("scan versions=9");

  /** So many tables that agree are right, not the one that they are compared with. */
  private static final int JURY = 3;

  private static final String HANGS = TimeoutException.class.getName();

  /** Something in place of answers, to see whether it is found. */
  interface Defect {
    /** What is said instead of {@code answer} for a configuration. */
    Answer told(Subject subject, Line operation, Answer answer);
  }

  private final Rig rig;
  private final Defect defect;
  private final IntConsumer progress;
  private final Map<Contradiction, Integer> contradictions = new EnumMap<>(Contradiction.class);

  private final List<Difference> ofStock = new ArrayList<>();
  private final Map<String, Long> nanos = new ConcurrentHashMap<>();
  private final CRC32 digest = new CRC32();
  private long compared;

  /** What the others are compared with is what is wrong. */
  private boolean isOver;

  /**
   * @param progress is told how many operations are done, now and then
   */
  Run(Rig rig, Defect defect, IntConsumer progress) {
    this.rig = rig;
    this.defect = defect;
    this.progress = progress;
  }

  /**
   * @param answers where the stock configuration's are written, an operation and its results each
   * @throws IllegalArgumentException if an operation is none
   */
  Outcome of(OperationFile file, Writer answers) throws Exception {
    FileTime clock = new FileTime(System.currentTimeMillis());
    ExecutorService pool = Executors.newFixedThreadPool(file.configurations().size() + 1);
    List<Subject> subjects = new ArrayList<>();
    try {
      List<Callable<Subject>> makers = new ArrayList<>();
      makers.add(() -> subject(file, Rig.STOCK, Map.of("server", Rig.STOCK), clock));
      file.configurations()
          .forEach((name, options) -> makers.add(() -> subject(file, name, options, clock)));
      for (Future<Subject> made : pool.invokeAll(makers)) {
        subjects.add(result(made));
      }
      return run(file.operations(), subjects, pool, answers);
    } finally {
      rig.heal();
      List<Callable<Void>> closers = new ArrayList<>();
      for (Subject subject : subjects) {
        closers.add(
            () -> {
              subject.close();
              return null;
            });
      }
      for (Future<Void> closed : pool.invokeAll(closers)) {
        result(closed);
      }
      pool.shutdownNow();
    }
  }

  private Subject subject(
      OperationFile file, String name, Map<String, String> options, FileTime clock)
      throws Exception {
    TableName table = TableName.valueOf("m" + TABLES.incrementAndGet());
    return new Subject(rig, name, table, file.families(), options, clock);
  }

  private Outcome run(
      List<Line> operations, List<Subject> all, ExecutorService pool, Writer answers)
      throws Exception {
    List<Subject> subjects = new ArrayList<>(all);
    int number = 0;
    while (number < operations.size()) {
      if (rig.fault(operations.get(number))) {
        number++;
        continue;
      }
      List<Line> stretch = stretch(operations.subList(number, operations.size()), subjects);
      Map<Subject, List<Answer>> found = answers(subjects, stretch, pool);
      for (int i = 0; i < stretch.size(); i++) {
        Line operation = stretch.get(i);
        write(answers, number, operation, found.get(subjects.get(0)).get(i));
        Difference difference = compare(number, operation, i, subjects, found);
        number++;
        if (difference != null || isOver) {
          return outcome(number, difference);
        }
      }
      progress.accept(number);
    }
    return outcome(operations.size(), null);
  }

  /**
   * The first of these, as many as each table can do without waiting for the others: changes, and
   * then reads, none of which changes what another is answered or would be if it were repeated.
   */
  private static List<Line> stretch(List<Line> operations, List<Subject> subjects) {
    int size = 0;
    boolean reads = false;
    for (Line operation : operations) {
      boolean read = Reads.isRead(operation);
      boolean changes = !read || subjects.stream().anyMatch(each -> each.flushesBefore(operation));
      if (Rig.isFault(operation) || reads && changes || size == LONGEST_STRETCH) {
        break;
      }
      reads |= read;
      size++;
    }
    return operations.subList(0, size);
  }

  /** Each table's answers to operations that it does one after the other. */
  private Map<Subject, List<Answer>> answers(
      List<Subject> subjects, List<Line> operations, ExecutorService pool) throws Exception {
    Map<Subject, List<FutureTask<Answer>>> asked = new LinkedHashMap<>();
    for (Subject subject : subjects) {
      List<FutureTask<Answer>> tasks =
          operations.stream().map(each -> new FutureTask<>(() -> timed(subject, each))).toList();
      asked.put(subject, tasks);
      pool.execute(() -> tasks.forEach(FutureTask::run));
    }
    Map<Subject, List<Answer>> answers = new HashMap<>();
    for (Map.Entry<Subject, List<FutureTask<Answer>>> each : asked.entrySet()) {
      List<Answer> ofSubject = new ArrayList<>();
      for (FutureTask<Answer> task : each.getValue()) {
        ofSubject.add(answer(task));
      }
      answers.put(each.getKey(), ofSubject);
    }
    return answers;
  }

  private Answer timed(Subject subject, Line operation) throws Exception {
    long start = System.nanoTime();
    try {
      return subject.run(operation);
    } finally {
      nanos.merge(operation.verb(), System.nanoTime() - start, Long::sum);
    }
  }

  /**
   * Compares all answers to an operation, of that place in {@code found}; a table of HBase's alone
   * that has other cells leaves {@code subjects}.
   *
   * @return null: there is no difference that ends the run
   */
  private Difference compare(
      int number,
      Line operation,
      int place,
      List<Subject> subjects,
      Map<Subject, List<Answer>> found)
      throws IOException {
    Subject reference = subjects.get(0);
    Answer expected = found.get(reference).get(place);
    if (expected.isRefused() && !Reads.isRead(operation)) {
      throw new IOException("Stock HBase fails: " + operation + "\n" + expected);
    }
    for (Subject subject : List.copyOf(subjects.subList(1, subjects.size()))) {
      compared++;
      Answer answer = defect.told(subject, operation, found.get(subject).get(place));
      if (answer.equals(expected) || isExplained(operation, reference, subject, expected, answer)) {
        continue;
      }
      Difference difference = difference(number, operation, subject, expected, answer);
      boolean isOfLayout =
          difference.isOfStock() && reference.stock(ALL_CELLS).equals(subject.stock(ALL_CELLS));
      isOver = !isOfLayout && isAlone(reference, subjects.subList(1, subjects.size()));
      if (!isOfLayout && !isOver && !subject.isStock()) {
        return difference;
      }
      ofStock.add(difference);
      if (isOver) {
        return null;
      }
      if (!isOfLayout) {
        subjects.remove(subject);
      }
    }
    return null;
  }

  /** Whether all others, whoever compacted them, have the same cells, and the reference has not. */
  private static boolean isAlone(Subject reference, List<Subject> others) {
    Set<Answer> cells =
        others.stream().map(other -> other.stock(ALL_CELLS)).collect(Collectors.toSet());
    return others.size() >= JURY
        && cells.size() == 1
        && !cells.contains(reference.stock(ALL_CELLS));
  }

  private boolean isExplained(
      Line operation, Subject reference, Subject subject, Answer expected, Answer found) {
    Contradiction why = Contradiction.explaining(operation, reference, subject, expected, found);
    if (why != null) {
      contradictions.merge(why, 1, Integer::sum);
    }
    return why != null;
  }

  private static Difference difference(
      int number, Line operation, Subject subject, Answer expected, Answer found) {
    boolean isRead = Reads.isRead(operation) && !found.threwIn(HANGS);
    return new Difference(
        number,
        operation,
        subject.name(),
        subject.options(),
        expected,
        found,
        isRead ? subject.again(operation) : null,
        isRead ? subject.stock(operation) : null);
  }

  private Outcome outcome(int operations, Difference difference) {
    return new Outcome(
        difference,
        ofStock,
        operations,
        compared,
        contradictions,
        nanos,
        Long.toHexString(digest.getValue()));
  }

  private void write(Writer answers, int number, Line operation, Answer answer) throws IOException {
    String text = (number + 1) + " " + operation + "\n" + answer.text().indent(2);
    digest.update(text.getBytes(StandardCharsets.UTF_8));
    answers.write(text);
  }

  /** What hangs has an answer, too. */
  private static Answer answer(Future<Answer> asked) throws Exception {
    try {
      return result(asked);
    } catch (TimeoutException e) {
      return Answer.failure(List.of(), e);
    }
  }

  private static <T> T result(Future<T> future) throws Exception {
    try {
      return future.get(OPERATION_MINUTES, TimeUnit.MINUTES);
    } catch (ExecutionException e) {
      if (e.getCause() instanceof IllegalArgumentException invalid) {
        throw invalid;
      }
      throw new IOException(e.getCause());
    }
  }
}
