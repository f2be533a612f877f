/**
 * Operations on telemetry, with a tracer of the OpenTelemetry SDK that stores its spans.
 *
 * @module
 */

import { context, SpanKind, SpanStatusCode, type Tracer } from "@opentelemetry/api";
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";
import { BasicTracerProvider, type Span, type SpanProcessor } from "@opentelemetry/sdk-trace-base";
import { BadArgs, type Fields, type Operation } from "../typescript/operation.ts";

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
  "runtime.tracer.spans": ({ on }) => {
    if (!(on instanceof MemoryTracer)) throw new BadArgs('"on" must be the handle of a tracer');
    const spans = on.spans();
    return { spans, text: JSON.stringify(spans) };
  },
};

/** Makes the tool's span the parent of spans that are started inside the tool. */
export function enableActiveSpans(): void {
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
}
