package io.ishbase.it.defects;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ishbase.it.ChildJvm;
import java.io.File;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The seeded defects are what their names say, and tests catch one of each module; {@code ./ishbase
 * defects} shows it of all.
 */
class DefectsTest {
  static List<Defect> all() {
    return Defects.all();
  }

  @ParameterizedTest
  @MethodSource("all")
  void fitsWhatShips(Defect defect, @TempDir Path directory) throws Exception {
    byte[] shipped = Files.readAllBytes(defect.shipped());
    assertThat(defect.classFile()).isNotEqualTo(shipped);
    verify(defect, directory);
    assertThat(defect.tests())
        .isNotEmpty()
        .allSatisfy(
            test ->
                assertThat(
                        Defect.directory(test.module())
                            .resolve("target/test-classes")
                            .resolve(test.name().replace('.', '/') + ".class"))
                    .exists());
  }

  @Test
  void namesAreTheirOwn() {
    assertThat(Defects.all())
        .hasSizeGreaterThanOrEqualTo(30)
        .extracting(Defect::name)
        .doesNotHaveDuplicates();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"all-try-at-once", "prefix-too-long", "bloom-says-no", "last-column-of-range"})
  void isCaught(String name) throws Exception {
    Defect defect =
        Defects.all().stream().filter(one -> one.name().equals(name)).findAny().orElseThrow();
    Verdict verdict = new SeededDefects(new TestRunner(Path.of("target", "defects"))).judge(defect);
    assertThat(verdict.failed()).as(verdict.text()).isNotEmpty();
  }

  @Test
  void whatFitsNoLongerIsSaid() {
    Defect bloom =
        Defects.all().stream()
            .filter(one -> one.name().equals("bloom-says-no"))
            .findAny()
            .orElseThrow();
    Defect gone =
        new Defect(
            "gone",
            "",
            bloom.module(),
            bloom.className(),
            List.of(Edit.in("heap").call("noSuchCall").leftOut()),
            bloom.tests());
    assertThatThrownBy(gone::classFile).hasMessageContaining("0 places instead of 1");
  }

  /** Has the JVM verify the class, beside all others as they ship. */
  private static void verify(Defect defect, Path directory) throws Exception {
    defect.writeTo(directory);
    List<URL> urls = new ArrayList<>(List.of(directory.toUri().toURL()));
    for (String entry : ChildJvm.classPath().split(File.pathSeparator)) {
      urls.add(Path.of(entry).toUri().toURL());
    }
    try (URLClassLoader loader =
        new URLClassLoader(urls.toArray(URL[]::new), ClassLoader.getPlatformClassLoader())) {
      Class.forName(defect.className(), true, loader);
    }
  }
}
