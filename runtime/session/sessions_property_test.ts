/**
 * A property of sessions: after any calls by two processes, no message is lost or stored twice, no
 * tool call is executed twice, all readers have ended, and all places are free.
 *
 * @module
 */

import { assert, assertEquals } from "@std/assert";
import { abortable } from "@parley/internal/abortable";
import fc from "fast-check";
import { propertyRuns } from "../../tools/testing/property.ts";
import { ToolLoopAgent } from "../agent/agent.ts";
import { AgentError } from "../shared/error.ts";
import type { LanguageModel, ModelMessage } from "../shared/model.ts";
import { sqliteStorage } from "../sqlite.ts";
import { createGate, type Gate } from "../testing/gate.ts";
import type { LiveRun } from "../log/live_run.ts";
import { memoryStorage } from "./memory_storage.ts";
import { openSessions } from "./open_sessions.ts";
import type { Sessions } from "./sessions.ts";
import type { SessionStorage } from "./storage.ts";
import { replaceMethods } from "./testdata/replace_methods.ts";

const IDS = ["a", "b"] as const;
const LEASE_MS = 60_000;
/** More than the calls of a test, because an expired run keeps its place until its next write. */
const MAX_RUNS = 40;
const MAX_READERS = 40;

/** Calls of two processes. The kind of a message decides how the model responds. */
const command = fc.record({
  call: fc.constantFrom(
    "answer",
    "ask",
    "wait",
    "wait",
    "regenerate",
    "stop",
    "delete",
    "attach",
    "approve",
    "release",
    "restart",
    "recover",
    "expire",
    "state",
  ),
  id: fc.constantFrom(...IDS),
  process: fc.constantFrom(0, 1),
});
type Command = typeof command extends fc.Arbitrary<infer Value> ? Value : never;

/** Codes of errors that a caller can expect. */
const EXPECTED: ReadonlySet<string> = new Set([
  "session_busy",
  "session_not_waiting",
  "sessions_closed",
]);

function textOf({ content }: ModelMessage): string {
  if (typeof content === "string") return content;
  return content.map((part) => part.type === "text" ? part.text : "").join("");
}

/** Two processes that share a storage. */
class World implements AsyncDisposable {
  readonly storage: SessionStorage;
  readonly processes: Sessions[];
  /** Messages for which a run was returned, keyed by session. */
  readonly accepted = new Map<string, Set<string>>(IDS.map((id) => [id, new Set()]));
  /** Messages whose call has rejected although another process may continue their runs. */
  readonly uncertain = new Set<string>();
  /** Sessions whose records were removed. */
  readonly changed = new Set<string>();
  readonly executed: string[] = [];
  readonly reports: unknown[] = [];
  readonly readers: Promise<void>[] = [];
  #gate: Gate = createGate();
  /** Whether the lease of a run may have expired. */
  hasExpired = false;
  #now = 0;
  #usesClock = false;
  #messages = 0;

  constructor(create: (now: () => number) => SessionStorage) {
    this.storage = create(() => {
      this.#usesClock = true;
      return this.#now++;
    });
    this.processes = [this.open(), this.open()];
  }

  open(): Sessions {
    return openSessions({
      storage: replaceMethods(this.storage, { [Symbol.asyncDispose]: () => Promise.resolve() }),
      agent: () => this.#agent(),
      leaseMs: LEASE_MS,
      flushMs: 0,
      drainMs: 0,
      maxRuns: MAX_RUNS,
      maxPartyRuns: MAX_RUNS,
      maxReaders: MAX_READERS,
      maxSessionReaders: MAX_READERS,
      onError: (error) => this.reports.push(error),
    });
  }

  #agent(): ToolLoopAgent {
    const model: LanguageModel = {
      modelId: "m",
      generate: async ({ messages, signal }) => {
        const last = messages.at(-1);
        const question = messages.findLast(({ role }) => role === "user");
        const turn = question === undefined ? "" : textOf(question);
        if (turn.startsWith("wait")) await abortable(this.#gate.wait(), signal);
        const call = { type: "tool-call", toolCallId: `c-${turn}`, toolName: "pay" } as const;
        const isAsked = turn.startsWith("ask") && last?.role === "user";
        return {
          message: {
            role: "assistant",
            content: isAsked ? [{ ...call, input: { turn } }] : [{ type: "text", text: "ok" }],
          },
          finishReason: isAsked ? "tool-calls" : "stop",
        };
      },
    };
    return new ToolLoopAgent({
      name: "a",
      model,
      tools: [{
        name: "pay",
        inputSchema: { type: "object" },
        execute: (input: unknown) => {
          this.executed.push(String(Reflect.get(Object(input), "turn")));
          return "paid";
        },
      }],
      approvalHandler: () => ({ decision: "defer" }),
    });
  }

  release(): void {
    this.#gate.release();
    this.#gate = createGate();
  }

  /** Makes a call, which may reject with an expected error. */
  async make({ call, id, process }: Command): Promise<void> {
    const sessions = this.processes[process];
    assert(sessions !== undefined);
    const turn = `${call}-${this.#messages++}`;
    try {
      await this.#call(sessions, { call, id, process }, turn);
    } catch (error) {
      assert(AgentError.isAgentError(error), String(error));
      if (error.is("sessions_closed")) this.uncertain.add(turn);
      const isKnown = EXPECTED.has(error.code) || error.message.includes("Cannot regenerate");
      assert(isKnown, error.message);
    }
  }

  async #call(sessions: Sessions, { call, id, process }: Command, turn: string): Promise<void> {
    switch (call) {
      case "answer":
      case "ask":
      case "wait": {
        const run = await sessions.send(id, turn, {
          turnId: turn,
          party: "p",
          reserveReader: true,
        });
        this.accepted.get(id)?.add(turn);
        return this.#read(run);
      }
      case "regenerate":
        this.changed.add(id);
        return this.#read(await sessions.send(id, undefined, { regenerate: true }));
      case "stop":
        return void await sessions.stop(id);
      case "delete":
        this.changed.add(id);
        return await sessions.delete(id);
      case "attach":
        return this.#read(await sessions.attach(id, { until: "ended" }));
      case "approve": {
        const { current } = await sessions.state(id);
        const [approval] = current?.pending?.approvals ?? [];
        if (approval === undefined) return;
        const decisions = { [approval.key]: { decision: "approve" } as const };
        return this.#read(await sessions.send(id, undefined, { decisions }));
      }
      case "release":
        return this.release();
      case "restart":
        this.processes[process] = this.open();
        return await sessions.close();
      case "expire":
        this.#now += LEASE_MS;
        this.hasExpired = this.#usesClock;
        return;
      case "recover":
        return void await sessions.recover();
      case "state":
        return void await sessions.state(id);
    }
  }

  #read(run: LiveRun | undefined): void {
    if (run === undefined) return;
    this.readers.push(Array.fromAsync(run).then(() => {}));
  }

  /** Ends all runs. */
  async settle(): Promise<void> {
    const [first] = this.processes;
    assert(first !== undefined);
    await first.recover();
    for (const id of IDS) {
      while ((await first.state(id)).status !== "idle") {
        this.release();
        await first.stop(id);
      }
    }
    await Promise.all(this.readers);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.processes.map((sessions) => sessions.close()));
    await this.storage[Symbol.asyncDispose]();
  }
}

async function assertConversations(world: World): Promise<void> {
  for (const id of IDS) {
    const states = await Promise.all(world.processes.map((one) => one.state(id)));
    assertEquals(states[0], states[1], "both processes see the same conversation");
    const turns = states[0]?.runs.flatMap(({ messages }) => {
      const [first] = messages;
      return first?.role === "user" ? [textOf(first)] : [];
    }) ?? [];
    assertEquals(turns.length, new Set(turns).size, "no message is stored twice");
    if (world.changed.has(id)) continue;
    const accepted = world.accepted.get(id) ?? new Set();
    const missing = accepted.difference(new Set(turns));
    assertEquals([...missing], [], "no message is lost");
    const others = new Set(turns).difference(accepted).difference(world.uncertain);
    assertEquals([...others], [], "no message is stored that was rejected");
    if (world.hasExpired) continue;
    const executed = world.executed.filter((turn) => accepted.has(turn));
    assertEquals(executed.length, new Set(executed).size, "no tool call is executed twice");
  }
}

/** Takes all places of a process, and frees them. */
async function assertFree(sessions: Sessions, world: World): Promise<void> {
  const runs: LiveRun[] = [];
  for (let n = 0; n < MAX_RUNS; n++) {
    runs.push(await sessions.send(`free-${n}`, "wait", { party: "p" }));
  }
  const [run] = runs;
  assert(run !== undefined);
  const iterators = Array.from({ length: MAX_READERS }, () => run[Symbol.asyncIterator]());
  for (const iterator of iterators) await iterator.return?.();
  world.release();
  for (const { sessionId } of runs) {
    await sessions.stop(sessionId);
    await sessions.delete(sessionId);
  }
}

/** Calls that once failed: a run was stopped while another process added it to the session. */
const STOPPED_TWICE: Command[][] = [
  [{ call: "answer", id: "b", process: 1 }],
  [{ call: "restart", id: "a", process: 1 }, { call: "answer", id: "a", process: 0 }],
  [
    { call: "stop", id: "b", process: 0 },
    { call: "stop", id: "b", process: 0 },
    { call: "answer", id: "a", process: 0 },
  ],
];

for (
  const [name, count, create] of [
    ["memoryStorage", 60, (now: () => number) => memoryStorage({ now })],
    ["sqliteStorage", 20, () => sqliteStorage(":memory:")],
  ] as const
) {
  Deno.test(`any calls of two processes keep the conversation and free all places (${name})`, async () => {
    const batches = fc.array(fc.array(command, { minLength: 1, maxLength: 4 }), { maxLength: 8 });
    await fc.assert(
      fc.asyncProperty(batches, async (calls) => {
        await using world = new World(create);
        for (const batch of calls) await Promise.all(batch.map((one) => world.make(one)));
        await world.settle();
        await assertConversations(world);
        if (world.hasExpired) return;
        for (const sessions of world.processes) await assertFree(sessions, world);
        assertEquals(world.reports.map(String), []);
      }),
      { ...propertyRuns(count), examples: [[STOPPED_TWICE]] },
    );
  });
}
