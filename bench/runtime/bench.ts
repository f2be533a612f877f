/**
 * Compares `@parley/runtime` with the AI SDK, the OpenAI Agents SDK and code written by hand.
 *
 *     deno task bench runtime
 *
 * Each program in this folder runs in a new process. The tool loop and the loop written by hand
 * take turns in one process. The other libraries run in separate processes, and the fastest of many
 * runs counts. Models respond immediately. Validators accept all input, except in the rows with
 * validation. The AI SDK does not validate input against a plain JSON Schema. Warnings from the AI
 * SDK are disabled.
 *
 * The last line is a JSON object that contains all ratios. Exits with code 1 if a ratio is outside
 * its limit in `PROMISES`.
 *
 * @module
 */

import { AgentChannel, createAgentMessage } from "@parley/runtime";
import { ratioOf } from "../measure.ts";
import { type Growth, growthRatio, publishReport, type Table } from "../report.ts";
import type { Measurement } from "./child.ts";
import type { EndpointCosts } from "./endpoints.ts";
import type { StepCosts } from "./journal_steps.ts";
import type { LoopCosts } from "./loop.ts";
import { PROMISES } from "./promises.ts";
import type { ReaderCosts } from "./readers.ts";
import type { ScaleCosts } from "./scale.ts";
import type { Shape } from "./subjects.ts";
import { measureValidation } from "./validation.ts";

const BUDGET_MS = Number(Deno.env.get("PARLEY_BENCH_MS") ?? "1500");
/** Number of processes per subject for the first run. */
const FIRST_RUNS = 12;
const DEPTHS = [0, 1000, 200_000];

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

async function measure(subject: string, shape: Partial<Shape> = {}): Promise<Measurement> {
  const { iterations = 100, calls = 1, history = 0, payload = 100 } = shape;
  const numbers = [iterations, calls, history, payload, BUDGET_MS];
  return JSON.parse(await runChild("child.ts", subject, ...numbers));
}

/** Returns the microseconds per iteration of the fastest run. */
async function usPerIteration(subject: string, iterations = 100): Promise<number> {
  return (await measure(subject, { iterations })).minMs / iterations * 1000;
}

/** Returns the memory that the output of a run retains, in kilobytes. */
async function retainedKb(subject: string): Promise<number> {
  return (await measure(subject, { payload: 2_000 })).retainedKb;
}

/**
 * Measures the first run of 10 iterations in a new process. Returns the least processor time of
 * several processes, in milliseconds.
 */
async function measureFirstRuns(): Promise<ReadonlyMap<string, number>> {
  const best = new Map<string, number>();
  for (let round = 0; round < FIRST_RUNS; round++) {
    for (const subject of ["hand-made", "parley"]) {
      const ms = Number(await runChild("first_run.ts", subject));
      best.set(subject, Math.min(ms, best.get(subject) ?? Infinity));
    }
  }
  return new Map([
    ["hand-made", best.get("hand-made") ?? NaN],
    ["@parley/runtime", best.get("parley") ?? NaN],
  ]);
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

function measureChannels(): Growth {
  channelCost(0); // Warm up so that the engine compiles the measured code before the measurement.
  return {
    name: "messages in a channel",
    work: "sending and receiving a message",
    unit: "ns",
    costs: new Map(DEPTHS.map((depth) => [depth, channelCost(depth)])),
  };
}

/** Returns the cost of delivering one part to one reader, by the number of readers. */
function perReader(work: string, costs: Readonly<Record<string, number>>): Growth {
  const perReader = sizesOf(costs).filter(([readers]) => readers > 0)
    .map(([readers, us]): [number, number] => [readers, us / readers]);
  return { name: "readers of a run", work, unit: "us", costs: new Map(perReader) };
}

function sizesOf(costs: Readonly<Record<string, number>>): [number, number][] {
  return Object.entries(costs).map(([size, cost]) => [Number(size), cost]);
}

function growthOf(
  name: string,
  work: string,
  costs: Readonly<Record<string, number>>,
): Growth {
  return { name, work, unit: "us", costs: new Map(sizesOf(costs)) };
}

const loop: LoopCosts = JSON.parse(await runChild("loop.ts", BUDGET_MS));
const firstRuns = await measureFirstRuns();
const [ours, ai] = ["@parley/runtime", "AI SDK"];
const byHand = new Map([
  ["minimal loop", await usPerIteration("bare")],
  ["hand-made loop", await usPerIteration("hand-made")],
]);
const usPerIterationOfOurs = await usPerIteration("parley");
const iterations = new Map([
  [ours, usPerIterationOfOurs],
  ["AI SDK", await usPerIteration("ai")],
  ["OpenAI Agents SDK", await usPerIteration("openai-agents")],
]);
const validating = new Map([
  ["@parley/runtime", await usPerIteration("parley-validating")],
  ["AI SDK", await usPerIteration("ai-validating")],
]);
const long = new Map([
  ["@parley/runtime", await usPerIteration("parley", 1000)],
  ["AI SDK", await usPerIteration("ai", 1000)],
]);
const retained = new Map([
  ["@parley/runtime", await retainedKb("parley")],
  ["AI SDK", await retainedKb("ai")],
]);
const kbPerAgent = Number(await runChild("agent_memory.ts"));
const steps: StepCosts = JSON.parse(await runChild("journal_steps.ts", 100));
const scale: ScaleCosts = JSON.parse(await runChild("scale.ts", 1000, 1000, 5000));
const readers: ReaderCosts = JSON.parse(await runChild("readers.ts", 500));
const endpoints: EndpointCosts = JSON.parse(await runChild("endpoints.ts", 300, 12));
const validation = await measureValidation(BUDGET_MS);

const growth = {
  history: growthOf("messages before the run", "an iteration", loop.byHistory),
  tools: growthOf("registered tools", "an iteration", loop.byTools),
  turns: growthOf("earlier turns", "a turn of a session in memory", scale.sessionTurn),
  recordedTurns: growthOf(
    "earlier turns",
    "a turn of a session whose steps are recorded",
    scale.recordedSessionTurn,
  ),
  fileTurns: growthOf("earlier turns", "a turn of a session in a file", scale.fileSessionTurn),
  serverTurns: growthOf(
    "earlier turns",
    "a turn of a server's session in memory",
    scale.serverTurn,
  ),
  sqliteTurns: growthOf(
    "earlier turns",
    "a turn of a server's session in SQLite",
    scale.sqliteServerTurn,
  ),
  sessions: growthOf(
    "earlier sessions",
    "the first turn of a server's session in memory",
    scale.newSession,
  ),
  sqliteSessions: growthOf(
    "earlier sessions",
    "the first turn of a server's session in SQLite",
    scale.sqliteNewSession,
  ),
  steps: growthOf("recorded steps", "recording a step in a file", scale.journalStep),
  channel: measureChannels(),
  readers: perReader("sending a part of a response to a reader, in memory", readers.memory),
  sqliteReaders: perReader("sending a part of a response to a reader, in SQLite", readers.sqlite),
};

const tables: readonly Table[] = [
  {
    title: "100 iterations with one tool call: time per iteration",
    unit: "us",
    values: new Map([...byHand, [ours, usPerIterationOfOurs]]),
  },
  {
    title: "100 iterations with one tool call, other libraries: time per iteration",
    unit: "us",
    values: iterations,
  },
  {
    title: "100 iterations with one tool call, with validation: time per iteration",
    unit: "us",
    values: validating,
  },
  {
    title: "memory that the output of a run retains",
    unit: "kB",
    values: retained,
  },
  {
    title: "first run of 10 iterations in a new process: CPU time",
    unit: "ms",
    values: firstRuns,
  },
  {
    title: "step of a file journal: elapsed time",
    unit: "us",
    values: new Map([
      ["hand-made step", steps.handMade.wallUs],
      ["@parley/runtime", steps.parley.wallUs],
    ]),
  },
  {
    title: "a message at an endpoint, with a stored session: CPU time",
    unit: "us",
    values: new Map(Object.entries(endpoints)),
  },
  {
    title: "bytes allocated per iteration",
    unit: "kB",
    values: new Map([
      ["hand-made loop", loop.handMadeBytesPerIteration / 1000],
      ["@parley/runtime", loop.bytesPerIteration / 1000],
    ]),
  },
];

/** Returns the cost of a message at an endpoint, as a multiple of that at a handler by hand. */
function endpointRatio(name: string): number {
  return (endpoints[name] ?? NaN) / (endpoints["hand-made handler"] ?? NaN);
}

const ratios = {
  iterationToHandMade: loop.iteration,
  eightCallsToHandMade: loop.eightCalls,
  iterations1000ToHandMade: loop.iterations1000,
  kbPerIteration: loop.bytesPerIteration / 1000,
  firstRunToHandMade: ratioOf(firstRuns, ours, "hand-made"),
  prepareIterationToHandMade: loop.options.prepareIteration ?? NaN,
  outputToolToHandMade: loop.options.outputTool ?? NaN,
  outputNativeToHandMade: loop.options.outputNative ?? NaN,
  aroundToHandMade: loop.options.around ?? NaN,
  history10000To10: growthRatio(growth.history),
  tools1000To1: growthRatio(growth.tools),
  sessionTurn1000To10: growthRatio(growth.turns),
  recordedSessionTurn1000To10: growthRatio(growth.recordedTurns),
  fileSessionTurn1000To10: growthRatio(growth.fileTurns),
  serverTurn5000To10: growthRatio(growth.serverTurns),
  sqliteServerTurn5000To10: growthRatio(growth.sqliteTurns),
  newSession1000To10: growthRatio(growth.sessions),
  sqliteNewSession1000To10: growthRatio(growth.sqliteSessions),
  journalStepToHandMade: steps.parley.wallUs / steps.handMade.wallUs,
  journalStepCpuToHandMade: steps.parley.cpuUs / steps.handMade.cpuUs,
  journalStep1000To10: growthRatio(growth.steps),
  channelDeepToEmpty: growthRatio(growth.channel),
  readers100To1: growthRatio(growth.readers),
  sqliteReaders100To1: growthRatio(growth.sqliteReaders),
  storedPartToAgentSession: (readers.memory["1"] ?? NaN) / readers.agentSession,
  a2aToHandMade: endpointRatio("A2A, JSON-RPC"),
  a2aHttpToHandMade: endpointRatio("A2A, HTTP+JSON"),
  a2aStreamToHandMade: endpointRatio("A2A, stream"),
  chatCompletionsToHandMade: endpointRatio("OpenAI Chat Completions"),
  responsesToHandMade: endpointRatio("OpenAI Responses"),
  uiChatToHandMade: endpointRatio("AI SDK UI"),
  kbPerAgent,
  aiToParley: ratioOf(iterations, ai, ours),
  aiToParley1000: ratioOf(long, ai, ours),
  aiToParleyValidating: ratioOf(validating, ai, ours),
  openaiAgentsToParley: ratioOf(iterations, "OpenAI Agents SDK", ours),
  retainedParleyToAi: ratioOf(retained, ours, ai),
  validationToCfworker: validation.toCfworker,
  hostileValidationToJsonParse: validation.hostileToJsonParse,
};

Deno.exit(publishReport({ tables, growth: Object.values(growth), ratios, promises: PROMISES }));
