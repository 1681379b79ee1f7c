package io.ishbase.dist.attach;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ishbase.dist.CliException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

class SiteTextTest {
  private static SiteText site(String text) {
    return new SiteText("hbase-site.xml", Path.of("hbase-site.xml"), text);
  }

  private static String lines(String... lines) {
    return String.join("\n", lines) + "\n";
  }

  @Test
  void aValueChangesWhereItStandsAndNothingElseDoes() {
    String before =
        lines(
            "<configuration>",
            "  <!-- <property><name>a</name><value>0</value></property> -->",
            "  <property> <name> a </name>",
            "      <value>1</value> <!-- mine --> </property>",
            "</configuration>");
    assertThat(site(before).with("a", "2 & <3>").text())
        .isEqualTo(before.replace("<value>1</value>", "<value>2 &amp; &lt;3&gt;</value>"));
  }

  @Test
  void whatIsAddedGoesAgainWithoutATrace() {
    for (String before :
        new String[] {
          lines("<configuration>", "</configuration>"),
          "<configuration><property><name>b</name><value>1</value></property></configuration>",
          lines("<configuration>", "</configuration>").replace("\n", "\r\n"),
          lines("<!-- </configuration> -->", "<configuration>", "  </configuration>", "<!-- x -->")
        }) {
      SiteText after = site(before).with("a", "1").with("c", "2");
      assertThat(after.properties()).containsEntry("a", "1").containsEntry("c", "2");
      assertThat(after.text().replace("\r\n", "").contains("\r")).isFalse();
      SiteText back = after.without("a").without("c");
      assertThat(back.properties()).isEqualTo(site(before).properties());
      assertThat(back.text().replaceAll("\\s", "")).isEqualTo(before.replaceAll("\\s", ""));
      if (before.endsWith("\n")) {
        assertThat(back.text()).isEqualTo(before);
      }
    }
  }

  @Test
  void anEmptyConfigurationTakesOne() {
    assertThat(site("<configuration/>").with("a", "1").properties()).containsEntry("a", "1");
  }

  @Test
  void aPropertyWithoutAValueGetsOne() {
    assertThat(
            site("<configuration><property><name>a</name><value/></property></configuration>")
                .with("a", "1")
                .properties())
        .containsEntry("a", "1");
  }

  @Test
  void theLastOfTwoIsTheOneInForce() {
    SiteText changed =
        site("<configuration><property><name>a</name><value>1</value></property>"
                + "<property><name>a</name><value>2</value></property></configuration>")
            .with("a", "3");
    assertThat(changed.text()).contains("<value>1</value>").contains("<value>3</value>");
    assertThat(changed.properties()).containsEntry("a", "3");
  }

  @Test
  void whatItCannotChangeItLeavesAndSaysSo() {
    SiteText isFinal =
        site(
            "<configuration>"
                + "<property><name>a</name><value>1</value><final>true</final></property>"
                + "<property><name>a</name><value>2</value></property></configuration>");
    assertThatThrownBy(() -> isFinal.with("a", "3"))
        .isInstanceOf(CliException.class)
        .hasMessageContaining("a cannot be changed in it")
        .hasMessageContaining("by hand to '3'");
    assertThatThrownBy(() -> site("<configuration>").properties())
        .isInstanceOf(CliException.class)
        .hasMessageStartingWith("hbase-site.xml is no configuration that Hadoop can read");
  }
}
