package io.ishbase.daemon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ishbase.core.Setting;
import io.ishbase.protocol.generated.IssnProtos.Code;
import java.io.IOException;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.filter.Filter;
import org.apache.hadoop.hbase.filter.FilterBase;
import org.apache.hadoop.hbase.filter.FilterList;
import org.apache.hadoop.hbase.filter.KeyOnlyFilter;
import org.apache.hadoop.hbase.shaded.protobuf.ProtobufUtil;
import org.apache.hadoop.hbase.shaded.protobuf.generated.FilterProtos;
import org.apache.hbase.thirdparty.com.google.protobuf.ByteString;
import org.junit.jupiter.api.Test;

class FiltersTest {
  /** A filter that HBase does not ship. */
  public static final class Own extends FilterBase {
    @Override
    public ReturnCode filterCell(Cell cell) {
      return ReturnCode.INCLUDE;
    }

    @Override
    public byte[] toByteArray() {
      return new byte[0];
    }

    public static Own parseFrom(byte[] bytes) {
      return new Own();
    }
  }

  private static Filters declaring(String... classes) {
    Configuration conf = new Configuration(false);
    conf.set(Setting.CELL_LOCAL_FILTERS.key(), String.join(",", classes));
    return new Filters(conf);
  }

  private static ByteString message(Filter filter) throws IOException {
    return ByteString.copyFrom(ProtobufUtil.toFilter(filter).toByteArray());
  }

  private static void refuses(Filters filters, ByteString message) {
    assertThatThrownBy(() -> filters.parse(message))
        .isInstanceOfSatisfying(
            RequestException.class, e -> assertThat(e.code()).isEqualTo(Code.FILTER));
  }

  @Test
  void makesHBasesOwnAndThoseThatAreDeclared() throws IOException {
    assertThat(declaring().parse(message(new KeyOnlyFilter()))).isInstanceOf(KeyOnlyFilter.class);
    Filters filters = declaring(Own.class.getName());
    assertThat(filters.parse(message(new Own()))).isInstanceOf(Own.class);
    assertThat(filters.parse(message(new FilterList(new KeyOnlyFilter(), new Own()))))
        .isInstanceOf(FilterList.class);
  }

  @Test
  void refusesWhatIsNotDeclared() throws IOException {
    refuses(declaring(), message(new Own()));
    refuses(declaring(), message(new FilterList(new KeyOnlyFilter(), new Own())));
  }

  @Test
  void refusesWhatIsDeclaredButNotThere() {
    String name = "com.example.NoSuchFilter";
    refuses(
        declaring(name),
        ByteString.copyFrom(FilterProtos.Filter.newBuilder().setName(name).build().toByteArray()));
  }

  @Test
  void refusesWhatIsNoFilter() {
    refuses(declaring(), ByteString.copyFromUtf8("no filter"));
    refuses(
        declaring(String.class.getName()),
        ByteString.copyFrom(
            FilterProtos.Filter.newBuilder()
                .setName(String.class.getName())
                .build()
                .toByteArray()));
  }
}
