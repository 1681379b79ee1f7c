package io.ishbase.dist.attach;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class EnvTextTest {
  @Test
  void aBlockComesChangesAndGoes() {
    EnvText none = new EnvText("export A=1");
    EnvText one = none.with(List.of("export B=2"));
    assertThat(one.text())
        .isEqualTo("export A=1\n" + EnvText.BEGIN + "\nexport B=2\n" + EnvText.END + "\n");
    assertThat(one.with(List.of("export B=2"))).isSameAs(one);
    assertThat(one.with(List.of("export B=3")).block()).containsExactly("export B=3");
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
    assertThat(new EnvText("HBASE_OFFHEAPSIZE=\"5G\"").directBytes()).hasValue(5L << 30);
  }
}
