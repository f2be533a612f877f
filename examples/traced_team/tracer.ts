/**
 * A tracer that prints each span when it ends. A program that uses OpenTelemetry passes the objects
 * from `@opentelemetry/api` instead of this tracer.
 *
 * @module
 */

import { AsyncLocalStorage } from "node:async_hooks";
import type { TelemetryOptions, TelemetrySpan } from "@parley/runtime/telemetry";

/** A span, with the names of its enclosing spans. */
export interface PathSpan extends TelemetrySpan {
  /** Names of the spans, from the outermost span to the span itself. */
  readonly path: readonly string[];
}

/** Names of the active spans, starting with the outermost span. */
export type Path = readonly string[];

/**
 * Creates the options for `telemetry`. `print` receives the path of each span when the span ends.
 */
export function createTracing(print: (line: string) => void): TelemetryOptions<Path, PathSpan> {
  const active = new AsyncLocalStorage<Path>();
  return {
    tracer: {
      startSpan(name, _options, context) {
        const path = [...context, name];
        return {
          path,
          setAttributes: () => {},
          setStatus: () => {},
          end: () => print(path.join(" > ")),
        };
      },
    },
    trace: { setSpan: (_context, span) => span.path },
    context: {
      active: () => active.getStore() ?? [],
      with: (context, callback) => active.run(context, callback),
    },
  };
}
