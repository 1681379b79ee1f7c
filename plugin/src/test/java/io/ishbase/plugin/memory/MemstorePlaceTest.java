package io.ishbase.plugin.memory;

import static org.assertj.core.api.Assertions.assertThat;

import io.ishbase.core.memory.Utility;
import java.lang.reflect.Proxy;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.HBaseConfiguration;
import org.apache.hadoop.hbase.regionserver.RegionServerAccounting;
import org.apache.hadoop.hbase.regionserver.RegionServerServices;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class MemstorePlaceTest {
  private static RegionServerServices services(RegionServerAccounting accounting) {
    return (RegionServerServices)
        Proxy.newProxyInstance(
            RegionServerServices.class.getClassLoader(),
            new Class<?>[] {RegionServerServices.class},
            (proxy, method, arguments) -> {
              if (method.getName().equals("getRegionServerAccounting")) {
                return accounting;
              }
              throw new UnsupportedOperationException(method.getName());
            });
  }

  /** With a lower mark their own shrinking would make them shrink further, to the minimum. */
  @ParameterizedTest
  @ValueSource(floats = {0.95f, 0.8f, 0.5f})
  void whatIsFlushedAtTheLowerMarkNeedsTheLimit(float mark) {
    Configuration conf = HBaseConfiguration.create();
    conf.setFloat("hbase.regionserver.global.memstore.size.lower.limit", mark);
    RegionServerAccounting accounting = new RegionServerAccounting(conf);
    MemstorePlace place = new MemstorePlace(services(accounting), new FlushCosts(), () -> 0);
    long limit = place.bytes();
    long used = (long) (mark * limit);
    accounting.incGlobalMemStoreSize(used, used, 0);
    Utility utility = place.utility(5, limit);
    assertThat(utility.nanosPerSecond(limit)).isGreaterThan(utility.nanosPerSecond(limit * 9 / 10));
    assertThat(place.reason()).doesNotContain("before the limit");
    accounting.decGlobalMemStoreSize(used, used, 0);
    place.utility(3600, limit);
    assertThat(place.reason()).endsWith("and regions are flushed before the limit");
  }
}
