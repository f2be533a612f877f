/**
 * Checks the features of an MCP server that depend on the HTTP server in front of it.
 *
 * @module
 */

import { assertEquals, assertRejects } from "@std/assert";
import { HttpTransport, McpClient, McpError } from "@parley/mcp/client";
import type { CallToolResult } from "@parley/mcp/protocol";
import { type Check, within } from "../check.ts";

/**
 * Checks an endpoint that serves the server in `programs/server.ts`, with a modern and a legacy
 * client.
 */
export async function checkEndpoint(url: string, check: Check): Promise<void> {
  let aborted = 0;
  for (const era of ["modern", "legacy"] as const) {
    const client = new McpClient({
      transport: new HttpTransport(url),
      protocol: era,
      handlers: { elicit: () => ({ action: "accept", content: { name: "Ada" } }) },
    });
    try {
      await within(20_000, "connection", client.connect());
      await check(`${era}, tools/call`, async () => {
        assertEquals(textOf(await client.callTool("add", { a: 1, b: 2 })), "3");
      });
      aborted++;
      const expected = `${aborted}`;
      await check(`${era}, progress and abort`, () => assertAborts(client, expected));
      await check(`${era}, input request`, async () => {
        assertEquals(textOf(await client.callTool("greet", {})), "Hello, Ada");
      });
      await check(`${era}, notification of a changed tool list`, () => assertNotifies(client));
    } finally {
      await check(`${era}, disconnects`, () => client.disconnect());
    }
  }
}

/**
 * Checks an endpoint that serves the server in `api_keys/server.ts`: a call with a valid key, a
 * call whose key lacks a scope, and a connection without a key.
 */
export async function checkApiKeys(url: string, check: Check): Promise<void> {
  const purge = async (headers: Readonly<Record<string, string>>): Promise<string | undefined> => {
    await using client = new McpClient({ transport: new HttpTransport(url, { headers }) });
    await within(20_000, "connection", client.connect());
    return textOf(await client.callTool("purge", {}));
  };
  const statusOf = async (headers: Readonly<Record<string, string>>): Promise<unknown> => {
    const error = await assertRejects(() => purge(headers), McpError);
    return [error.code, error.httpStatus];
  };
  await check("call with a valid key", async () => {
    assertEquals(await purge({ "x-api-key": "key-of-ann" }), "purged by ann");
  });
  await check("call with a key that lacks a scope", async () => {
    assertEquals(await statusOf({ "x-api-key": "key-of-bob" }), ["auth_error", 403]);
  });
  await check("connection without a key", async () => {
    assertEquals(await statusOf({}), ["auth_error", 401]);
  });
}

/**
 * Asserts that progress notifications arrive while a call is in progress, and that the server is
 * notified when the call is aborted.
 */
async function assertAborts(client: McpClient, expected: string): Promise<void> {
  const controller = new AbortController();
  const reason = new Error("The user cancelled the call");
  const received: unknown[] = [];
  const outcome = await client.callTool("wait", {}, {
    signal: controller.signal,
    onProgress: (update) => {
      received.push(update);
      controller.abort(reason);
    },
  }).catch((error) => error);
  assertEquals([outcome, received], [reason, [{ progress: 1, total: 2, message: "Waiting" }]]);
  while (textOf(await client.callTool("aborted", {})) !== expected);
}

async function assertNotifies(client: McpClient): Promise<void> {
  const lists = client.watchTools()[Symbol.asyncIterator]();
  const { value: before } = await lists.next();
  await client.callTool("learn", {});
  const { value: after } = await lists.next();
  await lists.return?.();
  const isLearned = ({ name }: { readonly name: string }): boolean => name === "learned";
  assertEquals([Array.isArray(before), after?.some(isLearned)], [true, true]);
}

function textOf({ content }: CallToolResult): string | undefined {
  const [block] = content;
  return block?.type === "text" ? block.text : undefined;
}
