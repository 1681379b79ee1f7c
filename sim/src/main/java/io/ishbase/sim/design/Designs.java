package io.ishbase.sim.design;

import io.ishbase.sim.workload.Parameters;
import io.ishbase.sim.workload.RequestStream;
import java.util.List;
import java.util.function.Supplier;

/** All designs. A new one is a class and a line here. */
public enum Designs implements Contender {
  B("HBase-B", (p, data, server, bytes) -> new HBaseB(p, data, bytes)),
  K("IS-HBase-K", (p, data, server, bytes) -> new IsHBaseK(p, data, bytes)),
  KB("IS-HBase-KB", (p, data, server, bytes) -> new IsHBaseKb(p, data, server, bytes, 0)),
  KB_NET(
      "IS-HBase-KB-NET",
      (p, data, server, bytes) -> new IsHBaseKb(p, data, server, bytes, p.number("theta.mbps"))),
  SA("IS-HBase-SA", IsHBaseSa::new),
  IN_STORAGE("in-storage", InStorage::new),
  AUTO("auto", Auto::new);

  /** The seed's, in its order. */
  public static final List<Designs> OF_SEED = List.of(B, K, KB, KB_NET, SA);

  @FunctionalInterface
  private interface Maker {
    Design make(Parameters parameters, Data data, RegionServer server, double cacheBytes);
  }

  private final String label;
  private final Maker maker;

  Designs(String label, Maker maker) {
    this.label = label;
    this.maker = maker;
  }

  @Override
  public String label() {
    return label;
  }

  /**
   * One of it; to be closed if it can be.
   *
   * @param data that it reads
   * @param server where it lives
   */
  public Design make(Parameters parameters, Data data, RegionServer server) {
    return maker.make(parameters, data, server, parameters.number("cache") * data.bytes());
  }

  @Override
  public Design make(
      Parameters parameters,
      Data data,
      RegionServer server,
      Supplier<? extends RequestStream> load) {
    return make(parameters, data, server);
  }
}
