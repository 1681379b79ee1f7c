package io.ishbase.daemon;

import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** Which package of the daemon may know which, as docs/architecture.md shows it. */
class LayersTest {
  private static final JavaClasses CLASSES =
      new ClassFileImporter().importPath(Path.of("target", "classes"));

  @Test
  void thereIsNoCycle() {
    slices().matching("io.ishbase.(**)").should().beFreeOfCycles().check(CLASSES);
  }

  @Test
  void onlyTheseLiveInHBasesPackages() {
    assertThat(
            CLASSES.stream()
                .filter(JavaClass::isTopLevelClass)
                .map(JavaClass::getName)
                .filter(name -> name.startsWith("org.apache.hadoop")))
        .containsExactlyInAnyOrder(
            "org.apache.hadoop.hbase.io.hfile.BlockCopier",
            "org.apache.hadoop.hbase.io.hfile.CopyingBlockWriter",
            "org.apache.hadoop.hbase.ipc.AnswersUnderWay",
            "org.apache.hadoop.hbase.nio.CountedByteBuff",
            "org.apache.hadoop.hbase.regionserver.IssnMobStore",
            "org.apache.hadoop.hbase.regionserver.IssnRegionFileSystem",
            "org.apache.hadoop.hbase.regionserver.IssnStore",
            "org.apache.hadoop.hbase.regionserver.IssnStoreFileAccess");
  }
}
