/** An agent whose spans OpenTelemetry exports. */

import { context, trace } from "@opentelemetry/api";
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";
import {
  BasicTracerProvider,
  SimpleSpanProcessor,
  type SpanExporter,
} from "@opentelemetry/sdk-trace-base";
import { type LanguageModel, ToolLoopAgent } from "@parley/runtime";
import { telemetry } from "@parley/runtime/telemetry";

/** Sets up tracing. A program calls the function once, when it starts. */
export function startTracing(exporter: SpanExporter): BasicTracerProvider {
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  return new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
}

/** Creates an agent that records spans. */
export function createAgent(model: LanguageModel, provider: BasicTracerProvider): ToolLoopAgent {
  const tracer = provider.getTracer("my-app");
  return new ToolLoopAgent({ name: "clerk", model, ...telemetry({ tracer, trace, context }) });
}
