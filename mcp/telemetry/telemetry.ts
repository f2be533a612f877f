/**
 * Creates the `around` function that records the spans and metrics of requests.
 *
 * @module
 */

import type { AroundRequest, RequestDescription } from "../protocol/around_request.ts";
import {
  assertCount,
  assertFunction,
  assertObject,
  assertOptionalBoolean,
  holds,
  rejectArgument,
} from "@parley/internal/assert-argument";
import {
  type OptionCheck,
  optionsReader,
  required,
  type Settings,
  withDefault,
} from "@parley/internal/options";
import { createErrorReporter } from "@parley/internal/error-reporter";
import type { JsonObject } from "../shared/json.ts";
import {
  describeError,
  describeRequest,
  describeResult,
  HISTOGRAM_NAMES,
  HISTOGRAMS,
  type Outcome,
  requestContent,
  resultContent,
  type Side,
  SPAN_KINDS,
  STATUS_ERROR,
  toContentAttributes,
} from "./attributes.ts";
import type {
  McpTelemetryOptions,
  TelemetryAttributes,
  TelemetryMeter,
  TelemetryPropagation,
  TelemetrySpan,
  TelemetrySpanOptions,
} from "./options.ts";

/**
 * Creates a function that records the spans and metrics of requests, for the `around` option of
 * clients and servers. The returned function can be used for any number of clients and servers. A
 * failure of the tracer, the propagator or the meter does not affect a request.
 *
 * @typeParam Context OpenTelemetry's `Context` type.
 * @typeParam Span OpenTelemetry's `Span` type.
 * @param options The tracer, the propagator, the meter, and whether to record content.
 * @throws {TypeError} If `tracer`, `trace` or `context` is missing, or another option has the wrong
 * type.
 * @throws {RangeError} If `maxContentLength` is not a positive integer.
 * @see https://github.com/open-telemetry/semantic-conventions-genai/blob/main/docs/gen-ai/mcp.md
 *
 * @example Collect the names of a server's spans
 * ```ts
 * import { McpServer } from "@parley/mcp";
 * import { mcpTelemetry } from "@parley/mcp/telemetry";
 * import { assertEquals } from "@std/assert";
 *
 * // Usually: import { context, metrics, propagation, trace } from "@opentelemetry/api";
 * const names: string[] = [];
 * const span = { setAttributes: () => {}, setStatus: () => {}, end: () => {} };
 * const tracer = {
 *   startSpan: (name: string) => {
 *     names.push(name);
 *     return span;
 *   },
 * };
 * const trace = { setSpan: () => "inside", getSpanContext: () => undefined };
 * const context = {
 *   active: () => "outside",
 *   with: (_context: string, callback: () => void) => callback(),
 * };
 *
 * const around = mcpTelemetry({ tracer, trace, context });
 * const server = new McpServer({ name: "greeter", version: "1.0.0", around });
 * server.registerTool({ name: "greet", description: "Greets" }, () => "hello");
 * const _meta = {
 *   "io.modelcontextprotocol/protocolVersion": "2026-07-28",
 *   "io.modelcontextprotocol/clientCapabilities": {},
 * };
 * const params = { name: "greet", _meta };
 * await server.handleRequest({ jsonrpc: "2.0", id: 1, method: "tools/call", params });
 * assertEquals(names, ["tools/call greet"]);
 * ```
 */
export function mcpTelemetry<Context, Span extends TelemetrySpan>(
  options: McpTelemetryOptions<Context, Span>,
): AroundRequest {
  const settings = readOptions(options);
  const { context, onError } = settings;
  const report = createErrorReporter("telemetry", onError);
  const attempt: Attempt = (action) => {
    try {
      return action();
    } catch (error) {
      report(error);
      return undefined;
    }
  };
  const requests = new Requests(settings, attempt);
  return async (request, next) => {
    const open = attempt(() => requests.start(request));
    if (open === undefined) return await next();
    let work: Promise<JsonObject> | undefined;
    attempt(() =>
      context.with(open.context, () => {
        work = next(open.meta);
      })
    );
    try {
      // If the context cannot be activated, the request is sent or handled outside of the context.
      const result = await (work ?? next(open.meta));
      open.finish(result);
      return result;
    } catch (error) {
      open.fail(error);
      throw error;
    }
  };
}

/** Options for telemetry after reading. */
type TelemetrySettings<Context, Span extends TelemetrySpan> = Settings<
  McpTelemetryOptions<Context, Span>,
  "captureContent" | "maxContentLength"
>;

function readOptions<Context, Span extends TelemetrySpan>(
  options: McpTelemetryOptions<Context, Span>,
): TelemetrySettings<Context, Span> {
  const read = optionsReader<McpTelemetryOptions<Context, Span>>("options")({
    tracer: required(methodsOf("a Tracer", "startSpan")),
    trace: required(methodsOf('"trace" of @opentelemetry/api', "setSpan", "getSpanContext")),
    context: required(methodsOf('"context" of @opentelemetry/api', "active", "with")),
    propagation: methodsOf('"propagation" of @opentelemetry/api', "inject", "extract"),
    meter: methodsOf("a Meter", "createHistogram"),
    attributes: assertObject,
    captureContent: withDefault(false, assertOptionalBoolean),
    maxContentLength: withDefault(65_536, assertCount),
    onError: assertFunction,
  });
  return read(options);
}

/** Returns a check for an object, or a function, with the given methods. */
function methodsOf(requirement: string, ...methods: readonly string[]): OptionCheck {
  return (name, value) => {
    const has = (method: string): boolean =>
      typeof Reflect.get(Object(value), method) === "function";
    if (!holds(() => methods.every(has))) rejectArgument(name, requirement, value);
  };
}

/** Calls a function. If the function throws, reports the exception and returns `undefined`. */
type Attempt = <Value>(action: () => Value) => Value | undefined;

/** A request whose span has started. */
interface OpenRequest<Context> {
  /** Context in which the span is active. */
  readonly context: Context;
  /** Members to add to the `_meta` object of the request. */
  readonly meta: JsonObject | undefined;
  /** Ends the span of a request that has returned a result. Never throws. */
  finish(result: JsonObject): void;
  /** Ends the span of a request that has failed. Never throws. */
  fail(error: unknown): void;
}

type Histogram = ReturnType<TelemetryMeter["createHistogram"]>;

/** Records requests with one set of options. */
class Requests<Context, Span extends TelemetrySpan> {
  readonly #options: TelemetrySettings<Context, Span>;
  readonly #attempt: Attempt;
  readonly #histograms: Partial<Record<Side, Histogram>> = {};
  readonly #maxContentLength: number;

  constructor(options: TelemetrySettings<Context, Span>, attempt: Attempt) {
    this.#options = options;
    this.#attempt = attempt;
    this.#maxContentLength = options.maxContentLength;
  }

  /** Starts a request's span. */
  start(request: RequestDescription): OpenRequest<Context> {
    const { tracer, trace } = this.#options;
    const { side, method } = request;
    const { name, attributes, target, dimensions } = describeRequest(
      request,
      this.#maxContentLength,
    );
    const { parent, links } = this.#parentOf(request);
    const span = tracer.startSpan(name, {
      kind: SPAN_KINDS[side],
      attributes: {
        ...this.#options.attributes,
        ...attributes,
        ...this.#content(() => requestContent(request)),
      },
      links,
    }, parent);
    const context = trace.setSpan(parent, span);
    const startedAt = performance.now();
    const end = (outcome: Outcome): void => {
      const seconds = (performance.now() - startedAt) / 1000;
      this.#attempt(() => this.#setOutcome(span, outcome));
      this.#attempt(() => span.end());
      // The name of a tool or prompt that might not exist is not recorded, because clients could
      // create any number of time series.
      const isKnown = side === "client" || !outcome.isClientFault;
      const measured = { ...dimensions, ...(isKnown ? target : {}), ...outcome.attributes };
      this.#attempt(() => this.#record(side, seconds, measured));
    };
    return {
      context,
      meta: side === "client" ? this.#inject(context) : undefined,
      finish: (result) => {
        this.#attempt(() => span.setAttributes(this.#content(() => resultContent(method, result))));
        end(describeResult(method, result));
      },
      fail: (error) => end(describeError(side, error)),
    };
  }

  /**
   * Returns the context with the parent of a request's span. On the server, a span from the client
   * replaces the active span as the parent, and the request's span is linked to the active span.
   */
  #parentOf(
    { side, meta }: RequestDescription,
  ): { readonly parent: Context; readonly links: TelemetrySpanOptions["links"] } {
    const { context, propagation, trace } = this.#options;
    const active = context.active();
    if (side === "client" || propagation === undefined) return { parent: active, links: [] };
    const parent = this.#extract(propagation, active, meta) ?? active;
    const ambient = trace.getSpanContext(active);
    const isReplaced = trace.getSpanContext(parent)?.spanId !== ambient?.spanId;
    return { parent, links: ambient !== undefined && isReplaced ? [{ context: ambient }] : [] };
  }

  #extract(
    propagation: TelemetryPropagation<Context>,
    active: Context,
    meta: JsonObject,
  ): Context | undefined {
    const carrier: Record<string, string> = {};
    for (const [key, value] of Object.entries(meta)) {
      // A propagator expects strings, but a client can send any value.
      if (typeof value === "string") carrier[key] = value;
    }
    return this.#attempt(() => propagation.extract(active, carrier));
  }

  #inject(context: Context): JsonObject | undefined {
    const { propagation } = this.#options;
    if (propagation === undefined) return undefined;
    const carrier: Record<string, string> = {};
    this.#attempt(() => propagation.inject(context, carrier));
    return carrier;
  }

  #setOutcome(span: Span, { attributes, isError, message }: Outcome): void {
    span.setAttributes(attributes);
    if (!isError) return;
    const description = message?.slice(0, this.#maxContentLength);
    const described = description === undefined ? {} : { message: description };
    span.setStatus({ code: STATUS_ERROR, ...described });
  }

  #record(side: Side, seconds: number, attributes: TelemetryAttributes): void {
    const { meter } = this.#options;
    if (meter === undefined) return;
    this.#histograms[side] ??= meter.createHistogram(HISTOGRAM_NAMES[side], HISTOGRAMS[side]);
    this.#histograms[side].record(seconds, attributes);
  }

  /** Returns the attributes with the content, or no attributes if content is not recorded. */
  #content(content: () => JsonObject): TelemetryAttributes {
    if (!this.#options.captureContent) return {};
    return toContentAttributes(content(), this.#maxContentLength);
  }
}
