package io.ishbase.dist.top;

import static org.assertj.core.api.Assertions.assertThat;

import io.ishbase.cluster.MetricsPage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class ScreenTest {
  private static final Path GOLDEN = Path.of("src", "test", "resources", "golden", "top.txt");
  private static final long SECOND = 1_000_000_000L;

  private static Look.Server server(String name, double requests, String page) throws IOException {
    return new Look.Server(name, requests, MetricsPage.parse(page), "");
  }

  private static Look.Server silent(String name, String failure) {
    return new Look.Server(name, -1, null, failure);
  }

  private static final String REGION_SERVER_BEFORE =
      """
      ishbase_reads_total 1000
      ishbase_cache_hits_total 100
      ishbase_cache_misses_total 100
      ishbase_fallbacks_total{reason="busy"} 5
      ishbase_response_bytes_total 0
      ishbase_request_seconds_bucket{le="0.001"} 10
      ishbase_request_seconds_bucket{le="0.01"} 10
      ishbase_request_seconds_bucket{le="+Inf"} 10
      """;

  private static final String REGION_SERVER_AFTER =
      """
      ishbase_reads_total 6000
      ishbase_cache_hits_total 3100
      ishbase_cache_misses_total 1100
      ishbase_fallbacks_total{reason="busy"} 20
      ishbase_fallbacks_total{reason="no_file"} 1
      ishbase_routes_total{route="block"} 500
      ishbase_response_bytes_total 20971520
      ishbase_packed_bytes_total 10485760
      ishbase_unpacked_bytes_total 31457280
      ishbase_hdfs_read_bytes_total 5242880
      ishbase_late_answers_total 25
      ishbase_quarantined{kind="node"} 1
      ishbase_quarantined{kind="other"} 2
      ishbase_compactions_under_way 3
      ishbase_verify_differences_total 1
      ishbase_request_seconds_bucket{le="0.001"} 60
      ishbase_request_seconds_bucket{le="0.01"} 109
      ishbase_request_seconds_bucket{le="+Inf"} 110
      ishbase_memory_used_bytes{place="heap"} 30
      ishbase_memory_limit_bytes{place="heap"} 100
      ishbase_memory_used_bytes{place="direct"} 95
      ishbase_memory_limit_bytes{place="direct"} 100
      """;

  private static final String DAEMON =
      """
      ishbase_daemon_answers_total{code="ok"} 5000
      ishbase_daemon_answers_total{code="busy"} 10
      ishbase_daemon_response_bytes_total 10485760
      ishbase_daemon_load_ratio 0.4
      ishbase_daemon_queued_calls{queue="reads"} 12
      ishbase_worker_running 2
      ishbase_worker_slots 4
      ishbase_worker_backlog_bytes 104857600
      ishbase_daemon_memory_used_bytes{place="heap"} 1
      ishbase_daemon_memory_limit_bytes{place="heap"} 2
      """;

  private static final String MASTER =
      """
      ishbase_manager_waiting 7
      ishbase_manager_placed_total 10
      ishbase_manager_running 2
      ishbase_manager_slots 4
      ishbase_manager_workers 1
      """;

  @Test
  void bothKindsOfServersAreShown() throws IOException {
    Look before =
        new Look(
            0,
            List.of(server("rs1.example.org,16020,1", 0, REGION_SERVER_BEFORE)),
            List.of(),
            List.of(server("master1.example.org,16000,5", -1, "ishbase_manager_waiting 0\n")));
    Look after =
        new Look(
            5 * SECOND,
            List.of(
                silent("rs2.example.org,16020,2", "it shows no metrics"),
                server("rs1.example.org,16020,1", 1234, REGION_SERVER_AFTER)),
            List.of(
                server("storage1.of-a-rack-with-a-long-name.example.org,16060,3", -1, DAEMON),
                silent("storage2.example.org,16060,4", "Connection refused")),
            List.of(server("master1.example.org,16000,5", -1, MASTER)));
    String text = new Screen(20).text(before, after);
    if ("write".equals(System.getProperty("ishbase.golden"))) {
      Files.writeString(GOLDEN, text);
    }
    assertThat(GOLDEN).hasContent(text);
  }

  /** What it counted in weeks is not what it did in seconds. */
  @Test
  void whoAnswersAgainHasNoFiguresYet() throws IOException {
    Look before =
        new Look(
            0,
            List.of(silent("rs1,16020,1", "Read timed out")),
            List.of(silent("dn1,16060,1", "Read timed out")),
            List.of());
    Look after =
        new Look(
            5 * SECOND,
            List.of(server("rs1,16020,1", 10, REGION_SERVER_AFTER)),
            List.of(server("dn1,16060,1", -1, DAEMON)),
            List.of(server("master1,16000,5", -1, MASTER)));
    String text = new Screen(20).text(before, after);
    assertThat(text)
        .containsPattern("rs1:16020 +it answers again")
        .containsPattern("dn1:16060 +it answers again")
        .doesNotContain("fallen back", "not answered", "compaction manager");
  }

  /** A server that means ill does not steer the terminal. */
  @Test
  void whatServersSayIsPrintable() throws IOException {
    String page = "ishbase_fallbacks_total{reason=\"\033[2Jgone\\n\"} 5\n";
    Look before =
        new Look(
            0, List.of(server("rs1,16020,1", 1, "ishbase_reads_total 0\n")), List.of(), List.of());
    Look after =
        new Look(
            SECOND,
            List.of(server("rs1,16020,1", 1, page)),
            List.of(silent("dn1,16060,1", "No metric: \033]0;owned\007ok\ndn2:16060 0")),
            List.of());
    assertThat(new Screen(20).text(before, after))
        .contains("fallen back: ?[2Jgone?")
        .containsPattern("dn1:16060 +No metric: \\?]0;owned\\?ok\\?dn2:16060 0\\n");
  }

  @Test
  void theBusiestOfManyStandFirst() throws IOException {
    List<Look.Server> servers = new ArrayList<>();
    for (int i : IntStream.range(0, 100).toArray()) {
      servers.add(server("rs" + i + ",16020,1", i, "ishbase_reads_total 0\n"));
    }
    Look look = new Look(0, servers, List.of(), List.of());
    String text = new Screen(3).text(look, new Look(SECOND, servers, List.of(), List.of()));
    assertThat(text)
        .startsWith("100 region servers, 0 storage daemons")
        .containsSubsequence("rs99:16020 ", "rs98:16020 ", "rs97:16020 ", "and 97 less busy")
        .doesNotContain("rs96");
  }
}
