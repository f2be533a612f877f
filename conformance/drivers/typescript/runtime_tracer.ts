/**
 * Operations on telemetry, with a tracer that stores its spans.
 *
 * @module
 */

import type { LoopEventSink } from "@parley/runtime";
import { telemetry, type TelemetryAttributes, type TelemetrySpan } from "@parley/runtime/telemetry";
import { BadArgs, type Operation } from "./operation.ts";

/** Implementations of the operations, keyed by operation name. */
export const TRACER_OPS: Readonly<Record<string, Operation>> = {
  "runtime.tracer.new": ({ handles }) => ({ handle: handles.add(new MemoryTracer()) }),
  "runtime.tracer.spans": ({ on }) => {
    const { spans } = tracerOf(on);
    return { spans, text: JSON.stringify(spans) };
  },
};

/** Returns the tracer for a handle. */
export function tracerOf(object: unknown): MemoryTracer {
  if (object instanceof MemoryTracer) return object;
  throw new BadArgs("the handle must refer to a tracer");
}

/** Span kinds, in the order of the OpenTelemetry enumeration `SpanKind`. */
const KINDS = ["internal", "server", "client", "producer", "consumer"];
const ERROR = 2;

/** Parent of a span. */
interface Place {
  readonly span?: MemorySpan;
}

class MemoryTracer {
  readonly spans: MemorySpan[] = [];

  /** Creates the event listener for a run. */
  listen(captureContent: boolean): LoopEventSink {
    const empty: Place = {};
    return telemetry<Place, MemorySpan>({
      tracer: {
        startSpan: (name, { kind, attributes }, { span: parent }) => {
          const span = new MemorySpan(name, KINDS[kind] ?? "", attributes, parent?.name ?? null);
          this.spans.push(span);
          return span;
        },
      },
      trace: { setSpan: (_, span) => ({ span }) },
      context: { active: () => empty },
      ...(captureContent ? { captureContent } : {}),
    });
  }
}

/** A span with the members that the driver protocol defines. */
class MemorySpan implements TelemetrySpan {
  readonly name: string;
  readonly kind: string;
  readonly attributes: TelemetryAttributes;
  readonly parent: string | null;
  isError = false;
  isEnded = false;

  constructor(name: string, kind: string, attributes: TelemetryAttributes, parent: string | null) {
    this.name = name;
    this.kind = kind;
    this.attributes = { ...attributes };
    this.parent = parent;
  }

  setAttributes(attributes: TelemetryAttributes): void {
    Object.assign(this.attributes, attributes);
  }

  setStatus({ code }: { code: number }): void {
    this.isError = code === ERROR;
  }

  end(): void {
    this.isEnded = true;
  }
}
