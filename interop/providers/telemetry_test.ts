/** Tests telemetry with the OpenTelemetry packages. */

import {
  context,
  metrics,
  propagation,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
  type Tracer,
} from "@opentelemetry/api";
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";
import {
  CompositePropagator,
  W3CBaggagePropagator,
  W3CTraceContextPropagator,
} from "@opentelemetry/core";
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  type ReadableSpan,
  SimpleSpanProcessor,
} from "@opentelemetry/sdk-trace-base";
import {
  createMemoryTransport,
  HttpTransport,
  McpClient,
  mcpHandler,
  McpServer,
  servePipe,
} from "@parley/mcp";
import { mcpTelemetry, type TelemetryMeter as McpTelemetryMeter } from "@parley/mcp/telemetry";
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
import { assert, assertEquals } from "@std/assert";

/** Calls a function with a tracer, and returns the spans that the function created. */
async function collectSpans(
  work: (tracer: Tracer) => Promise<unknown>,
): Promise<readonly ReadableSpan[]> {
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  propagation.setGlobalPropagator(
    new CompositePropagator({
      propagators: [new W3CTraceContextPropagator(), new W3CBaggagePropagator()],
    }),
  );
  const exporter = new InMemorySpanExporter();
  const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
  try {
    await work(provider.getTracer("test"));
    return exporter.getFinishedSpans();
  } finally {
    context.disable();
    propagation.disable();
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
      await Promise.resolve();
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

Deno.test("spans created by concurrent tools are children of the spans of their tools", async () => {
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
    // The spans that are active while the stream is read must not become parents of the run's
    // spans.
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

Deno.test("spans created by a model are children of the span of the model call", async () => {
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

for (const protocol of ["modern", "legacy"] as const) {
  Deno.test(`an agent's MCP call over two servers is one trace (${protocol})`, async () => {
    const meta: object[] = [];
    const spans = await collectSpans(async (tracer) => {
      const around = mcpTelemetry({
        tracer,
        trace,
        context,
        propagation,
        meter: metrics.getMeter("test") satisfies McpTelemetryMeter,
      });
      const inner = new McpServer({ name: "inner", version: "1", around });
      inner.registerTool({ name: "look", description: "" }, async (_args, request) => {
        meta.push(request.meta);
        await Promise.resolve();
        tracer.startSpan("query").end();
        return propagation.getActiveBaggage()?.getEntry("tenant")?.value ?? "none";
      });
      await using innerHttp = serve(inner);
      await using relay = new McpClient({ transport: innerHttp.transport, protocol, around });
      await relay.connect();
      const outer = new McpServer({ name: "outer", version: "1", around });
      outer.registerTool({ name: "relay", description: "" }, async () => {
        tracer.startSpan("before").end();
        const { content } = await relay.callTool("look", {});
        return { content };
      });
      await using outerHttp = serve(outer);
      await using client = new McpClient({ transport: outerHttp.transport, protocol, around });
      await client.connect();
      const registry = new ToolRegistry();
      await registry.registerMcp(client);
      const baggage = propagation.createBaggage({ tenant: { value: "acme" } });
      await context.with(propagation.setBaggage(context.active(), baggage), async () => {
        const output = await runToolLoop({
          model: scriptedModel([{ calls: [{ toolName: "relay" }] }, { text: "done" }], "m"),
          registry,
          agentName: "scout",
          ...telemetry({ tracer, trace, context }),
        }, "?");
        assert(JSON.stringify(output.messages).includes("acme"));
      });
    });
    const traceIdOf = (span?: ReadableSpan) => span?.spanContext().traceId;
    const agent = spans.find(({ name }) => name === "invoke_agent scout");
    const run = spans.filter((span) => traceIdOf(span) === traceIdOf(agent));
    const tool = "invoke_agent scout > execute_tool relay";
    const relayed = `${tool} > tools/call relay > tools/call relay`;
    assertEquals(pathsOf(run), [
      "invoke_agent scout",
      "invoke_agent scout > chat m",
      "invoke_agent scout > chat m",
      tool,
      `${tool} > tools/call relay`,
      relayed,
      `${relayed} > before`,
      `${relayed} > tools/call look`,
      `${relayed} > tools/call look > tools/call look`,
      `${relayed} > tools/call look > tools/call look > query`,
    ]);
    const kinds = run.filter(({ name }) => name.startsWith("tools/call")).map(({ kind }) => kind);
    assertEquals(kinds, [SpanKind.SERVER, SpanKind.CLIENT, SpanKind.SERVER, SpanKind.CLIENT]);
    const keys = Object.keys(meta[0] ?? {}).filter((key) => !key.includes("/"));
    assertEquals(keys, ["traceparent", "baggage"]);
    for (const { attributes, name } of run) {
      if (name.startsWith("tools/call")) assertEquals(attributes["network.transport"], "tcp");
    }
  });
}

/** Serves an MCP server over HTTP on the loopback interface. */
function serve(server: McpServer): AsyncDisposable & { readonly transport: HttpTransport } {
  const handler = mcpHandler(server);
  // Requests are handled outside of the caller's context, as in a separate process.
  const http = context.with(
    ROOT_CONTEXT,
    () =>
      Deno.serve(
        { port: 0, hostname: "127.0.0.1", onListen: () => {} },
        (request) => handler(request),
      ),
  );
  return {
    transport: new HttpTransport(`http://127.0.0.1:${http.addr.port}/mcp`),
    [Symbol.asyncDispose]: async () => {
      await handler.close();
      await http.shutdown();
    },
  };
}

Deno.test("an MCP call with input requests has one client span, and one server span for each round trip", async () => {
  const spans = await collectSpans(async (tracer) => {
    const around = mcpTelemetry({ tracer, trace, context, propagation });
    const server = new McpServer({ name: "s", version: "1", around });
    server.registerTool({ name: "ask", description: "" }, async (_args, request) => {
      const requestedSchema = { type: "object", properties: {} } as const;
      const params = { message: "?", requestedSchema };
      await request.ask("go", { method: "elicitation/create", params });
      throw new Error("no");
    });
    const transport = createMemoryTransport((pipe) => servePipe(server, pipe));
    const handlers = { elicit: () => ({ action: "accept", content: {} }) as const };
    await using client = new McpClient({ transport, around, handlers });
    await client.connect();
    await client.callTool("ask", {});
  });
  const calls = spans.filter(({ name }) => name === "tools/call ask");
  assertEquals(pathsOf(calls), [
    "tools/call ask",
    "tools/call ask > tools/call ask",
    "tools/call ask > tools/call ask",
  ]);
  const errors = calls.map(({ attributes, status }) => [attributes["error.type"], status.code]);
  assertEquals(errors, [
    [undefined, SpanStatusCode.UNSET],
    ["tool_error", SpanStatusCode.ERROR],
    ["tool_error", SpanStatusCode.ERROR],
  ]);
});
