package io.ishbase.archetypes.graph;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.Arrays;
import java.util.Map;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.junit.jupiter.api.Test;

class PropertiesCodecTest {
  @Provide
  Arbitrary<Map<String, String>> properties() {
    Arbitrary<String> texts = Arbitraries.strings().withCharRange('\0', '\ud7ff').ofMaxLength(20);
    return Arbitraries.maps(texts.filter(name -> !name.isEmpty()), texts).ofMaxSize(5);
  }

  @Property
  void comeBack(@ForAll("properties") Map<String, String> properties) throws IOException {
    byte[] value = PropertiesCodec.encode(properties);
    assertThat(value).isNotEmpty();
    assertThat(PropertiesCodec.decode(value)).isEqualTo(properties);
  }

  @Test
  void cutOrForeignValuesAreErrors() {
    byte[] value = PropertiesCodec.encode(Map.of("name", "value"));
    for (int length : new int[] {0, 2, 5, 9, 13, value.length - 1}) {
      assertThatThrownBy(() -> PropertiesCodec.decode(Arrays.copyOf(value, length)))
          .isInstanceOf(IOException.class);
    }
    assertThatThrownBy(() -> PropertiesCodec.decode(new byte[] {9}))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("version: 9");
  }

  @Test
  void whatIsTooLargeOrNoTextIsRefused() {
    String half = "x".repeat(Limits.PROPERTIES_BYTES / 2);
    assertThatThrownBy(() -> PropertiesCodec.encode(Map.of("a", half, "b", half)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("1048576 bytes");
    assertThatThrownBy(() -> PropertiesCodec.encode(Map.of("", "value")))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("is empty");
    assertThatThrownBy(() -> PropertiesCodec.encode(Map.of("a", "\ud800")))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("no text");
  }
}
