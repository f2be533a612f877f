/**
 * Mistakes in calls to the public API, with the error message that each mistake causes. An error
 * message names the argument or option, the value, and the remedy if there is one.
 */

import { assertEquals, assertInstanceOf } from "@std/assert";
import { JsonlJournal, MemoryJournal, recordSteps } from "./journal.ts";
import {
  AgentChannel,
  type AgentConfig,
  createAgentMessage,
  createSubAgent,
  createTypedMessage,
  customStop,
  hasToolCall,
  jsonSchemaValidator,
  maxIterations,
  maxTotalTokens,
  ParallelWorkflow,
  repeatedToolCalls,
  RouterWorkflow,
  runSubAgentTask,
  runToolLoop,
  SequentialWorkflow,
  streamToolLoop,
  ToolLoopAgent,
  ToolOutput,
  ToolRegistry,
} from "./mod.ts";
import {
  anthropicMessages,
  fromAiSdk,
  googleGenerateContent,
  openAiChat,
  openAiResponses,
} from "./models.ts";
import { memoryRuns, openRuns } from "./runs.ts";
import { telemetry } from "./telemetry.ts";
import { createGate, scriptedModel } from "./testing.ts";

const model = scriptedModel([{ text: "x" }]);
const registry = new ToolRegistry();
const mcpSource = { listTools: () => Promise.resolve([]), callTool: () => Promise.resolve({}) };
const tool = { name: "t", inputSchema: { type: "object" }, execute: () => 1 };
const message = createAgentMessage("did:example:a", "did:example:b", "hi");

/** Passes a value of the wrong type to a typed function, as JavaScript code can. */
function wrong(value?: unknown): never {
  return value as never;
}

async function agent(config: Partial<AgentConfig> = {}): Promise<ToolLoopAgent> {
  const ready = new ToolLoopAgent({ name: "a", model: scriptedModel([{ text: "x" }]), ...config });
  await ready.initialize();
  return ready;
}

function newAgent(config: Record<string, unknown>): ToolLoopAgent {
  return new ToolLoopAgent(wrong({ name: "a", model, ...config }));
}

function register(changes: Record<string, unknown>): void {
  new ToolRegistry().register(wrong({ ...tool, ...changes }));
}

function chat(changes: Record<string, unknown>): ReturnType<typeof openAiChat> {
  return openAiChat(wrong({ baseUrl: "http://127.0.0.1:9/v1", model: "gpt-5", ...changes }));
}

async function callChat(changes: Record<string, unknown>, status: number): Promise<void> {
  const fetch = () => Promise.resolve(Response.json({ error: "nope" }, { status }));
  await chat({ ...changes, fetch }).generate({ messages: [], tools: [], options: {} });
}

async function runDuringInitialization(): Promise<void> {
  const gate = createGate();
  const busy = newAgent({ onInitialize: () => gate.wait() });
  const initialized = busy.initialize();
  try {
    await busy.run("x");
  } finally {
    gate.release();
    await initialized;
  }
}

async function runTwice(): Promise<void> {
  const gate = createGate();
  const busy = await agent({
    model: scriptedModel([() => gate.wait().then(() => ({ text: "x" }))]),
  });
  const first = busy.run("x");
  try {
    await busy.run("y");
  } finally {
    gate.release();
    await first;
  }
}

async function terminated(): Promise<ToolLoopAgent> {
  const ended = await agent();
  await ended.terminate();
  return ended;
}

async function resumeAnotherRun(): Promise<void> {
  const stepRunner = recordSteps(new MemoryJournal());
  await (await agent()).run("x", { runId: "r", stepRunner });
  await (await agent()).run("y", { runId: "r", stepRunner });
}

const CREATE_MODEL =
  "create one with openAiResponses(), anthropicMessages(), googleGenerateContent(), openAiChat() or fromAiSdk() of @parley/runtime/models";
const CREATE_REGISTRY = "create one with new ToolRegistry(tools)";
const BASE_URL = '"baseUrl" must be a URL such as "https://api.openai.com/v1"';
const CHECK_ENV = "if the key is in an environment variable, check its name";
const MODEL_FAILED = "Cannot get a response from the model";

/** A mistake: its description, the call, and the error message. */
const MISTAKES: readonly (readonly [string, () => unknown, string])[] = [
  // Agents
  [
    "creates an agent without a configuration",
    () => new ToolLoopAgent(wrong()),
    '"config" must be an object, got undefined',
  ],
  [
    "creates an agent without a name",
    () => newAgent({ name: undefined }),
    '"name" must be a non-empty string, got undefined',
  ],
  [
    "passes the name of a model as the model",
    () => newAgent({ model: "gpt-5" }),
    `"model" must be a LanguageModel, got "gpt-5"; ${CREATE_MODEL}`,
  ],
  [
    "passes a model of the AI SDK",
    () => newAgent({ model: { doGenerate: () => {} } }),
    '"model" must be a LanguageModel, got an object; convert a model of the AI SDK with fromAiSdk()',
  ],
  [
    "passes an array as the registry",
    () => newAgent({ registry: [tool] }),
    `"registry" must be a ToolRegistry, got an array; ${CREATE_REGISTRY}`,
  ],
  [
    "passes an agent's tools as an object",
    () => newAgent({ tools: { t: tool } }),
    '"tools" must be an array of tools, got an object',
  ],
  [
    "passes the same tool twice",
    () => newAgent({ tools: [tool, tool] }),
    'Cannot register tool "t": a tool with this name is already registered; choose another name or set "replace"',
  ],
  [
    "passes tools to a run without an agent",
    () => runToolLoop(wrong({ model, tools: [tool] }), "go"),
    '"config" must have only known options, got "tools"; did you mean "registry"?',
  ],
  [
    "misspells the approval handler",
    () => newAgent({ aprovalHandler: () => false }),
    '"config" must have only known options, got "aprovalHandler"; did you mean "approvalHandler"?',
  ],
  [
    "misspells the approval handler of a tool loop",
    () => runToolLoop(wrong({ model, registry: new ToolRegistry(), approvalhandler: () => false })),
    '"config" must have only known options, got "approvalhandler"; did you mean "approvalHandler"?',
  ],
  [
    "misspells the approval handler of a sub-agent",
    async () =>
      createSubAgent(await agent(), wrong({ name: "b", model, aprovalHandler: () => {} })),
    '"config" must have only known options, got "aprovalHandler"; did you mean "approvalHandler"?',
  ],
  [
    "passes tools to a sub-agent",
    async () => createSubAgent(await agent(), wrong({ name: "b", model, tools: [tool] })),
    '"config" must have only known options, got "tools"; did you mean "allowedTools"?',
  ],
  [
    "sets the option of another library",
    () => newAgent({ stopWhen: [] }),
    '"config" must have only known options, got "stopWhen"; did you mean "stopConditions"?',
  ],
  [
    "misspells a setting of the model",
    () => newAgent({ generateOptions: { temprature: 0 } }),
    '"generateOptions" must have only known options, got "temprature"; did you mean "temperature"?',
  ],
  [
    "misspells the provider options of a system prompt",
    () => newAgent({ systemPrompt: { text: "Be brief.", providerOption: {} } }),
    '"systemPrompt" must have only known options, got "providerOption"; did you mean "providerOptions"?',
  ],
  [
    "forces a tool under another name",
    () => newAgent({ generateOptions: { toolChoice: { type: "tool", toolName: "t" } } }),
    '"generateOptions.toolChoice" must have only known options, got "type"; the options are toolName',
  ],
  [
    "misspells the earliest start time of a durable run",
    async () => {
      await using runs = openRuns(memoryRuns(), {});
      await runs.start(wrong({ runId: "r", agent: "a", input: "x", deu: new Date() }));
    },
    '"run" must have only known options, got "deu"; did you mean "due"?',
  ],
  [
    "misspells the filter of a list of durable runs",
    async () => {
      await using runs = openRuns(memoryRuns(), {});
      await runs.list(wrong({ satus: "waiting" }));
    },
    '"filter" must have only known options, got "satus"; did you mean "status"?',
  ],
  [
    "misspells the accepted versions of an agent",
    () => openRuns(memoryRuns(), wrong({ a: { version: "2", accept: ["1"], make: agent } })),
    '"agents.a" must have only known options, got "accept"; did you mean "accepts"?',
  ],
  [
    "misspells the signal of a run",
    async () => await (await agent()).run("x", wrong({ singal: AbortSignal.abort() })),
    '"options" must have only known options, got "singal"; did you mean "signal"?',
  ],
  [
    "allows no iterations",
    () => newAgent({ maxIterations: 0 }),
    '"maxIterations" must be a positive integer, got 0',
  ],
  [
    "passes a number as a string",
    () => newAgent({ maxIterations: "5" }),
    '"maxIterations" must be a positive integer, got "5"',
  ],
  [
    "passes a timeout that is not a number",
    () => newAgent({ toolTimeoutMs: NaN }),
    '"toolTimeoutMs" must be a non-negative number, got NaN',
  ],
  [
    "allows no tool output",
    () => newAgent({ maxToolOutputChars: 0 }),
    '"maxToolOutputChars" must be a positive integer, got 0',
  ],
  [
    "passes a negative delay",
    () => newAgent({ maxRetryDelayMs: -1 }),
    '"maxRetryDelayMs" must be a non-negative number, got -1',
  ],
  [
    "passes true as the approval handler",
    () => newAgent({ approvalHandler: true }),
    '"approvalHandler" must be a function, got true',
  ],
  [
    "passes an object as the listener",
    () => newAgent({ onEvent: {} }),
    '"onEvent" must be a function, got an object',
  ],
  [
    "passes a string as onError",
    () => newAgent({ onError: "print" }),
    '"onError" must be a function, got "print"',
  ],
  [
    "passes a number as onInitialize",
    () => newAgent({ onInitialize: 5 }),
    '"onInitialize" must be a function, got 5',
  ],
  [
    "passes one stop condition without an array",
    () => newAgent({ stopConditions: maxTotalTokens(3) }),
    '"stopConditions" must be an array, got an object; put a single condition in an array',
  ],
  [
    "passes a number as a stop condition",
    () => newAgent({ stopConditions: [3] }),
    '"stopConditions[0]" must be a stop condition, got 3; create one with maxTotalTokens(), customStop() or another function',
  ],
  [
    "passes an unknown value of onToolError",
    () => newAgent({ onToolError: "fail" }),
    '"onToolError" must be "continue" or "throw", got "fail"',
  ],
  [
    "passes an array as the system prompt",
    () => newAgent({ systemPrompt: ["x"] }),
    '"systemPrompt" must be a string or an object, got an array',
  ],
  [
    "throws in onInitialize",
    () => agent({ onInitialize: () => Promise.reject(new Error("db down")) }),
    'Cannot initialize agent "a": db down',
  ],
  // Lifecycle
  [
    "runs an agent while it is initializing",
    runDuringInitialization,
    'Cannot run: expected agent state "ready", got "initializing"; an agent runs one message at a time, so create an agent for each request',
  ],
  [
    "runs an agent twice at the same time",
    runTwice,
    'Cannot run: expected agent state "ready", got "running"; an agent runs one message at a time, so create an agent for each request',
  ],
  [
    "runs a terminated agent",
    async () => (await terminated()).run("x"),
    'Cannot run: expected agent state "ready", got "terminated"; create a new agent',
  ],
  [
    "initializes a terminated agent",
    async () => (await terminated()).initialize(),
    'Cannot initialize: expected agent state "initializing", got "terminated"; create a new agent',
  ],
  [
    "resumes an agent that is not paused",
    async () => (await agent()).resume(),
    'Cannot resume: expected agent state "paused", got "ready"',
  ],
  // Runs
  [
    "runs without a message",
    async () => (await agent()).run(wrong()),
    '"userMessage" must be set unless "messages" ends with a user or tool message, got undefined',
  ],
  [
    "passes no message to continue a conversation that the model has finished",
    async () =>
      (await agent()).run(undefined, { messages: [{ role: "assistant", content: "Hello" }] }),
    '"userMessage" must be set unless "messages" ends with a user or tool message, got undefined',
  ],
  [
    "passes a number as the message",
    async () => (await agent()).run(wrong(5)),
    '"userMessage" must be a string or a non-empty array of parts, got 5',
  ],
  [
    "passes an empty array as the message",
    async () => (await agent()).run([]),
    '"userMessage" must be a string or a non-empty array of parts, got an array',
  ],
  [
    "passes a reasoning part in the message",
    async () => (await agent()).run([{ type: "text", text: "x" }, wrong({ type: "reasoning" })]),
    '"userMessage[1].type" must be "text" or "file", got "reasoning"',
  ],
  [
    "passes options that are not an object",
    async () => (await agent()).run("x", wrong("y")),
    '"options" must be an object, got "y"',
  ],
  [
    "continues a conversation with a tool message whose content is a string",
    async () =>
      (await agent()).run("x", { messages: wrong([{ role: "tool", content: "before" }]) }),
    '"messages[0].content" must be an array of parts, got "before"',
  ],
  [
    "continues a conversation with a tool call that has no result",
    async () =>
      (await agent()).run("x", {
        messages: [{
          role: "assistant",
          content: [{ type: "tool-call", toolCallId: "c1", toolName: "f", input: {} }],
        }],
      }),
    '"messages" must be a valid conversation: message 0: the next message must contain the results of the tool calls',
  ],
  [
    "continues a conversation that is a string",
    async () => (await agent()).run("x", { messages: wrong("before") }),
    '"messages" must be an array, got "before"',
  ],
  [
    "continues a conversation with an unknown role",
    async () => (await agent()).run("x", { messages: wrong([{ role: "human", content: [] }]) }),
    '"messages[0].role" must be "system", "user", "assistant" or "tool", got "human"',
  ],
  [
    "continues a conversation with a string as a part",
    async () => (await agent()).run("x", { messages: wrong([{ role: "user", content: ["hi"] }]) }),
    '"messages[0].content[0]" must be an object, got "hi"',
  ],
  [
    "continues a conversation with a part of unknown type",
    async () =>
      (await agent()).run("x", {
        messages: wrong([{ role: "user", content: [{ type: "image_url" }] }]),
      }),
    '"messages[0].content[0].type" must be "text" or "file", got "image_url"',
  ],
  [
    "passes an AbortController as the signal",
    async () => (await agent()).run("x", { signal: wrong(new AbortController()) }),
    '"signal" must be an AbortSignal, got an instance of AbortController; pass its "signal"',
  ],
  [
    "passes a journal as the step runner",
    async () => (await agent()).run("x", { stepRunner: wrong(new MemoryJournal()) }),
    '"stepRunner" must be a StepRunner, got an instance of MemoryJournal; wrap a journal with recordSteps()',
  ],
  [
    "passes true as the decisions",
    async () => (await agent()).run("x", { decisions: wrong(true) }),
    '"decisions" must be an object, got true',
  ],
  [
    "passes a number as the run id",
    async () => (await agent()).run("x", { runId: wrong(7) }),
    '"runId" must be a non-empty string, got 7',
  ],
  [
    "resumes a run with a different message",
    resumeAnotherRun,
    'Cannot resume run "r": the journal has a different version, agent name, user message or history',
  ],
  [
    "runs a loop without a configuration",
    () => runToolLoop(wrong(), "x"),
    '"config" must be an object, got undefined',
  ],
  [
    "runs a loop without a model",
    () => runToolLoop(wrong({ registry }), "x"),
    `"model" must be a LanguageModel, got undefined; ${CREATE_MODEL}`,
  ],
  [
    "runs a loop without a registry",
    () => runToolLoop(wrong({ model }), "x"),
    `"registry" must be a ToolRegistry, got undefined; ${CREATE_REGISTRY}`,
  ],
  [
    "streams with a queue limit of 0",
    () => streamToolLoop({ model, registry }, "x", { maxQueued: 0 }),
    '"maxQueued" must be a positive integer, got 0',
  ],
  [
    "throws in a stop condition",
    async () =>
      (await agent({
        stopConditions: [customStop("mine", () => {
          throw new Error("oops");
        })],
      })).run("x"),
    'Cannot evaluate stop condition "mine": oops',
  ],
  ["throws in a listener", async () =>
    (await agent({
      onEvent: () => {
        throw new Error("ui");
      },
    })).run("x"), 'Cannot deliver event "run_started": ui'],
  // Stop conditions
  [
    "passes a string to maxIterations",
    () => maxIterations(wrong("3")),
    '"maxIterations" must be a positive integer, got "3"',
  ],
  [
    "passes 0 to maxIterations",
    () => maxIterations(0),
    '"maxIterations" must be a positive integer, got 0',
  ],
  [
    "calls maxTotalTokens without a limit",
    () => maxTotalTokens(wrong()),
    '"maxTotalTokens" must be a non-negative integer, got undefined',
  ],
  [
    "passes 1 to repeatedToolCalls",
    () => repeatedToolCalls(1),
    '"repeatedToolCalls" must be an integer of at least 2, got 1',
  ],
  [
    "calls hasToolCall without a tool name",
    () => hasToolCall(),
    '"names" must contain at least one tool name',
  ],
  [
    "passes an array to hasToolCall",
    () => hasToolCall(wrong(["x"])),
    '"names" must be strings, got an array',
  ],
  [
    "creates a stop condition without a name",
    () => customStop(wrong(), () => true),
    '"name" must be a non-empty string, got undefined',
  ],
  [
    "creates a stop condition without a predicate",
    () => customStop("x", wrong()),
    '"predicate" must be a function, got undefined',
  ],
  // Tools
  [
    "registers nothing",
    () => registry.register(wrong()),
    '"tool" must be an object, got undefined',
  ],
  [
    "uses a space in a name",
    () => register({ name: "my tool" }),
    'Cannot register tool "my tool": "name" must match /^[A-Za-z0-9_.-]{1,128}$/',
  ],
  [
    "omits the schema",
    () => register({ inputSchema: undefined }),
    'Cannot register tool "t": "inputSchema" is missing; for a tool without input, set it to { type: "object" }',
  ],
  [
    "omits the function",
    () => register({ execute: undefined }),
    'Cannot register tool "t": "execute" must be a function, got undefined',
  ],
  [
    "passes a timeout as a string",
    () => register({ timeoutMs: "5s" }),
    '"timeoutMs" must be a non-negative number, got "5s"',
  ],
  [
    "passes a number as the description",
    () => register({ description: 5 }),
    'Cannot register tool "t": "description" must be a string, got 5',
  ],
  [
    "passes a Zod shape as the schema",
    () => register({ inputSchema: { a: { "~standard": {} } } }),
    'Cannot register tool "t": "inputSchema" must be a JSON Schema object or a Standard Schema, got an object whose property "a" is a schema; wrap it, for example in z.object(…)',
  ],
  [
    "passes a schema for strings",
    () => register({ inputSchema: { type: "string" } }),
    'Cannot register tool "t": "inputSchema.type" must be "object", got "string"',
  ],
  [
    "misspells a type",
    () => register({ inputSchema: { properties: { a: { type: "strnig" } } } }),
    'Cannot register tool "t": JSON Schema is not valid: "/properties/a/type" must be one of "array", "boolean", "integer", "null", "number", "object", "string", got "strnig"',
  ],
  [
    "registers a tool twice",
    () => new ToolRegistry([tool, tool]),
    'Cannot register tool "t": a tool with this name is already registered; choose another name or set "replace"',
  ],
  [
    "passes tools as an object",
    () => new ToolRegistry(wrong({ t: tool })),
    '"tools" must be an array of tools, got an object',
  ],
  [
    "passes a function as the validator",
    () => new ToolRegistry([], { validator: wrong(() => []) }),
    '"validator" must be a SchemaValidator, got a function',
  ],
  [
    "resolves an unknown tool",
    () => new ToolRegistry([tool]).resolve("x"),
    'Cannot find tool "x": not registered; available tools: t',
  ],
  [
    "passes a name as the subset",
    () => new ToolRegistry([tool]).subset("t"),
    '"names" must be an array of tool names, got "t"',
  ],
  [
    "passes a URL as the MCP client",
    () => registry.registerMcp(wrong("http://x")),
    '"source" must be an MCP client, got "http://x"; connect an McpClient of @parley/mcp/client',
  ],
  [
    "follows an MCP client that does not report changes",
    () => registry.registerMcp(mcpSource, { follow: true }),
    '"source" must be an MCP client with "watchTools" for "follow", got an object',
  ],
  [
    'passes a string as "follow"',
    () => registry.registerMcp(mcpSource, { follow: wrong("yes") }),
    '"follow" must be a boolean, got "yes"',
  ],
  [
    "passes a controller to registerMcp",
    () => registry.registerMcp(mcpSource, { signal: wrong(new AbortController()) }),
    '"signal" must be an AbortSignal, got an instance of AbortController; pass its "signal"',
  ],
  [
    "passes an object as the meta option of registerMcp",
    () => registry.registerMcp(mcpSource, { meta: wrong({ key: 1 }) }),
    '"meta" must be a function, got an object',
  ],
  [
    "creates a ToolOutput from a string",
    () => new ToolOutput(wrong("x")),
    '"output" must be an object, got "x"',
  ],
  [
    "creates a ToolOutput of an unknown type",
    () => new ToolOutput(wrong({ type: "image" })),
    '"output.type" must be "text", "json", "content", "error-text", "error-json" or "execution-denied", got "image"',
  ],
  [
    "passes 0 as maxNodes",
    () => jsonSchemaValidator({ maxNodes: 0 }),
    '"maxNodes" must be a positive integer, got 0',
  ],
  // Models
  [
    "passes the name of another library for the address of the Responses API",
    () => openAiResponses(wrong({ model: "m", endpoint: "http://127.0.0.1:9" })),
    '"options" must have only known options, got "endpoint"; did you mean "baseUrl"?',
  ],
  [
    "passes a setting of the calls to a model of the Responses API",
    () => openAiResponses(wrong({ model: "m", temperature: 0 })),
    '"options" must have only known options, got "temperature"; set "generateOptions.temperature" in the configuration of the agent',
  ],
  [
    "passes the name of another library for the address of Gemini",
    () => googleGenerateContent(wrong({ model: "m", endpoint: "http://127.0.0.1:9" })),
    '"options" must have only known options, got "endpoint"; did you mean "baseUrl"?',
  ],
  [
    "passes a setting of the calls to a model of Gemini",
    () => googleGenerateContent(wrong({ model: "m", temperature: 0 })),
    '"options" must have only known options, got "temperature"; set "generateOptions.temperature" in the configuration of the agent',
  ],
  [
    "creates a model without options",
    () => openAiChat(wrong()),
    '"options" must be an object, got undefined',
  ],
  ["omits the base URL", () => chat({ baseUrl: undefined }), `${BASE_URL}, got undefined`],
  [
    "passes a host as the base URL",
    () => chat({ baseUrl: "api.openai.com" }),
    `${BASE_URL}, got "api.openai.com"`,
  ],
  [
    "passes an invalid base URL with a password",
    () => chat({ baseUrl: "me:secret@host" }),
    '"baseUrl" must be an http or https URL, got scheme "me:"',
  ],
  [
    "passes a WebSocket URL",
    () => chat({ baseUrl: "ws://x" }),
    '"baseUrl" must be an http or https URL, got scheme "ws:"',
  ],
  [
    "omits the model",
    () => chat({ model: undefined }),
    '"model" must be a non-empty string, got undefined',
  ],
  [
    "omits the key for OpenAI",
    () => chat({ baseUrl: "https://api.openai.com/v1" }),
    `"apiKey" must be the key for api.openai.com, got undefined; ${CHECK_ENV}`,
  ],
  [
    "omits the key for OpenAI's Responses API",
    () => openAiResponses({ model: "gpt-5" }),
    `"apiKey" must be the key for api.openai.com, got undefined; ${CHECK_ENV}`,
  ],
  [
    "omits the key for Anthropic",
    () => anthropicMessages({ model: "claude" }),
    `"apiKey" must be the key for api.anthropic.com, got undefined; ${CHECK_ENV}`,
  ],
  [
    "passes an empty key for Anthropic",
    () => anthropicMessages({ model: "claude", apiKey: "" }),
    `"apiKey" must be the key for api.anthropic.com, got an empty string; ${CHECK_ENV}`,
  ],
  [
    "omits the key for Google",
    () => googleGenerateContent({ model: "gemini" }),
    `"apiKey" must be the key for generativelanguage.googleapis.com, got undefined; ${CHECK_ENV}`,
  ],
  [
    "passes a number as the API key",
    () => chat({ apiKey: 5 }),
    '"apiKey" must be a string, got a value of type number',
  ],
  [
    "passes 0 as timeoutMs",
    () => chat({ timeoutMs: 0 }),
    '"timeoutMs" must be an integer from 1 to 2147483647, got 0',
  ],
  [
    "uses the wrong key",
    () => callChat({ apiKey: "k" }, 401),
    `${MODEL_FAILED}: HTTP 401: nope; check "apiKey" for model "gpt-5" at 127.0.0.1:9`,
  ],
  [
    "uses the wrong model",
    () => callChat({}, 404),
    `${MODEL_FAILED}: HTTP 404: nope; check "model" and "baseUrl" for model "gpt-5" at 127.0.0.1:9`,
  ],
  [
    "passes the name of a model to the AI SDK adapter",
    () => fromAiSdk(wrong("openai/gpt-5")),
    '"model" must be a model of the AI SDK, got "openai/gpt-5"; call a provider package, for example openai("gpt-5") of @ai-sdk/openai',
  ],
  [
    "passes another model to the AI SDK adapter",
    () => fromAiSdk(wrong(model)),
    '"model.specificationVersion" must be one of v2, v3, v4, got undefined',
  ],
  [
    "uses a script that is too short",
    async () => (await agent({ model: scriptedModel([]) })).run("x"),
    `${MODEL_FAILED}: no turn for model call 1; turns in the script: 0`,
  ],
  [
    "returns a string from a custom model",
    async () =>
      (await agent({ model: { modelId: "m", generate: () => wrong(Promise.resolve("hi")) } })).run(
        "x",
      ),
    `${MODEL_FAILED}: malformed response: "message" must be an object`,
  ],
  // Sub-agents
  [
    "creates a sub-agent without a parent",
    () => createSubAgent(wrong(), { name: "b", model }),
    '"parent" must be a ToolLoopAgent, got undefined',
  ],
  [
    "creates a sub-agent without a configuration",
    async () => createSubAgent(await agent(), wrong()),
    '"config" must be an object, got undefined',
  ],
  [
    "grants an unknown tool",
    async () => createSubAgent(await agent(), { name: "b", model, allowedTools: ["x"] }),
    'Cannot delegate from "a": tool "x" is not granted by the parent; available tools: none',
  ],
  [
    "grants a name",
    async () => createSubAgent(await agent(), { name: "b", model, allowedTools: wrong("x") }),
    '"allowedTools" must be an array of strings, got "x"',
  ],
  [
    "passes a copy of the context",
    async () =>
      await runSubAgentTask(await agent(), { name: "b", model }, "x", { context: wrong({}) }),
    'Cannot delegate from "a": "context" must be the context that the tool received',
  ],
  // Workflows
  [
    "omits the id of a workflow",
    () => new SequentialWorkflow("", []),
    '"workflowId" must be a non-empty string, got ""',
  ],
  [
    "passes one agent without an array",
    async () => new SequentialWorkflow("w", wrong(await agent())),
    '"agents" must be an array, got an instance of ToolLoopAgent',
  ],
  [
    "passes an undefined agent",
    () => new SequentialWorkflow("w", wrong([undefined])),
    '"agents[0]" must be a ToolLoopAgent, got undefined',
  ],
  [
    "runs a workflow with terminated agents",
    async () => new SequentialWorkflow("w", [await terminated()]).run("x"),
    'Cannot finish workflow "w": step 0: agent "a": Cannot run: expected agent state "ready", got "terminated"; create a new agent',
  ],
  [
    "runs a workflow without a message",
    async () => new SequentialWorkflow("w", [await agent()]).run(wrong()),
    '"message" must be a string or a non-empty array of parts, got undefined',
  ],
  ["runs an agent twice in parallel", async () => {
    const same = await agent();
    return new ParallelWorkflow("w", [same, same]);
  }, 'Cannot finish workflow "w": step 1: "agents" must not contain the same agent twice'],
  [
    "misspells the behavior of a workflow",
    () => new ParallelWorkflow("w", [], { onFailure: wrong("ignore") }),
    '"onFailure" must be "throw" or "collect", got "ignore"',
  ],
  [
    "omits the router",
    () => new RouterWorkflow("w", [], wrong()),
    '"router" must be a function, got undefined',
  ],
  [
    "returns a name from the router",
    async () => new RouterWorkflow("w", [await agent()], () => wrong("a")).run("x"),
    'Cannot run workflow "w": the router must return an index from 0 to 0, got "a"',
  ],
  // Channels, journals and telemetry
  [
    "creates a channel without capacity",
    () => new AgentChannel(0),
    'Cannot use the channel: "capacity" must be a positive integer, got 0',
  ],
  [
    "sends nothing",
    () => new AgentChannel().send(wrong()),
    '"message" must be an object, got undefined',
  ],
  ["sends to a full channel", () => {
    const full = new AgentChannel(1);
    full.send(message);
    full.send(message);
  }, "Cannot use the channel: channel is full (capacity 1)"],
  ["sends to a closed channel", () => {
    const closed = new AgentChannel();
    closed.close();
    closed.send(message);
  }, "Cannot use the channel: channel is closed"],
  [
    "creates a message without a recipient",
    () => createAgentMessage("did:example:a", wrong(), "hi"),
    '"recipientDid" must be a non-empty string, got undefined',
  ],
  [
    "creates a message of an unknown type",
    () => createTypedMessage("did:example:a", "did:example:b", "hi", wrong("ping")),
    'Cannot use the channel: unknown message type "ping"',
  ],
  [
    "records without a journal",
    () => recordSteps(wrong()),
    '"journal" must be a Journal, got undefined',
  ],
  [
    "passes the path of a journal as the store",
    () => JsonlJournal.open(wrong("file.jsonl")),
    '"store" must be a JournalStore, got "file.jsonl"',
  ],
  [
    "reads a journal that is not a string",
    () => MemoryJournal.fromText(wrong(5)),
    '"text" must be a string, got 5',
  ],
  [
    "creates telemetry without options",
    () => telemetry(wrong()),
    '"options" must be an object, got undefined',
  ],
  [
    "creates telemetry without a tracer",
    () => telemetry(wrong({})),
    '"tracer" must be a Tracer, got undefined',
  ],
  [
    "passes a context without with() to telemetry",
    () =>
      telemetry(wrong({
        tracer: { startSpan: () => {} },
        trace: { setSpan: () => {} },
        context: { active: () => {} },
      })),
    '"context" must be "context" of @opentelemetry/api, got an object',
  ],
  [
    "passes an around that is not a function",
    () =>
      runToolLoop(
        wrong({ model: scriptedModel([]), registry: new ToolRegistry(), around: 5 }),
        "go",
      ),
    '"around" must be a function, got 5',
  ],
];

for (const [mistake, call, expected] of MISTAKES) {
  Deno.test(`the error message explains the mistake if a user ${mistake}`, async () => {
    let error: unknown;
    try {
      await call();
    } catch (thrown) {
      error = thrown;
    }
    assertInstanceOf(error, Error);
    assertEquals(error.message, expected);
  });
}
