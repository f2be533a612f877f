/** Tests the telemetry listener with the OpenTelemetry packages. */

import { context, SpanStatusCode, trace } from "@opentelemetry/api";
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  SimpleSpanProcessor,
} from "@opentelemetry/sdk-trace-base";
import { runToolLoop, ToolRegistry } from "@parley/runtime";
import { telemetry } from "@parley/runtime/telemetry";
import { scriptedModel } from "@parley/runtime/testing";
import { assertEquals } from "@std/assert";

Deno.test("telemetry() creates spans below the active span", async () => {
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  const exporter = new InMemorySpanExporter();
  const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
  const tracer = provider.getTracer("test");
  const registry = new ToolRegistry();
  registry.register({
    name: "look",
    inputSchema: { type: "object" },
    execute: () => Promise.reject(new Error("no light")),
  });
  try {
    await tracer.startActiveSpan("outer", async (outer) => {
      await runToolLoop({
        model: scriptedModel([{ calls: [{ toolName: "look" }] }, { text: "Hello" }], "m"),
        registry,
        agentName: "scout",
        onEvent: telemetry({ tracer, trace, context }),
      }, "?");
      outer.end();
    });
    const spans = exporter.getFinishedSpans();
    const nameOf = (id?: string) => spans.find((span) => span.spanContext().spanId === id)?.name;
    assertEquals(
      spans.map(({ name, parentSpanContext }) => [name, nameOf(parentSpanContext?.spanId)]),
      [
        ["chat m", "invoke_agent scout"],
        ["execute_tool look", "invoke_agent scout"],
        ["chat m", "invoke_agent scout"],
        ["invoke_agent scout", "outer"],
        ["outer", undefined],
      ],
    );
    assertEquals(spans[1]?.status.code, SpanStatusCode.ERROR);
    assertEquals(spans[3]?.attributes["gen_ai.usage.input_tokens"], 2);
  } finally {
    context.disable();
    await provider.shutdown();
  }
});
