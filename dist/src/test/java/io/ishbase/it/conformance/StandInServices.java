package io.ishbase.it.conformance;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.ServerName;
import org.apache.hadoop.hbase.regionserver.RegionServerServices;

/** A region server as far as an offloaded compaction needs one. */
final class StandInServices {
  private static final ServerName NAME = ServerName.valueOf("127.0.0.1", 1, 1);

  private StandInServices() {}

  /** {@code given} if it is a region server; not if it is null or a mock without a name. */
  static RegionServerServices orReal(RegionServerServices given, Configuration conf) {
    if (given != null && given.getServerName() != null && given.getConfiguration() != null) {
      return given;
    }
    return (RegionServerServices)
        Proxy.newProxyInstance(
            StandInServices.class.getClassLoader(),
            new Class<?>[] {RegionServerServices.class},
            (proxy, method, arguments) -> answer(given, conf, method, arguments));
  }

  private static Object answer(
      RegionServerServices given, Configuration conf, Method method, Object[] arguments)
      throws Throwable {
    switch (method.getName()) {
      case "getServerName":
        return NAME;
      case "getConfiguration":
        return conf;
      case "hashCode":
        return 1;
      default:
    }
    if (given == null) {
      return nothing(method.getReturnType());
    }
    try {
      return method.invoke(given, arguments);
    } catch (InvocationTargetException e) {
      throw e.getCause();
    }
  }

  private static Object nothing(Class<?> type) {
    if (type == boolean.class) {
      return false;
    }
    if (type == double.class) {
      return 0.0;
    }
    if (type == long.class) {
      return 0L;
    }
    if (type == List.class) {
      return List.of();
    }
    return type == int.class ? 0 : null;
  }
}
