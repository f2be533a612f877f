import { type OptionsRow, testOptions } from "../tools/testing/options_rows.ts";
import { A2aClient, A2aError, a2aHandler, agentCardHandler, remoteA2aAgent } from "./a2a.ts";
import { type AcpSession, acpTools, serveAcp } from "./acp.ts";
import { openEditor } from "./acp/testdata/test_editor.ts";
import { agentMcpTool, agentService, remoteAgent, samplingFrom } from "./bridge.ts";
import { compactHistory, toolSearch } from "./context.ts";
import { fileStore } from "./file.ts";
import { MemoryJournal, recordSteps } from "./journal.ts";
import {
  anthropicMessages,
  createModelLimiter,
  fallbackModel,
  googleGenerateContent,
  openAiChat,
  openAiResponses,
} from "./models.ts";
import {
  AgentChannel,
  answerText,
  asTool,
  Budget,
  createAgentMessage,
  createSubAgent,
  customStop,
  jsonSchemaValidator,
  memoryBudgetStore,
  ParallelWorkflow,
  RouterWorkflow,
  runSubAgentTask,
  runToolLoop,
  SequentialWorkflow,
  storedBudget,
  type StoredBudgetOptions,
  streamToolLoop,
  ToolLoopAgent,
  type ToolLoopStream,
  ToolRegistry,
} from "./mod.ts";
import { chatCompletionsHandler, responsesHandler } from "./openai.ts";
import { pgBossRuns, type PgBossRunsOptions } from "./pgboss.ts";
import { postgresBudgetStore, postgresStorage } from "./postgres.ts";
import { restateApprovals, restateSteps } from "./restate.ts";
import { memoryRuns, openRuns, type Runs } from "./runs.ts";
import {
  AgentSession,
  jsonlSessions,
  memorySessions,
  memoryStorage,
  openSessions,
  type Sessions,
} from "./session.ts";
import { type ServedAgent, serveRuns, serveSessions, withBearer } from "./serve.ts";
import { sqliteBudgetStore, sqliteRuns, sqliteStorage } from "./sqlite.ts";
import { telemetry } from "./telemetry.ts";
import { activityModel, runModelActivity } from "./temporal.ts";
import { recordModel, runJournalChecks, sessionStorageChecks } from "./testing.ts";
import { liveEventResponse } from "./events.ts";
import { agUiEvents, agUiHandler, agUiResponse } from "./ui/ag_ui.ts";
import {
  readUiTurn,
  toUiMessages,
  uiChatHandler,
  uiMessageChunks,
  uiMessageResponse,
} from "./ui/ai_sdk.ts";

/** A model that responds with an empty JSON object to every request. */
const model = {
  modelId: "constant",
  generate: () =>
    Promise.resolve({
      message: { role: "assistant" as const, content: [{ type: "text" as const, text: "{}" }] },
      finishReason: "stop" as const,
    }),
};
const registry = new ToolRegistry();
const clerk = { version: "1", make: newAgent };
const controller = new AbortController();

/** A replacement for the `PgBoss` class that cannot connect. */
class Disconnected {
  on(): void {}
  start(): Promise<never> {
    return Promise.reject(new Error("no database"));
  }
  async stop(): Promise<void> {}
}

function newAgent(): ToolLoopAgent {
  return new ToolLoopAgent({ name: "a", model });
}

function newEvents(): ToolLoopStream {
  return streamToolLoop({ model, registry }, "Hi", { warnAfterMs: Infinity });
}

function newSession(): AgentSession {
  return new AgentSession(newAgent(), { id: "s", store: memorySessions() });
}

/** Opens durable runs with one finished run, calls a function with them, and closes them. */
async function withRuns(call: (runs: Runs) => Promise<unknown>): Promise<void> {
  await using runs = openRuns(memoryRuns(), { clerk });
  const working = runs.work();
  await runs.start({ runId: "r1", agent: "clerk", input: "Hi" });
  await runs.result("r1");
  await call(runs);
  await runs.close();
  await working;
}

/** Opens sessions, calls a function with them, and closes them. */
async function withSessions(call: (sessions: Sessions) => unknown): Promise<void> {
  await using sessions = openSessions({ storage: memoryStorage(), agent: newAgent });
  await call(sessions);
}

/** Runs a worker that the options or the end of the runs stop. */
async function work(options: never): Promise<void> {
  await using runs = openRuns(memoryRuns(), { clerk });
  const working = runs.work(options);
  await Promise.race([working, runs.start({ runId: "r1", agent: "clerk", input: "Hi" })]);
  await runs.close();
  await working;
}

/** Waits for a message on a channel that contains one. */
async function receive(options: never): Promise<void> {
  const channel = new AgentChannel();
  await channel.sendAsync(createAgentMessage("a", "b", "Hi"), options);
  await channel.receiveAsync(options);
}

/** A card that is also the response to every request of an A2A client. */
const answer = {
  name: "a",
  description: "b",
  version: "1",
  supportedInterfaces: [
    { url: "https://a.example/a2a", protocolBinding: "HTTP+JSON", protocolVersion: "1.0" },
  ],
  capabilities: {},
  defaultInputModes: [],
  defaultOutputModes: [],
  skills: [],
  id: "t1",
  contextId: "c1",
  status: { state: "TASK_STATE_COMPLETED" },
  message: { messageId: "m1", role: "ROLE_AGENT", parts: [{ text: "Hi" }] },
};

/** Calls a function that reads its options, and then fails with an error of A2A. */
async function refuse(call: () => unknown): Promise<void> {
  try {
    await call();
  } catch (error) {
    if (!(error instanceof A2aError)) throw error;
    return;
  }
  throw new Error("The function has not failed");
}

function connect(): Promise<A2aClient> {
  return A2aClient.connect("https://a.example", {
    fetch: () => Promise.resolve(Response.json(answer)),
  });
}

/** Calls a function with a session of an editor that responds to all operations. */
async function withEditor(call: (session: AcpSession) => unknown): Promise<void> {
  const respond = () => ({ result: { content: "", terminalId: "t1" } });
  const methods = ["fs/read_text_file", "fs/write_text_file", "terminal/create"];
  const more = ["terminal/wait_for_exit", "terminal/output", "terminal/release"];
  const answers = Object.fromEntries([...methods, ...more].map((name) => [name, respond]));
  const session = Promise.withResolvers<AcpSession>();
  const editor = openEditor({
    script: [{ text: "Hello" }],
    answers,
    agent: (opened) => {
      session.resolve(opened);
      return {};
    },
  });
  try {
    await editor.prompt(await editor.open(), "Hi");
    await call(await session.promise);
  } finally {
    await editor.end();
  }
}

const tracing = {
  tracer: { startSpan: () => ({}) },
  trace: { setSpan: () => ({}) },
  context: { active: () => ({}), with: () => {} },
};

function unserved(): Promise<never> {
  return Promise.reject(new Error("no agent"));
}

const served: ServedAgent = { start: unserved, get: unserved, list: unserved, messages: unserved };

const FOREIGN = "The object is passed to a library that is not part of this package";
const IMPLEMENTED = "Engines that implement the interface receive the object from this package";
const ERROR = "The options of an error, as for the class Error, which ignores unknown members";

const rows: readonly OptionsRow[] = [
  {
    type: "A2aCallOptions",
    valid: () => ({}),
    call: async (options) => await (await connect()).cancelTask("t1", options),
  },
  {
    type: "A2aClientOptions",
    valid: () => ({}),
    // No origin is trusted by default.
    call: (options) => refuse(() => new A2aClient(answer, options)),
  },
  {
    type: "A2aConnectOptions",
    valid: () => ({}),
    // Nothing listens at the port, so that the options are read, and the request fails.
    call: (options) => refuse(() => A2aClient.connect("http://127.0.0.1:1", options)),
  },
  { type: "A2aErrorOptions", open: ERROR },
  {
    type: "A2aGetTaskOptions",
    valid: () => ({}),
    call: async (options) => await (await connect()).getTask("t1", options),
  },
  {
    type: "A2aHandlerOptions",
    valid: () => ({}),
    call: (options) => a2aHandler(served, options),
  },
  {
    type: "PushOptions",
    at: "push",
    valid: () => ({}),
    call: (push) => a2aHandler(served, { push }),
  },
  { type: "PushConfig", open: "data of clients, which the endpoint reads" },
  {
    type: "A2aListTasksOptions",
    valid: () => ({}),
    call: async (options) => await (await connect()).listTasks(options),
  },
  {
    type: "A2aSendOptions",
    valid: () => ({}),
    call: async (options) => await (await connect()).send("Hi", options),
  },
  {
    type: "AcpCallOptions",
    valid: () => ({}),
    call: (options) => withEditor(({ client }) => client.writeTextFile("/w/a", "", options)),
  },
  {
    type: "AcpCommandOptions",
    valid: () => ({}),
    call: (options) => withEditor(({ client }) => client.runCommand("ls", [], options)),
  },
  {
    type: "AcpReadOptions",
    valid: () => ({}),
    call: (options) => withEditor(({ client }) => client.readTextFile("/w/a", options)),
  },
  {
    type: "AcpToolsOptions",
    valid: () => ({}),
    call: (options) => withEditor((session) => acpTools(session, options)),
  },
  {
    type: "ServeAcpOptions",
    valid: () => ({ name: "a", version: "1", storage: memoryStorage(), make: newAgent }),
    call: (options) => {
      const { writable } = new TransformStream<Uint8Array, Uint8Array>();
      return serveAcp({ readable: new Blob([]).stream(), writable }, options);
    },
  },
  {
    type: "ServeAcpStdioOptions",
    open: "The function takes the standard streams of the process. Its reader has the same rules",
  },
  {
    type: "AgentCardHandlerOptions",
    valid: () => ({ url: "https://a.example/a2a", handler: { capabilities: {} } }),
    call: (options) =>
      agentCardHandler({
        name: "a",
        description: "b",
        version: "1",
        skills: [{ id: "s", name: "s", description: "s", tags: ["s"] }],
      }, options),
  },
  {
    type: "BudgetLimits",
    at: "limits",
    valid: () => ({ maxTokens: 1 }),
    call: (limits) => new Budget(limits),
  },
  {
    type: "MemoryBudgetStoreOptions",
    valid: () => ({}),
    call: (options) => memoryBudgetStore(options),
  },
  {
    type: "PostgresBudgetStoreOptions",
    valid: () => ({}),
    call: (options) => postgresBudgetStore({ query: () => Promise.resolve({ rows: [] }) }, options),
  },
  { type: "ReserveOptions", open: IMPLEMENTED },
  {
    type: "SqliteBudgetStoreOptions",
    valid: () => ({}),
    call: (options) => sqliteBudgetStore(":memory:", options),
  },
  {
    type: "StoredBudgetOptions",
    valid: () => ({ key: "k" }),
    // One of the two limits is required, and the other one must be absent.
    call: (options: StoredBudgetOptions) => {
      const { maxCost, maxTokens = 1 } = options;
      const limit = maxCost === undefined ? { maxTokens } : {};
      storedBudget(memoryBudgetStore(), Object.assign(Object.create(options), limit));
    },
  },
  {
    type: "AnswerTextOptions",
    valid: () => ({}),
    call: (options) => void answerText(newEvents(), options),
  },
  {
    type: "ActivityModelOptions",
    valid: () => ({ modelId: "m" }),
    call: (options) => activityModel(() => Promise.resolve(null), options),
  },
  {
    type: "AgentConfig",
    at: "config",
    valid: () => ({ name: "a", model }),
    call: (config) => new ToolLoopAgent(config),
  },
  { type: "AgentErrorOptions", open: ERROR },
  {
    type: "AgentMcpToolOptions",
    valid: () => ({ name: "a", description: "b" }),
    call: async (options) => {
      await using served = serveSessions({ storage: memoryStorage(), make: newAgent });
      agentMcpTool(served, options);
    },
  },
  {
    type: "AgentServiceOptions",
    valid: () => ({}),
    call: async (options) => {
      await using served = serveSessions({ storage: memoryStorage(), make: newAgent });
      agentService(served, options);
    },
  },
  {
    type: "AgentSessionOptions",
    valid: () => ({ id: "s", store: memorySessions() }),
    call: (options) => new AgentSession(newAgent(), options),
  },
  {
    type: "AgentToolConfig",
    at: "config",
    valid: () => ({ name: "a", description: "b", model }),
    call: (config) => asTool(config),
  },
  {
    type: "AgUiOptions",
    valid: () => ({ threadId: "t" }),
    call: (options) => void agUiEvents(newEvents(), options),
  },
  {
    type: "AgUiResponseOptions",
    valid: () => ({ threadId: "t" }),
    call: (options) => void agUiResponse(newEvents(), options),
  },
  {
    type: "AnthropicMessagesOptions",
    valid: () => ({ model: "m", apiKey: "key", baseUrl: "http://localhost" }),
    call: (options) => anthropicMessages(options),
  },
  { type: "ChannelWaitOptions", valid: () => ({}), call: receive },
  {
    type: "CompactOptions",
    valid: () => ({ model, maxInputTokens: 10 }),
    call: (options) => compactHistory(options),
  },
  { type: "CounterOptions", open: FOREIGN },
  {
    type: "CustomStopOptions",
    valid: () => ({}),
    call: (options) => customStop("never", () => false, options),
  },
  {
    type: "EndpointOptions",
    valid: () => ({ baseUrl: "http://localhost", model: "m" }),
    call: (options) => openAiChat(options),
  },
  {
    type: "EngineCheckOptions",
    valid: () => ({}),
    call: (options) => runJournalChecks[0]?.run(() => memoryRuns(), options),
  },
  {
    type: "FileStoreOptions",
    valid: () => ({}),
    call: (options) => fileStore("never.jsonl", options),
  },
  {
    type: "GenerationOptions",
    at: "generateOptions",
    valid: () => ({}),
    call: (generateOptions) => new ToolLoopAgent({ name: "a", model, generateOptions }),
  },
  {
    type: "GoogleGenerateContentOptions",
    valid: () => ({ model: "m", apiKey: "key", baseUrl: "http://localhost" }),
    call: (options) => googleGenerateContent(options),
  },
  { type: "HistogramOptions", open: FOREIGN },
  {
    type: "JsonSchemaValidatorOptions",
    valid: () => ({}),
    call: (options) => jsonSchemaValidator(options),
  },
  {
    type: "LocalRunsOptions",
    valid: () => ({}),
    call: (options) => memoryRuns(options),
  },
  {
    type: "LoopOptions",
    at: "config",
    valid: () => ({ model, registry }),
    call: (config) => runToolLoop(config, "Hi"),
  },
  {
    type: "McpToolOptions",
    valid: () => ({}),
    call: (options) =>
      new ToolRegistry().registerMcp({
        listTools: () => Promise.resolve([]),
        callTool: () => Promise.resolve(null),
      }, options),
  },
  { type: "MemoryRunsOptions", valid: () => ({}), call: (options) => memoryRuns(options) },
  {
    type: "JsonlSessionsOptions",
    valid: () => ({}),
    call: (options) => jsonlSessions(() => fileStore("a"), options),
  },
  { type: "MemorySessionsOptions", valid: () => ({}), call: (options) => memorySessions(options) },
  {
    type: "MessageOptions",
    valid: () => ({}),
    call: (options) => createAgentMessage("a", "b", "Hi", options),
  },
  {
    type: "ModelActivityOptions",
    valid: () => ({ ApplicationFailure: { create: () => new Error("failed") } }),
    call: (options) =>
      runModelActivity(model, {
        messages: [{ role: "user", content: "Hi" }],
        tools: [],
        options: {},
      }, options),
  },
  {
    type: "FallbackModelOptions",
    valid: () => ({}),
    call: (options) => fallbackModel([model], options),
  },
  { type: "ModelErrorOptions", open: ERROR },
  {
    type: "ModelLimiterOptions",
    valid: () => ({}),
    call: (options) => createModelLimiter(options),
  },
  {
    type: "OpenAiChatOptions",
    valid: () => ({ baseUrl: "http://localhost", model: "m" }),
    call: (options) => openAiChat(options),
  },
  {
    type: "OpenAiResponsesOptions",
    valid: () => ({ model: "m", apiKey: "key", baseUrl: "http://localhost" }),
    call: (options) => openAiResponses(options),
  },
  {
    type: "OpenRunsOptions",
    valid: () => ({}),
    call: (options) => openRuns(memoryRuns(), { clerk }, options),
  },
  {
    type: "RunLogOptions",
    valid: () => ({}),
    call: (options) => openRuns(memoryRuns(), { clerk }, options),
  },
  {
    type: "RunReadOptions",
    valid: () => ({}),
    call: (options) =>
      openRuns(memoryRuns(), { clerk }, { storeEvents: true }).attach("r", options),
  },
  {
    type: "ParallelWorkflowOptions",
    valid: () => ({}),
    call: (options) => new ParallelWorkflow("w", [newAgent()], options),
  },
  { type: "PgBossQueueSettings", open: FOREIGN },
  {
    type: "PgBossRunsOptions",
    valid: () => ({ PgBoss: Disconnected, onError: () => {} }),
    // One of the two sources is required, and the other one must be absent.
    call: (options: PgBossRunsOptions) => {
      const { connectionString = "postgres://localhost" } = options;
      const source = options.db === undefined ? { connectionString } : {};
      void pgBossRuns(Object.assign(Object.create(options), source)).catch(() => {});
    },
  },
  { type: "PgBossSendOptions", open: FOREIGN },
  { type: "PgBossSettings", open: FOREIGN },
  { type: "PgBossWorkOptions", open: FOREIGN },
  {
    type: "PostgresStorageOptions",
    valid: () => ({}),
    call: (options) => postgresStorage({ query: () => Promise.resolve({ rows: [] }) }, options),
  },
  {
    type: "ProviderOptions",
    open: "The members are the names of providers, and their values are the providers' own data",
  },
  { type: "QueueWorkOptions", open: IMPLEMENTED },
  { type: "RecordModelOptions", valid: () => ({}), call: (options) => recordModel(model, options) },
  {
    type: "RecordStepsOptions",
    valid: () => ({}),
    call: (options) => recordSteps(new MemoryJournal(), options),
  },
  {
    type: "RegisterOptions",
    valid: () => ({}),
    call: (options) => {
      const tool = { name: "t", inputSchema: { type: "object" }, execute: () => "ok" } as const;
      new ToolRegistry().register(tool, options);
    },
  },
  {
    type: "RemoteAgentOptions",
    valid: () => ({
      name: "a",
      description: "b",
      recipient: "did:web:a.example",
      peer: { request: () => {} },
    }),
    call: (options) => remoteAgent(options),
  },
  {
    type: "RemoteA2aAgentOptions",
    valid: () => ({ client: new A2aClient(answer, { allowedOrigins: ["https://a.example"] }) }),
    call: (options) => remoteA2aAgent(options),
  },
  {
    type: "RestateApprovalsOptions",
    valid: () => ({}),
    call: (options) =>
      restateApprovals({ promise: () => ({ get: () => Promise.resolve() }) }, options),
  },
  {
    type: "RestateStepsOptions",
    valid: () => ({ TerminalError: Error }),
    call: (options) => restateSteps({ run: () => Promise.resolve() }, options),
  },
  {
    type: "SequentialWorkflowOptions",
    valid: () => ({}),
    call: (options) => new SequentialWorkflow("w", [newAgent()], options),
  },
  {
    type: "RouterWorkflowOptions",
    valid: () => ({}),
    call: (options) => new RouterWorkflow("w", [newAgent()], () => 0, options),
  },
  {
    type: "RunOptions",
    valid: () => ({}),
    call: (options) => newAgent().run("Hi", options),
  },
  {
    type: "RunResultOptions",
    valid: () => ({}),
    call: (options) => withRuns(async (runs) => void await runs.result("r1", options)),
  },
  { type: "RunWorkOptions", valid: () => ({ signal: controller.signal }), call: work },
  {
    type: "SamplingOptions",
    valid: () => ({ approve: () => true }),
    call: (options) => samplingFrom(model, options),
  },
  {
    type: "AttachOptions",
    valid: () => ({}),
    call: (options) => withSessions((sessions) => sessions.attach("s", options)),
  },
  {
    type: "LiveEventOptions",
    valid: () => ({}),
    call: (options) =>
      withSessions(async (sessions) => {
        await liveEventResponse(await sessions.send("s", "Hi"), options).text();
      }),
  },
  {
    type: "MemoryStorageOptions",
    valid: () => ({}),
    call: (options) => memoryStorage(options),
  },
  {
    type: "SendOptions",
    valid: () => ({}),
    call: (options) => withSessions((sessions) => sessions.send("s", "Hi", options)),
  },
  {
    type: "SessionsOptions",
    valid: () => ({ storage: memoryStorage(), agent: newAgent }),
    call: (options) => openSessions(options).close(),
  },
  {
    type: "BearerOptions",
    valid: () => ({}),
    call: (options) => withBearer(() => Promise.reject(), () => undefined, options),
  },
  {
    type: "ServeRunsOptions",
    valid: () => ({ agent: "clerk" }),
    call: async (options) => {
      await using runs = openRuns(memoryRuns(), { clerk });
      serveRuns(runs, options);
    },
  },
  {
    type: "ServeSessionsOptions",
    valid: () => ({ storage: memoryStorage(), make: newAgent }),
    call: (options) => serveSessions(options).close(),
  },
  {
    type: "RunLogCheckOptions",
    valid: () => ({}),
    call: (options) => sessionStorageChecks[0]?.run(() => memoryStorage(), options),
  },
  {
    type: "SqliteStorageOptions",
    valid: () => ({}),
    call: (options) => sqliteStorage(":memory:", options)[Symbol.asyncDispose](),
  },
  {
    type: "SessionRoutesOptions",
    valid: () => ({ path: "/agent", authorize: () => true }),
    call: (options) => withSessions((sessions) => agUiHandler(sessions, options)),
  },
  {
    type: "StopOptions",
    valid: () => ({}),
    call: (options) => withSessions((sessions) => sessions.stop("s", options)),
  },
  {
    type: "UiChatOptions",
    valid: () => ({ path: "/chat", authorize: () => true }),
    call: (options) => withSessions((sessions) => uiChatHandler(sessions, options)),
  },
  {
    type: "ChatCompletionsOptions",
    valid: () => ({ models: { clerk: served } }),
    call: (options) => chatCompletionsHandler(options),
  },
  {
    type: "OpenAiEndpointOptions",
    valid: () => ({ models: { clerk: served } }),
    call: (options) => chatCompletionsHandler(options),
  },
  {
    type: "ResponsesOptions",
    valid: () => ({ models: { clerk: served } }),
    call: (options) => responsesHandler(options),
  },
  {
    type: "AgUiHandlerOptions",
    valid: () => ({ path: "/agent", authorize: () => true }),
    call: (options) => withSessions((sessions) => agUiHandler(sessions, options)),
  },
  {
    type: "SessionRunOptions",
    valid: () => ({}),
    call: (options) => newSession().run("Hi", options),
  },
  {
    type: "SqliteRunsOptions",
    valid: () => ({}),
    call: (options) => sqliteRuns(":memory:", options),
  },
  {
    type: "StreamOptions",
    valid: () => ({}),
    call: async (options) => {
      await streamToolLoop({ model, registry }, "Hi", options).return();
    },
  },
  {
    type: "SubAgentConfig",
    at: "config",
    valid: () => ({ name: "b", model }),
    call: (config) => createSubAgent(newAgent(), config),
  },
  {
    type: "SubAgentTaskOptions",
    valid: () => ({}),
    call: (options) => runSubAgentTask(newAgent(), { name: "b", model }, "Hi", options),
  },
  { type: "TelemetryOptions", valid: () => tracing, call: (options) => telemetry(options) },
  {
    type: "ToolLoopConfig",
    at: "config",
    valid: () => ({ model, registry }),
    call: (config) => runToolLoop(config, "Hi"),
  },
  {
    type: "ToolRegistryOptions",
    valid: () => ({}),
    call: (options) => new ToolRegistry([], options),
  },
  { type: "ToolSearchOptions", valid: () => ({}), call: (options) => toolSearch(options) },
  { type: "ToUiMessagesOptions", valid: () => ({}), call: (options) => toUiMessages([], options) },
  {
    type: "UiInputOptions",
    valid: () => ({}),
    call: (options) =>
      readUiTurn(
        { id: "c", messages: [{ role: "user", parts: [{ type: "text", text: "Hi" }] }] },
        options,
      ),
  },
  {
    type: "UiMessageOptions",
    valid: () => ({}),
    call: (options) => void uiMessageChunks(newEvents(), options),
  },
  {
    type: "UiOptions",
    valid: () => ({}),
    call: (options) => void uiMessageChunks(newEvents(), options),
  },
  {
    type: "UiResponseOptions",
    valid: () => ({}),
    call: (options) => void uiMessageResponse(newEvents(), options),
  },
  { type: "WakeOptions", open: IMPLEMENTED },
  {
    type: "WorkflowRunOptions",
    valid: () => ({}),
    call: (options) => new SequentialWorkflow("w", [newAgent()]).run("Hi", options),
  },
];

testOptions("runtime", rows);
