package io.ishbase.protocol.metrics;

import java.io.IOException;
import java.util.List;
import java.util.function.Supplier;
import javax.servlet.http.HttpServlet;
import javax.servlet.http.HttpServletRequest;
import javax.servlet.http.HttpServletResponse;

/** A server's own page for people, beside HBase's {@code /jmx}, {@code /conf} and so on. */
public final class StatusServlet extends HttpServlet {
  private static final long serialVersionUID = 1;
  static final String PAGE = "ishbase.status";
  private static final String NOTHING =
      "No region of a user table has opened here yet, and no compaction manager runs here.";

  @Override
  protected void doGet(HttpServletRequest request, HttpServletResponse response)
      throws IOException {
    response.setContentType("text/html; charset=utf-8");
    response
        .getWriter()
        .print(
            getServletContext().getAttribute(PAGE) instanceof Supplier<?> page
                ? page.get()
                : new StatusPage("IS-HBase").lines(List.of(), NOTHING));
  }
}
