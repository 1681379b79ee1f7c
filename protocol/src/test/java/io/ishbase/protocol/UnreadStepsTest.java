package io.ishbase.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import io.ishbase.testing.Seed;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class UnreadStepsTest {
  /** Of what Java needs minutes for, nothing may be evaluated. */
  private static final long MOST = 200_000_000;

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "abc",
        "^user[0-9]+$",
        "[024]",
        "a.*b.*?c",
        "^(user|admin|guest)-(eu|us|ap)-\\d{4}$",
        "(\\d{1,3}\\.){3}\\d{1,3}",
        "(?i)error|warn|fatal",
        "\\bword\\b",
        "(?<year>\\d{4})-(?<month>\\d\\d)",
        "\\Qa(b|c\\E+",
        "x(?=y)(?!z)",
        "(?<=a)b",
        "([a-z&&[^aeiou]]+|[0-9])*",
        "(a+)+b",
        "(a|a?)+b",
        "\\x41\\u0042\\0101\\p{Lu}\\x{43}{1000000000}",
        "(ab){1000000000}",
        "(.)\\1"
      })
  void whatPeopleWriteIsBounded(String pattern) {
    Pattern.compile(pattern);
    assertThat(UnreadSteps.of(pattern, 0).areBounded()).isTrue();
    assertThat(UnreadSteps.of(pattern, Pattern.DOTALL).on(1_000)).isLessThan(MOST);
  }

  @Test
  void alternativesThatReadAreAddedUp() {
    String words = "word|".repeat(1000) + "word";
    assertThat(UnreadSteps.of(words, 0).on(10_000)).isLessThan(MOST);
    assertThat(UnreadSteps.of("(" + words + ")+x", 0).areBounded()).isTrue();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "(?:(?:^){2000000000}){2000000000}",
        "(?:(?=){2000000000}){2000000000}",
        "(?:a?|^){2000000000}x",
        "(?:\\b){2000000000}",
        "(?:\\b{99999}){99999}",
        "(?:{99999}){99999}",
        "^{9999}{9999}",
        "x(?:(?:){65536}){65536}",
        "(?<=(?:^{9999}){9999})a",
        "(?!(?:$|$){40})a",
        "(?:\\x41?){2000000000}",
        "(?:\\Qb\\E{0}a?){2000000000}",
        "(?:\uD83D\uDE00?){2000000000}",
        "(?:\\uD83D\\uDE00?){2000000000}",
        "(?x:(?:a #){2000000000}\n)"
      })
  void whatReadsNothingForLongIsNot(String pattern) {
    assertThat(UnreadSteps.of(pattern, 0).areBounded()).isFalse();
  }

  @Test
  void alternativesThatReadNothingAreMultiplied() {
    assertThat(UnreadSteps.of("(?:^|^|^|^)".repeat(15) + "\\z", 0).areBounded()).isFalse();
    assertThat(UnreadSteps.of("a(?:|||)".repeat(15) + "\\z", 0).areBounded()).isTrue();
    assertThat(UnreadSteps.of("(?:^|^|^|^)".repeat(3) + "\\z", 0).areBounded()).isTrue();
    assertThat(UnreadSteps.of("(".repeat(5000), 0).areBounded()).isFalse();
  }

  /** Java writes out all orders of marks that may be combined: of twelve, half a billion. */
  @Test
  void whatIsLongInTheMakingIsNot() {
    assertThat(UnreadSteps.of("a", Pattern.CANON_EQ).areBounded()).isFalse();
    assertThat(UnreadSteps.of("a", Pattern.CANON_EQ | Pattern.LITERAL).areBounded()).isFalse();
    assertThat(UnreadSteps.of("a", Pattern.COMMENTS).areBounded()).isFalse();
    assertThat(UnreadSteps.of("(?:^", Pattern.LITERAL).areBounded()).isTrue();
  }

  /** Texts that nobody can stop: each ends within the time of the test, or it is not bounded. */
  @Test
  @Timeout(value = 120, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
  void whatIsBoundedEnds() {
    String[] parts = {
      "^", "$", "\\b", "(?:", "(?=", "(?<=", "(", ")", "|", "?", "*", "+", "{9}", "{3,}", "{99999}",
      "a?", "\\z", ")", "\\1", "(?>", "++"
    };
    Random random = new Random(Seed.get());
    int bounded = 0;
    int compiled = 0;
    for (int i = 0; i < 20_000; i++) {
      StringBuilder pattern = new StringBuilder();
      for (int length = 1 + random.nextInt(14); length > 0; length--) {
        pattern.append(parts[random.nextInt(parts.length)]);
      }
      Pattern made;
      try {
        made = Pattern.compile(pattern.toString());
      } catch (PatternSyntaxException e) {
        continue;
      }
      compiled++;
      UnreadSteps steps = UnreadSteps.of(pattern.toString(), 0);
      if (steps.areBounded() && steps.on(2) < 10_000_000) {
        bounded++;
        // Not "a", of which the parts know how to read it.
        made.matcher("bb").find();
      }
    }
    assertThat(compiled).isGreaterThan(1000);
    assertThat(bounded).isBetween(compiled / 10, compiled);
  }
}
