/** Tests attacks by a server process that writes endless output without responses. */

import { assert, assertEquals, assertRejects } from "@std/assert";
import { McpClient, McpError } from "../client.ts";
import { spawnServer, type SpawnServerOptions } from "../process.ts";

const PROGRAM = new URL("../testdata/junk_server.ts", import.meta.url).pathname;

/**
 * Maximum time that the event loop may be blocked, in milliseconds. Without the limit on
 * consecutive lines that are not messages, the event loop would be blocked for 15 seconds.
 */
const MAX_PAUSE_MS = 5000;

/** Timeout for the attempt to connect, in milliseconds. */
const CONNECT_MS = 1500;

function client(what: string, options: SpawnServerOptions = {}): McpClient {
  const args = ["run", "--quiet", "--no-check", PROGRAM, what];
  const transport = spawnServer("deno", args, { graceMs: 100, ...options });
  return new McpClient({
    transport,
    protocol: "legacy",
    connectTimeoutMs: CONNECT_MS,
    onError: () => {},
  });
}

/**
 * Connects to a program that never responds. Returns the error, and the longest time during which
 * no timer fired.
 */
async function attack(what: string, options?: SpawnServerOptions) {
  let last = performance.now();
  let pause = 0;
  const timer = setInterval(() => {
    pause = Math.max(pause, performance.now() - last);
    last = performance.now();
  }, 5);
  const victim = client(what, options);
  try {
    const error = await assertRejects(() => victim.connect(), McpError);
    pause = Math.max(pause, performance.now() - last);
    return { error, pause };
  } finally {
    clearInterval(timer);
    await victim.disconnect();
  }
}

Deno.test("endless junk lines end the connection after maxJunkLines lines", async () => {
  const { error, pause } = await attack("junk");
  assertEquals(error.code, "connection_failed");
  const reason = 'more than 1000 consecutive lines are not JSON-RPC messages, the last one: "x"';
  assert(error.message.includes(reason), error.message);
  assert(pause < MAX_PAUSE_MS, `no timer for ${pause} ms`);
});

for (const what of ["junk", "blank", "pings", "notifications", "invalid", "mixed"]) {
  Deno.test(`timers fire while a process writes endless lines (${what})`, async () => {
    const { error, pause } = await attack(what, { maxJunkLines: Number.MAX_SAFE_INTEGER });
    assert(error.message.includes(`timed out after ${CONNECT_MS} ms`), error.message);
    assert(pause < MAX_PAUSE_MS, `no timer for ${pause} ms`);
  });
}

Deno.test("the connection error shows the first lines of a program that is not an MCP server", async () => {
  const { error } = await attack("banner");
  assert(
    error.message.endsWith(
      `"initialize" timed out after ${CONNECT_MS} ms ("connectTimeoutMs"); expected JSON-RPC ` +
        'messages, got the lines "Listening on port 3000"; standard error: "warning: no configuration"',
    ),
    error.message,
  );
});
