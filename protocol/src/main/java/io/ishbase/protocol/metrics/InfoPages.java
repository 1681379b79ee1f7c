package io.ishbase.protocol.metrics;

import io.ishbase.core.metric.Exposition;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.http.FilterContainer;
import org.apache.hadoop.hbase.http.FilterInitializer;
import org.apache.hadoop.hbase.http.HttpServer;
import org.apache.hadoop.hbase.http.InfoServer;

/**
 * Puts our pages on the InfoServer of a server of HBase, before that begins; what they show is said
 * later. Named by {@link #SETTING}, behind HBase's own.
 *
 * <p>Relies on HBase 2.6: the container that is initialized is the {@code HttpServer}, which takes
 * no servlets once it has started.
 */
public final class InfoPages extends FilterInitializer {
  /** HBase's setting for classes like this one. */
  public static final String SETTING = "hbase.http.filter.initializers";

  /** Of the page for people, at region servers and masters. */
  public static final String STATUS = "/ishbase-status";

  /** The class that HBase names there unless told otherwise. */
  public static final String HBASES_OWN = "org.apache.hadoop.hbase.http.lib.StaticUserWebFilter";

  /** The setting's value that names HBase's own class and this one. */
  public static final String WITH_HBASES_OWN = HBASES_OWN + "," + InfoPages.class.getName();

  /** Has a server with this configuration show the pages. */
  public static void addTo(Configuration conf) {
    Set<String> classes = new LinkedHashSet<>(List.of(conf.getTrimmedStrings(SETTING, HBASES_OWN)));
    classes.add(InfoPages.class.getName());
    conf.setStrings(SETTING, classes.toArray(new String[0]));
  }

  /** What the pages of a server show from now on. */
  public static void show(InfoServer server, Exposition exposition, Supplier<StatusPage> status) {
    server.setAttribute(MetricsServlet.EXPOSITION, exposition);
    server.setAttribute(StatusServlet.PAGE, status);
  }

  @Override
  public void initFilter(FilterContainer container, Configuration conf) {
    if (container instanceof HttpServer server) {
      server.addUnprivilegedServlet("ishbase-metrics", MetricsServlet.PATH, MetricsServlet.class);
      server.addUnprivilegedServlet("ishbase-status", STATUS, StatusServlet.class);
    }
  }
}
