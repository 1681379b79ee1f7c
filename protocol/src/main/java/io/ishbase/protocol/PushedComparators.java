package io.ishbase.protocol;

import java.util.Set;
import org.apache.hadoop.hbase.filter.BigDecimalComparator;
import org.apache.hadoop.hbase.filter.BinaryComparator;
import org.apache.hadoop.hbase.filter.BinaryComponentComparator;
import org.apache.hadoop.hbase.filter.BinaryPrefixComparator;
import org.apache.hadoop.hbase.filter.BitComparator;
import org.apache.hadoop.hbase.filter.ByteArrayComparable;
import org.apache.hadoop.hbase.filter.LongComparator;
import org.apache.hadoop.hbase.filter.NullComparator;
import org.apache.hadoop.hbase.filter.SubstringComparator;

/**
 * The comparators of HBase's that region servers push down as they are, and of which daemons make
 * instances. Regular expressions are judged apart, by their engine.
 */
public final class PushedComparators {
  /** Their classes. */
  public static final Set<Class<? extends ByteArrayComparable>> CLASSES =
      Set.of(
          BigDecimalComparator.class,
          BinaryComparator.class,
          BinaryComponentComparator.class,
          BinaryPrefixComparator.class,
          BitComparator.class,
          LongComparator.class,
          NullComparator.class,
          SubstringComparator.class);

  private PushedComparators() {}
}
