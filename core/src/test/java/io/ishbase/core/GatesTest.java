package io.ishbase.core;

import static org.assertj.core.api.Assertions.assertThat;

import io.ishbase.core.Gates.Kind;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;

class GatesTest {
  private final Gates gates = new Gates();

  @Test
  void eachKindHasAGateAndANameOfItsOwn() {
    Set<Gate> all = new HashSet<>();
    Set<String> names = new HashSet<>();
    for (boolean columns : new boolean[] {false, true}) {
      for (boolean filtered : new boolean[] {false, true}) {
        for (boolean flag : new boolean[] {false, true}) {
          Kind get = Kind.ofGet(flag, columns, filtered);
          all.add(gates.of(get));
          names.add(get.toString());
          for (int limit : new int[] {0, 1, 17, 257}) {
            Kind scan = Kind.ofScan(limit, flag, columns, filtered);
            all.add(gates.of(scan));
            names.add(scan.toString());
          }
        }
      }
    }
    assertThat(all).hasSize(40);
    assertThat(names)
        .hasSize(40)
        .contains("get", "multi-get of columns", "reversed long scan of columns, filtered");
  }

  @Test
  void scansShareAGateBySize() {
    assertThat(gates.of(Kind.ofScan(1, false, false, false)))
        .isSameAs(gates.of(Kind.ofScan(16, false, false, false)))
        .isNotSameAs(gates.of(Kind.ofScan(17, false, false, false)));
    assertThat(gates.of(Kind.ofScan(Integer.MAX_VALUE, false, false, false)))
        .isSameAs(gates.of(Kind.ofScan(257, false, false, false)));
  }

  @Test
  void whatWasUsedIsDescribed() {
    assertThat(gates.describe()).isEmpty();
    Gate gate = gates.of(Kind.ofGet(false, false, false));
    gate.observe(gate.choose(), 2_000_000);
    assertThat(gates.describe())
        .singleElement()
        .asString()
        .startsWith("get: ")
        .contains("2.000 ms");
  }

  private static int readsBeforeBlocks(Gate gate) {
    for (int reads = 0; reads < 1000; reads++) {
      if (gate.route() == Gate.Route.BLOCK) {
        return reads;
      }
      Gate.Choice choice = gate.choose();
      gate.observe(choice, choice.route() == Gate.Route.BLOCK ? 1e5 : 1e6);
    }
    throw new AssertionError("Stays in-storage");
  }

  @Test
  void noneJudgesByTheFirstReadsOfAProcess() {
    Gates.WarmUp warmUp = new Gates.WarmUp(200);
    Kind get = Kind.ofGet(false, false, false);
    assertThat(readsBeforeBlocks(new Gates(warmUp).of(get))).isBetween(200, 220);
    assertThat(readsBeforeBlocks(new Gates(warmUp).of(get))).isLessThan(20);
    assertThat(readsBeforeBlocks(new Gates(warmUp).of(Kind.ofGet(true, false, false))))
        .isBetween(200, 220);
  }
}
