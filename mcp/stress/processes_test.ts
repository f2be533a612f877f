import { assert, assertEquals } from "@std/assert";
import { McpClient, McpError } from "../client.ts";
import { propertyRuns } from "../../tools/testing/property.ts";
import { type SpawnedServer, spawnServer } from "../process.ts";

const SERVER = new URL("testdata/small_server.sh", import.meta.url).pathname;

/** Returns the ids of the processes that are still running. */
async function survivors(pids: readonly number[]): Promise<string> {
  const command = 'for pid; do kill -0 "$pid" 2>/dev/null && echo "$pid"; done; true';
  const { stdout } = await new Deno.Command("sh", {
    args: ["-c", command, "survivors", ...pids.map(String)],
  }).output();
  return new TextDecoder().decode(stdout);
}

/** Starts a server, calls a tool, and stops the server. */
async function useServer(): Promise<number> {
  const transport = spawnServer("sh", [SERVER]);
  const client = new McpClient({ transport });
  await client.connect();
  const { pid } = transport;
  assert(pid !== undefined);
  assertEquals((await client.callTool("t", {})).content, [{ type: "text", text: "ok" }]);
  await client.disconnect();
  assertEquals(transport.exit, { code: 0, signal: null });
  return pid;
}

Deno.test("server processes exit when their client disconnects", async () => {
  // Start 20 processes, or more than 200 in the nightly profile.
  const { numRuns: rounds } = propertyRuns(0.3);
  const pids: number[] = [];
  for (let round = 0; round < rounds; round++) {
    pids.push(...await Promise.all(Array.from({ length: 20 }, useServer)));
  }
  assertEquals(new Set(pids).size, rounds * 20);
  assertEquals(await survivors(pids), "");
});

/** Calls several client operations and returns the outcome of each. */
async function useAll(transport: SpawnedServer): Promise<readonly unknown[]> {
  const client = new McpClient({ transport, protocol: "modern", probeTimeoutMs: 5000 });
  const outcomes = [await settle(client.connect())];
  outcomes.push(await settle(client.listTools()));
  outcomes.push(...await Promise.all([1, 2, 3, 4].map(() => settle(client.callTool("t", {})))));
  outcomes.push(await settle(client.disconnect()));
  return outcomes;
}

/** Returns `ok` if a promise is fulfilled, otherwise the code of the error. */
async function settle(promise: Promise<unknown>): Promise<string> {
  try {
    await promise;
    return "ok";
  } catch (error) {
    assert(error instanceof McpError, `${error}`);
    return error.code;
  }
}

for (let lines = 0; lines <= 7; lines++) {
  Deno.test(`all calls settle if the server exits after ${lines} lines`, async () => {
    const transport = spawnServer("sh", [SERVER, `${lines}`]);
    const outcomes = await useAll(transport);
    // The client sends six requests of one line each: `server/discover`, `tools/list` and four
    // calls.
    assertEquals(outcomes.filter((outcome) => outcome === "ok").length, Math.min(lines, 6) + 1);
    assertEquals(transport.pid, undefined);
  });
}
