package io.ishbase.dist.cluster;

import java.util.LinkedHashMap;
import java.util.Map;

/** The properties that make a cluster a secured one. */
final class SecuredSite {
  private static final String KERBEROS = "kerberos";
  private static final String PRIVACY = "privacy";

  private final Realm realm;

  SecuredSite(Realm realm) {
    this.realm = realm;
  }

  /** Of {@code core-site.xml}, everywhere. */
  Map<String, Object> core() {
    Map<String, Object> conf = new LinkedHashMap<>();
    conf.put("hadoop.security.authentication", KERBEROS);
    conf.put("hadoop.security.authorization", true);
    conf.put("hadoop.rpc.protection", PRIVACY);
    // The machine knows none of these users.
    conf.put(
        "hadoop.user.group.static.mapping.overrides",
        "hdfs=supergroup;hbase=hbase;admin=admin;alice=alice;dr.who=");
    return conf;
  }

  /** Of {@code hdfs-site.xml}, everywhere. */
  Map<String, Object> hdfs() {
    Map<String, Object> conf = new LinkedHashMap<>();
    conf.put("dfs.block.access.token.enable", true);
    // With HTTPS, what DataNodes take in place of privileged ports.
    conf.put("dfs.data.transfer.protection", PRIVACY);
    conf.put("dfs.encrypt.data.transfer.cipher.suites", "AES/CTR/NoPadding");
    conf.put("dfs.http.policy", "HTTPS_ONLY");
    for (String server : new String[] {"namenode", "datanode"}) {
      conf.put("dfs." + server + ".kerberos.principal", Realm.principal(Realm.HDFS));
    }
    return conf;
  }

  /** Of {@code hdfs-site.xml} of HDFS's servers. */
  Map<String, Object> hdfsServer() {
    Map<String, Object> conf = new LinkedHashMap<>();
    for (String server : new String[] {"namenode", "datanode"}) {
      conf.put("dfs." + server + ".keytab.file", realm.keytab(Realm.HDFS));
    }
    conf.put("dfs.web.authentication.kerberos.principal", Realm.principal(Realm.HTTP));
    conf.put("dfs.web.authentication.kerberos.keytab", realm.keytab(Realm.HTTP));
    return conf;
  }

  /** Of {@code hbase-site.xml}, everywhere. */
  Map<String, Object> hbase() {
    Map<String, Object> conf = new LinkedHashMap<>();
    conf.put("hbase.security.authentication", KERBEROS);
    conf.put("hbase.security.authorization", true);
    conf.put("hbase.rpc.protection", PRIVACY);
    conf.put("hbase.master.kerberos.principal", Realm.principal(Realm.HBASE));
    conf.put("hbase.regionserver.kerberos.principal", Realm.principal(Realm.HBASE));
    conf.put("hbase.superuser", Realm.ADMIN);
    conf.put("hbase.ssl.enabled", true);
    conf.put("hbase.security.authentication.ui", KERBEROS);
    return conf;
  }

  /** Of {@code hbase-site.xml} of HBase's servers and the daemons. */
  Map<String, Object> hbaseServer() {
    Map<String, Object> conf = hbase();
    conf.put("hbase.master.keytab.file", realm.keytab(Realm.HBASE));
    conf.put("hbase.regionserver.keytab.file", realm.keytab(Realm.HBASE));
    String web = "hbase.security.authentication.spnego.kerberos.";
    conf.put(web + "principal", Realm.principal(Realm.HTTP));
    conf.put(web + "keytab", realm.keytab(Realm.HTTP));
    conf.put("hbase.zookeeper.client.keytab.file", realm.keytab(Realm.HBASE));
    conf.put("hbase.zookeeper.client.kerberos.principal", Realm.principal(Realm.HBASE));
    return conf;
  }

  /** Of {@code hbase-site.xml} of clients, who become the superuser without a ticket. */
  Map<String, Object> client() {
    Map<String, Object> conf = hbase();
    conf.put("hbase.client.keytab.file", realm.keytab(Realm.ADMIN));
    conf.put("hbase.client.keytab.principal", Realm.principal(Realm.ADMIN));
    return conf;
  }

  /** Of {@code zoo.cfg}. */
  static String zooKeeper() {
    return """
        authProvider.1=org.apache.zookeeper.server.auth.SASLAuthenticationProvider
        kerberos.removeHostFromPrincipal=true
        kerberos.removeRealmFromPrincipal=true
        """;
  }
}
