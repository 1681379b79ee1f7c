package io.ishbase.plugin.node;

import java.io.IOException;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.CommonConfigurationKeysPublic;
import org.apache.hadoop.net.CachedDNSToSwitchMapping;
import org.apache.hadoop.net.DNSToSwitchMapping;
import org.apache.hadoop.net.ScriptBasedMapping;
import org.apache.hadoop.util.ReflectionUtils;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Where this process is: its machine's addresses, and the rack that HDFS's script names for it. */
final class OwnPlace {
  private static final Logger LOG = LoggerFactory.getLogger(OwnPlace.class);

  private OwnPlace() {}

  /** Those of all interfaces; none if the machine does not say. */
  static Set<String> addresses() {
    Set<String> addresses = new HashSet<>();
    try {
      NetworkInterface.networkInterfaces()
          .flatMap(NetworkInterface::inetAddresses)
          .forEach(address -> addresses.add(address.getHostAddress()));
    } catch (IOException e) {
      LOG.info("The machine does not name its addresses: {}", e.toString());
    }
    return addresses;
  }

  /**
   * As HDFS would say, by the setting {@code net.topology.script.file.name} or what stands in its
   * place; empty if nothing is to say so, null if it cannot be found out now. May run a script.
   */
  static @Nullable String rack(Configuration conf) {
    try {
      DNSToSwitchMapping mapping =
          ReflectionUtils.newInstance(
              conf.getClass(
                  CommonConfigurationKeysPublic.NET_TOPOLOGY_NODE_SWITCH_MAPPING_IMPL_KEY,
                  ScriptBasedMapping.class,
                  DNSToSwitchMapping.class),
              conf);
      if (mapping instanceof CachedDNSToSwitchMapping cached && cached.isSingleSwitch()) {
        return "";
      }
      List<String> racks = mapping.resolve(List.of(InetAddress.getLocalHost().getHostAddress()));
      // A script that fails has no answer, as Hadoop runs it.
      return racks == null || racks.isEmpty() ? null : racks.get(0);
    } catch (IOException | RuntimeException e) {
      LOG.debug("What says the rack of this machine fails", e);
      return null;
    }
  }
}
