package io.ishbase.plugin.aggregate;

import com.google.protobuf.Descriptors.MethodDescriptor;
import com.google.protobuf.Descriptors.ServiceDescriptor;
import com.google.protobuf.Message;
import com.google.protobuf.RpcCallback;
import com.google.protobuf.RpcController;
import com.google.protobuf.Service;
import java.io.IOException;
import java.util.List;
import org.apache.hadoop.hbase.CoprocessorEnvironment;
import org.apache.hadoop.hbase.coprocessor.CoprocessorException;
import org.apache.hadoop.hbase.coprocessor.RegionCoprocessor;
import org.apache.hadoop.hbase.coprocessor.RegionCoprocessorEnvironment;
import org.apache.hadoop.hbase.ipc.CoprocessorRpcUtils;
import org.apache.hadoop.hbase.regionserver.HRegion;
import org.jspecify.annotations.Nullable;

/**
 * The endpoint that a table names in place of HBase's {@code AggregateImplementation}: it answers
 * HBase's {@code AggregationClient} with the same results, of which storage daemons compute what
 * they can ({@link RegionAggregates}).
 *
 * <p>Relies on HBase 2.6: {@code HRegion.execService} makes request and response from the service's
 * prototypes, and takes a failure from the controller.
 */
public final class AggregateEndpoint implements RegionCoprocessor, Service {
  private @Nullable RegionAggregates aggregates;

  @Override
  public void start(CoprocessorEnvironment environment) throws IOException {
    if (!(environment instanceof RegionCoprocessorEnvironment ofRegion)) {
      throw new CoprocessorException(getClass().getName() + " is to be loaded by tables");
    }
    aggregates = new RegionAggregates((HRegion) ofRegion.getRegion());
  }

  @Override
  public Iterable<Service> getServices() {
    return List.of(this);
  }

  @Override
  public ServiceDescriptor getDescriptorForType() {
    return AggregateMessages.SERVICE;
  }

  @Override
  public Message getRequestPrototype(MethodDescriptor method) {
    return AggregateMessages.requestPrototype();
  }

  @Override
  public Message getResponsePrototype(MethodDescriptor method) {
    return AggregateMessages.responsePrototype();
  }

  @Override
  @SuppressWarnings("NullAway") // HBase's callback takes null where there is no value
  public void callMethod(
      MethodDescriptor method,
      RpcController controller,
      Message request,
      RpcCallback<Message> done) {
    Message response = null;
    try {
      RegionAggregates started = aggregates;
      if (started == null) {
        throw new IOException(getClass().getName() + " has not been started");
      }
      response = started.answer(method.getName(), request);
    } catch (IOException e) {
      CoprocessorRpcUtils.setControllerException(controller, e);
    }
    done.run(response);
  }
}
