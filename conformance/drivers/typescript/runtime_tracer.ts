/**
 * Telemetry operations, with a tracer that stores its spans.
 *
 * @module
 */

import {
  type Telemetry,
  telemetry,
  type TelemetryAttributes,
  type TelemetryMeter,
  type TelemetrySpan,
} from "@parley/runtime/telemetry";
import { BadArgs, type Fields, isFields, type Operation } from "./operation.ts";

/** Implementations of the operations, keyed by operation name. */
export const TRACER_OPS: Readonly<Record<string, Operation>> = {
  "runtime.tracer.new": ({ args, handles }) => ({ handle: handles.add(new MemoryTracer(args)) }),
  "runtime.tracer.metrics": ({ on }) => {
    const { errors, instruments, measurements } = tracerOf(on);
    return { errors, instruments, measurements };
  },
  "runtime.tracer.spans": ({ args: { prefix = "" }, on }) => {
    const { spans } = tracerOf(on);
    const selected = spans.map((span) => ({
      ...span,
      attributes: Object.fromEntries(
        Object.entries(span.attributes).filter(([name]) => name.startsWith(String(prefix))),
      ),
    }));
    return { spans: selected, text: JSON.stringify(spans) };
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
  readonly errors: string[] = [];
  readonly instruments: Fields[] = [];
  readonly measurements: Fields[] = [];
  readonly #options: Fields;
  #active: Place = {};

  /** Creates a tracer. `options` are the arguments of the operation. */
  constructor(options: Fields) {
    this.#options = options;
  }

  /** Creates the options that trace a run. */
  trace(captureContent: boolean): Telemetry {
    const { attributes, fails, maxContentLength, meter } = this.#options;
    const create = (name: string, options: object): ReturnType<TelemetryMeter["createCounter"]> => {
      this.instruments.push({ name, ...options });
      return {
        add: (value, attributes) =>
          void this.measurements.push({ name, value, attributes: { ...attributes } }),
      };
    };
    return telemetry<Place, MemorySpan>({
      tracer: {
        startSpan: (name, { kind, attributes }, { span: parent }) => {
          if (fails === true) throw new Error("the tracer failed");
          return this.#startSpan(name, KINDS[kind] ?? "", attributes, parent);
        },
      },
      trace: { setSpan: (_, span) => ({ span }) },
      // The parent span is active only during the synchronous part of the callback.
      context: {
        active: () => this.#active,
        with: (context, callback) => {
          const before = this.#active;
          this.#active = context;
          callback();
          this.#active = before;
        },
      },
      onError: (error) => void this.errors.push(String(error)),
      ...(captureContent ? { captureContent } : {}),
      ...(isFields(attributes) ? { attributes: attributes as TelemetryAttributes } : {}),
      ...(typeof maxContentLength === "number" ? { maxContentLength } : {}),
      ...(meter === true
        ? {
          meter: {
            createCounter: create,
            createHistogram: (name, options) => ({ record: create(name, options).add }),
          },
        }
        : {}),
    });
  }

  /** Starts and ends a span whose parent is the active span. */
  recordSpan(name: string): void {
    this.#startSpan(name, "internal", {}, this.#active.span).end();
  }

  #startSpan(
    name: string,
    kind: string,
    attributes: TelemetryAttributes,
    parent: MemorySpan | undefined,
  ): MemorySpan {
    const span = new MemorySpan(name, kind, attributes, parent?.name ?? null);
    this.spans.push(span);
    return span;
  }
}

/** A span with the members that the driver protocol defines. */
class MemorySpan implements TelemetrySpan {
  readonly name: string;
  readonly kind: string;
  readonly attributes: TelemetryAttributes;
  readonly parent: string | null;
  isError = false;
  statusMessage: string | undefined;
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

  setStatus({ code, message }: { code: number; message?: string }): void {
    this.isError = code === ERROR;
    this.statusMessage = message;
  }

  end(): void {
    this.isEnded = true;
  }
}
