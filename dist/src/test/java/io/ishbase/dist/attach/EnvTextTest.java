package io.ishbase.dist.attach;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class EnvTextTest {
  @Test
  void aBlockComesChangesAndGoes() {
    EnvText none = new EnvText("export A=1");
    String two = EnvText.DIRECT + "2m\"";
    String three = EnvText.DIRECT + "3m\"";
    EnvText one = none.with(List.of(two));
    assertThat(one.text())
        .isEqualTo("export A=1\n" + EnvText.BEGIN + "\n" + two + "\n" + EnvText.END + "\n");
    assertThat(one.with(List.of(two))).isSameAs(one);
    assertThat(one.with(List.of(three)).block()).containsExactly(three);
    EnvText joined = new EnvText(one.text().replace(EnvText.END, "export C=$1\n" + EnvText.END));
    assertThat(joined.block()).containsExactly(two);
    assertThat(joined.with(List.of()).text()).isEqualTo("export A=1\nexport C=$1\n");
    assertThat(one.with(List.of()).text()).isEqualTo("export A=1\n");
    assertThat(one.withoutBlock().text()).isEqualTo("export A=1\n");
  }

  @Test
  void directMemoryIsTheFlagOrTheHeap() {
    assertThat(new EnvText("").directBytes()).isEmpty();
    assertThat(new EnvText("# -Xmx9g\nexport HBASE_HEAPSIZE=4000").directBytes())
        .hasValue(4000L << 20);
    assertThat(new EnvText("-Xmx4g -XX:MaxDirectMemorySize=1048576").directBytes())
        .hasValue(1 << 20);
    assertThat(new EnvText("-XX:MaxDirectMemorySize=99999999999999999999g").directBytes())
        .hasValue(Long.MAX_VALUE);
    assertThat(new EnvText("HBASE_OFFHEAPSIZE=\"5G\"").directBytes()).hasValue(5L << 30);
  }

  /** Of all lines of a region server, the last; those of other processes say nothing of it. */
  @Test
  void flagsOfOtherProcessesAreNotTheRegionServers() {
    String flag = "-XX:MaxDirectMemorySize=";
    for (String text :
        List.of(
            "export HBASE_REGIONSERVER_OPTS=\""
                + flag
                + "4g\"\n"
                + "export HBASE_MASTER_OPTS=\"-Xmx1g "
                + flag
                + "32g\"\n",
            "export HBASE_MASTER_OPTS=\"-Xmx1g\" HBASE_REGIONSERVER_OPTS=\"" + flag + "4g\"",
            "export HBASE_MASTER_OPTS=-Xmx1g; export HBASE_OFFHEAPSIZE=4g",
            "HBASE_JVM_OPTS=\"" + flag + "4g\"\nHBASE_REGIONSERVER_OPTS=\"$HBASE_JVM_OPTS\"",
            "HBASE_OFFHEAPSIZE=4g\nHBASE_MASTER_OPTS=\"-Dx=" + "y".repeat(100_000) + " -Xmx1g\"",
            "HBASE_OFFHEAPSIZE=4g\nHBASE_THRIFT_OPTS=\"a \\\n " + flag + "32g\"")) {
      assertThat(new EnvText(text).directBytes()).as(text).hasValue(4L << 30);
    }
  }
}
