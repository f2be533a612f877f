import { assertEquals, assertRejects } from "@std/assert";
import type { LiveEvent } from "../log/live_run.ts";
import type { LoopEventBody } from "../loop/events.ts";
import type { ServedRun, ServedRunState } from "../serve/contracts.ts";
import type { PendingBatch, ToolLoopOutput } from "../shared/output.ts";
import { RunOutput, type RunOutputSettings } from "./run_output.ts";

const USAGE = { inputTokens: 1, outputTokens: 2, totalTokens: 3 };
const { signal } = new AbortController();

type Entry =
  | LoopEventBody
  | { readonly type: "log_reset" }
  | { readonly type: "run_state"; readonly state: "running" | "waiting" };

/** Returns a run with certain events. */
function runOf(
  entries: readonly Entry[],
  state: Partial<ServedRunState> = {},
  path: readonly string[] = ["clerk"],
): ServedRun {
  const whole: ServedRunState = { status: "running", waitingFor: [], updatedAt: 0, ...state };
  return {
    id: "s.0",
    sessionId: "s",
    startedAt: 0,
    metadata: {},
    state: whole,
    events: async function* (): AsyncGenerator<LiveEvent, void> {
      for (const [index, entry] of entries.entries()) {
        yield { cursor: `1.${index}`, event: { ...entry, runId: "r", path, at: 0 } };
      }
    },
    settled: () => Promise.resolve(whole),
    input: () => Promise.resolve(false),
    cancel: () => Promise.resolve(false),
  };
}

function started(iteration: number, attempt = 0): Entry {
  return { type: "model_started", iteration, attempt, modelId: "m" };
}

function delta(iteration: number, text: string): Entry {
  return { type: "text_delta", iteration, text };
}

function finished(iteration: number, text: string): Entry {
  const message = { role: "assistant" as const, content: [{ type: "text" as const, text }] };
  return { type: "model_finished", iteration, message, finishReason: "stop", usage: USAGE };
}

function done(finalText: string, more: Partial<ToolLoopOutput> = {}): Entry {
  const output: ToolLoopOutput = {
    finalText,
    stopReason: "model_stop",
    iterations: [],
    messages: [],
    totalUsage: USAGE,
    usageByModel: {},
    ...more,
  };
  return { type: "run_finished", stopReason: output.stopReason, output };
}

/** Reads a run. A text is followed by a `/` if it is complete, and by a `!` otherwise. */
async function read(
  run: ServedRun,
  settings: Partial<RunOutputSettings> = {},
): Promise<readonly [string, RunOutput]> {
  const output = new RunOutput(run, { signal, endsAt: () => true, ...settings });
  let text = "";
  for await (const part of output.parts()) {
    if (part.type === "text") text += part.isFirst ? `<${part.text}` : part.text;
    if (part.type === "text_end") text += part.isComplete ? ">" : "!";
  }
  return [text, output];
}

Deno.test("the texts of the calls are separate", async () => {
  const [text, { end }] = await read(runOf([
    started(0),
    delta(0, "a"),
    delta(0, "b"),
    finished(0, "ab"),
    started(1),
    finished(1, "c"),
    done("c"),
  ]));
  assertEquals(text, "<ab><c>");
  assertEquals(end, { status: "done", stopReason: "model_stop", usage: USAGE });
});

Deno.test("text that was not streamed or stored follows with the response", async () => {
  const [text] = await read(runOf([started(0), delta(0, "ab"), finished(0, "abcd"), done("abcd")]));
  assertEquals(text, "<abcd>");
});

Deno.test("the text of a failed attempt is not that of the next one", async () => {
  const retry: Entry = { type: "model_retry", iteration: 0, attempt: 1, delayMs: 0, reason: "x" };
  const [text] = await read(runOf([
    started(0),
    delta(0, "ab"),
    retry,
    started(0, 1),
    delta(0, "xy"),
    finished(0, "xy"),
    done("xy"),
  ]));
  assertEquals(text, "<ab!<xy>");
});

Deno.test("a response that differs from its deltas is a separate text", async () => {
  const [text] = await read(runOf([started(0), delta(0, "ab"), finished(0, "xy"), done("xy")]));
  assertEquals(text, "<ab!<xy>");
});

Deno.test("events that are repeated after a takeover are not sent again", async () => {
  const [text] = await read(runOf([
    started(0),
    delta(0, "a"),
    finished(0, "a"),
    started(1),
    delta(1, "b"),
    { type: "log_reset" },
    started(0),
    finished(0, "a"),
    started(1),
    delta(1, "cd"),
    finished(1, "cd"),
    done("cd"),
  ]));
  assertEquals(text, "<a><b!<cd>");
});

Deno.test("the final answer of an output schema follows the texts", async () => {
  const [text] = await read(runOf([started(0), finished(0, "Wait."), done('{"total":12}')]));
  assertEquals(text, '<Wait.><{"total":12}>');
});

Deno.test("the events of sub-agents are not part of the output", async () => {
  const entries = [started(0), delta(0, "a"), finished(0, "a")];
  const [text] = await read(runOf(entries, { status: "cancelled" }, ["clerk", "expert"]));
  assertEquals(text, "");
});

Deno.test("the iterations before a decision are not part of the output", async () => {
  const entries = [started(0), finished(0, "a"), started(1), finished(1, "b")];
  const [text, output] = await read(runOf([...entries, done("b")]), { from: 1 });
  assertEquals([text, output.iterations], ["<b>", 2]);
  const [rest] = await read(runOf([started(0), finished(0, "a"), done("a")]), { from: 1 });
  assertEquals(rest, "");
});

const PENDING: PendingBatch = {
  iteration: 0,
  assistantMessage: { role: "assistant", content: [] },
  toolResults: [],
  approvals: [],
  waits: [{
    kind: "signal",
    key: "k",
    path: ["clerk"],
    toolCall: { type: "tool-call", toolCallId: "c", toolName: "ask", input: {} },
  }],
};

Deno.test("a run that waits ends the output only if the reader wants it", async () => {
  const waits = [
    { kind: "signal" as const, key: "k", path: ["clerk"], toolName: "ask", toolCallId: "c" },
  ];
  const entries: readonly Entry[] = [
    done("", { stopReason: "waiting", pending: PENDING }),
    { type: "run_state", state: "waiting" },
    { type: "run_state", state: "running" },
    done("b"),
  ];
  const [text, { end }] = await read(runOf(entries));
  assertEquals([text, end], ["", { status: "waiting", waits, usage: USAGE }]);
  const [whole, later] = await read(runOf(entries), { endsAt: () => false });
  assertEquals([whole, later.end?.status], ["<b>", "done"]);
});

Deno.test("a run whose events are not kept is described by its state", async () => {
  const result = {
    finalText: "a",
    hasAnswer: true,
    stopReason: "model_stop" as const,
    totalUsage: USAGE,
  };
  const [text, { end }] = await read(runOf([], { status: "done", result }));
  assertEquals(text, "<a>");
  assertEquals(end, { status: "done", stopReason: "model_stop", usage: USAGE });
  const entries = [started(0), delta(0, "a")];
  const [cut, cancelled] = await read(runOf(entries, { status: "cancelled" }));
  assertEquals([cut, cancelled.end], ["<a!", { status: "cancelled" }]);
  const [, waiting] = await read(runOf(entries, { status: "waiting" }));
  assertEquals(waiting.end, { status: "waiting", waits: [] });
  const error = { code: "core", message: "x" };
  const [, failed] = await read(runOf(entries, { status: "failed", error }));
  assertEquals(failed.end?.status, "failed");
});

Deno.test("the end of an aborted or failed run ends its text", async () => {
  const entries = [started(0), delta(0, "a")];
  const [aborted, { end }] = await read(runOf([...entries, done("", { stopReason: "aborted" })]));
  assertEquals([aborted, end], ["<a!", { status: "cancelled" }]);
  const error = new Error("x");
  const [failed, failure] = await read(runOf([...entries, { type: "run_failed", error }]));
  assertEquals([failed, failure.end], ["<a!", { status: "failed", error }]);
});

Deno.test("a reader that is aborted rejects", async () => {
  const aborted = AbortSignal.abort(new Error("gone"));
  await assertRejects(() => read(runOf([]), { signal: aborted }), Error, "gone");
});
