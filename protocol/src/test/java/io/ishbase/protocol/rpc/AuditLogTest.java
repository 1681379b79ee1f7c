package io.ishbase.protocol.rpc;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

class AuditLogTest {
  private final List<String> allowed = new ArrayList<>();
  private final List<String> refused = new ArrayList<>();
  private final List<String> silent = new ArrayList<>();
  private long nanos = -5;

  private final AuditLog log =
      new AuditLog(
          new AuditLog.Lines() {
            @Override
            public boolean wantsAllowed() {
              return true;
            }

            @Override
            public void allowed(String line) {
              allowed.add(line);
            }

            @Override
            public void refused(String line) {
              refused.add(line);
            }

            @Override
            public void silent(Supplier<String> line) {
              silent.add(line.get());
            }
          },
          () -> nanos);

  @Test
  void whoIsLetInIsSaidOnceAnHourForEachTable() {
    for (int i = 0; i < 1000; i++) {
      log.allowed("read", "default:t");
      log.allowed("read", "default:u");
    }
    assertThat(allowed)
        .containsExactly(
            "Access allowed for user -; remote address: -; operation: read; table: default:t",
            "Access allowed for user -; remote address: -; operation: read; table: default:u");
    nanos += TimeUnit.HOURS.toNanos(1);
    log.allowed("read", "default:t");
    assertThat(allowed)
        .hasSize(3)
        .last()
        .asString()
        .endsWith("table: default:t; and 999 times since it was said last");
    assertThat(refused).isEmpty();
    assertThat(silent).hasSize(1998).first().asString().endsWith("table: default:t");
  }

  @Test
  void whoIsRefusedIsSaidOnceAMinuteWhateverHeNames() {
    for (int i = 0; i < 1000; i++) {
      log.refused("read", "default:t" + i, "he is no region server");
    }
    log.refused("compact", "", "he is no region server");
    assertThat(refused)
        .containsExactly(
            "Access refused for user -; remote address: -; operation: read; table: default:t0;"
                + " reason: he is no region server",
            "Access refused for user -; remote address: -; operation: compact;"
                + " reason: he is no region server");
    nanos += TimeUnit.MINUTES.toNanos(1);
    log.refused("read", "x", "");
    assertThat(refused).last().asString().endsWith("x; and 999 times since it was said last");
    assertThat(allowed).isEmpty();
  }

  @Test
  void aCallersTextMakesNoLinesOfItsOwnAndIsNoLongerThanALine() {
    log.refused(
        "read", "a\nAccess allowed for user \u001b[2Jeve\r\u2028" + "x".repeat(5000), "b\tc");
    assertThat(refused.get(0))
        .hasLineCount(1)
        .contains("table: a?Access allowed for user ?[2Jeve?")
        .contains("reason: b?c")
        .hasSizeLessThan(400);
  }

  @Test
  void itRemembersSoManyAndNoMore() {
    for (int i = 0; i < AuditLog.MAX_KNOWN * 2; i++) {
      log.allowed("read", "t" + i);
    }
    assertThat(log.remembered()).isLessThanOrEqualTo(AuditLog.MAX_KNOWN + 2);
    assertThat(allowed).hasSizeBetween(AuditLog.MAX_KNOWN, AuditLog.MAX_KNOWN + 2);
    nanos += TimeUnit.HOURS.toNanos(1);
    log.allowed("read", "new");
    assertThat(log.remembered()).isLessThan(3);
    assertThat(allowed).last().asString().contains("table: new");
  }

  @Test
  void theManyThatAreLeftAreNotCountedAsOneOfThem() {
    for (int i = 0; i < AuditLog.MAX_KNOWN; i++) {
      log.allowed("read", "t" + i);
    }
    log.allowed("read", "a");
    for (int i = 0; i < 50; i++) {
      log.allowed("read", "b");
    }
    assertThat(allowed)
        .last()
        .asString()
        .endsWith("table: a; too many to tell apart, and 0 others since one of them was said");
  }

  @Test
  void aTableIsKnownByThePathsOfItsFiles() {
    String region = "0123456789abcdef".repeat(2);
    String t = "data/default/t/" + region;
    assertThat(AuditLog.tableOf("/hbase/" + t + "/f")).isEqualTo("default:t");
    assertThat(AuditLog.tableOf("/hbase/archive/data/ns/u/" + region + "/f/file"))
        .isEqualTo("ns:u");
    assertThat(AuditLog.tableOf("/hbase/mobdir/" + t + "/f")).isEqualTo("default:t");
    assertThat(AuditLog.tableOf("/data/hbase/" + t + "/f")).isEqualTo("default:t");
    assertThat(AuditLog.tableOf("/data/" + t + "/data/file")).isEqualTo("default:t");
    assertThat(AuditLog.tableOf("/hbase/data/ns/data/" + region + "/f/" + region))
        .isEqualTo("ns:data");
    String deep = "/hbase/" + t + "/f".repeat(1 << 20);
    assertThat(AuditLog.tableOf(deep)).isEqualTo("default:t");
    assertThat(AuditLog.tableOf("/etc/passwd")).isEqualTo("/etc/passwd");
    assertThat(AuditLog.tableOf("/hbase/data/x")).isEqualTo("/hbase/data/x");
    assertThat(AuditLog.tableOf("")).isEmpty();
  }

  /** What a caller says is kept for an hour. */
  @Test
  void longTextsAreCutBeforeTheyAreRemembered() {
    String same = "x".repeat(AuditLog.MAX_TEXT);
    for (int i = 0; i < 100; i++) {
      log.allowed("read", same + "y".repeat(1 << 16) + i);
    }
    assertThat(log.remembered()).isEqualTo(1);
    assertThat(allowed).hasSize(1).first().asString().hasSizeLessThan(300);
  }

  /** Where there are more than it remembers, it does not look through all of them each time. */
  @Test
  void whatIsOverIsLookedForOnceAMinute() {
    for (int i = 0; i < AuditLog.MAX_KNOWN + 10; i++) {
      log.allowed("read", "default:t" + i);
    }
    assertThat(log.remembered()).isEqualTo(AuditLog.MAX_KNOWN + 1);
    nanos += TimeUnit.SECONDS.toNanos(59);
    log.allowed("read", "default:new");
    assertThat(log.remembered()).isEqualTo(AuditLog.MAX_KNOWN + 1);
    nanos += TimeUnit.HOURS.toNanos(1);
    log.allowed("read", "default:newer");
    assertThat(log.remembered()).isEqualTo(1);
  }
}
