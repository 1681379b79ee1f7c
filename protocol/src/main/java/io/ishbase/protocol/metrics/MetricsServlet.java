package io.ishbase.protocol.metrics;

import io.ishbase.core.metric.Exposition;
import java.io.IOException;
import javax.servlet.http.HttpServlet;
import javax.servlet.http.HttpServletRequest;
import javax.servlet.http.HttpServletResponse;

/**
 * A server's metrics for Prometheus, at {@link #PATH} of its InfoServer, with a help text for each:
 * HBase's own {@code /prometheus} has none, and no labels.
 */
public final class MetricsServlet extends HttpServlet {
  public static final String PATH = "/ishbase-metrics";

  private static final long serialVersionUID = 1;
  static final String EXPOSITION = "ishbase.exposition";

  @Override
  protected void doGet(HttpServletRequest request, HttpServletResponse response)
      throws IOException {
    response.setContentType(Exposition.CONTENT_TYPE);
    // A server that has nothing to show yet is there all the same.
    if (getServletContext().getAttribute(EXPOSITION) instanceof Exposition exposition) {
      exposition.writeTo(response.getWriter());
    }
  }
}
