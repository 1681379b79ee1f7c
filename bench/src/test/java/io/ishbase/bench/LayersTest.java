package io.ishbase.bench;

import static com.tngtech.archunit.library.Architectures.layeredArchitecture;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** Scenarios use what measures and loads, that uses what reports; nothing the other way round. */
class LayersTest {
  private static final JavaClasses CLASSES =
      new ClassFileImporter().importPath(Path.of("target", "classes"));

  @Test
  void noPackageKnowsOneAboveIt() {
    layeredArchitecture()
        .consideringOnlyDependenciesInLayers()
        .layer("scenario")
        .definedBy("io.ishbase.bench.scenario..")
        .layer("tpcc")
        .definedBy("io.ishbase.bench.tpcc..")
        .layer("memstore")
        .definedBy("io.ishbase.bench.memstore..")
        .layer("bench")
        .definedBy("io.ishbase.bench")
        .layer("report")
        .definedBy("io.ishbase.bench.report..")
        .whereLayer("scenario")
        .mayNotBeAccessedByAnyLayer()
        .whereLayer("tpcc")
        .mayOnlyBeAccessedByLayers("scenario")
        .whereLayer("memstore")
        .mayOnlyBeAccessedByLayers("scenario")
        .whereLayer("bench")
        .mayOnlyBeAccessedByLayers("scenario", "tpcc", "memstore")
        .check(CLASSES);
  }
}
