package io.ishbase.daemon;

import java.io.IOException;
import javax.servlet.http.HttpServlet;
import javax.servlet.http.HttpServletRequest;
import javax.servlet.http.HttpServletResponse;

/** The daemon's own page, {@code /issn-status}, beside HBase's {@code /jmx}, {@code /conf} etc. */
public final class StatusServlet extends HttpServlet {
  private static final long serialVersionUID = 1;
  static final String DAEMON = "issn";

  @Override
  protected void doGet(HttpServletRequest request, HttpServletResponse response)
      throws IOException {
    response.setContentType("text/plain; charset=utf-8");
    response.getWriter().print(((Issn) getServletContext().getAttribute(DAEMON)).status());
  }
}
