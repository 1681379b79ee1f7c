package io.ishbase.bench;

import io.ishbase.cluster.NetworkRig;
import java.util.ArrayList;
import java.util.List;

/** A network that carries what it is told. */
class FakeRig implements NetworkRig {
  private Traffic traffic = new Traffic(0, 0);
  private final List<Integer> caps = new ArrayList<>();

  synchronized void carry(long in, long out) {
    traffic = traffic.plus(new Traffic(in, out));
  }

  /** All caps that were set, in order. */
  List<Integer> caps() {
    return caps;
  }

  @Override
  public boolean canCap() {
    return true;
  }

  @Override
  public void capMbps(int mbps) {
    caps.add(mbps);
  }

  @Override
  public void capStorageMbps(int mbps) {}

  @Override
  public synchronized Traffic traffic() {
    return traffic;
  }

  @Override
  public String counting() {
    return "bytes of a fake";
  }
}
