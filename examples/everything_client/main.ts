/**
 * A client for every scenario in the official conformance suite. The suite passes a server URL as
 * the last argument and the scenario in environment variables.
 *
 *     deno run --allow-net --allow-env examples/everything_client/main.ts http://127.0.0.1:3000/mcp
 *
 * Without a scenario, the client connects and prints the names of the tools.
 *
 * @module
 */
import { type InputHandlers, McpClient, McpError, type McpToolDescriptor } from "@parley/mcp";
import { clientSkills } from "@parley/mcp/skills";
import { authFor } from "./auth.ts";

/** Environment variables that the conformance suite sets. */
interface Assignment {
  /** Name of the scenario, such as `tools_call`. */
  readonly scenario: string;
  /** Required protocol version, or `auto`. */
  readonly protocol: typeof PROTOCOLS[number];
  /** Context of the scenario, such as the tools to call. */
  readonly context: Readonly<Record<string, unknown>>;
}

/** Protocol versions that the conformance suite may require. */
const PROTOCOLS = [
  "auto",
  "2026-07-28",
  "2025-11-25",
  "2025-06-18",
  "2025-03-26",
  "2024-11-05",
] as const;

type Steps = (client: McpClient, assignment: Assignment) => Promise<void>;

/** For each scenario, the steps after the client has connected and listed the tools. */
const STEPS: Readonly<Record<string, Steps>> = {
  tools_call: (client) => call(client, "add_numbers", { a: 5, b: 3 }),
  "elicitation-sep1034-client-defaults": (client) =>
    call(client, "test_client_elicitation_defaults"),
  "sse-retry": (client) => call(client, "test_reconnection"),
  "json-schema-2020-12-preservation": echoSchema,
  "http-standard-headers": useFirstOfEach,
  "http-custom-headers": callListedTools("toolCalls"),
  "http-invalid-tool-headers": callEveryTool,
  "sep-2322-client-request-state": async (client) => {
    await call(client, "test_mrtr_echo_state");
    await call(client, "test_mrtr_unrelated");
    await call(client, "test_mrtr_no_state");
    await call(client, "test_mrtr_no_result_type");
  },
  "sep-2640-client-no-prefetch": async (client) => {
    print({ skills: await clientSkills(client).list() });
  },
  "sep-2640-client-verify-digest": readSkills,
  "sep-2640-client-verify-size": readSkills,
  "sep-2640-client-verify-frontmatter": readSkills,
};

/**
 * Handlers for a user who accepts every request and a model that always returns the same response.
 */
const HANDLERS: InputHandlers = {
  elicit: ({ message }) => {
    // An empty response keeps the form's default value for every field.
    const isConfirmation = /confirm/i.test(message);
    return { action: "accept", content: isConfirmation ? { confirmed: true } : {} };
  },
  elicitUrl: () => ({ action: "accept" }),
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
    console.error("Usage: main.ts URL");
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
    const steps = auth === undefined ? STEPS[assignment.scenario] : useTestTool;
    if (steps !== undefined) await steps(client, assignment);
    else print({ server: client.server, tools: tools.map(({ name }) => name) });
  } finally {
    await client.disconnect();
  }
}

function readAssignment(): Assignment {
  const context: unknown = JSON.parse(Deno.env.get("MCP_CONFORMANCE_CONTEXT") ?? "{}");
  return {
    scenario: Deno.env.get("MCP_CONFORMANCE_SCENARIO") ?? "",
    protocol: readProtocol(Deno.env.get("MCP_CONFORMANCE_PROTOCOL_VERSION") ?? "auto"),
    context: isObject(context) ? context : {},
  };
}

function readProtocol(text: string): Assignment["protocol"] {
  const protocol = PROTOCOLS.find((each) => each === text);
  if (protocol === undefined) throw new TypeError(`"${text}" is not a known protocol version`);
  return protocol;
}

/** Calls the tool that requires authorization. */
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

/** Sends the input schema of one tool to another tool, unchanged. */
async function echoSchema(client: McpClient): Promise<void> {
  const tools = await client.listTools();
  const tool = tools.find(({ name }) => name === "json_schema_2020_12_tool");
  await call(client, "json_schema_echo", { schema: tool?.inputSchema });
}

/**
 * Reads all files of each skill. Stops reading a skill at the first file that cannot be verified.
 */
async function readSkills(client: McpClient): Promise<void> {
  const skills = clientSkills(client);
  for (const skill of await skills.list()) {
    try {
      print(await skills.read(skill));
      const folder = skill.uri.slice(0, -"SKILL.md".length);
      const files = skill.resources === "dynamic" ? [] : skill.resources;
      for (const { uri } of files) print(await skills.read(skill, uri.slice(folder.length)));
    } catch (error) {
      if (!(error instanceof McpError)) throw error;
      print({ skill: skill.uri, refused: error.message });
    }
  }
}

async function useFirstOfEach(client: McpClient): Promise<void> {
  const [tool] = await client.listTools();
  if (tool !== undefined) await call(client, tool.name, sampleArguments(tool));
  const [resource] = await client.listResources();
  if (resource !== undefined) print({ resource: await client.getResource(resource.uri) });
  const [prompt] = await client.listPrompts();
  if (prompt !== undefined) print({ prompt: await client.getPrompt(prompt.name) });
}

/** Calls the tools listed in the context, with the listed arguments. */
function callListedTools(key: string): Steps {
  return async (client, { context }) => {
    const calls = context[key];
    for (const listed of Array.isArray(calls) ? calls : []) {
      if (!isObject(listed) || typeof listed.name !== "string") continue;
      await call(client, listed.name, isObject(listed.arguments) ? listed.arguments : {});
    }
  };
}

async function callEveryTool(client: McpClient): Promise<void> {
  for (const tool of await client.listTools()) {
    await call(client, tool.name, sampleArguments(tool));
  }
}

/** Returns a sample value for each argument of a tool. */
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
