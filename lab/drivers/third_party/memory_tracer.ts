/**
 * Telemetry operations, with an OpenTelemetry SDK tracer that stores its spans.
 *
 * @module
 */

import { context, SpanKind, SpanStatusCode, type Tracer } from "@opentelemetry/api";
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";
import { BasicTracerProvider, type Span, type SpanProcessor } from "@opentelemetry/sdk-trace-base";
import {
  BadArgs,
  type Fields,
  isFields,
  type Operation,
} from "../../../conformance/drivers/typescript/operation.ts";

/** A tracer and the spans that it started. */
export class MemoryTracer {
  /** The tracer. */
  readonly tracer: Tracer;
  readonly #started: Span[] = [];

  /** Creates a tracer that has not recorded any spans. */
  constructor() {
    const processor: SpanProcessor = {
      onStart: (span) => void this.#started.push(span),
      onEnd: () => {},
      forceFlush: () => Promise.resolve(),
      shutdown: () => Promise.resolve(),
    };
    this.tracer = new BasicTracerProvider({ spanProcessors: [processor] }).getTracer("kit");
  }

  /** Returns the spans in the order in which they were started. */
  spans(): readonly Fields[] {
    const names = new Map(this.#started.map((span) => [span.spanContext().spanId, span.name]));
    return this.#started.map(
      ({ name, kind, parentSpanContext, attributes, status, events, ended }) => ({
        name,
        kind: SpanKind[kind].toLowerCase(),
        parent: names.get(parentSpanContext?.spanId ?? "") ?? null,
        attributes,
        events: events.map((event) => ({ name: event.name, attributes: event.attributes })),
        statusMessage: status.message,
        isError: status.code === SpanStatusCode.ERROR,
        isEnded: ended,
      }),
    );
  }
}

/** Implementations of the operations, keyed by operation name. */
export const TRACER_OPS: Readonly<Record<string, Operation>> = {
  "runtime.tracer.new": ({ handles }) => ({ handle: handles.add(new MemoryTracer()) }),
  "runtime.tracer.spans": ({ on, args }) => {
    if (!(on instanceof MemoryTracer)) throw new BadArgs('"on" must be the handle of a tracer');
    return describeSpans(on.spans(), args);
  },
};

/**
 * Describes recorded spans. Omits the attributes whose names do not start with the given prefix.
 */
export function describeSpans(spans: readonly Fields[], { prefix }: Fields): Fields {
  const list = typeof prefix === "string"
    ? spans.map((span) => ({ ...span, attributes: withPrefix(span.attributes, prefix) }))
    : spans;
  return { spans: list, text: JSON.stringify(spans) };
}

function withPrefix(attributes: unknown, prefix: string): Fields {
  const entries = Object.entries(isFields(attributes) ? attributes : {});
  return Object.fromEntries(entries.filter(([name]) => name.startsWith(prefix)));
}

/** Makes the tool's span the parent of spans that are started inside the tool. */
export function enableActiveSpans(): void {
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
}
