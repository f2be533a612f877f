/**
 * Records the spans of the OpenAI Agents SDK.
 *
 * @module
 */

import { generateTraceId, type TracingProcessor } from "@openai/agents";
import type { Fields } from "../../../conformance/drivers/typescript/operation.ts";

type Span = Parameters<TracingProcessor["onSpanStart"]>[0];

/** Records the spans of runs with one trace id. */
export class TraceRecorder {
  static readonly #recorders: Map<string, TraceRecorder> = new Map();

  /** Forwards each span to the recorder for its trace. */
  static readonly processor: TracingProcessor = {
    onTraceStart: () => Promise.resolve(),
    onTraceEnd: () => Promise.resolve(),
    onSpanStart: (span) => {
      TraceRecorder.#recorders.get(span.traceId)?.add(span);
      return Promise.resolve();
    },
    onSpanEnd: () => Promise.resolve(),
    shutdown: () => Promise.resolve(),
    forceFlush: () => Promise.resolve(),
  };

  /** Trace id for the runs. */
  readonly traceId: string = generateTraceId();
  readonly #started: Span[] = [];

  /** Creates a recorder that has not recorded any spans. */
  constructor() {
    TraceRecorder.#recorders.set(this.traceId, this);
  }

  /** Adds a started span. */
  add(span: Span): void {
    this.#started.push(span);
  }

  /**
   * Returns the spans in the order in which they were started. The SDK's spans have no kind, and
   * their names and data do not follow the semantic conventions of OpenTelemetry.
   */
  spans(): readonly Fields[] {
    const names = new Map(this.#started.map((span) => [span.spanId, nameOf(span)]));
    return this.#started.map((span) => ({
      name: nameOf(span),
      parent: names.get(span.parentId ?? "") ?? null,
      attributes: span.spanData,
      error: span.error,
      isError: span.error !== null,
      isEnded: span.endedAt !== null,
    }));
  }
}

function nameOf({ spanData }: Span): string {
  const { type, name }: Fields = { ...spanData };
  return name === undefined ? String(type) : `${type} ${name}`;
}
