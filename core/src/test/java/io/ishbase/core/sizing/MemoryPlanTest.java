package io.ishbase.core.sizing;

import static org.assertj.core.api.Assertions.assertThat;

import io.ishbase.core.ReadMode;
import java.util.List;
import java.util.Optional;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.LongRange;
import org.junit.jupiter.api.Test;

class MemoryPlanTest {
  private static final long MB = 1L << 20;
  private static final long GB = 1L << 30;
  private static final long MOST = 4096 * GB;

  private static MemoryPlan plan(long serverBytes, int processors, ReadMode read) {
    return MemoryPlan.of(serverBytes, processors, read).orElseThrow();
  }

  private static long value(List<Choice> choices, String name) {
    return choices.stream()
        .filter(choice -> choice.name().equals(name))
        .map(choice -> Long.parseLong(choice.value().replaceFirst("m$", "")))
        .findFirst()
        .orElseThrow();
  }

  @Property
  void theSumIsNeverOverTheMemory(
      @ForAll @LongRange(min = 0, max = MOST) long memory,
      @ForAll @LongRange(min = 0, max = MOST / 2) long others,
      @ForAll @IntRange(min = 1, max = 6) int servers,
      @ForAll @IntRange(min = 1, max = 1024) int processors,
      @ForAll ReadMode read) {
    MachineMemory machine = new MachineMemory(memory, others, servers);
    MemoryPlan.of(machine.serverBytes(), processors, read)
        .ifPresent(
            plan ->
                assertThat(plan.totalBytes() * servers + others + machine.systemBytes())
                    .isLessThanOrEqualTo(memory));
  }

  @Property
  void eachPartIsWithinItsBounds(
      @ForAll @LongRange(min = 0, max = MOST) long bytes,
      @ForAll @IntRange(min = 1, max = 1024) int processors,
      @ForAll ReadMode read) {
    Optional<MemoryPlan> made = MemoryPlan.of(bytes, processors, read);
    assertThat(made.isPresent()).isEqualTo(bytes >= MemoryPlan.leastBytes(processors));
    made.ifPresent(
        plan -> {
          assertThat(plan.heapBytes()).isBetween(MemoryPlan.LEAST_HEAP, MemoryPlan.MOST_HEAP);
          assertThat(plan.memstoreBytes())
              .isBetween(MemoryPlan.LEAST_MEMSTORE, MemoryPlan.MOST_MEMSTORE);
          assertThat(plan.blockCacheBytes())
              .isBetween(MemoryPlan.LEAST_BLOCK_CACHE, 32 * plan.heapBytes());
          assertThat(plan.segmentCacheBytes())
              .isBetween(MemoryPlan.LEAST_SEGMENT_CACHE, 2 * plan.heapBytes());
          assertThat(plan.reservoirBytes()).isBetween(16 * MB, 118 * MB);
          assertThat(plan.totalBytes()).isLessThanOrEqualTo(bytes);
          for (long part :
              new long[] {
                plan.heapBytes(), plan.directBytes(), plan.blockCacheBytes(), plan.memstoreBytes()
              }) {
            assertThat(part % MB).isZero();
          }
        });
  }

  @Property
  void soItIsAroundTheLeastThatThereIsAPlanFor(
      @ForAll @IntRange(min = 1, max = 128) int processors,
      @ForAll @IntRange(min = -64, max = 512) int moreMb,
      @ForAll ReadMode read) {
    eachPartIsWithinItsBounds(MemoryPlan.leastBytes(processors) + moreMb * MB, processors, read);
  }

  /** What is written is what was planned, and the check of a running server has no complaint. */
  @Property
  void whatIsWrittenFits(
      @ForAll @LongRange(min = 0, max = MOST) long bytes,
      @ForAll @IntRange(min = 1, max = 1024) int processors,
      @ForAll ReadMode read) {
    MemoryPlan.of(bytes, processors, read)
        .ifPresent(
            plan -> {
              List<Choice> properties = plan.properties();
              DirectMemory direct =
                  DirectMemory.of(
                      key ->
                          properties.stream()
                              .filter(property -> property.name().equals(key))
                              .map(Choice::value)
                              .findFirst()
                              .orElse(null));
              assertThat(direct.blockCacheBytes()).isEqualTo(plan.blockCacheBytes());
              assertThat(direct.memstoreBytes()).isEqualTo(plan.memstoreBytes());
              assertThat(direct.reservoirBytes())
                  .isLessThanOrEqualTo(plan.reservoirBytes())
                  .isGreaterThan(plan.reservoirBytes() - (66 << 10));
              long limit = value(plan.flags(), "-XX:MaxDirectMemorySize=") * MB;
              assertThat(limit).isEqualTo(plan.directBytes());
              assertThat(direct.shortage(limit, value(properties, "ishbase.cache.bytes")))
                  .isEmpty();
            });
  }

  @Property
  void moreMemoryTakesNothingAway(
      @ForAll @LongRange(min = 0, max = MOST) long bytes,
      @ForAll @LongRange(min = 0, max = 64 * GB) long more,
      @ForAll ReadMode read) {
    MemoryPlan.of(bytes, 8, read)
        .ifPresent(
            less -> {
              MemoryPlan larger = plan(bytes + more, 8, read);
              assertThat(larger.heapBytes()).isGreaterThanOrEqualTo(less.heapBytes());
              // Beyond what the heap can index, nothing is planned.
              assertThat(larger.directBytes()).isGreaterThanOrEqualTo(less.directBytes() - 4 * MB);
            });
  }

  @Test
  void aLaptopOfFourGigabytesHasRoomForOneSmallServer() {
    MachineMemory laptop = new MachineMemory(4 * GB, GB, 1);
    assertThat(laptop.systemBytes()).isEqualTo(512 * MB);
    MemoryPlan plan = plan(laptop.serverBytes(), 4, ReadMode.IN_STORAGE);
    assertThat(plan)
        .isEqualTo(
            new MemoryPlan(768 * MB, 304 * MB, 239 * MB, 318 * MB, 717 * MB, 118 * MB, 96 * MB));
    assertThat(MemoryPlan.of(new MachineMemory(4 * GB, 3 * GB, 1).serverBytes(), 4, ReadMode.AUTO))
        .isEmpty();
  }

  @Test
  void aServerOfTwentyFourGigabytes() {
    MachineMemory machine = new MachineMemory(24 * GB, GB, 1);
    MemoryPlan plan = plan(machine.serverBytes(), 2, ReadMode.AUTO);
    assertThat(plan.totalBytes()).isEqualTo(20 * GB);
    assertThat(plan.heapBytes()).isEqualTo(6 * GB);
    assertThat(plan.blockCacheBytes()).isBetween(plan.segmentCacheBytes(), 5 * GB);
  }

  @Test
  void aServerOfTwoHundredFiftySixGigabytesKeepsShortReferences() {
    MachineMemory machine = new MachineMemory(256 * GB, 2 * GB, 1);
    assertThat(machine.systemBytes()).isEqualTo(16 * GB);
    MemoryPlan plan = plan(machine.serverBytes(), 64, ReadMode.IN_STORAGE);
    assertThat(plan.heapBytes()).isEqualTo(31 * GB);
    assertThat(plan.memstoreBytes()).isEqualTo(16 * GB);
    assertThat(plan.segmentCacheBytes()).isEqualTo(62 * GB);
    assertThat(plan.blockCacheBytes()).isGreaterThan(100 * GB);
  }

  @Test
  void cachesFollowHowTablesAreRead() {
    MemoryPlan stock = plan(16 * GB, 4, ReadMode.STOCK);
    MemoryPlan auto = plan(16 * GB, 4, ReadMode.AUTO);
    MemoryPlan inStorage = plan(16 * GB, 4, ReadMode.IN_STORAGE);
    assertThat(stock.segmentCacheBytes()).isLessThan(auto.segmentCacheBytes());
    assertThat(auto.segmentCacheBytes()).isLessThan(inStorage.segmentCacheBytes());
    assertThat(stock.directBytes()).isEqualTo(inStorage.directBytes());
  }

  @Test
  void everyChoiceHasAnArgument() {
    MemoryPlan plan = plan(4 * GB, 2, ReadMode.AUTO);
    assertThat(List.of(plan.parts(), plan.properties(), plan.flags()))
        .allSatisfy(
            choices ->
                assertThat(choices)
                    .allSatisfy(
                        choice -> assertThat(choice.why()).isNotBlank().doesNotContain("\n")));
  }
}
