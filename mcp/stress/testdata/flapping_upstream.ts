/**
 * A gateway in front of 50 servers with 1,000 tools, one of which keeps losing its connection while
 * another server lists the same tools. As a program, prints what {@linkcode flap} returns for 300
 * losses, and the growth in memory usage after the first 50 losses, in bytes, as JSON. The program
 * requires `--v8-flags=--expose-gc`.
 *
 * @module
 */

import type { McpClient } from "../../client.ts";
import { type Gateway, mcpGateway, type Upstream } from "../../gateway.ts";
import { McpServer } from "../../server.ts";
import { breakable, clientOf, connectTo } from "../../testdata/gateway.ts";
import { memoryUsed } from "./memory_used.ts";

const SERVERS = 50;
const TOOLS = 20;

/** What callers of the gateway saw. */
export interface Flaps {
  /** Texts of all results of the tools of the server that lost its connection. */
  readonly texts: readonly string[];
  /** Errors of calls while the server was down. */
  readonly errors: readonly string[];
  /** Numbers of listed tools while the server was down, and while it was up. */
  readonly listed: { readonly down: readonly number[]; readonly up: readonly number[] };
  /** Numbers of omitted tools of the other server. */
  readonly clashes: readonly number[];
  /** Listeners for changes of the server, of the other server and of the gateway. */
  readonly listeners: readonly (readonly number[])[];
}

/** A server whose tools return the name of the server. */
function serverOf(name: string, prefix = ""): McpServer {
  const server = new McpServer({ name, version: "1", pageSize: 100 });
  for (let index = 0; index < TOOLS; index++) {
    server.registerTool({ name: `${prefix}t${index}`, description: "" }, () => name);
  }
  return server;
}

/**
 * Breaks the connection of the first server, and lets the server come back.
 *
 * @param count Number of losses.
 * @param afterEach Called after each loss.
 */
export async function flap(
  count: number,
  afterEach: (index: number) => void | Promise<void> = () => {},
): Promise<Flaps> {
  const [owner, rival] = [serverOf("owner"), serverOf("rival")];
  const line = breakable(owner);
  const upstreams: Record<string, Upstream> = {
    owner: { client: line.client, prefix: "" },
    rival: { client: clientOf(rival), prefix: "" },
  };
  for (let index = 2; index < SERVERS; index++) {
    upstreams[`s${index}`] = { client: clientOf(serverOf(`s${index}`)) };
  }
  await using gateway = await mcpGateway({
    ...{ name: "all", version: "1", pageSize: 1000, debounceMs: 1, onError: () => {} },
    upstreams,
  });
  await using user = await connectTo(gateway.server);
  const seen = createFlaps();
  for (let index = 0; index < count; index++) {
    line.isDown(true);
    await line.break();
    // A change makes the gateway load and claim the tools of the other server again.
    rival.removeTool("t0");
    rival.registerTool({ name: "t0", description: `${index}` }, () => "rival");
    await look(gateway, user, seen);
    line.isDown(false);
    await look(gateway, user, seen, "up");
    seen.listeners.push([owner, rival, gateway.server].map(({ changes }) => changes.size));
    await afterEach(index);
  }
  return seen;
}

/** Lists and calls the tools of the gateway, and adds what a caller sees. */
async function look(
  gateway: Gateway,
  user: McpClient,
  seen: ReturnType<typeof createFlaps>,
  state: "down" | "up" = "down",
): Promise<void> {
  seen.clashes.push((await gateway.refresh()).length);
  seen.listed[state].push((await user.listTools()).length);
  try {
    const { content: [block] } = await user.callTool("t0", {});
    seen.texts.push(block?.type === "text" ? block.text : "");
  } catch (error) {
    seen.errors.push(error instanceof Error ? error.message : String(error));
  }
}

function createFlaps() {
  const numbers = (): number[] => [];
  const texts: string[] = [];
  const errors: string[] = [];
  const listeners: number[][] = [];
  return {
    texts,
    errors,
    listed: { down: numbers(), up: numbers() },
    clashes: numbers(),
    listeners,
  };
}

if (import.meta.main) {
  let [before, after] = [0, 0];
  const flaps = await flap(300, async (index) => {
    if (index === 49) before = await memoryUsed();
    if (index === 299) after = await memoryUsed();
  });
  console.log(JSON.stringify({ ...flaps, grown: after - before }));
}
