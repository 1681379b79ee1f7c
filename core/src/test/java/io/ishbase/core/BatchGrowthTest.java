package io.ishbase.core;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class BatchGrowthTest {
  private static final int FIRST = 16 << 10;
  private static final int MAX = 1 << 20;

  private int room = Integer.MAX_VALUE;
  private final BatchGrowth growth = new BatchGrowth(FIRST, MAX, bytes -> bytes <= room);

  /** The next batch comes, as large as it was asked for, with cells of 100 bytes. */
  private int fetch() {
    int bytes = growth.next(false);
    growth.received(bytes / 100, bytes, 0);
    return bytes;
  }

  private void begin() {
    int bytes = growth.first(false, 0, 0);
    growth.received(bytes / 100, bytes, 0);
  }

  @Test
  void noMoreIsUnderWayThanWasReadBeforeAndAFirstBatch() {
    begin();
    long read = 0;
    int atHand = FIRST;
    for (int i = 0; i < 20; i++) {
      int next = fetch();
      assertThat(next).isEqualTo((int) Math.min(MAX, FIRST + read));
      read += atHand;
      atHand = next;
    }
    assertThat(atHand).isEqualTo(MAX);
  }

  @Test
  void whoSeeksOverMostOfItGetsSmallBatches() {
    begin();
    while (fetch() < MAX) {
      // Grows.
    }
    for (int cell = 0; cell < MAX / 100; cell++) {
      growth.skipped();
    }
    assertThat(growth.next(false)).isEqualTo(FIRST);
    assertThat(growth.mayRunAhead(MAX / 100 - 1)).isFalse();
  }

  @Test
  void whatWasDroppedDoesNotCountAsRead() {
    begin();
    growth.dropped(0);
    growth.received(1, MAX, 0);
    assertThat(growth.next(false)).isEqualTo(FIRST);
  }

  @Test
  void aRangeBeginsAsTheOneBeforeWentOn() {
    begin();
    fetch();
    int atHand = fetch();
    growth.dropped(atHand / 100);
    assertThat(growth.first(false, 0, 0)).isEqualTo(FIRST + FIRST + FIRST + atHand);
    growth.received(10, 1000, 0);
    growth.dropped(5);
    assertThat(growth.first(false, 0, 0)).isEqualTo(FIRST + FIRST + FIRST + atHand + 500);
  }

  @Test
  void theSecondBatchIsNotFetchedAheadTheThirdIs() {
    begin();
    assertThat(growth.mayRunAhead(FIRST / 100 - 1)).isFalse();
    int cells = fetch() / 100;
    assertThat(growth.mayRunAhead(cells / 2 - 1)).isFalse();
    assertThat(growth.mayRunAhead(cells / 2 + 1)).isTrue();
  }

  @Test
  void withoutRoomOnlyWhoWaitsGetsASmallBatch() {
    begin();
    fetch();
    fetch();
    room = FIRST;
    assertThat(growth.next(true)).isZero();
    assertThat(growth.next(false)).isEqualTo(FIRST);
    assertThat(growth.first(false, 100, 0)).isEqualTo(FIRST);
  }

  @Test
  void aGetAsksForAUsualRow() {
    assertThat(growth.first(true, 0, 0)).isEqualTo(64 << 10);
    assertThat(new BatchGrowth(100, 1000, bytes -> true).first(true, 0, 0)).isEqualTo(1000);
  }

  @Test
  void rowsThatTheClientTakesEndABatch() {
    assertThat(growth.first(false, 100, 0)).isEqualTo(MAX);
    assertThat(growth.rows()).isEqualTo(100);
    growth.received(30, 3000, 30);
    assertThat(growth.next(false)).isEqualTo(MAX);
    assertThat(growth.rows()).isEqualTo(70);
    assertThat(growth.mayRunAhead(10)).isFalse();
    assertThat(growth.mayRunAhead(20)).as("the client takes more than these").isTrue();
    growth.received(70, 7000, 70);
    assertThat(growth.rows()).isEqualTo(100);
    assertThat(growth.mayRunAhead(69)).isFalse();
    growth.received(70, 7000, 0);
    assertThat(growth.mayRunAhead(69)).as("the rest of the row").isTrue();
  }

  /** The rows come that are asked for, of so many bytes each. */
  private int fetchRows(int bytesOfRow) {
    int wanted = growth.rows();
    growth.next(false);
    growth.received(wanted, bytesOfRow * wanted, wanted);
    return wanted;
  }

  @Test
  void whoTakesFewRowsAtATimeButGoesOnGetsMore() {
    growth.first(false, 2, 0);
    int read = 0;
    int atHand = 0;
    int requests = 0;
    for (int rows = 0; rows < 10_000; requests++) {
      assertThat(growth.rows())
          .as("behind %d rows", rows)
          .isEqualTo(2 + Math.min(read, 655) / 2 * 2);
      read += atHand;
      atHand = fetchRows(100);
      rows += atHand;
    }
    assertThat(requests).isBetween(10, 40);
    growth.received(1, 100, 1);
    assertThat(growth.rows() % 2).as("to the end of what the client takes").isEqualTo(1);
    growth.skipped();
    assertThat(growth.rows()).as("of one who seeks").isEqualTo(1);
  }

  @Test
  void noRowsAreAskedForAheadBehindTheLastOfTheRead() {
    growth.first(false, 10, 45);
    int rows = 0;
    while (rows < 45) {
      rows += fetchRows(100);
    }
    assertThat(rows).isEqualTo(45);
    assertThat(growth.mayRunAhead(1_000)).isFalse();
    assertThat(growth.rows()).as("of one who comes back all the same").isEqualTo(50);
    fetchRows(100);
    assertThat(growth.mayRunAhead(1_000)).isTrue();
  }

  /** The first row behind many that are deleted, as of a queue. */
  @Test
  void whoWantsOneRowOfManyThatDoNotCountGetsThemInFewBatches() {
    growth.first(false, 1, 1);
    int requests = 0;
    for (int rows = 0; rows < 100_000; requests++) {
      rows += fetchRows(100);
    }
    assertThat(requests).isLessThan(20);
  }

  @Test
  void rowsThatAreLargerThanABlockComeAsTheClientTakesThem() {
    growth.first(false, 1, 0);
    for (int i = 0; i < 20; i++) {
      assertThat(fetchRows(BatchGrowth.BEYOND_BYTES + 1)).isEqualTo(1);
    }
  }

  @Test
  void eachStepIntoAGapDoublesTheBatchesThatAreWhole() {
    assertThat(growth.mayTrim()).isTrue();
    for (int whole = 1; whole <= 8; whole *= 2) {
      growth.enteredGap();
      for (int i = 0; i < whole; i++) {
        assertThat(growth.mayTrim()).isFalse();
      }
      assertThat(growth.mayTrim()).isTrue();
    }
  }

  /** So that one table's does not take what is left to all. */
  @Test
  void whereThereIsNoRoomALargeFirstBatchIsSmall() {
    BatchGrowth large = new BatchGrowth(16 << 20, 16 << 20, bytes -> false);
    assertThat(large.first(false, 0, 0)).isEqualTo(BatchGrowth.SMALL_BYTES);
    assertThat(large.first(true, 0, 0)).isEqualTo(BatchGrowth.SMALL_BYTES);
    assertThat(large.next(true)).isZero();
  }
}
