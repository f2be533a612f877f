/**
 * Checks that every served agent meets.
 *
 * @module
 */

import { assert, assertEquals, assertRejects } from "@std/assert";
import { AgentError } from "../../shared/error.ts";
import type { Gate } from "../../testing/gate.ts";
import type { LiveEvent } from "../../log/live_run.ts";
import type { RunReadOptions } from "../../log/log_options.ts";
import type { ServedAgent, ServedRun, ServedRunStart } from "../contracts.ts";
import { textOf } from "./check_agent.ts";

/** Objects that a check uses. */
export interface CheckContext {
  readonly served: ServedAgent;
  /** Holds back the responses to the message `slow`. */
  readonly gate: Gate;
}

/** A check. */
export interface ServedCheck {
  readonly name: string;
  readonly run: (context: CheckContext) => Promise<void>;
}

const ANN = { subject: "ann" };
const BOB = { subject: "bob" };

async function assertCode(work: Promise<unknown>, ...codes: readonly string[]): Promise<void> {
  const error = await assertRejects(() => work);
  assert(AgentError.isAgentError(error), String(error));
  assert(codes.includes(error.code), `${error.code}: ${error.message}`);
}

async function readTypes(events: AsyncIterable<LiveEvent>): Promise<readonly string[]> {
  const types: string[] = [];
  for await (const { event } of events) {
    types.push(event.type === "run_state" ? `run_state ${event.state}` : event.type);
  }
  return types;
}

/** Reads the cursors and the types of events. */
async function readCursors(run: ServedRun, options: RunReadOptions = {}): Promise<string[]> {
  const events: string[] = [];
  for await (const { cursor, event } of run.events(options)) {
    const type = event.type === "run_state" ? `run_state ${event.state}` : event.type;
    events.push(`${cursor} ${type}`);
  }
  return events;
}

/** Reads the events with readers that each leave after a number of events. */
async function readInParts(run: ServedRun, size: number): Promise<string[]> {
  const events: string[] = [];
  for (;;) {
    const after = events.at(-1)?.split(" ")[0];
    const length = events.length;
    for await (const { cursor, event } of run.events(after === undefined ? {} : { after })) {
      const type = event.type === "run_state" ? `run_state ${event.state}` : event.type;
      events.push(`${cursor} ${type}`);
      if (events.length >= length + size) break;
    }
    if (events.length === length) return events;
  }
}

/** Returns a signal that counts its listeners. */
function countListeners(
  signal: AbortSignal,
): { readonly signal: AbortSignal; readonly counts: { added: number; removed: number } } {
  const counts = { added: 0, removed: 0 };
  const add = signal.addEventListener.bind(signal);
  const remove = signal.removeEventListener.bind(signal);
  signal.addEventListener = (...args: Parameters<typeof add>) => {
    counts.added++;
    add(...args);
  };
  signal.removeEventListener = (...args: Parameters<typeof remove>) => {
    counts.removed++;
    remove(...args);
  };
  return { signal, counts };
}

async function waitKeys(run: ServedRun): Promise<readonly string[]> {
  const { status, waitingFor } = await run.settled({ until: "waiting" });
  assertEquals(status, "waiting");
  return waitingFor.map(({ key }) => key);
}

const start: ServedRunStart = { turn: "hi", sessionId: "s1" };

export const SERVED_CHECKS: readonly ServedCheck[] = [
  {
    name: "a run ends with its result",
    run: async ({ served }) => {
      const run = await served.start(ANN, { ...start, metadata: { task: 1 } });
      assertEquals([run.sessionId, run.metadata], ["s1", { task: 1 }]);
      const { result, status, waitingFor } = await run.settled();
      assertEquals([status, waitingFor], ["done", []]);
      assertEquals(
        [result?.finalText, result?.hasAnswer, result?.stopReason],
        ["ann: hi 1", true, "model_stop"],
      );
      assertEquals(result?.message?.content, [{ type: "text", text: "ann: hi 1" }]);
      const again = await served.get(ANN, run.id);
      assertEquals([again?.id, again?.state.status, again?.startedAt], [
        run.id,
        "done",
        run.startedAt,
      ]);
      assertEquals(again?.state.result?.finalText, "ann: hi 1");
    },
  },
  {
    name: "a start with invalid members starts no run",
    run: async ({ served }) => {
      const invalid: readonly object[] = [
        { turn: undefined },
        { turn: [] },
        { sessionId: "" },
        { sessionId: "x".repeat(513) },
        { requestId: "" },
        { metadata: [] },
        { metadata: { at: new Date(0) } },
        { ifBusy: "wait" },
        { messages: [{ role: "tool", content: "A" }] },
        { messages: [{ role: "user", content: "A" }], sessionId: "s1" },
        { unknown: 1 },
      ];
      for (const members of invalid) {
        const wrong = Object.assign({ turn: "hi" }, members);
        await assertRejects(() => served.start(ANN, wrong), TypeError);
      }
      const large = { turn: "hi", metadata: { text: "x".repeat(65_536) } };
      await assertRejects(() => served.start(ANN, large), RangeError);
      assertEquals(await served.list(ANN), { runs: [] });
    },
  },
  {
    name: "two callers with equal ids share nothing",
    run: async ({ gate, served }) => {
      const request = { ...start, turn: "slow", requestId: "r1" };
      const [ann, bob] = [await served.start(ANN, request), await served.start(BOB, request)];
      const anonymous = await served.start(undefined, request);
      const dash = await served.start({ subject: "-" }, request);
      gate.release();
      const texts = [];
      for (const run of [ann, bob, anonymous, dash]) {
        texts.push((await run.settled()).result?.finalText);
      }
      assertEquals(texts, ["ann: slow 1", "bob: slow 1", "-: slow 1", "-: slow 1"]);
      for (const caller of [ANN, BOB, undefined, { subject: "-" }]) {
        assertEquals((await served.list(caller)).runs.length, 1);
        assertEquals((await served.messages(caller, "s1")).length, 2);
      }
      assertEquals(await served.get(BOB, "unknown"), undefined);
    },
  },
  {
    name: "a run of another caller is the same as an unknown run",
    run: async ({ served }) => {
      const run = await served.start(ANN, { turn: "hi" });
      await run.settled();
      for (const caller of [BOB, undefined, { subject: "ann/" }, { subject: "=ann" }]) {
        assertEquals(await served.get(caller, run.id), undefined);
        assertEquals(await served.list(caller), { runs: [] });
        assertEquals(await served.messages(caller, run.sessionId), []);
      }
      for (const id of ["", ".", "0", "a/b", "%", "..", `${run.id}0`, "\ud800"]) {
        assertEquals(await served.get(ANN, id), undefined);
      }
    },
  },
  {
    name: "a caller must be a principal",
    run: async ({ served }) => {
      // A caller in JavaScript can pass anything.
      const callers: readonly unknown[] = [
        null,
        {},
        { subject: "" },
        { subject: 1 },
        { sub: "a" },
        {
          subject: "\ud800",
        },
        { subject: "a".repeat(200) },
      ];
      for (const caller of callers) {
        const one = caller as { readonly subject: string };
        await assertRejects(() => served.start(one, start), TypeError);
        await assertRejects(() => served.get(one, "s1.0"), TypeError);
        await assertRejects(() => served.list(one), TypeError);
        await assertRejects(() => served.messages(one, "s1"), TypeError);
      }
    },
  },
  {
    name: "a caller that changes during a start does not become another caller",
    run: async ({ gate, served }) => {
      const caller = { subject: "ann", scopes: ["read"] };
      const metadata = { task: 1 };
      const slow = await served.start(caller, { ...start, turn: "slow" });
      const queued = served.start(caller, { ...start, metadata, ifBusy: "queue" });
      Object.assign(caller, BOB);
      Object.assign(metadata, { task: 2 });
      gate.release();
      await slow.settled();
      const run = await queued;
      assertEquals(run.metadata, { task: 1 });
      assertEquals((await run.settled()).result?.finalText, "ann: hi 3");
      let reads = 0;
      const changing = {
        get subject() {
          return reads++ === 0 ? "ann" : "bob";
        },
      };
      const other = await served.start(changing, { turn: "hi" });
      assertEquals((await other.settled()).result?.finalText, "ann: hi 1");
    },
  },
  {
    name: "scopes and a party that are not valid are rejected",
    run: async ({ served }) => {
      const invalid = [{ scopes: "admin" }, { scopes: [1] }, { scopes: {} }, { party: "" }];
      for (const members of invalid) {
        // A caller in JavaScript can pass anything.
        const caller = { ...ANN, ...members } as unknown as typeof ANN;
        await assertRejects(() => served.start(caller, start), TypeError);
      }
      assertEquals(await served.list(ANN), { runs: [] });
    },
  },
  {
    name: "a request that is sent again returns the same run",
    run: async ({ gate, served }) => {
      for (const sessionId of ["s1", undefined]) {
        const request = { turn: "slow", requestId: "r1", ...sessionId && { sessionId } };
        const runs = await Promise.all([1, 2, 3].map(() => served.start(ANN, request)));
        assertEquals(new Set(runs.map(({ id }) => id)).size, 1);
        gate.release();
        await runs[0]?.settled();
        const later = await served.start(ANN, { ...request, metadata: { other: true } });
        assertEquals([later.id, later.state.status], [runs[0]?.id, "done"]);
        await assertCode(served.start(ANN, { ...request, turn: "hi" }), "run_conflict");
      }
      await (await served.start(ANN, start)).settled();
      const first = await served.start(ANN, { ...start, turn: "slow", requestId: "r1" });
      assertEquals(first.state.status, "done");
      assertEquals((await served.messages(ANN, "s1")).length, 4);
    },
  },
  {
    name: "a start during a run is rejected or queued",
    run: async ({ gate, served }) => {
      const slow = await served.start(ANN, { ...start, turn: "slow" });
      await assertCode(served.start(ANN, start), "session_busy");
      const order: string[] = [];
      const queued = ["one", "two", "three"].map(async (turn) => {
        const run = await served.start(ANN, { ...start, turn, ifBusy: "queue" });
        order.push(turn);
        return (await run.settled()).result?.finalText;
      });
      assertEquals(order, []);
      gate.release();
      assertEquals(await Promise.all(queued), ["ann: one 3", "ann: two 5", "ann: three 7"]);
      assertEquals(order, ["one", "two", "three"]);
      assertEquals((await slow.settled()).status, "done");
    },
  },
  {
    name: "a start gives up a run that waits",
    run: async ({ served }) => {
      const waiting = await served.start(ANN, { ...start, turn: "pay" });
      const [key = ""] = await waitKeys(waiting);
      const reading = readTypes(waiting.events({ until: "ended" }));
      const next = await served.start(ANN, { ...start, ifBusy: "queue" });
      assertEquals((await waiting.settled()).status, "cancelled");
      assertEquals(await waiting.input(key, { decision: "approve" }), false);
      assertEquals((await next.settled()).status, "done");
      await reading;
    },
  },
  {
    name: "a reader receives the changes of the state in their order",
    run: async ({ served }) => {
      const run = await served.start(ANN, { ...start, turn: "pay" });
      const reading = readTypes(run.events({ until: "ended" }));
      const [key = ""] = await waitKeys(run);
      assertEquals(await run.input(key, { decision: "approve" }), true);
      assertEquals((await run.settled()).result?.finalText, "ann: pay 3 text");
      const states = (await reading).filter((type) => /^run_state|^log_reset/.test(type));
      assertEquals(states, [
        "run_state running",
        "run_state waiting",
        "log_reset",
        "run_state running",
        "run_state ended",
      ]);
    },
  },
  {
    name: "a run waits for several decisions",
    run: async ({ served }) => {
      const run = await served.start(ANN, { ...start, turn: "both" });
      const [pay = "", ship = ""] = await waitKeys(run);
      const found = await served.get(ANN, run.id);
      const waits = found?.state.waitingFor.map(({ kind, toolName }) => `${kind} ${toolName}`);
      assertEquals(waits, ["approval pay", "approval ship"]);
      assertEquals(await found?.input("unknown", true), false);
      await assertRejects(async () => await found?.input(pay, "yes"), TypeError);
      const denial = { decision: "deny", reason: "no" } as const;
      const sent = [found?.input(ship, denial), found?.input(pay, { decision: "approve" })];
      assertEquals(await Promise.all(sent), [true, true]);
      const { result } = await run.settled();
      assertEquals(result?.finalText, "ann: both 3 text execution-denied");
      assertEquals(await found?.input(pay, { decision: "approve" }), false);
    },
  },
  {
    name: "a run waits for several signals",
    run: async ({ served }) => {
      const run = await served.start(ANN, { ...start, turn: "ask" });
      assertEquals(await waitKeys(run), ["answer", "sure"]);
      const found = await served.get(ANN, run.id);
      assertEquals(await found?.input("answer", { text: "42" }), true);
      assertEquals(await waitKeys(run), ["sure"]);
      assertEquals(await found?.input("answer", "again"), false);
      assertEquals(await found?.input("sure", "yes"), true);
      assertEquals((await run.settled()).result?.finalText, "ann: ask 3 json text");
    },
  },
  {
    name: "a run is cancelled once",
    run: async ({ served }) => {
      const slow = await served.start(ANN, { ...start, turn: "slow" });
      assertEquals([await slow.cancel(), await slow.cancel()], [true, false]);
      const { error, result, status } = await slow.settled();
      assertEquals([status, error, result], ["cancelled", undefined, undefined]);
      const waiting = await served.start(ANN, { ...start, turn: "pay" });
      await waitKeys(waiting);
      assertEquals([await waiting.cancel(), await waiting.cancel()], [true, false]);
      const next = await served.start(ANN, start);
      assertEquals(await waiting.cancel(), false);
      assertEquals((await next.settled()).status, "done");
    },
  },
  {
    name: "a failed run has an error and no result",
    run: async ({ served }) => {
      const run = await served.start(ANN, { ...start, turn: "fail" });
      const { error, result, status } = await run.settled();
      assertEquals([status, error?.code, result], ["failed", "model_error", undefined]);
    },
  },
  {
    name: "leaving a loop does not end the run",
    run: async ({ gate, served }) => {
      const run = await served.start(ANN, { ...start, turn: "slow" });
      for await (const _ of run.events()) break;
      const iterator = run.events({ after: "1.9" })[Symbol.asyncIterator]();
      await iterator.next();
      await iterator.return?.();
      gate.release();
      assertEquals((await run.settled()).status, "done");
    },
  },
  {
    name: "all readers receive the same events, whenever they read",
    run: async ({ gate, served }) => {
      const run = await served.start(ANN, { ...start, turn: "slow" });
      const early = [readCursors(run), readCursors(run)];
      const found = await served.get(ANN, run.id);
      const resumed = found && readInParts(found, 2);
      gate.release();
      await run.settled();
      const [first, second] = await Promise.all(early);
      assert((first?.length ?? 0) >= 5, String(first));
      assertEquals(second, first);
      assertEquals(await resumed, first);
      assertEquals(await readCursors(run), first);
      const late = await served.get(ANN, run.id);
      assertEquals(await readCursors(late ?? run), first);
      assertEquals(first?.at(-1)?.endsWith("run_state ended"), true);
    },
  },
  {
    name: "a wait ends with its signal, and removes its listeners",
    run: async ({ gate, served }) => {
      const run = await served.start(ANN, { ...start, turn: "slow" });
      const controller = new AbortController();
      const { counts, signal } = countListeners(controller.signal);
      const waits = [run.settled({ signal }), run.settled({ until: "waiting", signal })];
      const ends = Promise.allSettled(waits);
      gate.release();
      assertEquals((await ends).map(({ status }) => status), ["fulfilled", "fulfilled"]);
      for await (const _ of run.events({ signal })) if (counts.added > 100) break;
      assertEquals(counts.added, counts.removed);
      const waiting = await served.start(ANN, { ...start, turn: "pay" });
      const end = assertRejects(() => waiting.settled({ signal }), Error, "enough");
      controller.abort(new Error("enough"));
      await end;
      assertEquals(counts.added, counts.removed);
      await assertRejects(() => waiting.settled({ signal }), Error, "enough");
      assertEquals(await readCursors(waiting, { signal }), []);
      assertEquals((await waiting.settled({ until: "waiting" })).status, "waiting");
    },
  },
  {
    name: "runs are listed page by page, the most recently changed first",
    run: async ({ gate, served }) => {
      const ids: string[] = [];
      for (const sessionId of ["s1", "s2", "s10", "s2"]) {
        const run = await served.start(ANN, { turn: "hi", sessionId });
        await run.settled();
        ids.unshift(run.id);
      }
      const pages: string[][] = [];
      let after: string | undefined;
      do {
        const page = await served.list(ANN, { limit: 2, ...after && { after }, withTotal: true });
        pages.push(page.runs.map(({ id }) => id));
        assertEquals(page.total, 4);
        after = page.next;
      } while (after !== undefined);
      assertEquals(pages.flat().length, 4);
      assertEquals(new Set(pages.flat()), new Set(ids));
      const { runs } = await served.list(ANN, { sessionId: "s1" });
      assertEquals(runs.map(({ sessionId }) => sessionId), ["s1"]);
      const slow = await served.start(ANN, { turn: "slow", sessionId: "s3" });
      await gate.reached;
      const running = await served.list(ANN, { status: "running" });
      assertEquals(running.runs.map(({ id }) => id), [slow.id]);
      const changedAfter = Date.now() + 60_000;
      assertEquals(await served.list(ANN, { changedAfter }), { runs: [] });
      await assertRejects(() => served.list(ANN, { after: "x" }), TypeError);
      await assertRejects(() => served.list(ANN, { limit: 1001 }), RangeError);
      gate.release();
      await slow.settled();
    },
  },
  {
    name: "a session starts with the given messages",
    run: async ({ served }) => {
      const messages = [{ role: "user", content: "A" }, {
        role: "assistant",
        content: "B",
      }] as const;
      const run = await served.start(ANN, { turn: "hi", messages });
      assertEquals((await run.settled()).result?.finalText, "ann: hi 3");
      const next = await served.start(ANN, { turn: "again", sessionId: run.sessionId });
      assertEquals((await next.settled()).result?.finalText, "ann: again 5");
      const texts = (await served.messages(ANN, run.sessionId)).map(textOf);
      assertEquals(texts, ["A", "B", "hi", "ann: hi 3", "again", "ann: again 5"]);
    },
  },
];
