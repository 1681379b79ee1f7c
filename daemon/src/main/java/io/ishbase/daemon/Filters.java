package io.ishbase.daemon;

import io.ishbase.core.Setting;
import io.ishbase.protocol.generated.IssnProtos.Code;
import java.util.Set;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.filter.Filter;
import org.apache.hadoop.hbase.filter.FilterList;
import org.apache.hadoop.hbase.shaded.protobuf.ProtobufUtil;
import org.apache.hadoop.hbase.shaded.protobuf.generated.FilterProtos;
import org.apache.hbase.thirdparty.com.google.protobuf.ByteString;

/**
 * Which filter classes the daemon makes instances of: HBase's own, and those that {@link
 * Setting#CELL_LOCAL_FILTERS} names.
 */
final class Filters {
  private static final String HBASE_PACKAGE = Filter.class.getPackageName() + ".";

  private final Set<String> declared;

  Filters(Configuration conf) {
    declared = Set.copyOf(Setting.CELL_LOCAL_FILTERS.list(conf::get));
  }

  /**
   * The filter of that serialized message.
   *
   * @throws RequestException if it is malformed or of a class that is not used here
   */
  Filter parse(ByteString message) throws RequestException {
    try {
      FilterProtos.Filter proto = FilterProtos.Filter.parseFrom(message);
      checkClass(proto.getName());
      Filter filter = ProtobufUtil.toFilter(proto);
      checkMembers(filter);
      return filter;
    } catch (RequestException e) {
      throw e;
    } catch (Exception e) {
      throw new RequestException(Code.FILTER, "Not a filter that is usable here: " + e, e);
    }
  }

  // A list is parsed with its members, which are checked before they see a cell.
  private void checkMembers(Filter filter) throws RequestException {
    checkClass(filter.getClass().getName());
    if (filter instanceof FilterList list) {
      for (Filter member : list.getFilters()) {
        checkMembers(member);
      }
    }
  }

  private void checkClass(String name) throws RequestException {
    if (!name.startsWith(HBASE_PACKAGE) && !declared.contains(name)) {
      throw new RequestException(
          Code.FILTER,
          "Filter class " + name + " is not in " + Setting.CELL_LOCAL_FILTERS.key() + " here");
    }
  }
}
