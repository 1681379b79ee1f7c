package io.ishbase.dist;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;

/**
 * What a command of {@code ishbase} ended with and printed.
 *
 * @param out of its standard output
 * @param err of its standard error
 */
public record Outcome(int code, String out, String err) {
  public static Outcome run(String... arguments) {
    PrintStream out = System.out;
    PrintStream err = System.err;
    ByteArrayOutputStream said = new ByteArrayOutputStream();
    ByteArrayOutputStream complained = new ByteArrayOutputStream();
    System.setOut(new PrintStream(said, true, StandardCharsets.UTF_8));
    System.setErr(new PrintStream(complained, true, StandardCharsets.UTF_8));
    int code;
    try {
      code = Main.run(arguments);
    } finally {
      System.setOut(out);
      System.setErr(err);
    }
    return new Outcome(
        code, said.toString(StandardCharsets.UTF_8), complained.toString(StandardCharsets.UTF_8));
  }

  /** What a command complains of that fails. */
  public static String complaint(String... arguments) {
    Outcome outcome = run(arguments);
    assertThat(outcome.code).as(outcome.out).isEqualTo(1);
    return outcome.err;
  }
}
