/**
 * Options for {@linkcode mcpTelemetry}, and structural types for the OpenTelemetry objects in these
 * options.
 *
 * @module
 */

/** Attributes of a span or a measurement. */
export type TelemetryAttributes = { [name: string]: string | number | boolean | string[] };

/** Unit, description and bucket boundaries of a histogram. */
export interface TelemetryHistogramOptions {
  /** Unit of the recorded values. */
  readonly unit: string;
  /** Description of the recorded values. */
  readonly description: string;
  /** Advice for aggregating the values. */
  readonly advice: {
    /** Boundaries between the buckets of the histogram. */
    explicitBucketBoundaries: number[];
  };
}

/** The part of an OpenTelemetry `Meter` that this package uses. */
export interface TelemetryMeter {
  /**
   * Creates a histogram.
   *
   * @param name Name of the histogram.
   * @param options Unit, description and bucket boundaries.
   */
  createHistogram(
    name: string,
    options: TelemetryHistogramOptions,
  ): { record(value: number, attributes: TelemetryAttributes): void };
}

/** The part of an OpenTelemetry `Span` that this package uses. */
export interface TelemetrySpan {
  /**
   * Sets span attributes.
   *
   * @param attributes Attributes to set.
   */
  setAttributes(attributes: TelemetryAttributes): unknown;
  /**
   * Sets the span's status.
   *
   * @param status Status to set. Status code 2 means an error.
   */
  setStatus(status: { code: number; message?: string }): unknown;
  /** Ends the span. */
  end(): void;
}

/** The part of an OpenTelemetry `SpanContext` that this package uses: the identity of a span. */
export interface TelemetrySpanContext {
  /** Id of the trace, 32 hexadecimal digits. */
  traceId: string;
  /** Id of the span, 16 hexadecimal digits. */
  spanId: string;
  /** Trace flags, as in W3C Trace Context. */
  traceFlags: number;
}

/** Kind, initial attributes and links of a span. */
export interface TelemetrySpanOptions {
  /** Kind of the span. 1 means a server, 2 means a client. */
  kind: number;
  /** Initial attributes of the span. */
  attributes: TelemetryAttributes;
  /** Links to other spans. */
  links: { context: TelemetrySpanContext }[];
}

/**
 * The part of `propagation` from `@opentelemetry/api` that this package uses.
 *
 * @typeParam Context OpenTelemetry's `Context` type.
 */
export interface TelemetryPropagation<Context> {
  /**
   * Writes a context to a carrier.
   *
   * @param context Context to write.
   * @param carrier Object that receives the values of the context.
   */
  inject(context: Context, carrier: Record<string, string>): void;
  /**
   * Returns a context with the values from a carrier.
   *
   * @param context Context to extend.
   * @param carrier Object from which the values for the context are read.
   */
  extract(context: Context, carrier: Record<string, string>): Context;
}

/**
 * Options for {@linkcode mcpTelemetry}: a tracer, a meter, `trace`, `context` and `propagation`
 * from `@opentelemetry/api`, and whether to record content.
 *
 * @typeParam Context OpenTelemetry's `Context` type.
 * @typeParam Span OpenTelemetry's `Span` type.
 */
export interface McpTelemetryOptions<Context, Span extends TelemetrySpan> {
  /** Tracer that creates the spans, for example `trace.getTracer("my-app")`. */
  readonly tracer: {
    /**
     * Starts a span.
     *
     * @param name Name of the span.
     * @param options Kind, initial attributes and links of the span.
     * @param context Context with the parent span.
     */
    startSpan(name: string, options: TelemetrySpanOptions, context: Context): Span;
  };
  /** `trace` from `@opentelemetry/api`. */
  readonly trace: {
    /** Returns a context whose active span is the given span. */
    readonly setSpan: (context: Context, span: Span) => Context;
    /** Returns the identity of the active span in a context. */
    readonly getSpanContext: (context: Context) => TelemetrySpanContext | undefined;
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
   * `propagation` from `@opentelemetry/api`, which carries the trace from the client to the server
   * in the `_meta` object of each request. The registered propagator chooses the keys: for W3C
   * Trace Context and W3C Baggage, `traceparent`, `tracestate` and `baggage`. If omitted, clients
   * send no trace context, and servers ignore the received one.
   *
   * A client sends its baggage entries to every server that it connects to. A server that is open
   * to the public lets unknown clients choose the trace id, the sampling flag and the baggage.
   *
   * @see https://modelcontextprotocol.io/seps/414-request-meta
   */
  readonly propagation?: TelemetryPropagation<Context>;
  /**
   * Meter that records the durations, for example `metrics.getMeter("my-app")`. If omitted, no
   * metrics are recorded.
   */
  readonly meter?: TelemetryMeter;
  /** Attributes to add to every span, for example `server.address`, but not to metrics. */
  readonly attributes?: TelemetryAttributes;
  /**
   * Whether to record tool arguments, tool results and prompt arguments, which may contain personal
   * or confidential data.
   *
   * @default {false}
   */
  readonly captureContent?: boolean;
  /**
   * Maximum length of each recorded argument, result, URI and error message, in UTF-16 code units.
   * Strings longer than `maxContentLength` are truncated.
   *
   * @default {65_536}
   */
  readonly maxContentLength?: number;
  /**
   * Called with exceptions from the tracer, the propagator and the meter, which do not affect the
   * request. If omitted, each distinct error is printed to standard error.
   */
  readonly onError?: (error: unknown) => void;
}
