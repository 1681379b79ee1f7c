package io.ishbase.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.sdk.trace.data.EventData;
import io.opentelemetry.sdk.trace.data.LinkData;
import io.opentelemetry.sdk.trace.data.SpanData;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/** The spans of one trace, the first begun first. */
record Trace(String id, List<SpanData> spans) {
  /** Of all {@code spans} those of the trace {@code id}. */
  static Trace of(String id, List<SpanData> spans) {
    return new Trace(
        id,
        spans.stream()
            .filter(span -> span.getTraceId().equals(id))
            .sorted(Comparator.comparingLong(SpanData::getStartEpochNanos))
            .toList());
  }

  /**
   * That trace once it is whole: its servers end their spans after they have answered.
   *
   * @param last the name of the span that ends last
   */
  static Trace await(String id, String last, Supplier<List<SpanData>> spans) {
    MiniCluster.await(
        last + " and what belongs to it",
        () -> {
          Trace trace = of(id, spans.get());
          return !trace.named(last).isEmpty() && trace.isWhole();
        });
    return of(id, spans.get());
  }

  /** Whether no span is a part of one that has not ended, nor a call without its other end. */
  private boolean isWhole() {
    return spans.stream()
            .allMatch(span -> span.getParentSpanContext().isValid() == (parent(span) != null))
        && spans.stream()
            .filter(span -> span.getKind() == SpanKind.CLIENT && isRpc(span))
            .filter(call -> call.getStatus().getStatusCode() != StatusCode.ERROR)
            .allMatch(call -> !children(call).isEmpty());
  }

  /** HBase names a call by its service and method. */
  private static boolean isRpc(SpanData span) {
    return span.getName().contains("/");
  }

  List<SpanData> named(String name) {
    return spans.stream().filter(span -> span.getName().equals(name)).toList();
  }

  /** The only one of that name. */
  SpanData one(String name) {
    List<SpanData> found = named(name);
    assertThat(found).as("%s in%n%s", name, this).hasSize(1);
    return found.get(0);
  }

  /** Null: it has none, or that is not here. */
  SpanData parent(SpanData of) {
    return spans.stream()
        .filter(span -> span.getSpanId().equals(of.getParentSpanId()))
        .findFirst()
        .orElse(null);
  }

  List<SpanData> children(SpanData of) {
    return spans.stream().filter(span -> span.getParentSpanId().equals(of.getSpanId())).toList();
  }

  /** Names from the outermost span to {@code of}. */
  String path(SpanData of) {
    SpanData parent = parent(of);
    return (parent == null ? "" : path(parent) + " > ") + of.getName();
  }

  static <T> T get(SpanData span, AttributeKey<T> key) {
    return span.getAttributes().get(key);
  }

  /** What the events of that name say. */
  static <T> List<T> events(SpanData span, String name, AttributeKey<T> key) {
    return span.getEvents().stream()
        .filter(event -> event.getName().equals(name))
        .map(event -> event.getAttributes().get(key))
        .toList();
  }

  /** A line for each span, below the one that it is a part of, in milliseconds. */
  @Override
  public String toString() {
    StringBuilder text = new StringBuilder("trace " + id + "\n");
    spans.stream().filter(span -> parent(span) == null).forEach(span -> render(span, "", text));
    return text.toString();
  }

  private void render(SpanData span, String indent, StringBuilder text) {
    text.append(
        String.format(
            Locale.ROOT,
            "%7.2f  %s%s%s%s%s%s%n",
            (span.getEndEpochNanos() - span.getStartEpochNanos()) / 1e6,
            indent,
            span.getName(),
            span.getKind() == SpanKind.INTERNAL ? "" : " " + span.getKind(),
            attributes(span),
            span.getStatus().getStatusCode() == StatusCode.ERROR
                ? " ERROR " + span.getStatus().getDescription()
                : "",
            links(span)));
    for (EventData event : span.getEvents()) {
      text.append(String.format("         %s  * %s%n", indent, event.getName()));
    }
    children(span).forEach(child -> render(child, indent + "  ", text));
  }

  private static String attributes(SpanData span) {
    return span.getAttributes().asMap().entrySet().stream()
        .filter(entry -> entry.getKey().getKey().startsWith("ishbase."))
        .map(entry -> " " + entry.getKey().getKey() + "=" + entry.getValue())
        .sorted()
        .collect(Collectors.joining());
  }

  private static String links(SpanData span) {
    return span.getLinks().stream()
        .map(LinkData::getSpanContext)
        .map(context -> " -> " + context.getTraceId())
        .collect(Collectors.joining());
  }
}
