package io.ishbase.protocol;

import io.ishbase.protocol.generated.CompactionProtos.CompactionService;
import io.ishbase.protocol.generated.CompactionProtos.ManagerService;
import io.ishbase.protocol.generated.IssnProtos.IssnService;
import org.apache.hadoop.security.authorize.PolicyProvider;
import org.apache.hadoop.security.authorize.Service;

/**
 * Where {@code hbase-policy.xml} says who may call the daemons and the compaction manager, for
 * clusters with {@code hadoop.security.authorization}. Without the entry everybody may, as for
 * HBase's own services; with Kerberos the services themselves answer region servers only.
 */
public final class ServicePolicy extends PolicyProvider {
  /** The list of users and groups, in Hadoop's form. */
  public static final String KEY = "security.ishbase.protocol.acl";

  @Override
  public Service[] getServices() {
    return new Service[] {
      new Service(KEY, IssnService.BlockingInterface.class),
      new Service(KEY, CompactionService.BlockingInterface.class),
      new Service(KEY, ManagerService.BlockingInterface.class)
    };
  }
}
