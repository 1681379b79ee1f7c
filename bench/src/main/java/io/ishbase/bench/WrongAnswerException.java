package io.ishbase.bench;

import java.io.IOException;

/** An answer that is not what was written: no measurement goes on after it. */
public final class WrongAnswerException extends IOException {
  private static final long serialVersionUID = 1;

  public WrongAnswerException(String message) {
    super(message);
  }
}
