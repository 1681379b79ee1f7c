package io.ishbase.protocol;

import org.apache.curator.ensemble.fixed.FixedEnsembleProvider;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.zookeeper.ZKConfig;

/**
 * ZooKeeper's servers by the names that HBase's configuration gives them, as HBase itself knows
 * them. Curator would put in their place, once it is connected, what the ensemble says of itself:
 * addresses, which change when servers move, or are of a net between them.
 */
public final class ConfiguredQuorum extends FixedEnsembleProvider {
  public ConfiguredQuorum(Configuration conf) {
    super(ZKConfig.getZKQuorumServersString(conf));
  }

  @Override
  public boolean updateServerListEnabled() {
    return false;
  }

  @Override
  public void setConnectionString(String ofEnsemble) {
    // The names stay.
  }
}
