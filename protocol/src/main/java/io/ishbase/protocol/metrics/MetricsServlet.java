package io.ishbase.protocol.metrics;

import static java.util.Objects.requireNonNull;

import io.ishbase.core.metric.Exposition;
import java.io.IOException;
import javax.servlet.http.HttpServlet;
import javax.servlet.http.HttpServletRequest;
import javax.servlet.http.HttpServletResponse;
import org.apache.hadoop.hbase.http.InfoServer;

/**
 * A server's metrics for Prometheus, at {@link #PATH} of its InfoServer, with a help text for each:
 * HBase's own {@code /prometheus} has none, and no labels.
 */
public final class MetricsServlet extends HttpServlet {
  public static final String PATH = "/ishbase-metrics";

  private static final long serialVersionUID = 1;
  private static final String EXPOSITION = "ishbase.exposition";

  /** Shows {@code exposition} at a server, which may have started. */
  public static void addTo(InfoServer server, Exposition exposition) {
    server.setAttribute(EXPOSITION, exposition);
    server.addUnprivilegedServlet("ishbase-metrics", PATH, MetricsServlet.class);
  }

  @Override
  protected void doGet(HttpServletRequest request, HttpServletResponse response)
      throws IOException {
    response.setContentType(Exposition.CONTENT_TYPE);
    requireNonNull((Exposition) getServletContext().getAttribute(EXPOSITION))
        .writeTo(response.getWriter());
  }
}
