package io.ishbase.core;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** What the packages of this module may know: the JDK, and one another without a cycle. */
class LayersTest {
  private static final JavaClasses CLASSES =
      new ClassFileImporter().importPath(Path.of("target", "classes"));

  @Test
  void thereIsNoCycle() {
    slices().matching("io.ishbase.(**)").should().beFreeOfCycles().check(CLASSES);
  }

  @Test
  void nothingKnowsHBase() {
    classes()
        .should()
        .onlyDependOnClassesThat()
        .resideInAnyPackage("java..", "io.ishbase.core..", "org.slf4j..", "org.jspecify..")
        .check(CLASSES);
  }
}
