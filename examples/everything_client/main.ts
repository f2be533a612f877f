/**
 * A client that does everything: the official referee starts it with the address of a server, and says through the
 * environment which part of the protocol it is to show.
 *
 *     deno run --allow-net --allow-env examples/everything_client/main.ts http://127.0.0.1:3000/mcp
 *
 * Without a scenario it connects, lists what the server offers and prints it.
 *
 * @module
 */
import { type InputHandlers, McpClient, type McpToolDescriptor } from "@parley/mcp";
import { authFor } from "./auth.ts";

/** What the referee says beside the address. */
interface Assignment {
  /** Which scenario, such as `tools_call`. */
  readonly scenario: string;
  /** The version that is to be spoken, when there is only one. */
  readonly protocol: string;
  /** Facts for the scenario, such as which tools to call. */
  readonly context: Readonly<Record<string, unknown>>;
}

type Play = (client: McpClient, assignment: Assignment) => Promise<void>;

/** What each scenario wants beside connecting and listing the tools. */
const PLAYS: Readonly<Record<string, Play>> = {
  tools_call: (client) => call(client, "add_numbers", { a: 5, b: 3 }),
  "elicitation-sep1034-client-defaults": (client) =>
    call(client, "test_client_elicitation_defaults"),
  "sse-retry": (client) => call(client, "test_reconnection"),
  "json-schema-2020-12-preservation": echoSchema,
  "http-standard-headers": useFirstOfEach,
  "http-custom-headers": callAsToldIn("toolCalls"),
  "http-invalid-tool-headers": callEveryTool,
  "sep-2322-client-request-state": async (client) => {
    await call(client, "test_mrtr_echo_state");
    await call(client, "test_mrtr_unrelated");
    await call(client, "test_mrtr_no_state");
    await call(client, "test_mrtr_no_result_type");
  },
};

/** A user who says yes to everything, and a model with one sentence. */
const HANDLERS: InputHandlers = {
  elicit: ({ mode, message }) => {
    // Whoever only says yes leaves every blank to the defaults of the form.
    const isConfirmation = mode !== "url" && /confirm/i.test(message);
    return { action: "accept", content: isConfirmation ? { confirmed: true } : {} };
  },
  createMessage: () => ({
    role: "assistant",
    model: "one-sentence",
    content: { type: "text", text: "I have only one thing to say" },
  }),
  listRoots: () => [{ uri: "file:///project", name: "project" }],
};

async function main(): Promise<void> {
  const url = Deno.args.at(-1);
  if (url === undefined || !URL.canParse(url)) {
    console.error("Usage: main.ts ADDRESS");
    Deno.exit(2);
  }
  const assignment = readAssignment();
  const auth = await authFor(assignment.scenario, assignment.context);
  const client = new McpClient({
    transport: { type: "http", url },
    ...(auth === undefined ? {} : { auth }),
    protocol: assignment.protocol,
    clientInfo: { name: "parley-everything-client", version: "0.1.0" },
    handlers: HANDLERS,
  });
  await client.connect();
  try {
    const tools = await client.listTools();
    const play = auth === undefined ? PLAYS[assignment.scenario] : useTestTool;
    if (play !== undefined) await play(client, assignment);
    else print({ server: client.server, tools: tools.map(({ name }) => name) });
  } finally {
    await client.disconnect();
  }
}

function readAssignment(): Assignment {
  const context: unknown = JSON.parse(Deno.env.get("MCP_CONFORMANCE_CONTEXT") ?? "{}");
  return {
    scenario: Deno.env.get("MCP_CONFORMANCE_SCENARIO") ?? "",
    protocol: Deno.env.get("MCP_CONFORMANCE_PROTOCOL_VERSION") ?? "auto",
    context: isObject(context) ? context : {},
  };
}

/** What stands behind the login. */
async function useTestTool(client: McpClient): Promise<void> {
  await call(client, "test-tool");
}

async function call(
  client: McpClient,
  name: string,
  args: Readonly<Record<string, unknown>> = {},
): Promise<void> {
  print({ tool: name, result: await client.callTool(name, args) });
}

/** Sends the schema of one tool to another, as it came. */
async function echoSchema(client: McpClient): Promise<void> {
  const tools = await client.listTools();
  const tool = tools.find(({ name }) => name === "json_schema_2020_12_tool");
  await call(client, "json_schema_echo", { schema: tool?.inputSchema });
}

async function useFirstOfEach(client: McpClient): Promise<void> {
  const [tool] = await client.listTools();
  if (tool !== undefined) await call(client, tool.name, sampleArguments(tool));
  const [resource] = await client.listResources();
  if (resource !== undefined) print({ resource: await client.getResource(resource.uri) });
  const [prompt] = await client.listPrompts();
  if (prompt !== undefined) print({ prompt: await client.getPrompt(prompt.name) });
}

/** Calls the tools that the context lists, with the arguments that it gives. */
function callAsToldIn(key: string): Play {
  return async (client, { context }) => {
    const calls = context[key];
    for (const told of Array.isArray(calls) ? calls : []) {
      if (!isObject(told) || typeof told.name !== "string") continue;
      await call(client, told.name, isObject(told.arguments) ? told.arguments : {});
    }
  };
}

async function callEveryTool(client: McpClient): Promise<void> {
  for (const tool of await client.listTools()) {
    await call(client, tool.name, sampleArguments(tool));
  }
}

/** Some value for each argument that a tool declares. */
function sampleArguments({ inputSchema }: McpToolDescriptor): Readonly<Record<string, unknown>> {
  const properties = isObject(inputSchema.properties) ? inputSchema.properties : {};
  return Object.fromEntries(
    Object.entries(properties).map(([name, schema]) => [name, sampleOf(schema)]),
  );
}

function sampleOf(schema: unknown): unknown {
  switch (isObject(schema) ? schema.type : undefined) {
    case "integer":
    case "number":
      return 1;
    case "boolean":
      return true;
    case "array":
      return [];
    case "object":
      return {};
    default:
      return "sample";
  }
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function print(value: unknown): void {
  console.log(JSON.stringify(value));
}

if (import.meta.main) await main();
