package io.ishbase.core;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ReadChoiceTest {
  /** What table and family say, what stands before the others, what is asked for, what is done. */
  @ParameterizedTest
  @CsvSource({
    // Nobody says anything: the attribute chooses.
    ", , , , stock",
    ", , , in-storage, in-storage",
    ", , , auto, auto",
    // The cluster says what is done unless asked.
    ", , stock, in-storage, in-storage",
    ", , in-storage, , in-storage",
    ", , in-storage, stock, stock",
    ", , in-storage, auto, auto",
    // A table's stock is a prohibition, a family's too, whatever the table says.
    ", stock, stock, , stock",
    ", stock, stock, in-storage, stock",
    ", stock, stock, auto, stock",
    "stock, , stock, in-storage, stock",
    "stock, in-storage, stock, in-storage, stock",
    // The family's word counts.
    "in-storage, stock, in-storage, , in-storage",
    "auto, stock, auto, in-storage, in-storage",
    // A table that allows one way allows all.
    ", auto, auto, in-storage, in-storage",
    ", in-storage, in-storage, stock, stock",
    // Wrong words: the default, and no prohibition beyond what is said soundly.
    ", ofline, ofline, , stock",
    ", ofline, ofline, in-storage, in-storage",
    "ofline, stock, ofline, in-storage, stock",
    ", in-storage, in-storage, fast, in-storage",
    "' stock ', , stock, auto, stock",
  })
  void choosesAmongWhatTheTableAllows(
      String family, String table, String inForce, String asked, String done) {
    assertThat(ReadChoice.of(family, table, inForce).of(asked)).hasToString(done);
  }
}
