package io.ishbase.dist;

/** A failure that one line explains to the user: what happened and what to do. */
public final class CliException extends RuntimeException {
  public CliException(String message) {
    super(message);
  }

  public CliException(String message, Throwable cause) {
    super(message, cause);
  }
}
