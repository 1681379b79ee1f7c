package io.ishbase.plugin.fuzz;

/** An input did harm; the message says which and where it is kept. */
final class Finding extends Exception {
  private static final long serialVersionUID = 1;

  Finding(String message, Throwable cause) {
    super(message, cause);
  }
}
