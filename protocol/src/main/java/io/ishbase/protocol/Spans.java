package io.ishbase.protocol;

import io.opentelemetry.api.GlobalOpenTelemetry;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanBuilder;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.context.Context;
import io.opentelemetry.context.Scope;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Spans of our own in OpenTelemetry's traces, between those of HBase: its RPC makes one for each
 * call at either end, and takes the trace along in the call's header.
 *
 * <p>What belongs to no recorded span gets {@link Span#getInvalid}, which takes no notes: whoever
 * would have to allocate for a note asks {@link Span#isRecording} first.
 */
public final class Spans {
  /** How a store's read is done: {@code in-storage}, {@code block} or {@code cache}. */
  public static final AttributeKey<String> ROUTE = AttributeKey.stringKey("ishbase.route");

  public static final AttributeKey<String> FAMILY = AttributeKey.stringKey("ishbase.family");

  /** The name of a storage node, or of the one that carries out a compaction. */
  public static final AttributeKey<String> NODE = AttributeKey.stringKey("ishbase.node");

  /** Files that are asked for, or compacted. */
  public static final AttributeKey<Long> FILES = AttributeKey.longKey("ishbase.files");

  /** Cells of an answer, or that a compaction wrote. */
  public static final AttributeKey<Long> CELLS = AttributeKey.longKey("ishbase.cells");

  /** Of the cells of an answer as they cross the network; of the files of a compaction. */
  public static final AttributeKey<Long> BYTES = AttributeKey.longKey("ishbase.bytes");

  /** Cells that a daemon looked at for an answer, sent or not. */
  public static final AttributeKey<Long> EXAMINED = AttributeKey.longKey("ishbase.cells.examined");

  /** Data blocks that a daemon read for an answer, from its cache or from the files. */
  public static final AttributeKey<Long> BLOCKS = AttributeKey.longKey("ishbase.blocks");

  /** Their bytes, as HBase's quotas count them. */
  public static final AttributeKey<Long> BLOCK_BYTES = AttributeKey.longKey("ishbase.blocks.bytes");

  /** Rows that a scan took from the segment cache. */
  public static final AttributeKey<Long> CACHED_ROWS = AttributeKey.longKey("ishbase.cache.rows");

  /** Reads that one request asks for. */
  public static final AttributeKey<Long> READS = AttributeKey.longKey("ishbase.reads");

  /** Which of the reads of a shared request it is, from 0. */
  public static final AttributeKey<Long> INDEX = AttributeKey.longKey("ishbase.index");

  /** Why HBase's own path is taken, by the names that {@code fallbacks_} counts. */
  public static final AttributeKey<String> FALLBACK = AttributeKey.stringKey("ishbase.fallback");

  /** What a daemon's answer says of itself: {@code ok}, or why it has none. */
  public static final AttributeKey<String> CODE = AttributeKey.stringKey("ishbase.code");

  /** Whether nobody waits for an answer yet when it is asked for. */
  public static final AttributeKey<Boolean> AHEAD = AttributeKey.booleanKey("ishbase.ahead");

  /** Whether nobody wanted the answer in the end. */
  public static final AttributeKey<Boolean> ABANDONED =
      AttributeKey.booleanKey("ishbase.abandoned");

  /** Milliseconds for which a compaction made way for others. */
  public static final AttributeKey<Long> HELD_BACK =
      AttributeKey.longKey("ishbase.compaction.held_back_ms");

  private static final String TRACER = "io.ishbase";

  private Spans() {}

  /** A part of what the thread does, if that is recorded. */
  public static Span begin(String name) {
    return Span.current().isRecording() ? builder(name).startSpan() : Span.getInvalid();
  }

  /** To begin a span that need not be a part of another one. */
  public static SpanBuilder builder(String name) {
    return GlobalOpenTelemetry.getTracer(TRACER).spanBuilder(name);
  }

  /** Makes {@code span} what the thread does, if it is recorded, until the result is closed. */
  @SuppressWarnings("MustBeClosedChecker") // by the caller
  public static Scope enter(Span span) {
    return span.isRecording() ? span.makeCurrent() : Scope.noop();
  }

  /**
   * Makes {@code context} what the thread does until the result is closed, unless neither belongs
   * to a trace.
   */
  @SuppressWarnings("MustBeClosedChecker") // by the caller
  public static Scope enter(Context context) {
    return isTraced(Span.fromContext(context)) || isTraced(Span.current())
        ? context.makeCurrent()
        : Scope.noop();
  }

  private static boolean isTraced(Span span) {
    return span.getSpanContext().isValid();
  }

  /**
   * Says that what {@code span} is about has failed, and why.
   *
   * @param failure null: it has not
   */
  public static void failed(Span span, @Nullable Throwable failure) {
    if (failure != null && span.isRecording()) {
      span.setStatus(StatusCode.ERROR, failure.toString());
    }
  }

  /** The name of a constant as metrics have it, too. */
  public static String name(Enum<?> constant) {
    return constant.name().toLowerCase(Locale.ROOT);
  }
}
