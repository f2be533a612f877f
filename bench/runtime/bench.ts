/**
 * Compares `@parley/runtime` with the AI SDK, the OpenAI Agents SDK and a minimal loop.
 *
 *     deno task bench runtime
 *
 * Each row of the table shows the duration of the fastest of many runs in a separate process.
 * Models respond immediately. Validators accept all input, except in the `validating` rows. The AI
 * SDK does not validate input against a plain JSON Schema. Warnings from the AI SDK are disabled.
 *
 * The ratios whose names start with `usFor` are the microseconds that an option of the loop adds to
 * each iteration.
 *
 * The last line is a JSON object that contains all ratios. Exits with code 1 if a ratio is outside
 * its limit in `PROMISES`.
 *
 * @module
 */

import { AgentChannel, createAgentMessage } from "@parley/runtime";
import { publishReport } from "../report.ts";
import type { Measurement } from "./child.ts";
import { ROOT } from "../../tools/members.ts";
import { importCosts } from "../import_cost.ts";
import type { LoopRatios } from "./loop.ts";
import type { ReaderCosts } from "./readers.ts";
import type { ScaleRatios } from "./scale.ts";
import { measureValidation } from "./validation.ts";

const BUDGET_MS = Number(Deno.env.get("PARLEY_BENCH_MS") ?? "1500");

/**
 * The measured runs: subject, model calls, tool calls per response, earlier messages, and length of
 * the tool result.
 */
const ROWS = [
  ["bare", 100, 1, 0, 100],
  ["parley", 100, 1, 0, 100],
  ["parley-validating", 100, 1, 0, 100],
  ["ai", 100, 1, 0, 100],
  ["ai-validating", 100, 1, 0, 100],
  ["openai-agents", 100, 1, 0, 100],
  ["bare", 100, 8, 0, 100],
  ["parley", 100, 8, 0, 100],
  ["ai", 100, 8, 0, 100],
  ["bare", 1000, 1, 10, 100],
  ["parley", 1000, 1, 10, 100],
  ["ai", 1000, 1, 10, 100],
  ["bare", 1000, 1, 10_000, 100],
  ["parley", 1000, 1, 10_000, 100],
  ["parley", 100, 1, 0, 2_000],
  ["ai", 100, 1, 0, 2_000],
] as const;

type Row = typeof ROWS[number];

/**
 * Limit for each ratio: a positive value is a minimum, and a negative value `-n` is a maximum of
 * `n`.
 */
const PROMISES = {
  usPerIteration: -3,
  usPerFurtherCall: -1,
  msPer1000Iterations: -5,
  history10000To10: -1.2,
  aiToParley: 20,
  aiToParleyValidating: 5,
  retainedParleyToAi: -0.4,
  usForPrepareIteration: -1,
  usForOutputTool: -1,
  usForOutputNative: -1,
  usForAround: -1,
  sessionTurn1000To10: -3,
  recordedSessionTurn1000To10: -3,
  fileSessionTurn1000To10: -3,
  journalStep1000To10: -1.2,
  serverTurn5000To10: -3,
  sqliteServerTurn5000To10: -3,
  channelDeepToEmpty: -2,
  validationToCfworker: -1.03,
  hostileValidationMs: -50,
  importMsNode: -8,
  importMsDeno: -10,
};

const DEPTHS = [0, 100, 10_000, 200_000];

/** Runs a program from this folder in a new process, and returns the last line of the output. */
async function runChild(program: string, ...args: readonly unknown[]): Promise<string> {
  const { stdout, success, stderr } = await new Deno.Command("deno", {
    args: [
      "run",
      "-A",
      "--quiet",
      "--no-check",
      "--frozen",
      `--config=${new URL("../deno.json", import.meta.url).pathname}`,
      "--v8-flags=--expose-gc",
      new URL(program, import.meta.url).href,
      ...args.map(String),
    ],
    env: { AI_SDK_LOG_WARNINGS: "false" },
  }).output();
  if (!success) {
    const reason = new TextDecoder().decode(stderr);
    throw new Error(`Cannot run ${program} ${args.join(" ")}: ${reason}`);
  }
  return new TextDecoder().decode(stdout).trim().split("\n").at(-1) ?? "";
}

async function measure(row: Row): Promise<Measurement> {
  return JSON.parse(await runChild("child.ts", ...row, BUDGET_MS));
}

/**
 * Returns the duration of one iteration without options and with each measured option, in
 * microseconds.
 */
async function optionCosts(): Promise<Readonly<Record<string, number>>> {
  return JSON.parse(await runChild("option_costs.ts", BUDGET_MS));
}

/**
 * Returns the duration of one `send()` and one `receive()` on a channel with `depth` queued
 * messages, in nanoseconds.
 */
function channelCost(depth: number): number {
  const message = createAgentMessage("did:example:a", "did:example:b", null);
  const channel = new AgentChannel(depth + 1);
  for (let waiting = 0; waiting < depth; waiting++) channel.send(message);
  const pairs = Math.max(400_000, depth * 3);
  let best = Infinity;
  for (let round = 0; round < 5; round++) {
    const start = performance.now();
    for (let pair = 0; pair < pairs; pair++) {
      channel.send(message);
      channel.receive();
    }
    best = Math.min(best, performance.now() - start);
  }
  return best / pairs * 1e6;
}

function print(cells: readonly unknown[]): void {
  console.log(
    cells.map((cell, index) => index === 0 ? String(cell).padEnd(20) : String(cell).padStart(12))
      .join(""),
  );
}

const results = new Map<string, Measurement>();
print([
  "subject",
  "iterations",
  "calls",
  "history",
  "payload",
  "ms",
  "us/iteration",
  "KB retained",
]);
for (const row of ROWS) {
  const result = await measure(row);
  results.set(row.join(" "), result);
  const { minMs, retainedKb } = result;
  print([...row, minMs.toFixed(3), (minMs / row[1] * 1000).toFixed(2), retainedKb.toFixed(0)]);
}

function ms(...row: Row): number {
  return results.get(row.join(" "))?.minMs ?? NaN;
}

function retainedKb(...row: Row): number {
  return results.get(row.join(" "))?.retainedKb ?? NaN;
}

const loop: LoopRatios = JSON.parse(await runChild("loop.ts", BUDGET_MS));
print(["iteration", `${loop.iteration.toFixed(2)} times a loop written by hand`]);
print(["iteration, 8 calls", `${loop.eightCalls.toFixed(2)} times a loop written by hand`]);
print(["allocation", `${loop.bytesPerIteration.toFixed(0)} bytes/iteration`]);
print(["allocation by hand", `${loop.handMadeBytesPerIteration.toFixed(0)} bytes/iteration`]);

const options = await optionCosts();
for (const [name, us] of Object.entries(options)) print([name, `${us.toFixed(2)} us/iteration`]);

function usFor(option: string): number {
  return (options[option] ?? NaN) - (options.none ?? NaN);
}

channelCost(0); // Warm up so that the engine compiles the measured code before the measurement.
const channelNs = Object.fromEntries(
  DEPTHS.map((depth) => [depth, Number(channelCost(depth).toFixed(1))]),
);
for (const [depth, cost] of Object.entries(channelNs)) print([`channel at ${depth}`, `${cost} ns`]);

const scale: ScaleRatios = JSON.parse(await runChild("scale.ts", 1000, 1000, 5000));
for (const [name, ratio] of Object.entries(scale)) print([name, `${ratio.toFixed(2)} times`]);

const { agentSession, ...costs }: ReaderCosts = JSON.parse(await runChild("readers.ts", 500));
print(["streamed part, AgentSession", `${agentSession} us CPU`]);
for (const [storage, byReaders] of Object.entries(costs)) {
  for (const [readers, us] of Object.entries(byReaders)) {
    print([`streamed part, ${storage}, ${readers} readers`, `${us} us CPU`]);
  }
}

const imports = await importCosts([
  { name: "node", runtime: "node", url: new URL("npm/runtime/esm/mod.js", ROOT).href },
  { name: "deno", runtime: "deno", url: new URL("runtime/mod.ts", ROOT).href },
]);
for (const [name, cost] of imports) {
  print([`import on ${name}`, `${cost.toFixed(1)} ms CPU`]);
}

const validation = await measureValidation(BUDGET_MS);
print(["validation", `${validation.toCfworker.toFixed(2)} times @cfworker/json-schema`]);
print(["hostile validation", `${validation.hostileMs.toFixed(1)} ms`]);

const oneCall = ms("parley", 100, 1, 0, 100);
const ratios = {
  usPerIteration: oneCall / 100 * 1000,
  iterationToHandMade: loop.iteration,
  eightCallsToHandMade: loop.eightCalls,
  bytesPerIteration: loop.bytesPerIteration,
  usPerIterationBare: ms("bare", 100, 1, 0, 100) / 100 * 1000,
  usPerFurtherCall: (ms("parley", 100, 8, 0, 100) - oneCall) / 700 * 1000,
  usPerFurtherCallBare: (ms("bare", 100, 8, 0, 100) - ms("bare", 100, 1, 0, 100)) / 700 * 1000,
  msPer1000Iterations: ms("parley", 1000, 1, 10, 100),
  history10000To10: ms("parley", 1000, 1, 10_000, 100) / ms("parley", 1000, 1, 10, 100),
  aiToParley: ms("ai", 100, 1, 0, 100) / oneCall,
  aiToParley1000: ms("ai", 1000, 1, 10, 100) / ms("parley", 1000, 1, 10, 100),
  aiToParleyValidating: ms("ai-validating", 100, 1, 0, 100) /
    ms("parley-validating", 100, 1, 0, 100),
  openaiAgentsToParley: ms("openai-agents", 100, 1, 0, 100) / oneCall,
  retainedParleyToAi: retainedKb("parley", 100, 1, 0, 2_000) / retainedKb("ai", 100, 1, 0, 2_000),
  usForPrepareIteration: usFor("prepareIteration"),
  usForOutputTool: usFor("outputTool"),
  usForOutputNative: usFor("outputNative"),
  usForAround: usFor("around"),
  sessionTurn1000To10: scale.sessionTurn,
  recordedSessionTurn1000To10: scale.recordedSessionTurn,
  fileSessionTurn1000To10: scale.fileSessionTurn,
  journalStep1000To10: scale.journalStep,
  serverTurn5000To10: scale.serverTurn,
  sqliteServerTurn5000To10: scale.sqliteServerTurn,
  channelDeepToEmpty: (channelNs[200_000] ?? NaN) / (channelNs[0] ?? NaN),
  validationToCfworker: validation.toCfworker,
  hostileValidationMs: validation.hostileMs,
  importMsNode: imports.get("node") ?? NaN,
  importMsDeno: imports.get("deno") ?? NaN,
};

/** Returns the time per iteration of a run with one tool call per iteration, in microseconds. */
function usPerIteration(...row: Row): number {
  return ms(...row) / row[1] * 1000;
}

const tables = [
  {
    title: "100 iterations with one tool call: time per iteration",
    unit: "us",
    values: new Map([
      ["minimal loop", usPerIteration("bare", 100, 1, 0, 100)],
      ["@parley/runtime", usPerIteration("parley", 100, 1, 0, 100)],
      ["AI SDK", usPerIteration("ai", 100, 1, 0, 100)],
      ["OpenAI Agents SDK", usPerIteration("openai-agents", 100, 1, 0, 100)],
    ]),
  },
  {
    title: "100 iterations with one tool call, with validation: time per iteration",
    unit: "us",
    values: new Map([
      ["@parley/runtime", usPerIteration("parley-validating", 100, 1, 0, 100)],
      ["AI SDK", usPerIteration("ai-validating", 100, 1, 0, 100)],
    ]),
  },
  {
    title: "memory that the output of a run retains",
    unit: "kB",
    values: new Map([
      ["@parley/runtime", retainedKb("parley", 100, 1, 0, 2_000)],
      ["AI SDK", retainedKb("ai", 100, 1, 0, 2_000)],
    ]),
  },
] as const;

console.log();
Deno.exit(publishReport({ tables, ratios, promises: PROMISES }));
