package io.ishbase.protocol.metrics;

import static java.util.Objects.requireNonNull;

import java.io.IOException;
import java.util.function.Supplier;
import javax.servlet.http.HttpServlet;
import javax.servlet.http.HttpServletRequest;
import javax.servlet.http.HttpServletResponse;
import org.apache.hadoop.hbase.http.InfoServer;

/** A server's own page for people, beside HBase's {@code /jmx}, {@code /conf} and so on. */
public final class StatusServlet extends HttpServlet {
  /** At region servers and masters. */
  public static final String PATH = "/ishbase-status";

  private static final long serialVersionUID = 1;
  private static final String PAGE = "ishbase.status";

  /**
   * Shows {@code page}, asked for anew each time, at a path of a server, which may have started.
   */
  public static void addTo(InfoServer server, String path, Supplier<StatusPage> page) {
    server.setAttribute(PAGE, page);
    server.addUnprivilegedServlet("ishbase-status", path, StatusServlet.class);
  }

  @Override
  protected void doGet(HttpServletRequest request, HttpServletResponse response)
      throws IOException {
    response.setContentType("text/html; charset=utf-8");
    Supplier<?> page = requireNonNull((Supplier<?>) getServletContext().getAttribute(PAGE));
    response.getWriter().print(page.get());
  }
}
