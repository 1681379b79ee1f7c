package io.ishbase.core;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ReleaseTest {
  @Test
  void theBuildHasWrittenItsVersion() {
    assertThat(Release.name()).matches("\\d+\\.\\d+\\.\\d+.*");
  }
}
