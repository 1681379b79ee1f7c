package io.ishbase.sim;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** What the packages of this module may know: core, the JDK, and one another without a cycle. */
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
        .resideInAnyPackage("java..", "io.ishbase.core..", "io.ishbase.sim..", "org.jspecify..")
        .check(CLASSES);
  }

  /** The same seed gives the same bytes, on any machine and at any time. */
  @Test
  void nothingKnowsTheTimeOrUnseededChance() {
    noClasses()
        .should()
        .callMethod(System.class, "nanoTime")
        .orShould()
        .callMethod(System.class, "currentTimeMillis")
        .orShould()
        .callMethod(Math.class, "random")
        .orShould()
        .dependOnClassesThat()
        .haveFullyQualifiedName("java.util.concurrent.ThreadLocalRandom")
        .orShould()
        .callMethod(Math.class, "sin", double.class)
        .orShould()
        .callMethod(Math.class, "cos", double.class)
        .orShould()
        .callMethod(Math.class, "pow", double.class, double.class)
        .because("Math may differ between machines, StrictMath does not")
        .check(CLASSES);
  }
}
