/**
 * A program that sends thousands of malformed frames to a server or client, over the transport
 * given as an argument. The program measures twice how much the memory usage grows, and prints the
 * smaller growth, in bytes: a leak grows in both. The first rounds serve as a warm-up. Requires
 * `--v8-flags=--expose-gc`.
 *
 * @module
 */

import fc from "fast-check";
import { mcpHandler } from "../../server.ts";
import { clientFrame, cut } from "./frames.ts";
import { memoryUsed } from "./memory_used.ts";
import { ODD_SERVERS, oddAnswer, type OddServer, outcome } from "./odd_server.ts";
import { ServedLine } from "./served_line.ts";
import { everythingServer } from "./subject.ts";

/** Number of frames per round. */
const FRAMES = 1000;

/** A server or client under test. */
interface Subject {
  readonly round: () => Promise<void>;
  readonly close: () => Promise<void>;
}

const SUBJECTS: ReadonlyMap<string, () => Promise<Subject>> = new Map([
  ["a server over HTTP", () => Promise.resolve(serverOverHttp())],
  ["a server on a pipe", () => Promise.resolve(serverOnPipe())],
  ...[...ODD_SERVERS].map(([way, connect]) =>
    [`a client (${way})`, async () => clientOf(await connect())] as const
  ),
]);

function serverOverHttp(): Subject {
  const frames = fc.sample(clientFrame, { numRuns: FRAMES, seed: 7 });
  // Some frames open sessions. A low `maxSessions` keeps the number of sessions constant.
  const handler = mcpHandler(everythingServer(), { sessions: { maxSessions: 10 } });
  const send = async (
    body: string | Uint8Array<ArrayBuffer>,
    session = "",
  ): Promise<Response> => {
    const headers = {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      ...(session && { "mcp-session-id": session }),
    };
    const init = { method: "POST", headers, body };
    const response = await handler(new Request("http://localhost/mcp", init));
    await response.text();
    return response;
  };
  const clientInfo = { name: "m", version: "1" };
  const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo };
  const initialize = JSON.stringify({ jsonrpc: "2.0", id: 0, method: "initialize", params });
  /**
   * Opens a session, sends malformed frames in that session without ending it, and sends the same
   * number of frames without a session.
   */
  const round = async (): Promise<void> => {
    const session = (await send(initialize)).headers.get("mcp-session-id") ?? "";
    for (const frame of frames) await send(frame, session);
    for (const frame of frames) await send(frame);
  };
  return { round, close: () => handler.close() };
}

/** Creates a server over a pipe. All rounds of frames use the same connection. */
function serverOnPipe(): Subject {
  const frames = fc.sample(clientFrame.chain(cut), { numRuns: FRAMES, seed: 7 });
  let hear = (_id: unknown): void => {};
  const line = new ServedLine(({ id }) => hear(id));
  const last = { bytes: new TextEncoder().encode(LAST), at: [] };
  const round = async (): Promise<void> => {
    for (const [place, frame] of frames.entries()) {
      line.write(frame);
      if (place % 50 > 0) continue;
      const answered = new Promise<void>((resolve) => {
        hear = (id) => id === "last" ? resolve() : undefined;
      });
      line.write(last);
      await answered;
    }
  };
  return { round, close: () => line.end() };
}

const LAST = '{"jsonrpc":"2.0","id":"last","method":"ping"}';

/** Creates a client for malformed responses. All rounds of frames use the same connection. */
function clientOf({ client, prepare }: OddServer): Subject {
  const answers = fc.sample(oddAnswer, { numRuns: FRAMES, seed: 7 });
  const round = async (): Promise<void> => {
    for (const answer of answers) {
      prepare(answer);
      await outcome(client);
    }
  };
  return { round, close: () => client.disconnect() };
}

/** Returns the memory usage after the given number of rounds and a garbage collection. */
async function memoryAfter(rounds: number, { round }: Subject): Promise<number> {
  for (let done = 0; done < rounds; done++) await round();
  return await memoryUsed();
}

const [name = ""] = Deno.args;
const make = SUBJECTS.get(name);
if (make === undefined) {
  throw new Error(`Unknown subject "${name}"; available: ${[...SUBJECTS.keys()].join("; ")}`);
}
const subject = await make();
const before = await memoryAfter(10, subject);
const between = await memoryAfter(10, subject);
const after = await memoryAfter(10, subject);
await subject.close();
const growth = Math.min(between - before, after - between);
await Deno.stdout.write(new TextEncoder().encode(`${growth}\n`));
