package io.ishbase.dist.cluster;

import java.util.List;
import java.util.Optional;
import java.util.Properties;

/** All nodes on the machine's loopback interface, told apart by ports; for lack of rights. */
final class LoopbackNetwork implements Network {
  private static final String LOOPBACK = "127.0.0.1";

  private volatile ConnectionBytes bytes;

  @Override
  public void create() {}

  @Override
  public void save(Properties state) {
    state.setProperty(Networks.KIND, "loopback");
  }

  @Override
  public String clientAddress() {
    return LOOPBACK;
  }

  @Override
  public String computeAddress() {
    return LOOPBACK;
  }

  @Override
  public String storageAddress(int node) {
    return LOOPBACK;
  }

  @Override
  public List<String> inCompute() {
    return List.of();
  }

  @Override
  public String regionServerAddress(int number) {
    return LOOPBACK;
  }

  @Override
  public List<String> inRegionServer(int number) {
    return List.of();
  }

  @Override
  public String compactionServerAddress(int number) {
    return LOOPBACK;
  }

  @Override
  public List<String> inCompactionServer(int number) {
    return List.of();
  }

  @Override
  public List<String> inStorage(int node) {
    return List.of();
  }

  @Override
  public boolean hasOwnPorts() {
    return false;
  }

  @Override
  public Optional<Links> links() {
    return Optional.empty();
  }

  @Override
  public void observe(List<Long> regionServerPids, List<Integer> storagePorts) {
    close();
    bytes = new ConnectionBytes(storagePorts);
  }

  @Override
  public boolean canCap() {
    return false;
  }

  @Override
  public void capMbps(int mbps) {
    if (mbps != 0) {
      throw new UnsupportedOperationException("loopback cannot be capped");
    }
  }

  @Override
  public void capStorageMbps(int mbps) {
    capMbps(mbps);
  }

  @Override
  public Traffic traffic() {
    return bytes.total();
  }

  @Override
  public String counting() {
    return "bytes that DataNodes and daemons sent (in) and received (out), summed over their TCP"
        + " connections (ss -ti), without headers; connections that live for less than a quarter of"
        + " a second may be missed";
  }

  @Override
  public void close() {
    if (bytes != null) {
      bytes.close();
    }
  }

  @Override
  public String toString() {
    return "loopback";
  }
}
