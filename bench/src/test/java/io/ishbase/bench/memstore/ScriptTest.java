package io.ishbase.bench.memstore;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ishbase.bench.memstore.Operation.Count;
import io.ishbase.bench.memstore.Operation.Read;
import io.ishbase.bench.memstore.Operation.Remove;
import io.ishbase.bench.memstore.Operation.Write;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.client.Mutation;
import org.apache.hadoop.hbase.util.Bytes;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class ScriptTest {
  private static final Workload.Size SIZE = new Workload.Size(1000, 100, 3000, 500, 1 << 20);
  private static final int OPERATIONS = 3000;

  private static List<Operation> operations(Workload workload, long seed, int worker) {
    return Stream.generate(workload.script(SIZE, seed).client(worker)).limit(OPERATIONS).toList();
  }

  /** Kind, row and cells. */
  private static String text(Operation operation) {
    String kind = operation.getClass().getSimpleName() + ' ' + key(operation);
    if (operation instanceof Write write) {
      return kind + cells(write.put());
    }
    if (operation instanceof Read read) {
      return kind + cells(read.expected());
    }
    return operation instanceof Count count ? kind + cells(count.increment()) : kind;
  }

  private static String key(Operation operation) {
    return Bytes.toString(operation.key());
  }

  private static String cells(Mutation mutation) {
    return mutation.getFamilyCellMap().values().stream()
        .flatMap(Collection::stream)
        .map(ScriptTest::cell)
        .collect(Collectors.joining(" ", " ", ""));
  }

  private static String cell(Cell cell) {
    return column(cell) + '=' + Bytes.toHex(CellUtil.cloneValue(cell));
  }

  private static String column(Cell cell) {
    return Bytes.toString(CellUtil.cloneQualifier(cell));
  }

  private static List<String> texts(Workload workload, long seed, int worker) {
    return operations(workload, seed, worker).stream().map(ScriptTest::text).toList();
  }

  private static Map<String, Long> countsByKey(Workload workload) {
    return operations(workload, 1, 0).stream()
        .collect(Collectors.groupingBy(ScriptTest::key, Collectors.counting()));
  }

  private static long most(Workload workload) {
    return countsByKey(workload).values().stream().mapToLong(Long::longValue).max().orElse(0);
  }

  @ParameterizedTest
  @EnumSource
  void operationsFollowFromSeedAndWorkerAlone(Workload workload) {
    List<String> first = texts(workload, 1, 0);
    assertThat(texts(workload, 1, 0)).isEqualTo(first);
    assertThat(texts(workload, 2, 0)).isNotEqualTo(first);
    assertThat(texts(workload, 1, 1)).isNotEqualTo(first);
  }

  /** However the clients take turns, where there are no turns of loads. */
  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "IN_TURN")
  void aClientsOperationsDoNotDependOnOthers(Workload workload) {
    Script script = workload.script(SIZE, 1);
    Supplier<Operation> other = script.client(1);
    List<String> beside =
        Stream.generate(script.client(0))
            .peek(operation -> other.get())
            .limit(OPERATIONS)
            .map(ScriptTest::text)
            .toList();
    assertThat(beside).isEqualTo(texts(workload, 1, 0));
  }

  @ParameterizedTest
  @EnumSource
  void whatIsReadWasLoadedBefore(Workload workload) {
    Script script = workload.script(SIZE, 1);
    Map<String, String> loaded =
        LongStream.range(0, script.rows())
            .mapToObj(script::row)
            .collect(Collectors.toMap(put -> Bytes.toString(put.getRow()), ScriptTest::cells));
    assertThat(loaded).hasSize((int) script.rows());
    for (Operation operation : operations(workload, 1, 0)) {
      if (operation instanceof Read read) {
        assertThat(loaded).containsEntry(key(read), cells(read.expected()));
      }
    }
  }

  @Test
  void someRowsArePopularByZipfsLawAndNoneOtherwise() {
    assertThat(most(Workload.ZIPFIAN)).isGreaterThan(OPERATIONS / 10);
    assertThat(most(Workload.HALF_READS)).isGreaterThan(OPERATIONS / 10);
    assertThat(most(Workload.COUNTERS)).isGreaterThan(OPERATIONS / 10);
    assertThat(most(Workload.DOCUMENTS)).isGreaterThan(OPERATIONS / 10);
    assertThat(most(Workload.UNIFORM)).isLessThan(20);
    assertThat(most(Workload.HALF_READS_UNIFORM)).isLessThan(20);
  }

  @Test
  void oneGetFollowsEachWrite() {
    List<Operation> all = operations(Workload.HALF_READS, 1, 0);
    for (int i = 0; i < all.size(); i++) {
      assertThat(all.get(i)).isInstanceOf(i % 2 == 0 ? Write.class : Read.class);
    }
    assertThat(operations(Workload.ZIPFIAN, 1, 0)).hasOnlyElementsOfType(Write.class);
  }

  @Test
  void queuesAreShortAndFirstInFirstOut() {
    Deque<String> waiting = new ArrayDeque<>();
    Set<String> ever = new HashSet<>();
    int longest = 0;
    for (Operation operation : operations(Workload.QUEUE, 1, 0)) {
      if (operation instanceof Remove) {
        assertThat(key(operation)).isEqualTo(waiting.remove());
      } else {
        assertThat(ever.add(key(operation))).as("a new key").isTrue();
        waiting.add(key(operation));
      }
      longest = Math.max(longest, waiting.size());
    }
    assertThat(longest).isEqualTo(Queues.MOST_ENTRIES);
    assertThat(ever).hasSizeGreaterThan(OPERATIONS * 2 / 5);
  }

  @Test
  void queuesOfTwoClientsHaveNoKeyInCommon() {
    Function<Integer, Set<String>> keys =
        worker ->
            operations(Workload.QUEUE, 1, worker).stream()
                .map(ScriptTest::key)
                .collect(Collectors.toSet());
    assertThat(keys.apply(0)).doesNotContainAnyElementsOf(keys.apply(1));
  }

  @Test
  void afterTheirChecksTablesHoldWhatOperationsLeft() throws Exception {
    for (Workload workload : List.of(Workload.QUEUE, Workload.COUNTERS, Workload.IN_TURN)) {
      Script script = workload.script(SIZE, 1);
      FakeTable table = new FakeTable();
      Supplier<Operation> client = script.client(0);
      for (int i = 0; i < OPERATIONS; i++) {
        table.apply(client.get());
      }
      script.check(table.table());
    }
  }

  @Test
  void aLostEntryALostDeleteAndALostIncrementAreFound() {
    for (Workload workload : List.of(Workload.QUEUE, Workload.COUNTERS)) {
      Script script = workload.script(SIZE, 1);
      FakeTable table = new FakeTable();
      Supplier<Operation> client = script.client(0);
      for (int i = 0; i < OPERATIONS; i++) {
        table.apply(client.get());
      }
      String last = table.lastRow();
      table.remove(last);
      assertThatThrownBy(() -> script.check(table.table()))
          .hasMessageContaining(
              workload == Workload.QUEUE ? "entries are missing: [" + last : " is 0 after ");
    }
    Script script = Workload.QUEUE.script(SIZE, 1);
    FakeTable table = new FakeTable();
    Supplier<Operation> client = script.client(0);
    for (int i = 0; i < OPERATIONS; i++) {
      Operation next = client.get();
      if (!(next instanceof Remove)) {
        table.apply(next);
      }
    }
    assertThatThrownBy(() -> script.check(table.table()))
        .hasMessageContaining("is there, but was deleted");
  }

  @Test
  void documentsAreWideAndFewOfTheirColumnsRewritten() {
    Script script = Workload.DOCUMENTS.script(SIZE, 1);
    assertThat(script.rows()).isEqualTo(20);
    assertThat(script.row(7).size()).isEqualTo(Documents.COLUMNS);
    Map<String, Integer> columns = new HashMap<>();
    for (Operation operation : operations(Workload.DOCUMENTS, 1, 0)) {
      Write write = (Write) operation;
      List<Cell> cells = write.put().getFamilyCellMap().get(ScriptRows.FAMILY);
      assertThat(cells).hasSize(Documents.REWRITTEN);
      assertThat(cells.stream().map(ScriptTest::column).distinct()).hasSize(Documents.REWRITTEN);
      cells.forEach(cell -> columns.merge(column(cell), 1, Integer::sum));
    }
    assertThat(columns).hasSize(Documents.COLUMNS);
  }

  @Test
  void loadsTakeTurnsAndShareTheirRows() {
    Script script = Workload.IN_TURN.script(SIZE, 1);
    assertThat(script.rows()).isEqualTo(SIZE.rows() + 20);
    List<String> prefixes =
        operations(Workload.IN_TURN, 1, 0).stream().map(each -> key(each).substring(0, 1)).toList();
    for (int i = 0; i < OPERATIONS; i++) {
      assertThat(prefixes.get(i)).isEqualTo("rqrcdr".charAt(i / 500) + "");
    }
    assertThat(Workload.IN_TURN.operations(SIZE)).isEqualTo(OPERATIONS);
  }

  /** Also where what takes turns has turns itself: no script does what another must check. */
  @Test
  void whoWarmsUpDoesEachOnce() throws Exception {
    Script script = Workload.warmUp(List.of(Workload.values()), SIZE, 1);
    assertThat(script.rows()).isEqualTo(SIZE.rows() + 20);
    FakeTable table = new FakeTable();
    Supplier<Operation> client = script.client(0);
    for (int i = 0; i < SIZE.operations(); i++) {
      table.apply(client.get());
    }
    script.check(table.table());
    assertThat(table.prefixes()).containsExactlyInAnyOrder("c", "d", "q", "r");
  }

  /** Of all clients together: the writes change for each at once. */
  @Test
  void turnsAreThoseOfAllClients() {
    Script script = Workload.IN_TURN.script(SIZE, 1);
    Supplier<Operation> one = script.client(0);
    Supplier<Operation> other = script.client(1);
    for (int i = 0; i < 250; i++) {
      assertThat(key(one.get())).startsWith("r");
      assertThat(key(other.get())).startsWith("r");
    }
    assertThat(key(one.get())).startsWith("q");
  }

  @Test
  void workloadsHaveNames() {
    assertThat(Workload.ids())
        .containsExactly(
            "zipfian",
            "uniform",
            "half-reads",
            "half-reads-uniform",
            "queue",
            "counters",
            "documents",
            "in-turn");
    assertThat(Workload.of(List.of())).containsExactly(Workload.values());
    assertThat(Workload.of(List.of("queue", "zipfian", "queue")))
        .containsExactly(Workload.ZIPFIAN, Workload.QUEUE);
  }
}
