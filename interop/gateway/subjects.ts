/**
 * Checks clients that connect through the `@parley/mcp` gateway to third-party servers and our own,
 * all running as child processes.
 *
 * @module
 */

import { tmpdir } from "node:os";
import { join } from "node:path";
import { assert, assertEquals } from "@std/assert";
import { McpClient } from "@parley/mcp/client";
import { type Gateway, mcpGateway } from "@parley/mcp/gateway";
import { spawnServer } from "@parley/mcp/process";
import { mcpHandler } from "@parley/mcp/server";
import { type Check, type Subject, within } from "../check.ts";
import { checkFeatures } from "../clients/features.ts";
import { type ClientKind, KINDS } from "../clients/subjects.ts";
import { processTree, waitUntilGone } from "../processes.ts";
import { assertMcpError, createClient, denoRun, textOf } from "../servers/server.ts";

const EVERYTHING = "npm:@modelcontextprotocol/server-everything@2026.8.31";
const FILESYSTEM = "npm:@modelcontextprotocol/server-filesystem@2026.8.31";
const OWN = new URL("../server.ts", import.meta.url).pathname;

/** Checks for every third-party client and for ours in both eras, through the gateway. */
export const GATEWAY: readonly Subject[] = [
  ...KINDS.filter(({ name }) => !name.startsWith("@openai")).map(thirdParty),
  ours("modern"),
  ours("legacy"),
];

/** A gateway over HTTP, and the servers behind it. */
interface OpenGateway {
  readonly gateway: Gateway;
  readonly url: string;
  readonly folder: string;
  /** Returns the process id of the server-everything process. */
  readonly everything: () => number | undefined;
  close(): Promise<void>;
}

/**
 * Opens a gateway in front of server-everything and server-filesystem (2025-11-25) and our server
 * (2026-07-28), whose items keep their names.
 */
async function openGateway(): Promise<OpenGateway> {
  const folder = await Deno.makeTempDir({ dir: tmpdir(), prefix: "parley-interop-gateway-" });
  const spawn = (...program: string[]) =>
    spawnServer("deno", denoRun(...program), { graceMs: 500 });
  const everything = spawn(EVERYTHING, "stdio");
  const capabilities = { elicitation: {}, sampling: {} };
  const gateway = await mcpGateway({
    name: "parley-interop",
    version: "1.0.0",
    pageSize: 5,
    upstreams: {
      own: { client: new McpClient({ transport: spawn(OWN), protocol: "modern" }), prefix: "" },
      everything: { client: new McpClient({ transport: everything, capabilities }) },
      files: { client: new McpClient({ transport: spawn(FILESYSTEM, folder) }) },
    },
    onError: () => {},
  });
  const handler = mcpHandler(gateway.server);
  const options = { hostname: "127.0.0.1", port: 0, onListen: () => {} };
  const http = Deno.serve(options, (request) => handler(request));
  return {
    gateway,
    url: `http://127.0.0.1:${http.addr.port}/mcp`,
    folder,
    everything: () => everything.pid,
    close: async () => {
      await handler.close();
      await gateway.close();
      await http.shutdown();
      await Deno.remove(folder, { recursive: true });
    },
  };
}

async function withGateway(
  check: Check,
  run: (opened: OpenGateway) => Promise<void>,
): Promise<void> {
  const opened = await within(60_000, "start of the gateway", openGateway());
  const tree = await processTree(opened.everything() ?? 0);
  try {
    await run(opened);
  } finally {
    await check("the gateway terminates its servers", async () => {
      await opened.close();
      await waitUntilGone(tree);
    });
  }
}

function thirdParty({ name, version, connect }: ClientKind): Subject {
  return {
    name: `${name} > our gateway`,
    run: (check) =>
      withGateway(check, async ({ url, folder }) => {
        const client = await within(10_000, "connection", connect({ url }));
        await check("connects", () => assertEquals(client.version, version));
        const { listResources, listTemplates, listPrompts, ...relayed } = client;
        await checkFeatures(relayed, check);
        await check("lists of all servers", async () => {
          const tools = await client.listTools();
          for (const tool of ["add", "everything_echo", "files_read_text_file"]) {
            assert(tools.includes(tool), tool);
          }
          const uris = await listResources?.();
          assert(uris === undefined || uris.includes("note://welcome") && uris.length === 9);
          const templates = await listTemplates?.();
          assert(templates === undefined || templates.length === 3);
          const prompts = await listPrompts?.();
          assert(prompts === undefined || prompts.includes("greet") && prompts.length === 5);
        });
        await check("calls of legacy servers", async () => {
          const { content } = await client.callTool("everything_echo", { message: "hi" });
          assertEquals(content, [{ type: "text", text: "Echo: hi" }]);
          const path = join(folder, "note.txt");
          await client.callTool("files_write_file", { path, content: "Zoë 🦜" });
          assertEquals(await Deno.readTextFile(path), "Zoë 🦜");
        });
        await check("closes", () => client.close());
      }),
  };
}

function ours(protocol: "modern" | "legacy"): Subject {
  return {
    name: `our client, ${protocol} > our gateway`,
    run: (check) =>
      withGateway(check, async ({ url, everything }) => {
        const client = createClient("file:///home/ada", {
          transport: { type: "http", url },
          protocol,
        });
        await check("connects", () => client.connect());
        await checkOwn(client, check);
        await check("an input request of a legacy server", async () => {
          const text = await textOf(client.callTool("everything_trigger-elicitation-request", {}));
          const expected = protocol === "legacy" ? "User provided" : "The gateway cannot forward";
          assert(text.includes(expected), text);
        });
        await check("a server that is killed during a call is restarted", async () => {
          const begun = Promise.withResolvers<unknown>();
          const slow = { duration: 30, steps: 300 };
          const call = client.callTool("everything_trigger-long-running-operation", slow, {
            onProgress: begun.resolve,
          });
          const rejected = assertMcpError(call, "protocol_error", -32603);
          await begun.promise;
          Deno.kill(everything() ?? 0, "SIGKILL");
          await rejected;
          assertEquals(await textOf(client.callTool("echo", { text: "on" })), "on");
          assertEquals(
            await textOf(client.callTool("everything_echo", { message: "x" })),
            "Echo: x",
          );
        }, 30_000);
        await check("disconnects", () => client.disconnect());
      }),
  };
}

async function checkOwn(client: McpClient, check: Check): Promise<void> {
  await check("tools", async () => {
    const tools = await client.listTools();
    assertEquals(tools.filter(({ name }) => name.startsWith("files_")).length, 14);
    const types = (await client.callTool("everything_get-tiny-image", {})).content;
    assertEquals(types.map(({ type }) => type), ["text", "image", "text"]);
    const numbers = Array.from({ length: 30 }, (_, index) => index);
    const sums = await Promise.all(
      numbers.map((a) => textOf(client.callTool("everything_get-sum", { a, b: 1 }))),
    );
    assertEquals(sums, numbers.map((a) => `The sum of ${a} and 1 is ${a + 1}.`));
  });
  await check("progress", async () => {
    const updates: number[] = [];
    await client.callTool(
      "everything_trigger-long-running-operation",
      { duration: 0.15, steps: 3 },
      { onProgress: ({ progress }) => updates.push(progress) },
    );
    assertEquals(updates, [1, 2, 3]);
  });
  await check("resources, prompts and completions", async () => {
    const uri = "demo://resource/dynamic/text/1";
    const [text] = (await client.getResource(uri)).contents;
    assert(text?.text?.includes("Resource 1"));
    const { messages } = await client.getPrompt("everything_args-prompt", { city: "Oslo" });
    assert(JSON.stringify(messages).includes("Oslo"));
    const ref = { type: "ref/prompt", name: "everything_completable-prompt" } as const;
    const argument = { name: "department", value: "E" };
    assertEquals((await client.complete({ ref, argument })).values, ["Engineering"]);
    await assertMcpError(client.getResource("demo://nowhere"), "protocol_error", -32602);
  });
  await check("input requests of a modern server", async () => {
    assertEquals(await textOf(client.callTool("ask_user", {})), "accept: Ada");
    assertEquals(await textOf(client.callTool("ask_model", {})), "Something");
    assertEquals(await textOf(client.callTool("ask_roots", {})), "file:///home/ada");
  });
  await check("a changed list of tools", async () => {
    for await (const tools of client.watchTools()) {
      if (tools.some(({ name }) => name === "grown_1")) break;
      await client.callTool("grow", {});
    }
  });
}
