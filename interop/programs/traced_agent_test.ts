/** Tests the program from the observability guide with the OpenTelemetry packages. */

import { context } from "@opentelemetry/api";
import { InMemorySpanExporter } from "@opentelemetry/sdk-trace-base";
import { scriptedModel } from "@parley/runtime/testing";
import { assertEquals } from "@std/assert";
import { createAgent, startTracing } from "./traced_agent.ts";

Deno.test("the program of the observability guide exports the model call as a child of the run", async () => {
  const exporter = new InMemorySpanExporter();
  const provider = startTracing(exporter);
  try {
    const agent = createAgent(scriptedModel([{ text: "Good morning" }]), provider);
    await agent.run("Hello");
    await agent.terminate();
    await provider.forceFlush();
    const [chat, run] = exporter.getFinishedSpans();
    assertEquals(run?.name, "invoke_agent clerk");
    assertEquals(chat?.parentSpanContext?.spanId, run?.spanContext().spanId);
  } finally {
    context.disable();
    await provider.shutdown();
  }
});
