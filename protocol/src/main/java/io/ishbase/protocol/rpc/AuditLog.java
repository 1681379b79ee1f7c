package io.ishbase.protocol.rpc;

import io.ishbase.core.Silence;
import java.net.InetAddress;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.hadoop.hbase.ipc.RpcServer;
import org.apache.hadoop.hbase.security.User;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Who asked a service of ours for what, and whether he was let in: a logger of its own, under the
 * name that HBase's audit logs begin with, so that it can be kept apart from others.
 *
 * <p>An access that was allowed stands there at INFO once an hour for each user, address, operation
 * and table, one that was refused at WARN once a minute for each user, address and operation, each
 * time with the number of those that were kept silent. At TRACE every access stands there.
 */
public final class AuditLog {
  /** What the names of HBase's audit logs begin with. */
  public static final String PREFIX = "SecurityLogger.";

  /** The longest text of a caller's in a line. */
  static final int MAX_TEXT = 200;

  /** Different accesses that are remembered. */
  static final int MAX_KNOWN = 10_000;

  private static final long ALLOWED_EVERY_NANOS = TimeUnit.HOURS.toNanos(1);
  private static final long REFUSED_EVERY_NANOS = TimeUnit.MINUTES.toNanos(1);
  private static final long FORGET_EVERY_NANOS = TimeUnit.MINUTES.toNanos(1);
  private static final Pattern STORE =
      Pattern.compile(".*?/data/([^/]+)/([^/]+)/[0-9a-f]{32}(?:/.*)?");
  private static final String OTHERS = "(others)";

  private final Lines lines;
  private final LongSupplier nanoTime;
  private final Map<Access, Silence> known = new ConcurrentHashMap<>();

  /** When it was looked last which of them may be forgotten. */
  private final AtomicLong forgotNanos;

  /** Where lines go. */
  interface Lines {
    boolean wantsAllowed();

    void allowed(String line);

    void refused(String line);

    /** One that is not said because it was said before. */
    void silent(Supplier<String> line);
  }

  private record LinesOfLogger(Logger logger) implements Lines {
    @Override
    public boolean wantsAllowed() {
      return logger.isInfoEnabled();
    }

    @Override
    public void allowed(String line) {
      logger.info(line);
    }

    @Override
    public void refused(String line) {
      logger.warn(line);
    }

    @Override
    public void silent(Supplier<String> line) {
      if (logger.isTraceEnabled()) {
        logger.trace(line.get());
      }
    }
  }

  /** What is said once for many. */
  private record Access(
      boolean isAllowed, String user, String address, String operation, String table) {}

  /**
   * The log of a service.
   *
   * @param service what its name ends with, a class's name
   */
  public AuditLog(String service) {
    this(new LinesOfLogger(LoggerFactory.getLogger(PREFIX + service)), System::nanoTime);
  }

  AuditLog(Lines lines, LongSupplier nanoTime) {
    this.lines = lines;
    this.nanoTime = nanoTime;
    this.forgotNanos = new AtomicLong(nanoTime.getAsLong() - FORGET_EVERY_NANOS);
  }

  /**
   * Says that the caller whom this thread answers was let in.
   *
   * @param table whose data it was about, or what is known in its place; empty: nobody's
   */
  public void allowed(String operation, String table) {
    if (lines.wantsAllowed()) {
      say(new Access(true, part(user()), address(), operation, part(table)), table, "");
    }
  }

  /**
   * Says that the caller whom this thread answers was not let in.
   *
   * @param table as in {@link #allowed}
   */
  public void refused(String operation, String table, String why) {
    // Whoever is refused could make as many lines as he invents names.
    say(new Access(false, part(user()), address(), operation, ""), table, why);
  }

  /**
   * The table that a store's directory, or a file in it, is of; the path itself if that is not to
   * be seen.
   */
  public static String tableOf(String path) {
    // .../data/<namespace>/<table>/<region>/<family>, in the archive as elsewhere; the root's own
    // path, and a family, may have such a name, too.
    Matcher store = STORE.matcher(path);
    return store.matches() ? store.group(1) + ":" + store.group(2) : path;
  }

  private void say(Access access, String table, String why) {
    long now = nanoTime.getAsLong();
    long every = access.isAllowed ? ALLOWED_EVERY_NANOS : REFUSED_EVERY_NANOS;
    Silence silence = known.get(access);
    boolean isShared = false;
    if (silence == null) {
      silence = remember(access, now, every);
      isShared = known.get(access) != silence;
    }
    long silent = silence.next(now);
    if (silent < 0) {
      lines.silent(() -> line(access, table, why));
      return;
    }
    String line = line(access, table, why);
    String said = line;
    if (isShared) {
      said += "; too many to tell apart, and " + silent + " others since one of them was said";
    } else if (silent > 0) {
      said += "; and " + silent + " times since it was said last";
    }
    if (access.isAllowed) {
      lines.allowed(said);
    } else {
      lines.refused(said);
    }
  }

  private static String line(Access access, String table, String why) {
    return "Access "
        + (access.isAllowed ? "allowed" : "refused")
        + " for user "
        + clean(access.user)
        + "; remote address: "
        + access.address
        + "; operation: "
        + access.operation
        + (table.isEmpty() ? "" : "; table: " + clean(table))
        + (why.isEmpty() ? "" : "; reason: " + clean(why));
  }

  private Silence remember(Access access, long now, long every) {
    long forgot = forgotNanos.get();
    if (known.size() >= MAX_KNOWN
        && now - forgot >= FORGET_EVERY_NANOS
        && forgotNanos.compareAndSet(forgot, now)) {
      known.values().removeIf(silence -> silence.isOver(now));
    }
    Access key =
        known.size() < MAX_KNOWN
            ? access
            : new Access(access.isAllowed, OTHERS, OTHERS, OTHERS, OTHERS);
    return known.computeIfAbsent(key, each -> new Silence(every, now));
  }

  /** How many accesses it remembers. */
  int remembered() {
    return known.size();
  }

  private static String user() {
    return RpcServer.getRequestUser().map(User::getName).orElse("-");
  }

  private static String address() {
    return RpcServer.getRemoteAddress().map(InetAddress::getHostAddress).orElse("-");
  }

  /** What is kept of a caller's text. */
  private static String part(String text) {
    return text.length() > MAX_TEXT + 1 ? text.substring(0, MAX_TEXT) + "…" : text;
  }

  /** Without what would begin another line, or fill the log. */
  private static String clean(String text) {
    String part = part(text);
    StringBuilder clean = new StringBuilder(part.length());
    part.codePoints().map(c -> isPlain(c) ? c : '?').forEach(clean::appendCodePoint);
    return clean.toString();
  }

  private static boolean isPlain(int c) {
    return !Character.isISOControl(c)
        && Character.getType(c) != Character.LINE_SEPARATOR
        && Character.getType(c) != Character.PARAGRAPH_SEPARATOR;
  }
}
