package io.ishbase.dist;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ishbase.core.ReadMode;
import io.ishbase.core.sizing.JvmFeatures;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

class LocalMemoryTest {
  private static final long GB = 1L << 30;
  private static final JvmFeatures JAVA_17 = new JvmFeatures(17, Set.of("UseG1GC", "UseZGC"));

  private static LocalMemory of(String wish, long machine, int servers, Map<String, String> site) {
    return LocalMemory.of(wish, machine, 2, servers, ReadMode.IN_STORAGE, JAVA_17, site);
  }

  @Test
  void aLargeMachineGivesFourGigabytes() {
    LocalMemory memory = of("auto", 24 * GB, 1, Map.of());
    assertThat(memory.explanation().get(0))
        .isEqualTo(
            "Memory of each region server: 4096 MB, half of what the other servers leave of this"
                + " machine's 24576 MB, 4096 MB at most; --memory chooses another");
    assertThat(memory.explanation()).hasSize(11);
    assertThat(memory.each().heapMb()).isEqualTo(1228);
    assertThat(memory.each().site())
        .containsEntry("hbase.bucketcache.ioengine", "offheap")
        .containsKeys(
            "hbase.bucketcache.size",
            "hbase.regionserver.offheap.global.memstore.size",
            "ishbase.cache.bytes");
    assertThat(memory.each().jvmFlags())
        .anyMatch(flag -> flag.startsWith("-XX:MaxDirectMemorySize="))
        .contains("-XX:+UseG1GC")
        .noneMatch(flag -> flag.startsWith("-Xmx"));
  }

  @Test
  void aSmallOneKeepsHBasesDefaults() {
    for (String wish : new String[] {"auto", "stock"}) {
      LocalMemory memory = of(wish, 4 * GB, 1, Map.of());
      assertThat(memory.explanation()).hasSize(1);
      assertThat(memory.explanation().get(0)).contains("HBase's defaults, ");
      assertThat(memory.each().jvmFlags()).isEmpty();
      assertThat(memory.each().site()).isEmpty();
      assertThat(memory.each().heapMb()).isEqualTo(1024);
    }
  }

  @Test
  void memoryThatIsToBeMovedStaysOnTheHeap() {
    LocalMemory memory = of("auto", 24 * GB, 1, Map.of("ishbase.memory", "auto"));
    assertThat(memory.explanation())
        .singleElement()
        .asString()
        .contains("HBase's defaults, since ishbase.memory = auto moves what is on the heap");
    assertThat(memory.each().site()).containsOnlyKeys("ishbase.memory");
  }

  @Test
  void whatTheUserSaysStandsAndIsCheckedBeforeTheStart() {
    LocalMemory memory = of("2G", 24 * GB, 1, Map.of("hbase.bucketcache.size", "5000"));
    assertThat(memory.each().site()).containsEntry("hbase.bucketcache.size", "5000");
    assertThat(memory.explanation().get(memory.explanation().size() - 1))
        .contains("too little for 5000 MB block cache")
        .endsWith("here --memory BYTES is for that");
  }

  @Test
  void aWishThatCannotBeIsRefused() {
    assertThatThrownBy(() -> of("much", 24 * GB, 1, Map.of()))
        .isInstanceOf(CliException.class)
        .hasMessage("--memory is auto, stock or a size as 4G, not 'much'");
    assertThatThrownBy(() -> of("64M", 24 * GB, 1, Map.of()))
        .isInstanceOf(CliException.class)
        .hasMessageStartingWith("--memory 64M: 64 MB are too little");
  }
}
