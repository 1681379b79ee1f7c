package io.ishbase.it;

import io.ishbase.core.Patience;
import java.io.File;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Command lines of JVMs that have the class path and module flags of this one. */
public final class ChildJvm {
  private ChildJvm() {}

  /**
   * @param site directory that comes first on the class path: {@code hbase-site.xml} and logging
   * @param flags more of the JVM's flags
   */
  public static List<String> command(
      Path site, List<String> flags, String mainClass, List<String> arguments) {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
        .filter(ChildJvm::isNeededByHBase)
        .forEach(command::add);
    command.addAll(Patience.jvmFlags());
    command.addAll(flags);
    command.add("-cp");
    command.add(site.toAbsolutePath() + File.pathSeparator + classPath());
    command.add(mainClass);
    command.addAll(arguments);
    return command;
  }

  private static boolean isNeededByHBase(String flag) {
    return flag.startsWith("--add-")
        || flag.contains("tryReflectionSetAccessible")
        || flag.contains("preferIPv4Stack");
  }

  /** This JVM's class path, absolute, as the child may run in another directory. */
  public static String classPath() {
    String classPath =
        System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
    return Stream.of(classPath.split(File.pathSeparator))
        .map(entry -> new File(entry).getAbsolutePath())
        .collect(Collectors.joining(File.pathSeparator));
  }
}
