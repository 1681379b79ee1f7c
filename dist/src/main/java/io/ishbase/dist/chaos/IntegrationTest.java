package io.ishbase.dist.chaos;

import io.ishbase.cluster.Mode;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Connection;

/** One of HBase's own integration tests. */
interface IntegrationTest {
  TableName table();

  /** Makes what it needs, before anything goes wrong. */
  void prepare(Connection connection) throws IOException;

  /**
   * Works while things go wrong, to the end of what it began.
   *
   * @param left of the time in which things go wrong
   * @return what must not be
   */
  List<String> work(Duration left) throws IOException;

  /**
   * Looks at what it wrote when all is mended.
   *
   * @param mode in which the table is read
   * @return what must not be
   */
  List<String> verify(Mode mode) throws IOException;

  /** What it did, in words. */
  @Override
  String toString();
}
