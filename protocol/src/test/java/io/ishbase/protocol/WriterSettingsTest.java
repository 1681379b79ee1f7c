package io.ishbase.protocol;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hbase.HBaseConfiguration;
import org.junit.jupiter.api.Test;

class WriterSettingsTest {
  private final Configuration conf = HBaseConfiguration.create();

  @Test
  void nothingTravelsThatIsHBasesDefault() {
    assertThat(WriterSettings.of(conf)).isEmpty();
    conf.set("hfile.format.version", conf.get("hfile.format.version"));
    assertThat(WriterSettings.of(conf)).isEmpty();
  }

  @Test
  void whatDecidesHowAFileLooksTravels() {
    conf.set("io.storefile.bloom.error.rate", "0.5");
    conf.set("hbase.hstore.defaultengine.compactor.class", "of.ours");
    conf.set("hbase.hstore.mobengine.compactor.class", "of.ours");
    conf.set("hbase.regionserver.handler.count", "7");
    assertThat(WriterSettings.of(conf)).containsExactly("io.storefile.bloom.error.rate", "0.5");
  }

  @Test
  void whatDecidesWhereAFileIsWrittenTravelsAndIsForgotten() {
    for (String key :
        List.of(
            "hbase.store.file-tracker.impl",
            "hbase.data.umask",
            "hbase.data.umask.enable",
            "hbase.crypto.master.key.name",
            "RowPrefixBloomFilter.prefix_length")) {
      Configuration own = HBaseConfiguration.create();
      own.set(key, "other");
      assertThat(WriterSettings.of(own)).containsExactly(key, "other");
      assertThat(WriterSettings.without(own).get(key)).isEqualTo(conf.get(key));
    }
  }

  @Test
  void secretsDoNotTravel() {
    conf.set("hbase.crypto.keyprovider", "a.Class");
    conf.set("hbase.crypto.keyprovider.parameters", "jceks:///keys?password=p");
    assertThat(WriterSettings.of(conf)).isEmpty();
  }

  @Test
  void aWorkerForgetsItsOwn() {
    String version = conf.get("hfile.format.version");
    conf.set("hfile.format.version", "1");
    conf.set("hbase.hstore.time.to.purge.deletes", "77");
    conf.set("hbase.hstore.defaultengine.compactor.class", "of.ours");
    conf.set("hbase.rootdir", "/here");
    Configuration neutral = WriterSettings.without(conf);
    assertThat(neutral.get("hfile.format.version")).isEqualTo(version);
    assertThat(neutral.get("hbase.hstore.time.to.purge.deletes")).isNotEqualTo("77");
    assertThat(neutral.get("hbase.hstore.defaultengine.compactor.class")).isNull();
    assertThat(neutral.get("hbase.rootdir")).isEqualTo("/here");
  }

  @Test
  void anAttemptCannotLeaveItsRegion() {
    Path region = new Path("/hbase/data/default/t/r");
    assertThat(AttemptDirectory.of(region, "0123456789abcdef".repeat(2)))
        .isEqualTo(new Path(region, ".tmp/ishbase-compaction-0123456789abcdef0123456789abcdef"));
    assertThatThrownBy(() -> AttemptDirectory.of(region, "../../../../other"))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
