import { assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import type { RunEnd, RunEngine } from "../runs/contracts.ts";
import { createManualClock } from "../runs/manual_clock.ts";
import { memoryRuns } from "../runs/memory.ts";
import { openRuns } from "../runs/open_runs.ts";
import type { Runs } from "../runs/runs.ts";
import { ToolLoopAgent } from "../agent/agent.ts";
import { createGate, scriptedModel } from "../testing.ts";
import { AgentError } from "../shared/error.ts";
import { readArguments } from "./arguments.ts";
import { execute } from "./commands.ts";
import { formatJson } from "./format.ts";

const HOUR_MS = 3_600_000;

/** Stores a run and, if `end` is set, closes it with the given outcome. */
async function store({ journal }: RunEngine, runId: string, end?: RunEnd): Promise<void> {
  await journal.create({ runId, agent: "clerk", version: "1", input: "Pay" });
  if (end === undefined) return;
  const epoch = (await journal.open(runId))?.run.epoch ?? 0;
  await journal.append(runId, epoch, {
    v: 1,
    key: `${runId}/start`,
    kind: "run",
    value: "\x1b[2J",
  });
  await journal.close(runId, epoch, end);
}

const WAITING: RunEnd = {
  status: "waiting",
  waitingFor: [
    {
      kind: "approval",
      key: "r2/it's",
      path: ["clerk", "payer"],
      reason: "approval",
      toolName: "pay",
      input: { note: "\x1b[2J\u202e" },
    },
    { kind: "signal", key: "receipt", path: ["clerk"], toolName: "book" },
    { kind: "time", key: "t", path: ["clerk"], toolName: "ship", due: "2031-01-01T00:00:00.000Z" },
  ],
};

/**
 * Returns a function that executes a command with four stored runs, two hours after they were
 * stored.
 */
async function createCli() {
  const clock = createManualClock();
  const engine = memoryRuns({ clock });
  const runs = openRuns(engine, {}, { clock });
  await store(engine, "r1");
  await store(engine, "r2", WAITING);
  await store(engine, "r3", { status: "done", result: { finalText: "Paid" } });
  await store(engine, "r4", { status: "failed", error: { code: "core", message: "no\nmoney" } });
  clock.advance(2 * HOUR_MS);
  const run = async (args: readonly string[], colors = false) => {
    const parsed = readArguments(args, { DATABASE_URL: "runs.db" });
    if (parsed.kind !== "request") throw new Error(JSON.stringify(parsed));
    let [out, err] = ["", ""];
    await execute(runs, parsed.request, {
      out: (text) => out += text,
      err: (text) => err += text,
      colors,
      columns: 90,
      now: clock.now(),
      signal: new AbortController().signal,
    });
    return { out, err };
  };
  return { run, runs, [Symbol.asyncDispose]: () => runs.close() };
}

Deno.test("parley-runs list shows what each run waits for, or why the run failed", async () => {
  await using cli = await createCli();
  assertEquals((await cli.run(["list"])).out.split("\n"), [
    "RUN  AGENT    STATUS   UPDATED  DETAIL",
    "r1   clerk 1  queued   2 h ago",
    "r2   clerk 1  waiting  2 h ago  approval of pay, signal receipt, until 2031-01-01T00:00:0…",
    "r3   clerk 1  done     2 h ago",
    "r4   clerk 1  failed   2 h ago  core: no\\u{a}money",
    "",
  ]);
  assertEquals((await cli.run(["list", "--agent", "other"])).out, "No runs\n");
  assertStringIncludes((await cli.run(["list"], true)).out, "\x1b[33mwaiting\x1b[0m");
});

Deno.test("parley-runs list names the last run if there may be more runs", async () => {
  await using cli = await createCli();
  const { err, out } = await cli.run(["list", "--limit", "2", "--json"]);
  assertEquals(out.trimEnd().split("\n").map((line) => JSON.parse(line).runId), ["r1", "r2"]);
  assertEquals(err, 'There may be more runs: use --after "r2"\n');
  const last = await cli.run(["list", "--limit", "3", "--after", "r2"]);
  assertStringIncludes(last.out, "r3");
  assertEquals(last.err, "");
});

Deno.test("parley-runs list names the last run in the order of changes", async () => {
  await using cli = await createCli();
  await cli.run(["signal", "r2", "receipt", "1"]);
  const idsIn = (out: string) => out.trimEnd().split("\n").map((line) => JSON.parse(line).runId);
  const { err, out } = await cli.run(["list", "--order", "updated", "--limit", "2", "--json"]);
  assertEquals(idsIn(out), ["r2", "r4"]);
  const after = "2030-01-01T00:00:00.000Z,r4";
  assertEquals(err, `There may be more runs: use --after "${after}"\n`);
  const last = await cli.run(["list", "--order", "updated", "--after", after, "--json"]);
  assertEquals(idsIn(last.out), ["r3", "r1"]);
  assertEquals((await cli.run(["list", "--prefix", "r%"])).out, "No runs\n");
  assertEquals(idsIn((await cli.run(["list", "--prefix", "r3", "--json"])).out), ["r3"]);
});

Deno.test("parley-runs signals prints one line for each signal, in the order of their arrival", async () => {
  await using cli = await createCli();
  assertEquals((await cli.run(["signals", "r1"])).out, "");
  await cli.run(["signal", "r2", "r2/it's", "true"]);
  await cli.run(["signal", "r2", "a", '"\\u001b[2J"']);
  const approved = 'r2/it\'s  {"decision":"approve"}\n';
  assertEquals((await cli.run(["signals", "r2"])).out, `${approved}a  "\\u001b[2J"\n`);
  const { out } = await cli.run(["signals", "r2", "--json"]);
  assertEquals(
    out,
    '{"key":"r2/it\'s","value":{"decision":"approve"}}\n{"key":"a","value":"\\u001b[2J"}\n',
  );
});

Deno.test("parley-runs show prints the metadata of a run", async () => {
  const engine = memoryRuns();
  await using runs = openRuns(engine, {});
  const run = { runId: "r1", agent: "clerk", version: "1", input: "Go" };
  await engine.journal.create({ ...run, metadata: { user: "ann\u202e" } });
  const parsed = readArguments(["show", "r1"], { DATABASE_URL: "runs.db" });
  if (parsed.kind !== "request") throw new Error("the arguments are valid");
  let text = "";
  const output = { out: (more: string) => text += more, err: () => {}, colors: false };
  await execute(runs, parsed.request, {
    ...output,
    columns: 90,
    now: 0,
    signal: new AbortController().signal,
  });
  assertStringIncludes(text, '  Metadata  {"user":"ann\\u{202e}"}\n');
});

Deno.test("parley-runs show prints the commands that decide, quoted for a shell", async () => {
  await using cli = await createCli();
  assertEquals((await cli.run(["show", "r2"])).out.split("\n"), [
    "r2  waiting",
    "  Agent     clerk, version 1",
    "  Started   2030-01-01T00:00:00.000Z (2 h ago)",
    "  Updated   2030-01-01T00:00:00.000Z (2 h ago)",
    '  Input     "Pay"',
    "",
    "Waits for a decision on pay (clerk > payer)",
    '  Input     {"note":"\\u001b[2J\\u{202e}"}',
    "  Reason    approval",
    "  Key       r2/it's",
    "  Approve   parley-runs signal r2 'r2/it'\\''s' true",
    "  Deny      parley-runs signal r2 'r2/it'\\''s' false",
    "",
    "Waits for a signal for book (clerk)",
    "  Key       receipt",
    "  Send      parley-runs signal r2 receipt VALUE",
    "",
    "Waits until 2031-01-01T00:00:00.000Z for ship (clerk)",
    "",
  ]);
  const { out } = await cli.run(["show", "r2", "--json"]);
  assertEquals(JSON.parse(out), await cli.runs.get("r2") as never);
  // deno-lint-ignore no-control-regex -- the output must contain no control characters
  assertEquals(/[\x00-\x09\x0b-\x1f\u202e]/.test(out), false);
});

Deno.test("parley-runs steps prints one line for each recorded step", async () => {
  await using cli = await createCli();
  assertEquals((await cli.run(["steps", "r1"])).out, "");
  assertEquals(
    (await cli.run(["steps", "r3"])).out,
    `${"-".padEnd(24)}  run        r3/start  "\\u001b[2J"\n`,
  );
  const { out } = await cli.run(["steps", "r3", "--json"]);
  assertEquals(JSON.parse(out), { v: 1, key: "r3/start", kind: "run", value: "\x1b[2J" });
});

Deno.test("parley-runs signal stores a signal once, and says if the run does not wait for it", async () => {
  await using cli = await createCli();
  const early = await cli.run(["signal", "r1", "later", "1"]);
  assertEquals(early, { out: "Stored\n", err: 'The run does not wait for "later" now\n' });
  const wrong = await cli.run(["signal", "r2", "later", "1"]);
  assertEquals(wrong, {
    out: 'Stored; run "r2" waits for: r2/it\'s, receipt, 2031-01-01T00:00:00.000Z\n',
    err: "",
  });
  const json = JSON.parse((await cli.run(["signal", "r2", "other", "1", "--json"])).out);
  assertEquals([json.outcome, json.waitingFor], [
    "stored_not_awaited",
    [...(await cli.runs.get("r2"))?.waitingFor ?? []],
  ]);
  assertEquals(await cli.run(["signal", "r2", "r2/it's", "true"]), { out: "Stored\n", err: "" });
  const again = await cli.run(["signal", "r2", "r2/it's", "true"]);
  assertEquals(again, { out: "The run already has this signal\n", err: "" });
  assertEquals((await cli.runs.get("r2"))?.status, "queued");
  assertEquals(JSON.parse((await cli.run(["signal", "r2", "receipt", "2", "--json"])).out), {
    runId: "r2",
    key: "receipt",
    outcome: "stored",
  });
});

Deno.test("parley-runs rejects commands for unknown and ended runs with one sentence", async () => {
  await using cli = await createCli();
  await cli.run(["signal", "r2", "receipt", "1"]);
  const cases: readonly (readonly [string[], string])[] = [
    [["show", "none"], 'Cannot show run "none": there is no such run'],
    [["steps", "none"], 'Cannot list the steps of run "none": there is no such run'],
    [["signals", "none"], 'Cannot list the signals of run "none": there is no such run'],
    [["cancel", "none"], 'Cannot cancel run "none": there is no such run'],
    [["cancel", "r3"], 'Cannot cancel run "r3": the run is done'],
    [["signal", "none", "k", "1"], 'Cannot signal run "none": there is no such run'],
    [["signal", "r3", "k", "1"], 'Cannot signal run "r3": the run is done, failed or cancelled'],
    [
      ["signal", "r2", "receipt", "2"],
      'Cannot signal run "r2": the run has a signal with the same key and a different value',
    ],
  ];
  for (const [args, message] of cases) {
    assertEquals((await assertRejects(() => cli.run(args), AgentError)).message, message);
  }
  const invalid = () => cli.run(["signal", "r1", "r1/i0/approval/0", "5"]);
  await assertRejects(invalid, TypeError, "an ApprovalDecision");
  assertEquals((await cli.run(["cancel", "r1"])).out, "Cancelled\n");
  const again = () => cli.run(["cancel", "r1"]);
  await assertRejects(again, AgentError, 'Cannot cancel run "r1": the run is cancelled');
});

Deno.test("formatJson() escapes invisible characters as JSON does", () => {
  const value = { "k\u202e": "\u001b\u200b\u2028\u{e0041}" };
  const text = formatJson(value);
  assertEquals(text, '{"k\\u202e":"\\u001b\\u200b\\u2028\\udb40\\udc41"}\n');
  assertEquals(JSON.parse(text), value);
});

/** Follows a run, and returns what the command writes, and its error. */
async function follow(runs: Runs, runId: string, signal = new AbortController().signal) {
  const parsed = readArguments(["follow", runId], { DATABASE_URL: "runs.db" });
  if (parsed.kind !== "request") throw new Error(JSON.stringify(parsed));
  let [out, err] = ["", ""];
  const failure: unknown = await execute(runs, parsed.request, {
    out: (text) => out += text,
    err: (text) => err += text,
    colors: false,
    columns: 90,
    now: 0,
    signal,
  }).then(() => undefined, (error: unknown) => error);
  const lines = out.split("\n").slice(0, -1).map((line) => JSON.parse(line));
  return { err, failure, lines };
}

Deno.test("parley-runs follow writes the events of a run until it ends", async () => {
  const model = scriptedModel([{ text: "\x1b[2JHi" }]);
  const make = () => new ToolLoopAgent({ name: "clerk", model });
  await using runs = openRuns(memoryRuns(), { clerk: { version: "1", make } }, {
    storeEvents: true,
  });
  await runs.start({ runId: "r1", agent: "clerk", input: "Go" });
  const following = follow(runs, "r1");
  const working = runs.work();
  const { err, failure, lines } = await following;
  assertEquals([err, failure], ["", undefined]);
  assertEquals(lines.map(({ cursor, event }) => `${cursor} ${event.state ?? event.type}`), [
    "1.0 running",
    "1.1 run_started",
    "1.2 iteration_started",
    "1.3 model_started",
    "1.4 text_delta",
    "1.5 model_finished",
    "1.6 iteration_finished",
    "1.7 run_finished",
    "1.8 ended",
  ]);
  assertEquals(lines[4].event.text, "\x1b[2JHi");
  await runs.close();
  await working;
});

Deno.test("parley-runs follow is interrupted without an effect on the run", async () => {
  const gate = createGate();
  const model = scriptedModel([{ calls: [{ toolName: "look" }] }, { text: "Done" }]);
  const look = { name: "look", inputSchema: { type: "object" }, execute: () => gate.wait() };
  const make = () => new ToolLoopAgent({ name: "clerk", model, tools: [look] });
  await using runs = openRuns(memoryRuns(), { clerk: { version: "1", make } }, {
    storeEvents: true,
  });
  await runs.start({ runId: "r1", agent: "clerk", input: "Go" });
  const working = runs.work();
  await gate.reached;
  const interrupted = new AbortController();
  const following = follow(runs, "r1", interrupted.signal);
  const reason = new Error("Interrupted");
  interrupted.abort(reason);
  assertEquals((await following).failure, reason);
  gate.release();
  assertEquals((await runs.result("r1")).status, "done");
  await runs.close();
  await working;
});

Deno.test("parley-runs follow tells why it shows no events", async () => {
  const engine = memoryRuns();
  await store(engine, "r1", { status: "done", result: { finalText: "Paid" } });
  await store(engine, "r2", WAITING);
  await using runs = openRuns(engine, {}, { storeEvents: true });
  const messageOf = (error: unknown): string => error instanceof Error ? error.message : "";
  const reason = "the run has ended, and its events are not stored or not kept anymore";
  assertEquals(messageOf((await follow(runs, "r1")).failure), `Cannot follow run "r1": ${reason}`);
  const missing = 'Cannot follow run "r3": there is no such run';
  assertEquals(messageOf((await follow(runs, "r3")).failure), missing);
  const stopped = new AbortController();
  const following = follow(runs, "r2", stopped.signal);
  stopped.abort();
  const { err, lines } = await following;
  const hint = "The worker has stored no events of this run; workers need the option storeEvents\n";
  assertEquals([err, lines], [hint, []]);
});
