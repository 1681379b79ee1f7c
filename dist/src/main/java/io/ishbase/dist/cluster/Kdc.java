package io.ishbase.dist.cluster;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.kerby.kerberos.kerb.KrbException;
import org.apache.kerby.kerberos.kerb.server.KdcConfigKey;
import org.apache.kerby.kerberos.kerb.server.SimpleKdcServer;

/**
 * The process that issues a secured cluster's tickets: Apache Kerby's KDC, with the principals of
 * {@link Realm} in its memory and a keytab for each in the cluster's directory, which are there
 * before it listens.
 */
final class Kdc {
  private Kdc() {}

  /** Arguments: the directory of the keytabs, the port. */
  public static void main(String[] arguments) throws KrbException, IOException {
    Path keytabs = Path.of(arguments[0]);
    SimpleKdcServer kdc = new SimpleKdcServer();
    // It writes a krb5.conf of its own there.
    kdc.setWorkDir(Files.createDirectories(Path.of("kdc")).toFile());
    kdc.setKdcRealm(Realm.NAME);
    kdc.setKdcHost("127.0.0.1");
    kdc.setKdcTcpPort(Integer.parseInt(arguments[1]));
    kdc.setAllowUdp(false);
    kdc.getKdcConfig().setBoolean(KdcConfigKey.PA_ENC_TIMESTAMP_REQUIRED, false);
    // As short a life as somebody asks for; it is an hour at least otherwise.
    kdc.getKdcConfig().setLong(KdcConfigKey.MINIMUM_TICKET_LIFETIME, 1L);
    kdc.init();
    for (String name : Realm.names()) {
      kdc.createPrincipals(Realm.principal(name));
      kdc.exportPrincipal(Realm.principal(name), keytabs.resolve(name + ".keytab").toFile());
    }
    kdc.start();
    Runtime.getRuntime()
        .addShutdownHook(
            new Thread(
                () -> {
                  try {
                    kdc.stop();
                  } catch (KrbException e) {
                    System.err.println("Not stopped cleanly: " + e);
                  }
                },
                "kdc-stop"));
  }
}
