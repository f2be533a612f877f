/**
 * Options for OpenTelemetry spans, and structural types of the OpenTelemetry objects that they contain.
 *
 * @module
 */

/** Attributes of a span. */
export type TelemetryAttributes = { [name: string]: string | number | boolean | string[] };

/** The part of an OpenTelemetry `Span` that this package uses. */
export interface TelemetrySpan {
  /**
   * Sets attributes.
   *
   * @param attributes The attributes.
   */
  setAttributes(attributes: TelemetryAttributes): unknown;
  /**
   * Sets the status.
   *
   * @param status The status. Code 2 means an error.
   */
  setStatus(status: { code: number; message?: string }): unknown;
  /** Ends the span. */
  end(): void;
}

/**
 * Options for {@linkcode telemetry}: a tracer, `trace` and `context` of `@opentelemetry/api`, and the content to
 * record.
 *
 * @typeParam Context The `Context` type of OpenTelemetry.
 * @typeParam Span The `Span` type of OpenTelemetry.
 */
export interface TelemetryOptions<Context, Span extends TelemetrySpan> {
  /** Tracer that creates the spans, for example `trace.getTracer("my-app")`. */
  readonly tracer: {
    /**
     * Starts a span.
     *
     * @param name Name of the span.
     * @param options Kind and initial attributes.
     * @param context Context with the parent span.
     */
    startSpan(
      name: string,
      options: { kind: number; attributes: TelemetryAttributes },
      context: Context,
    ): Span;
  };
  /** `trace` of `@opentelemetry/api`. */
  readonly trace: {
    /** Returns a context whose active span is the given one. */
    readonly setSpan: (context: Context, span: Span) => Context;
  };
  /** `context` of `@opentelemetry/api`. */
  readonly context: {
    /** Returns the active context. */
    active(): Context;
  };
  /** Attributes of every span, for example `gen_ai.conversation.id`. If omitted, none are added. */
  readonly attributes?: TelemetryAttributes;
  /**
   * Whether to record messages, tool inputs and tool results, which may be personal or confidential.
   *
   * @default {false}
   */
  readonly captureContent?: boolean;
  /**
   * Maximum length of a recorded content, in UTF-16 code units. Longer content is truncated.
   *
   * @default {65_536}
   */
  readonly maxContentLength?: number;
}
