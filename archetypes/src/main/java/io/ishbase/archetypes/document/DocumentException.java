package io.ishbase.archetypes.document;

/** What a caller asked for cannot be done. Nothing of it can be seen by a reader. */
public final class DocumentException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /** What is wrong, for programs. */
  public enum Problem {
    /** The text is not JSON, or has what cannot be stored: NaN, an unpaired surrogate. */
    INVALID_JSON,
    /** An object has two members of one name. */
    DUPLICATE_MEMBER,
    /** Objects and arrays lie deeper in each other than {@link Limits#DEPTH}. */
    TOO_DEEP,
    /** A name, a number, a string or a document is beyond one of the {@link Limits}. */
    TOO_LARGE,
    /** The id is empty, too long or not Unicode text. */
    INVALID_ID,
    /** The text is no path, or a path with {@code [*]} stands where one place is meant. */
    INVALID_PATH,
    /** The path leads through a value that has no such members or elements. */
    NO_SUCH_PLACE,
    /** There is no table of that name, or it was not made for documents. */
    NO_TABLE,
    /** The path has no index. */
    NOT_INDEXED
  }

  private final Problem problem;

  DocumentException(Problem problem, String message) {
    super(message);
    this.problem = problem;
  }

  DocumentException(Problem problem, String message, Throwable cause) {
    super(message, cause);
    this.problem = problem;
  }

  /** What is wrong. */
  public Problem problem() {
    return problem;
  }
}
