package io.ishbase.core.cache;

import net.jqwik.api.ForAll;
import net.jqwik.api.Property;

class ModelTest {
  @Property(tries = 300)
  void whatIsCoveredIsWhatTheFilesHold(@ForAll long seed, @ForAll boolean small) {
    System.out.println("seed " + seed + (small ? " small" : ""));
    new Model(seed, small).run(1500);
  }
}
