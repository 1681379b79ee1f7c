package io.ishbase.core.metric;

/** How a {@link Metric} is declared: a builder, which is not changed once the metric has it. */
final class MetricDeclaration {
  final MetricSource source;
  final MetricType type;
  final String name;
  String jmxName = "";
  String label = "";
  String unit = "";
  double scale = 1;
  String help = "";

  private MetricDeclaration(MetricSource source, MetricType type, String name) {
    this.source = source;
    this.type = type;
    this.name = name;
  }

  /** One that only grows; its name gets the ending that Prometheus expects of such. */
  static MetricDeclaration counter(MetricSource source, String name) {
    return new MetricDeclaration(source, MetricType.COUNTER, name + "_total");
  }

  static MetricDeclaration gauge(MetricSource source, String name) {
    return new MetricDeclaration(source, MetricType.GAUGE, name);
  }

  static MetricDeclaration histogram(MetricSource source, String name) {
    return new MetricDeclaration(source, MetricType.HISTOGRAM, name);
  }

  /** Its name in the source's bean; with a label, {@code *} stands for the label's value. */
  MetricDeclaration jmx(String nameOnJmx) {
    jmxName = nameOnJmx;
    return this;
  }

  /** There are several, told apart by this label. */
  MetricDeclaration by(String labelName) {
    label = labelName;
    return this;
  }

  /** What Prometheus counts in; not said of mere numbers. */
  MetricDeclaration in(String unitName) {
    unit = unitName;
    return this;
  }

  /** So much of the unit is one of what the server counts in. */
  MetricDeclaration scaled(double factor) {
    scale = factor;
    return this;
  }

  /** A sentence for operators. */
  MetricDeclaration means(String text) {
    help = text;
    return this;
  }
}
