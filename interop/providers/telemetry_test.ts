/** Tests telemetry with the OpenTelemetry packages. */

import { context, metrics, SpanStatusCode, trace, type Tracer } from "@opentelemetry/api";
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  type ReadableSpan,
  SimpleSpanProcessor,
} from "@opentelemetry/sdk-trace-base";
import {
  runSubAgentTask,
  runToolLoop,
  streamToolLoop,
  type Tool,
  ToolLoopAgent,
  ToolRegistry,
} from "@parley/runtime";
import { telemetry, type TelemetryMeter } from "@parley/runtime/telemetry";
import { scriptedModel, type ScriptedTurn } from "@parley/runtime/testing";
import { assertEquals } from "@std/assert";

/** Calls a function with a tracer, and returns the spans that the function has created. */
async function collectSpans(
  work: (tracer: Tracer) => Promise<unknown>,
): Promise<readonly ReadableSpan[]> {
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  const exporter = new InMemorySpanExporter();
  const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
  try {
    await work(provider.getTracer("test"));
    return exporter.getFinishedSpans();
  } finally {
    context.disable();
    await provider.shutdown();
  }
}

/** Returns the sorted paths of the spans, from the outermost span to the span itself. */
function pathsOf(spans: readonly ReadableSpan[]): string[] {
  const byId = new Map(spans.map((span) => [span.spanContext().spanId, span]));
  const pathOf = (span: ReadableSpan): string => {
    const parent = byId.get(span.parentSpanContext?.spanId ?? "");
    return parent === undefined ? span.name : `${pathOf(parent)} > ${span.name}`;
  };
  return spans.map(pathOf).sort();
}

/** Creates a tool that starts a span before and after an `await`. */
function spanningTool(tracer: Tracer, name: string): Tool {
  const mark = (label: string): void => tracer.startSpan(`${name} ${label}`).end();
  return {
    name,
    inputSchema: { type: "object" },
    async execute() {
      mark("first");
      await new Promise((resolve) => setTimeout(resolve, 1));
      mark("second");
      return "ok";
    },
  };
}

const TWO_TOOLS: readonly ScriptedTurn[] = [
  { calls: [{ toolName: "f" }, { toolName: "g" }] },
  { text: "done" },
];

const TWO_TOOLS_PATHS = [
  "invoke_agent scout",
  "invoke_agent scout > chat m",
  "invoke_agent scout > chat m",
  "invoke_agent scout > execute_tool f",
  "invoke_agent scout > execute_tool f > f first",
  "invoke_agent scout > execute_tool f > f second",
  "invoke_agent scout > execute_tool g",
  "invoke_agent scout > execute_tool g > g first",
  "invoke_agent scout > execute_tool g > g second",
];

Deno.test("telemetry() creates spans below the active span", async () => {
  const spans = await collectSpans(async (tracer) => {
    const registry = new ToolRegistry([
      { name: "look", inputSchema: {}, execute: () => Promise.reject(new Error("no light")) },
    ]);
    await tracer.startActiveSpan("outer", async (outer) => {
      await runToolLoop({
        model: scriptedModel([{ calls: [{ toolName: "look" }] }, { text: "Hello" }], "m"),
        registry,
        agentName: "scout",
        onError: () => {},
        ...telemetry({ tracer, trace, context }),
      }, "?");
      outer.end();
    });
  });
  assertEquals(pathsOf(spans), [
    "outer",
    "outer > invoke_agent scout",
    "outer > invoke_agent scout > chat m",
    "outer > invoke_agent scout > chat m",
    "outer > invoke_agent scout > execute_tool look",
  ]);
  assertEquals(spans[1]?.status.code, SpanStatusCode.ERROR);
  assertEquals(spans[3]?.attributes["gen_ai.usage.input_tokens"], 2);
});

Deno.test("spans made by concurrent tools are children of the spans of their tools", async () => {
  const spans = await collectSpans((tracer) =>
    runToolLoop({
      model: scriptedModel(TWO_TOOLS, "m"),
      registry: new ToolRegistry([spanningTool(tracer, "f"), spanningTool(tracer, "g")]),
      agentName: "scout",
      ...telemetry({ tracer, trace, context }),
    }, "?")
  );
  assertEquals(pathsOf(spans), TWO_TOOLS_PATHS);
});

Deno.test("spans keep their parents if the events of the run are streamed", async () => {
  const spans = await collectSpans(async (tracer) => {
    const stream = streamToolLoop(
      {
        model: scriptedModel(TWO_TOOLS, "m"),
        registry: new ToolRegistry([spanningTool(tracer, "f"), spanningTool(tracer, "g")]),
        agentName: "scout",
        ...telemetry({ tracer, trace, context }),
      },
      "?",
      { maxQueued: 1 },
    );
    // The reader has other active spans, which must not become parents.
    for (;;) {
      const isOver = await tracer.startActiveSpan("read", { root: true }, async (span) => {
        const { done } = await stream.next();
        span.end();
        return done;
      });
      if (isOver) break;
    }
  });
  const isReader = ({ name }: ReadableSpan): boolean => name === "read";
  assertEquals(
    pathsOf(spans).filter((path) => path !== "read"),
    TWO_TOOLS_PATHS.map((path) => `read > ${path}`),
  );
  assertEquals(spans.some(isReader), true);
});

Deno.test("a sub-agent's spans are children of the span in which its task was started", async () => {
  const spans = await collectSpans(async (tracer) => {
    const boss: ToolLoopAgent = new ToolLoopAgent({
      name: "boss",
      model: scriptedModel([
        { calls: [{ toolName: "ask" }, { toolName: "ask" }] },
        { text: "done" },
      ], "m"),
      ...telemetry({ tracer, trace, context }),
    });
    boss.registry.register(spanningTool(tracer, "f"));
    boss.registry.register({
      name: "ask",
      inputSchema: { type: "object" },
      execute: (_, context) =>
        tracer.startActiveSpan("plan", async (span) => {
          const turns = [{ calls: [{ toolName: "f" }] }, { text: "42" }];
          const config = { name: "expert", model: scriptedModel(turns, "n") };
          const output = await runSubAgentTask(boss, config, "?", { context });
          span.end();
          return output.finalText;
        }),
    });
    await boss.initialize();
    await boss.run("?");
    await boss.terminate();
  });
  const ask = "invoke_agent boss > execute_tool ask";
  const expert = `${ask} > plan > invoke_agent expert`;
  const below = [
    ask,
    `${ask} > plan`,
    expert,
    `${expert} > chat n`,
    `${expert} > chat n`,
    `${expert} > execute_tool f`,
    `${expert} > execute_tool f > f first`,
    `${expert} > execute_tool f > f second`,
  ];
  assertEquals(pathsOf(spans), [
    "invoke_agent boss",
    "invoke_agent boss > chat m",
    "invoke_agent boss > chat m",
    ...[...below, ...below].sort(),
  ]);
});

Deno.test("spans made by a model are children of the span of the model call", async () => {
  const spans = await collectSpans((tracer) => {
    const { generate } = scriptedModel([{ text: "done" }]);
    return runToolLoop({
      model: {
        modelId: "m",
        async generate(request) {
          await Promise.resolve();
          tracer.startSpan("POST").end();
          return await generate(request);
        },
      },
      registry: new ToolRegistry(),
      agentName: "scout",
      ...telemetry({ tracer, trace, context }),
    }, "?");
  });
  assertEquals(pathsOf(spans), [
    "invoke_agent scout",
    "invoke_agent scout > chat m",
    "invoke_agent scout > chat m > POST",
  ]);
});

Deno.test("telemetry() accepts a meter of the OpenTelemetry API", async () => {
  const meter: TelemetryMeter = metrics.getMeter("test");
  const output = await runToolLoop({
    model: scriptedModel([{ text: "done" }]),
    registry: new ToolRegistry(),
    ...telemetry({ tracer: trace.getTracer("test"), trace, context, meter }),
  }, "?");
  assertEquals(output.finalText, "done");
});
