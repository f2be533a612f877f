/**
 * A process that executes durable runs in an SQLite file, for a test that kills it. The commands
 * are:
 *
 * - `work FOLDER COUNT KILL_AT`: starts COUNT runs, or continues them, and prints their results as
 *   JSON when all runs have ended. The process kills itself when it records step KILL_AT: before
 *   the step is stored if KILL_AT is odd, and afterwards if it is even. If KILL_AT is 0, the
 *   process does not kill itself.
 * - `remove FOLDER`: removes the folder.
 *
 * The `log` file in the folder contains a line for each model call, tool execution and recorded
 * step.
 *
 * @module
 */

import { appendFileSync, mkdirSync, rmSync } from "node:fs";
import process from "node:process";
import { type LanguageModel, ToolLoopAgent } from "../../mod.ts";
import { openRuns, readRunResult, type RunEngine } from "../../runs.ts";
import { sqliteRuns } from "../../sqlite.ts";

const [command = "", folder = "", count = "0", killAt = "0"] = process.argv.slice(2);

function log(line: string): void {
  appendFileSync(`${folder}/log`, `${line}\n`);
}

/** Calls two tools in each of five responses, and then returns the sum of their results. */
const model: LanguageModel = {
  modelId: "sums",
  generate({ messages }) {
    const results = messages.flatMap(({ content, role }) => role === "tool" ? content : []);
    const isDone = results.length >= 10;
    const sum = results.reduce((total, part) => {
      const value = part.type === "tool-result" && "value" in part.output ? part.output.value : NaN;
      return total + Number(value);
    }, 0);
    const calls = [0, 1].map((offset) => ({
      type: "tool-call" as const,
      toolCallId: `c${results.length + offset}`,
      toolName: "square",
      input: { n: results.length + offset },
    }));
    return Promise.resolve({
      message: {
        role: "assistant",
        content: isDone ? [{ type: "text", text: `sum ${sum}` }] : calls,
      },
      finishReason: isDone ? "stop" : "tool-calls",
    });
  },
};

function makeAgent(): ToolLoopAgent {
  return new ToolLoopAgent({
    name: "clerk",
    model,
    around(step, next) {
      if (step.kind === "model") log(`begin ${step.runId}/i${step.iteration}/model`);
      return next();
    },
    tools: [{
      name: "square",
      inputSchema: { type: "object" },
      annotations: { idempotent: true },
      execute(input: unknown, { idempotencyKey }) {
        log(`begin ${idempotencyKey}`);
        return Object(input).n ** 2;
      },
    }],
    approvalHandler({ runId, toolCall }) {
      const needsApproval = Number(runId.slice(1)) % 10 === 0 && Object(toolCall.input).n === 4;
      return needsApproval ? { decision: "defer" } : true;
    },
  });
}

/** Kills the process at the given step, and logs the recorded steps. */
function killedAt(step: number, engine: RunEngine): RunEngine {
  const { journal } = engine;
  const append = journal.append.bind(journal);
  let steps = 0;
  journal.append = async (runId, epoch, entry) => {
    const isLast = ++steps === step;
    if (isLast && step % 2 === 1) process.kill(process.pid, "SIGKILL");
    const outcome = await append(runId, epoch, entry);
    if (isLast) process.kill(process.pid, "SIGKILL");
    log(`${outcome} ${entry.key}`);
    return outcome;
  };
  return engine;
}

async function work(): Promise<void> {
  mkdirSync(folder, { recursive: true });
  const engine = killedAt(
    Number(killAt),
    sqliteRuns(`${folder}/runs.db`, { retryDelayMs: 1, leaseMs: 500 }),
  );
  const runs = openRuns(engine, { clerk: { version: "1", make: makeAgent } });
  const close = engine.journal.close.bind(engine.journal);
  const approve = async (runId: string): Promise<void> => {
    for (const { key, kind } of (await runs.get(runId))?.waitingFor ?? []) {
      if (kind !== "approval") continue;
      log(`ask ${key}`);
      log(`decision ${(await runs.signal(runId, key, true)).outcome} ${key}`);
    }
  };
  engine.journal.close = async (runId, epoch, end) => {
    const outcome = await close(runId, epoch, end);
    if (end.status === "waiting") void Promise.resolve(runId).then(approve);
    return outcome;
  };
  for (const { runId } of await runs.list({ status: "waiting" })) await approve(runId);
  const ids = Array.from({ length: Number(count) }, (_, index) => `r${index}`);
  const working = runs.work({ concurrency: 3 });
  for (const runId of ids) await runs.start({ runId, agent: "clerk", input: "Sum" });
  const ended = await Promise.all(ids.map((runId) => runs.result(runId)));
  await runs.close();
  await working;
  process.stdout.write(
    JSON.stringify(ended.map((run) => [
      run.status,
      run.error?.message ?? readRunResult(run)?.finalText,
    ])),
  );
}

if (command === "work") await work();
else rmSync(folder, { recursive: true, force: true });
