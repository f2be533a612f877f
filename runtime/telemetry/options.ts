/**
 * Options for {@linkcode telemetry}, and structural types for the OpenTelemetry objects in these options.
 *
 * @module
 */

/** Attributes of a span. */
export type TelemetryAttributes = { [name: string]: string | number | boolean | string[] };

/** The part of an OpenTelemetry `Span` that this package uses. */
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
   * @param status Status to set. Status code 2 means an error.
   */
  setStatus(status: { code: number; message?: string }): unknown;
  /** Ends the span. */
  end(): void;
}

/**
 * Options for {@linkcode telemetry}: a tracer, `trace` and `context` from `@opentelemetry/api`, and whether to record
 * content.
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
    /** Returns a context whose active span is the given one. */
    readonly setSpan: (context: Context, span: Span) => Context;
  };
  /** `context` from `@opentelemetry/api`. */
  readonly context: {
    /** Returns the active context. */
    active(): Context;
  };
  /** Attributes to add to every span, for example `gen_ai.conversation.id`. */
  readonly attributes?: TelemetryAttributes;
  /**
   * Whether to record messages, tool inputs and tool results, which may contain personal or confidential data.
   *
   * @default {false}
   */
  readonly captureContent?: boolean;
  /**
   * Maximum length of each recorded content attribute, in UTF-16 code units. Longer content is truncated.
   *
   * @default {65_536}
   */
  readonly maxContentLength?: number;
  /**
   * Called with exceptions from the tracer, which do not affect the run. If omitted, each distinct error is printed to
   * standard error.
   */
  readonly onError?: (error: unknown) => void;
}
