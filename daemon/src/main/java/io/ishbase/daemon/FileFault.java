package io.ishbase.daemon;

import java.io.IOException;

/** A failure to open or to read one file of a request. */
final class FileFault extends IOException {
  private static final long serialVersionUID = 1;

  private final int file;
  private final Throwable fault;

  /**
   * @param file its index in the request
   */
  FileFault(int file, Throwable cause) {
    super(cause.toString(), cause);
    this.file = file;
    this.fault = cause;
  }

  int file() {
    return file;
  }

  /** What failed. */
  Throwable fault() {
    return fault;
  }
}
