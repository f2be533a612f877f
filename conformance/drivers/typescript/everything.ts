/**
 * An MCP server with all features. Tools, resources and prompts are named as in the official
 * conformance servers.
 *
 * @module
 */

import {
  type HttpContext,
  type HttpHandler,
  jsonSchemaValidator,
  mcpHandler,
  McpServer,
  type SchemaValidator,
} from "@parley/mcp/server";
import { appsExtension } from "@parley/mcp/apps";
import { addContentTools } from "../../../examples/everything_server/content_tools.ts";
import { addInputTools } from "../../../examples/everything_server/input_tools.ts";
import {
  addPrompts,
  addResources,
} from "../../../examples/everything_server/resources_and_prompts.ts";
import { addTaskTools } from "../../../examples/everything_server/task_tools.ts";
import { addApps, loadSkills } from "./everything_extensions.ts";
import { addKitTaskTools, createTasks } from "./everything_tasks.ts";

/**
 * The default validator, except that errors at registration are deferred to the call. Without this
 * deferral, the server could not register the tool whose schema has an external reference, and no
 * case could observe that the tool's input is rejected.
 */
const DEFERRING_VALIDATOR: SchemaValidator = {
  compile(schema) {
    try {
      return jsonSchemaValidator().compile(schema);
    } catch (error) {
      return () => {
        throw error;
      };
    }
  },
};

/** Creates the server. */
export async function createEverythingServer(): Promise<McpServer> {
  const tasks = createTasks();
  const server = new McpServer({
    name: "parley-everything",
    version: "0.1.0",
    instructions: "Test server with every feature of MCP.",
    extensions: [tasks, await loadSkills(), appsExtension],
    validator: DEFERRING_VALIDATOR,
  });
  const parts = [addContentTools, addInputTools, addResources, addPrompts, addKitTools, addApps];
  for (const add of parts) add(server);
  for (const add of [addTaskTools, addKitTaskTools]) add(server, tasks);
  return server;
}

/**
 * Creates the server's HTTP handler, which asks clients to reconnect to interrupted streams after
 * 50 ms.
 */
export async function createEverythingHandler(): Promise<HttpHandler> {
  const sessions = { retryMs: 50, maxSessions: MAX_SESSIONS, maxEvents: MAX_EVENTS };
  return withUsers(mcpHandler(await createEverythingServer(), { sessions }));
}

/** Maximum numbers of sessions and of stored events per stream, low enough for a case to exceed. */
const MAX_SESSIONS = 40;
const MAX_EVENTS = 8;

const NUMBERS = { a: { type: "number" }, b: { type: "number" } };

const REMOTE = {
  type: "object",
  properties: { value: { $ref: "http://127.0.0.1:1/never-fetched.json" } },
};

/** Adds the tools that the cases need in addition to the official ones. */
function addKitTools(server: McpServer): void {
  let cancelled = 0;
  server.registerTool(
    { name: "test_until_cancelled", description: "Works until the call is cancelled" },
    async (_args, { signal }) => {
      await new Promise((resolve) => signal.addEventListener("abort", resolve));
      cancelled++;
    },
  );
  server.registerTool(
    { name: "test_cancelled_calls", description: "Counts the cancelled calls" },
    () => `${cancelled}`,
  );
  server.registerTool({
    name: "add_numbers",
    description: "Adds two numbers",
    inputSchema: { type: "object", properties: NUMBERS, required: ["a", "b"] },
  }, ({ a, b }: { a: number; b: number }) => `${a + b}`);
  server.registerTool({
    name: "test_structured_output",
    description: "Adds two numbers and returns the sum as structured content",
    inputSchema: { type: "object", properties: NUMBERS, required: ["a", "b"] },
    outputSchema: {
      type: "object",
      properties: { sum: { type: "number" } },
      required: ["sum"],
    },
    annotations: { title: "Sum", readOnlyHint: true, idempotentHint: true },
    icons: [{ src: "https://example.com/sum.png", mimeType: "image/png", sizes: ["48x48"] }],
  }, ({ a, b }: { a: number; b: number }) => ({ sum: a + b }));
  server.registerTool(
    { name: "test_resource_link", description: "Returns a link to a resource" },
    () => ({
      content: [{ type: "resource_link", uri: "test://static-text", name: "Static text" }],
    }),
  );
  server.registerTool({
    name: "test_external_ref",
    description: "Has an input schema with a remote reference, which must not be fetched",
    inputSchema: REMOTE,
  }, () => "validated");
  server.registerTool(
    {
      name: "test_trigger_resource_update",
      description: "Sends an update notification for the watched resource",
    },
    () => {
      server.resourceUpdated("test://watched-resource");
      return "updated";
    },
  );
  server.registerTool(
    { name: "test_many_notifications", description: "Sends 300 long progress notifications" },
    async (_args, { progress }) => {
      for (let step = 1; step <= 300; step++) {
        await progress(step, { message: "x".repeat(20_000) });
      }
      return "done";
    },
  );
  server.registerTool(
    { name: "test_end_subscriptions", description: "Ends all subscriptions of the calling client" },
    async () => {
      await server.close();
      return "ended";
    },
  );
}

/**
 * Authenticates the bearer token `kit-ada` as the user `ada`. Requests without the token `kit-ada`
 * are anonymous.
 */
function withUsers(handler: HttpHandler): HttpHandler {
  const handle = (request: Request): Promise<Response> => handler(request, userOf(request));
  const respond: HttpHandler["respond"] = (request) => handler.respond(request, userOf(request));
  return Object.assign(handle, { respond, close: () => handler.close() });
}

function userOf({ headers }: { readonly headers: Pick<Headers, "get"> }): HttpContext {
  const subject = /^Bearer kit-(\w+)$/.exec(headers.get("authorization") ?? "")?.[1];
  return subject === undefined ? {} : { principal: { subject } };
}
