/**
 * Options for {@linkcode telemetry}, and structural types for the OpenTelemetry objects in these
 * options.
 *
 * @module
 */

import type { Settings } from "@parley/internal/options";

/** Attributes of a span or a metric value. */
export type TelemetryAttributes = { [name: string]: string | number | boolean | string[] };

/** Unit and description of a counter. */
export interface CounterOptions {
  /** Unit of the values. */
  readonly unit: string;
  /** Description of the values. */
  readonly description: string;
}

/** Unit, description and bucket boundaries of a histogram. */
export interface HistogramOptions extends CounterOptions {
  /** Hints for aggregating the values. */
  readonly advice: {
    /** Boundaries between the buckets of the histogram. */
    explicitBucketBoundaries: number[];
  };
}

/** The members of an OpenTelemetry `Meter` that this package uses. */
export interface TelemetryMeter {
  /**
   * Creates a histogram.
   *
   * @param name Name of the histogram.
   * @param options Unit, description and bucket boundaries.
   */
  createHistogram(
    name: string,
    options: HistogramOptions,
  ): { record(value: number, attributes: TelemetryAttributes): void };
  /**
   * Creates a counter.
   *
   * @param name Name of the counter.
   * @param options Unit and description.
   */
  createCounter(
    name: string,
    options: CounterOptions,
  ): { add(value: number, attributes: TelemetryAttributes): void };
}

/** The members of an OpenTelemetry `Span` that this package uses. */
export interface TelemetrySpan {
  /**
   * Sets attributes of the span.
   *
   * @param attributes Attributes to set.
   */
  setAttributes(attributes: TelemetryAttributes): unknown;
  /**
   * Sets the status of the span.
   *
   * @param status Status to set. Status code 2 indicates an error.
   */
  setStatus(status: { code: number; message?: string }): unknown;
  /** Ends the span. */
  end(): void;
}

/**
 * Options for {@linkcode telemetry}: a tracer, a meter, `trace` and `context` from
 * `@opentelemetry/api`, and whether to record content.
 *
 * @typeParam Context OpenTelemetry's `Context` type.
 * @typeParam Span OpenTelemetry's `Span` type.
 */
export interface TelemetryOptions<Context, Span extends TelemetrySpan> {
  /** Tracer that creates the spans, for example `trace.getTracer("my-app")`. */
  readonly tracer: {
    /**
     * Starts a span.
     *
     * @param name Name of the span.
     * @param options Kind and initial attributes of the span.
     * @param context Context with the parent span.
     */
    startSpan(
      name: string,
      options: { kind: number; attributes: TelemetryAttributes },
      context: Context,
    ): Span;
  };
  /** `trace` from `@opentelemetry/api`. */
  readonly trace: {
    /** Returns a context in which the given span is active. */
    readonly setSpan: (context: Context, span: Span) => Context;
  };
  /** `context` from `@opentelemetry/api`. */
  readonly context: {
    /** Returns the active context. */
    active(): Context;
    /**
     * Calls a function while a context is active.
     *
     * @param context Context to activate.
     * @param callback Function to call.
     */
    with(context: Context, callback: () => void): unknown;
  };
  /**
   * Meter that records the metrics, for example `metrics.getMeter("my-app")`. If omitted, no
   * metrics are recorded.
   */
  readonly meter?: TelemetryMeter;
  /**
   * Attributes to add to every span, for example `gen_ai.conversation.id`. The additional
   * attributes are not added to metrics.
   */
  readonly attributes?: TelemetryAttributes;
  /**
   * Whether to record messages, tool inputs and tool results, which may contain personal or
   * confidential data. The error message of a failed run or model call is always recorded, as the
   * status of its span.
   *
   * @default {false}
   */
  readonly captureContent?: boolean;
  /**
   * Maximum length of each recorded content attribute, in UTF-16 code units. Content that exceeds
   * this length is truncated.
   *
   * @default {65_536}
   */
  readonly maxContentLength?: number;
  /**
   * Called with exceptions thrown by the tracer or the meter, which do not affect the run. If
   * omitted, each distinct error is printed to standard error.
   */
  readonly onError?: (error: unknown) => void;
}

/** Options after reading. */
export type TelemetrySettings<Context, Span extends TelemetrySpan> = Settings<
  TelemetryOptions<Context, Span>,
  "attributes" | "captureContent" | "maxContentLength"
>;
