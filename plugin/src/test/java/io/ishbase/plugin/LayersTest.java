package io.ishbase.plugin;

import static com.tngtech.archunit.library.Architectures.layeredArchitecture;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.library.Architectures.LayeredArchitecture;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** Which package of the plug-in may know which, as docs/architecture.md shows it. */
class LayersTest {
  private static final String ROOT = "io.ishbase.plugin";
  private static final int MOST_IN_REGION_SERVER = 9;

  /** Lowest first: a package knows none of those behind it. */
  private static final List<String> LAYERS =
      List.of(
          "metrics",
          "settings",
          "hbase",
          "trace",
          "node",
          "scan",
          "aggregate",
          "gate",
          "cache",
          "prewarm",
          "blockwarmup",
          "memory",
          "shadow",
          "compaction",
          "page",
          "master",
          "regionserver",
          "snapshot");

  private static final JavaClasses CLASSES =
      new ClassFileImporter().importPath(Path.of("target", "classes"));

  private static Set<String> ours(String prefix) {
    return CLASSES.stream()
        .filter(type -> type.isTopLevelClass() && type.getPackageName().startsWith(prefix))
        .map(JavaClass::getName)
        .collect(Collectors.toCollection(TreeSet::new));
  }

  @Test
  void everyPackageIsALayer() {
    assertThat(ours(ROOT).stream().map(LayersTest::layer)).containsOnlyElementsOf(LAYERS);
  }

  private static String layer(String name) {
    return name.substring(ROOT.length() + 1).replaceAll("\\..*", "");
  }

  @Test
  void noPackageKnowsOneAboveIt() {
    LayeredArchitecture layers = layeredArchitecture().consideringOnlyDependenciesInLayers();
    for (String layer : LAYERS) {
      layers = layers.layer(layer).definedBy(ROOT + "." + layer + "..");
    }
    for (int i = 0; i < LAYERS.size(); i++) {
      List<String> above = new ArrayList<>(LAYERS.subList(i + 1, LAYERS.size()));
      layers =
          above.isEmpty()
              ? layers.whereLayer(LAYERS.get(i)).mayNotBeAccessedByAnyLayer()
              : layers
                  .whereLayer(LAYERS.get(i))
                  .mayOnlyBeAccessedByLayers(above.toArray(String[]::new));
    }
    layers.check(CLASSES);
  }

  @Test
  void someKnowLessThanTheyMight() {
    assertThat(knownBy("scan")).containsExactly("hbase", "metrics", "node");
    assertThat(knownBy("gate")).isEmpty();
    assertThat(knownBy("trace")).containsExactly("metrics");
    assertThat(knownBy("hbase")).isEmpty();
    assertThat(knownBy("master")).containsExactly("node", "settings");
    assertThat(knownBy("blockwarmup")).containsExactly("hbase", "metrics", "node");
    assertThat(knownBy("memory")).isEmpty();
    assertThat(knownBy("shadow")).containsExactly("metrics");
  }

  private static Set<String> knownBy(String layer) {
    return CLASSES.stream()
        .filter(type -> type.getPackageName().equals(ROOT + "." + layer))
        .flatMap(type -> type.getDirectDependenciesFromSelf().stream())
        .map(dependency -> dependency.getTargetClass().getBaseComponentType())
        .filter(target -> target.getPackageName().startsWith(ROOT + "."))
        .map(target -> layer(target.getName()))
        .filter(known -> !known.equals(layer))
        .collect(Collectors.toCollection(TreeSet::new));
  }

  @Test
  void thereIsNoCycle() {
    slices().matching(ROOT + ".(*)..").should().beFreeOfCycles().check(CLASSES);
  }

  @Test
  void theTopIsSmall() {
    assertThat(ours(ROOT + ".regionserver"))
        .filteredOn(name -> !name.endsWith(".package-info"))
        .hasSizeLessThanOrEqualTo(MOST_IN_REGION_SERVER);
  }

  @Test
  void onlyTheseLiveInHBasesPackages() {
    assertThat(ours("org.apache.hadoop"))
        .containsExactly(
            "org.apache.hadoop.hbase.regionserver.AutoMemStore",
            "org.apache.hadoop.hbase.regionserver.BlockProgress",
            "org.apache.hadoop.hbase.regionserver.MemstoreMemory",
            "org.apache.hadoop.hbase.regionserver.OpenReversedMobStoreScanner",
            "org.apache.hadoop.hbase.regionserver.PolicyMemStoreCompactor",
            "org.apache.hadoop.hbase.regionserver.StoreFileScannerAccess",
            "org.apache.hadoop.hbase.regionserver.UnseenRows",
            "org.apache.hadoop.hbase.regionserver.WatchedRegionScanners",
            "org.apache.hadoop.hbase.regionserver.throttle.ThroughputControllerAccess");
  }
}
