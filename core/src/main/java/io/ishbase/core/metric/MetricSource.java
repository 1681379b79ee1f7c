package io.ishbase.core.metric;

/** Who shows a metric: a kind of server, and the JMX bean that has it too, if one does. */
public enum MetricSource {
  READS("region server", "Hadoop:service=HBase,name=RegionServer,sub=InStorage"),
  COMPACTIONS("region server", "Hadoop:service=HBase,name=RegionServer,sub=InStorageCompactions"),
  TRACES("region server", "Hadoop:service=HBase,name=RegionServer,sub=InStorageTrace"),
  REGION_SERVER("region server", ""),
  DAEMON_READS("daemon", "Hadoop:service=HBase,name=Issn,sub=Reads"),
  DAEMON("daemon", ""),
  MANAGER("master", "");

  private final String server;
  private final String bean;

  MetricSource(String server, String bean) {
    this.server = server;
    this.bean = bean;
  }

  /** The kind of server, for people. */
  public String server() {
    return server;
  }

  /** The name of the JMX bean; empty: there is none. */
  public String bean() {
    return bean;
  }
}
