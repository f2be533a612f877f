/**
 * Options for OpenTelemetry spans, and the structural types of the OpenTelemetry objects that they hold.
 *
 * @module
 */

/** Attributes of a span. */
export type TelemetryAttributes = { [name: string]: string | number | boolean | string[] };

/** The part of OpenTelemetry's `Span` that is used here. */
export interface TelemetrySpan {
  /**
   * Adds attributes.
   *
   * @param attributes the attributes
   */
  setAttributes(attributes: TelemetryAttributes): unknown;
  /**
   * Says whether the work failed.
   *
   * @param status 2 is an error
   */
  setStatus(status: { code: number; message?: string }): unknown;
  /** Ends the span. */
  end(): void;
}

/**
 * What the spans are made with: a tracer, and `trace` and `context` of `@opentelemetry/api`.
 *
 * @typeParam Context OpenTelemetry's `Context`
 * @typeParam Span OpenTelemetry's `Span`
 */
export interface TelemetryOptions<Context, Span extends TelemetrySpan> {
  /** For example `trace.getTracer("my-app")`. */
  readonly tracer: {
    /**
     * Starts a span.
     *
     * @param name its name
     * @param options its kind and first attributes
     * @param context where it belongs
     */
    startSpan(
      name: string,
      options: { kind: number; attributes: TelemetryAttributes },
      context: Context,
    ): Span;
  };
  /** `trace` of `@opentelemetry/api`. */
  readonly trace: {
    /** Makes a context for the spans below a span. */
    readonly setSpan: (context: Context, span: Span) => Context;
  };
  /** `context` of `@opentelemetry/api`. */
  readonly context: {
    /** The context of the code that runs now. */
    active(): Context;
  };
  /** Attributes for every span, for example `gen_ai.conversation.id`. Default: none. */
  readonly attributes?: TelemetryAttributes;
  /**
   * Whether to record what is said: messages, tool inputs and tool results. It is likely to be personal or secret.
   * Default: false.
   */
  readonly captureContent?: boolean;
  /** How long one recorded content may be, in UTF-16 code units; the rest is cut off. Default: 65536. */
  readonly maxContentLength?: number;
}
