package io.ishbase.archetypes.document;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.apache.hadoop.hbase.util.Bytes;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PathTest {
  @Provide
  Arbitrary<Path> paths() {
    return RandomJson.paths();
  }

  @Property
  void textAndBytesGiveThePathBack(@ForAll("paths") Path path) throws Exception {
    assertThat(Path.of(path.toString())).isEqualTo(path);
    assertThat(PathBytes.decode(Columns.ownName(PathBytes.encode(path)), 0)).isEqualTo(path);
  }

  @Property
  void bytesSortAsPathsDo(@ForAll("paths") Path one, @ForAll("paths") Path other) {
    byte[] a = Columns.ownName(PathBytes.encode(one));
    byte[] b = Columns.ownName(PathBytes.encode(other));
    assertThat(Integer.signum(Bytes.compareTo(a, b)))
        .isEqualTo(Integer.signum(one.compareTo(other)));
  }

  @Property
  void aPlaceIsAPrefixOfWhatLiesInItAndOfNothingElse(
      @ForAll("paths") Path outer, @ForAll("paths") Path other, @ForAll("paths") Path more) {
    List<Path.Step> joined = new ArrayList<>(outer.steps());
    joined.addAll(more.steps());
    byte[] prefix = PathBytes.encode(outer);
    assertThat(Bytes.startsWith(PathBytes.encode(Path.ofSteps(joined)), prefix)).isTrue();
    boolean lies =
        other.steps().size() >= outer.steps().size()
            && other.first(outer.steps().size()).equals(outer);
    assertThat(Bytes.startsWith(PathBytes.encode(other), prefix)).isEqualTo(lies);
  }

  @Test
  void elementsSortByNumberAndBeforeMembers() {
    List<Path> sorted =
        List.of(
            Path.ROOT,
            Path.of("[0]"),
            Path.of("[2]"),
            Path.of("[10]"),
            Path.of("[256]"),
            Path.of("[*]"),
            Path.of("a"),
            Path.of("a[1]"),
            Path.of("a.b"),
            Path.of("ab"));
    List<Path> shuffled = new ArrayList<>(sorted);
    Collections.reverse(shuffled);
    shuffled.sort((a, b) -> Bytes.compareTo(PathBytes.encode(a), PathBytes.encode(b)));
    assertThat(shuffled).isEqualTo(sorted);
    Collections.reverse(shuffled);
    Collections.sort(shuffled);
    assertThat(shuffled).isEqualTo(sorted);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        ".",
        "a.",
        "a..b",
        "[",
        "[x]",
        "[-1]",
        "[1",
        "[9999999999]",
        "[\"a]",
        "a]",
        "a[0]b"
      })
  void otherTextIsNoPath(String text) {
    assertThatThrownBy(() -> Path.of(text))
        .isInstanceOfSatisfying(
            DocumentException.class,
            e -> assertThat(e.problem()).isEqualTo(DocumentException.Problem.INVALID_PATH));
  }

  @Test
  void tooLongAPathIsRefused() {
    assertThatThrownBy(() -> PathBytes.encode(Path.ROOT.member("x".repeat(Limits.PATH_BYTES))))
        .hasMessageContaining("8192 bytes");
    assertThatThrownBy(() -> Path.of("a" + ".a".repeat(100))).hasMessageContaining("101 steps");
  }

  @Test
  void aPatternMeetsWhatItMayFindAndWhatIsAroundIt() {
    Path pattern = Path.of("a[*].b");
    assertThat(List.of("", "a", "a[3]", "a[3].b", "a[3].b.c"))
        .allMatch(path -> pattern.meets(Path.of(path)));
    assertThat(List.of("b", "a.x", "a[3].c")).noneMatch(path -> pattern.meets(Path.of(path)));
    assertThat(pattern.fixed()).isEqualTo(Path.of("a"));
  }
}
