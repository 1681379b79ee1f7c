package io.ishbase.sim.trace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ishbase.sim.workload.Parameters;
import io.ishbase.sim.workload.RequestStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ReplayTest {
  @TempDir private Path dir;

  @Test
  void rowsAreNumberedInTheirOrder() throws IOException {
    Replay replay =
        replay("rows", "get t c 1", "get t a 1", "put t b 1", "scan t a 2", "scan t b 9");
    assertThat(requests(replay))
        .containsExactly("GET 2 1", "GET 0 1", "PUT 1 1", "SCAN 0 2", "SCAN 1 2");
    assertThat(replay.facts().get(0)).isEqualTo("5 operations: 2 Gets, 2 Scans, 1 writes; 3 rows");
  }

  @Test
  void tablesLieOneBehindTheOther() throws IOException {
    assertThat(requests(replay("rows", "get u a 1", "get t b 1", "delete t a 1")))
        .containsExactly("GET 2 1", "GET 1 1", "PUT 0 1");
  }

  @Test
  void ordinalsAreThemselves() throws IOException {
    assertThat(requests(replay("ordinals", "get t 7 1", "get t 07 1", "scan t 2 100")))
        .containsExactly("GET 7 1", "GET 7 1", "SCAN 2 6");
    assertThatThrownBy(() -> replay("ordinals", "get t 67108864 1")).hasMessageContaining("below");
    assertThatThrownBy(() -> replay("ordinals", "get t seven 1")).hasMessageContaining("line 2");
  }

  /** Rows without order have one that means nothing, but is always the same. */
  @Test
  void hashedRowsLieAnywhere() throws IOException {
    String[] lines = new String[100];
    for (int i = 0; i < lines.length; i++) {
      lines[i] = "get t key" + (100 + i) + " 1";
    }
    List<String> hashed = requests(replay("hashed", lines));
    assertThat(hashed).isEqualTo(requests(replay("hashed", lines)));
    List<String> ordered = requests(replay("rows", lines));
    assertThat(hashed).containsExactlyInAnyOrderElementsOf(ordered).isNotEqualTo(ordered);
  }

  @Test
  void aScanOfUnknownLengthTakesTheMean() throws IOException {
    Replay replay = replay("rows", "scan t a -", "get t b 1", "get t c 1", "get t d 1");
    assertThat(requests(replay.requests(Parameters.seed().with("scan.rows", 3))).get(0))
        .isEqualTo("SCAN 0 3");
  }

  @Test
  void theLimitCutsAndIsSaid() throws IOException {
    Path file = file("rows", "get t a 1", "get t b 1", "get t c 1");
    try (TraceReader reader = TraceFormat.ISHBASE.open(file, "")) {
      Replay replay = Replay.of(reader, 2);
      assertThat(requests(replay)).hasSize(2);
      assertThat(replay.facts()).anyMatch(fact -> fact.contains("--limit"));
    }
  }

  @Test
  void dataAreAsLargeAsTheTraceSays() throws IOException {
    Replay replay = replay("rows", "get t a 1", "get t b 1", "scan t b 2");
    Parameters fitting = replay.fit(Parameters.seed(), Set.of());
    // Each line has 100 bytes: 100, 100, and 100 for two rows.
    assertThat(fitting.number("cell.bytes")).isEqualTo(75);
    assertThat(fitting.number("blocks")).isEqualTo(1);
    assertThat(fitting.number("requests")).isEqualTo(3);
    Parameters given = Parameters.seed().with("cell.bytes", 65536).with("blocks", 1);
    assertThatThrownBy(() -> replay.fit(given, Set.of("cell.bytes", "blocks")))
        .hasMessageContaining("2 are needed");
  }

  @Test
  void aTraceOfNothingIsSaid() throws IOException {
    assertThatThrownBy(() -> replay("rows")).hasMessage("The trace has no operation");
  }

  private Replay replay(String keys, String... lines) throws IOException {
    try (TraceReader reader = TraceFormat.ISHBASE.open(file(keys, lines), "")) {
      return Replay.of(reader, Integer.MAX_VALUE);
    }
  }

  private Path file(String keys, String... lines) throws IOException {
    StringBuilder text = new StringBuilder("# ishbase-trace 1 " + keys + "\n");
    for (String line : lines) {
      text.append("-\t").append(line.replace(' ', '\t')).append("\t1\t100\n");
    }
    return Files.writeString(dir.resolve("x.trace"), text);
  }

  private static List<String> requests(Replay replay) {
    return requests(replay.requests(Parameters.seed()));
  }

  private static List<String> requests(Supplier<RequestStream> load) {
    List<String> requests = new ArrayList<>();
    RequestStream stream = load.get();
    while (stream.next()) {
      requests.add(stream.kind() + " " + stream.key() + " " + stream.rows());
    }
    return requests;
  }

  /** A Scan ends with its table, as HBase's does. */
  @Test
  void aScanEndsWithItsTable() throws IOException {
    assertThat(requests(replay("rows", "scan t a 9", "get u a 1", "get t b 1", "scan u a 9")))
        .containsExactly("SCAN 0 2", "GET 2 1", "GET 1 1", "SCAN 2 1");
  }
}
