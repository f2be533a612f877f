/**
 * An editor agent delegates to a writer agent. Each run, model call and tool execution is a
 * telemetry span.
 *
 *     deno run examples/traced_team/main.ts
 *
 * @module
 */

import { asTool, ToolLoopAgent } from "@parley/runtime";
import { telemetry } from "@parley/runtime/telemetry";
import { scriptedModel } from "@parley/runtime/testing";
import { z } from "zod";
import { createTracing } from "./tracer.ts";

const tracing = createTracing(console.log);

const writer = asTool({
  name: "writer",
  description: "Writes text about a topic",
  model: scriptedModel([
    { calls: [{ toolName: "look_up", input: { topic: "tea" } }] },
    { text: "Tea is a leaf." },
  ]),
  allowedTools: ["look_up"],
});

await using editor = new ToolLoopAgent({
  name: "editor",
  model: scriptedModel([
    { calls: [{ toolName: "writer", input: { task: "Write about tea" } }] },
    { text: "Printed: Tea is a leaf." },
  ]),
  tools: [writer],
  ...telemetry(tracing),
});

// Only the writer uses this tool, so the editor's model does not see it.
editor.registry.register({
  name: "look_up",
  description: "Looks up a topic in the encyclopedia",
  inputSchema: z.object({ topic: z.string() }),
  execute({ topic }) {
    // The span of the tool execution is active, so the new span becomes a child of the active span.
    const span = tracing.tracer.startSpan(
      "query encyclopedia",
      { kind: 0, attributes: {} },
      tracing.context.active(),
    );
    span.end();
    return `${topic}: a leaf`;
  },
}, { hidden: true });

const { finalText, usageByAgent } = await editor.run("Print text about tea");
console.log(finalText);
console.log(Object.keys(usageByAgent ?? {}));
