package io.ishbase.plugin.scan;

import java.util.List;

/** What a read brings on its way into the segment cache, in parts. Used by the read's thread. */
public interface ReadFill extends FillSink {
  /**
   * Says how many node scanners there are, which together have all files that may hold what the
   * read wants. To be called first, once.
   *
   * @return what takes each of the parts; empty if the fill cannot put them together
   */
  List<? extends FillSink> expect(int parts);
}
