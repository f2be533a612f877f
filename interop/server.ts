/**
 * The MCP server for checks of third-party clients. The server has a few tools, resources and
 * prompts, and uses only public exports. If this module is run as a program, the server uses stdio.
 *
 * @module
 */

import { McpServer, type RequestContext, serveStdio } from "@parley/mcp/server";

/** Text of the resource `note://welcome`. */
export const WELCOME = "Welcome.";

/** Creates the server for checks of third-party clients. */
export function createServer(): McpServer {
  const server = new McpServer({
    name: "parley-interop",
    title: "Parley",
    version: "1.0.0",
    instructions: "Offers a few tools, resources and prompts.",
    pageSize: 5,
  });
  addPlainTools(server);
  addLongTools(server);
  addInputTools(server);
  addChangingTools(server);
  addResources(server);
  addPrompts(server);
  return server;
}

function addPlainTools(server: McpServer): void {
  const numbers = { a: { type: "number" }, b: { type: "number" } };
  server.registerTool(
    {
      name: "add",
      description: "Adds two numbers",
      inputSchema: { type: "object", properties: numbers, required: ["a", "b"] },
      outputSchema: { type: "object", properties: { sum: { type: "number" } }, required: ["sum"] },
      annotations: { readOnlyHint: true },
    },
    ({ a, b }: { a: number; b: number }) => ({ sum: a + b }),
  );
  server.registerTool({ name: "fail", description: "Fails" }, () => {
    throw new Error("It went wrong");
  });
  server.registerTool(
    {
      name: "echo",
      description: "Returns the text",
      inputSchema: { type: "object", properties: { text: { type: "string" } }, required: ["text"] },
    },
    ({ text }: { text: string }) => text,
  );
  server.registerTool(
    {
      name: "visit",
      description: "Returns the argument `place`, which is also sent in an HTTP header",
      inputSchema: {
        type: "object",
        properties: { place: { type: "string", "x-mcp-header": "Place" } },
        required: ["place"],
      },
    },
    ({ place }: { place: string }) => place,
  );
}

function addLongTools(server: McpServer): void {
  let [begun, given] = [0, 0];
  server.registerTool(
    { name: "report", description: "Reports progress and logs" },
    async (_args, { progress, log }) => {
      for (const step of [1, 2, 3]) {
        // The delay simulates work. Some clients drop progress notifications that arrive in the
        // same chunk as the result.
        await delay(20);
        await progress(step, { total: 3, message: `Step ${step}` });
        await log("info", { step }, "reporter");
      }
      await delay(20);
      return "reported";
    },
  );
  let confirm = (): void => {};
  server.registerTool(
    {
      name: "report_until_heard",
      description: "Reports progress and waits for a call to the heard tool",
    },
    async (_args, { progress }) => {
      const isHeard = new Promise<void>((resolve) => {
        confirm = resolve;
      });
      for (const step of [1, 2, 3]) await progress(step, { total: 3, message: `Step ${step}` });
      await isHeard;
      return "heard";
    },
  );
  server.registerTool(
    { name: "heard", description: "Confirms that all progress was received" },
    () => {
      confirm();
    },
  );
  server.registerTool(
    { name: "wait", description: "Waits until the call is cancelled" },
    async (_args, { progress, signal }) => {
      begun++;
      await progress(1);
      await aborted(signal);
      given++;
    },
  );
  server.registerTool(
    { name: "waiting", description: "Returns the number of started calls to the wait tool" },
    () => `${begun}`,
  );
  server.registerTool(
    { name: "given_up", description: "Returns the number of cancelled calls to the wait tool" },
    () => `${given}`,
  );
  server.registerTool(
    { name: "leave", description: "Closes the stream before the result is available" },
    async (_args, { closeStream }) => {
      closeStream();
      await delay(50);
      return "welcome back";
    },
  );
}

function delay(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    signal.addEventListener("abort", () => resolve(), { once: true });
  });
}

function addInputTools(server: McpServer): void {
  const add = (name: string, run: (context: RequestContext) => Promise<unknown>): void =>
    server.registerTool(
      { name, description: "Sends an input request" },
      (_args, context) => run(context),
    );

  add("ask_user", async ({ ask }) => {
    const { action, content } = await ask("name", {
      method: "elicitation/create",
      params: {
        message: "Who are you?",
        requestedSchema: {
          type: "object",
          properties: { name: { type: "string" } },
          required: ["name"],
        },
      },
    });
    return `${action}: ${content?.name}`;
  });
  add("ask_model", async ({ ask }) => {
    const { content } = await ask("answer", {
      method: "sampling/createMessage",
      params: {
        messages: [{ role: "user", content: { type: "text", text: "Say something" } }],
        maxTokens: 10,
      },
    });
    return "type" in content && content.type === "text" ? content.text : "no text";
  });
  add("ask_roots", async ({ ask }) => {
    const { roots } = await ask("roots", { method: "roots/list" });
    return roots.map(({ uri }) => uri).join(" ");
  });
}

function addChangingTools(server: McpServer): void {
  let grown = 0;
  server.registerTool({ name: "grow", description: "Registers another tool" }, () => {
    grown++;
    server.registerTool({ name: `grown_${grown}`, description: "Registered later" }, () => "new");
  });
  server.registerTool({ name: "touch", description: "Changes the resource note://welcome" }, () => {
    server.resourceUpdated("note://welcome");
  });
}

function addResources(server: McpServer): void {
  server.registerResource(
    { uri: "note://welcome", name: "Welcome", mimeType: "text/plain" },
    () => WELCOME,
  );
  server.registerResource(
    { uri: "note://bytes", name: "Bytes", mimeType: "application/octet-stream" },
    () => new Uint8Array([1, 2, 3]),
  );
  server.registerResourceTemplate(
    { uriTemplate: "note://{author}/{title}", name: "Notes", mimeType: "text/plain" },
    (_uri, { author, title }) => `${title} by ${author}`,
    {
      complete: {
        author: (value) => ["Ada", "Alan", "Grace"].filter((name) => name.startsWith(value)),
      },
    },
  );
}

function addPrompts(server: McpServer): void {
  server.registerPrompt(
    {
      name: "greet",
      description: "Greets a person",
      arguments: [{ name: "name", required: true }, { name: "tone", required: false }],
    },
    ({ name, tone }) => `Greet ${name}${tone === undefined ? "" : ` in a ${tone} tone`}.`,
    { complete: { tone: (value) => ["warm", "witty"].filter((tone) => tone.startsWith(value)) } },
  );
}

if (import.meta.main) await serveStdio(createServer());
