import { assert, assertEquals } from "@std/assert";
import type { AgentConfig } from "../agent/agent.ts";
import { liveEventResponse } from "../events.ts";
import { memoryRuns, type OpenRunsOptions, type RunEngine, type Runs } from "../runs.ts";
import {
  attach,
  clerk,
  open as openRuns,
  type OpenedRuns,
  START,
} from "../runs/testdata/followed_runs.ts";
import { replaceMethods } from "../session/testdata/replace_methods.ts";
import type { LanguageModel } from "../shared/model.ts";
import { createGate, scriptedModel } from "../testing.ts";
import type { Tool } from "../tools/tool.ts";
import { agUiResponse } from "./ag_ui.ts";
import { uiMessageResponse } from "./ai_sdk.ts";

const PAY: Tool = { name: "pay", inputSchema: { type: "object" }, execute: () => "ok" };

type Chunk = Readonly<Record<string, unknown>>;

function open(
  config: Omit<AgentConfig, "name">,
  options?: OpenRunsOptions,
  engine?: RunEngine,
): OpenedRuns {
  return openRuns(clerk(config), engine, options);
}

/** Reads the data of a response, without `[DONE]`. */
async function chunksOf(response: Response): Promise<readonly Chunk[]> {
  const texts = (await response.text()).split("\n").filter((line) => line.startsWith("data: {"));
  return texts.map((line) => JSON.parse(line.slice("data: ".length)));
}

function typesOf(chunks: readonly Chunk[]): readonly unknown[] {
  return chunks.map(({ type }) => type);
}

/** Attaches a page of each kind. The function that it returns reads what the pages show. */
async function openPages(runs: Runs, options: Parameters<Runs["attach"]>[1] = {}) {
  const ui = uiMessageResponse(await attach(runs, "r1", options));
  const agUi = agUiResponse(await attach(runs, "r1", options), { threadId: "t" });
  const live = liveEventResponse(await attach(runs, "r1", options));
  return async () => {
    const [uiChunks, agUiChunks, liveChunks] = await Promise.all([ui, agUi, live].map(chunksOf));
    return { ui: uiChunks ?? [], agUi: agUiChunks ?? [], live: liveChunks ?? [] };
  };
}

/** A model that streams a word, waits, and streams the rest. */
function pausing(wait: () => Promise<void>): LanguageModel {
  const model = scriptedModel([{ text: "One two" }, { text: "One two" }]);
  return {
    ...model,
    generate: (request) => model.generate(request),
    async *stream(request) {
      yield { type: "text-delta", delta: "One" } as const;
      await wait();
      yield { type: "text-delta", delta: " two" } as const;
      yield { type: "finish", response: await model.generate(request) } as const;
    },
  };
}

Deno.test("a page that is reloaded in mid-stream shows the whole response of a durable run", async () => {
  const gate = createGate();
  await using opened = open({ model: pausing(() => gate.wait()) });
  opened.work();
  await opened.runs.start(START);
  const first = uiMessageResponse(await attach(opened.runs, "r1")).body?.getReader();
  assert(first);
  let text = "";
  while (!text.includes("One")) text += new TextDecoder().decode((await first.read()).value);
  await first.cancel();
  const show = await openPages(opened.runs);
  gate.release();
  const { agUi, live, ui } = await show();
  assertEquals(ui[0], { type: "start", messageId: "r1" });
  const deltas = ui.flatMap(({ delta, type }) => type === "text-delta" ? [delta] : []);
  assertEquals(deltas.join(""), "One two");
  assertEquals(typesOf(ui).at(-1), "finish");
  assertEquals(agUi[0]?.runId, "r1");
  assertEquals(typesOf(agUi).at(-1), "RUN_FINISHED");
  assertEquals(live.at(-2), { ...live.at(-2), type: "run_state", state: "ended", runId: "r1" });
  assertEquals((await opened.runs.get("r1"))?.status, "done");
});

Deno.test("a page shows the approval that a durable run waits for, and then the rest", async () => {
  const model = scriptedModel([{ calls: [{ toolName: "pay" }] }, { text: "Paid" }]);
  await using opened = open({
    model,
    tools: [PAY],
    approvalHandler: () => ({ decision: "defer" }),
  });
  const { runs } = opened;
  opened.work();
  await runs.start(START);
  const before = await (await openPages(runs))();
  const { waitingFor } = await runs.result("r1", { until: "waiting" });
  const [wait] = waitingFor;
  assert(wait);
  const request = before.ui.find(({ type }) => type === "tool-approval-request");
  assertEquals(request?.approvalId, wait.key);
  const interrupts = JSON.stringify(before.agUi.at(-1));
  assertEquals(before.agUi.at(-1)?.type, "RUN_FINISHED");
  assert(interrupts.includes(JSON.stringify(wait.key)), interrupts);
  const whole = chunksOf(uiMessageResponse(await attach(runs, "r1", { until: "ended" })));
  await runs.signal("r1", wait.key, { decision: "approve" });
  const { agUi, live, ui } = await (await openPages(runs))();
  assertEquals(typesOf(ui), [
    "start",
    "start-step",
    "tool-input-available", // after the response
    "tool-input-available", // before the execution
    "tool-output-available",
    "finish-step",
    "start-step",
    "text-start",
    "text-delta",
    "text-end",
    "finish-step",
    "finish",
  ]);
  assertEquals(typesOf(agUi).at(-1), "RUN_FINISHED");
  assertEquals(live.at(-2)?.state, "ended");
  const all = await whole;
  assertEquals(all.filter(({ type }) => type === "tool-output-available").length, 1);
  assertEquals(typesOf(all).filter((type) => type === "start").length, 1);
  assertEquals(typesOf(all), [
    "start",
    "start-step",
    "tool-input-start",
    "tool-input-delta",
    "tool-input-available",
    "tool-input-available",
    "tool-approval-request",
    "finish-step",
    "finish",
    "tool-input-available",
    "tool-output-available",
    "start-step",
    "text-start",
    "text-delta",
    "text-end",
    "finish-step",
    "finish",
  ]);
});

Deno.test("a page shows that a durable run has failed, without the error", async () => {
  await using opened = open({ model: scriptedModel([]) }, { maxAttempts: 1 });
  opened.work();
  await opened.runs.start(START);
  const { agUi, live, ui } = await (await openPages(opened.runs))();
  assertEquals(ui.at(-1), { type: "error", errorText: "An error occurred" });
  assertEquals(agUi.at(-1), { type: "RUN_ERROR", message: "An error occurred" });
  assertEquals(typesOf(live).slice(-3), ["run_failed", "run_state", undefined]);
});

Deno.test("a page shows that a durable run was cancelled while it is executed, waits or is queued", async () => {
  const gate = createGate(); // is never released
  const hanging: Tool = { ...PAY, execute: () => gate.wait() };
  const cases = [
    { tools: [hanging], isWorking: true, until: () => gate.reached },
    {
      tools: [PAY],
      isWorking: true,
      until: async (runs: Runs) => void await runs.result("r1", { until: "waiting" }),
    },
    { tools: [PAY], isWorking: false, until: () => Promise.resolve() },
  ] as const;
  for (const [index, { isWorking, tools, until }] of cases.entries()) {
    const approvalHandler = () => ({
      decision: index === 0 ? "approve" as const : "defer" as const,
    });
    const model = scriptedModel([{ calls: [{ toolName: "pay" }] }]);
    await using opened = open({ model, tools, approvalHandler });
    if (isWorking) opened.work();
    await opened.runs.start(START);
    await until(opened.runs);
    const show = await openPages(opened.runs, { until: "ended" });
    await opened.runs.cancel("r1");
    const { agUi, live, ui } = await show();
    assertEquals(typesOf(ui).at(-1), "abort", String(index));
    assertEquals(agUi.at(-1)?.type, "RUN_FINISHED", String(index));
    assertEquals(typesOf(live).slice(-3), ["run_finished", "run_state", undefined], String(index));
  }
});

Deno.test("a page shows no approval that was decided before the run has waited for it", async () => {
  const model = scriptedModel([{ calls: [{ toolName: "pay" }] }, { text: "Paid" }]);
  const engine = memoryRuns({ retryDelayMs: 1 });
  const close: RunEngine["journal"]["close"] = async (runId, epoch, end) => {
    const [wait] = end.status === "waiting" ? end.waitingFor : [];
    if (wait !== undefined) await engine.journal.signal(runId, wait.key, { decision: "approve" });
    return await engine.journal.close(runId, epoch, end);
  };
  const journal = replaceMethods(engine.journal, { close });
  const config = { model, tools: [PAY], approvalHandler: () => ({ decision: "defer" as const }) };
  await using opened = open(config, {}, { ...engine, journal });
  await opened.runs.start(START);
  const show = await openPages(opened.runs);
  opened.work();
  const { agUi, ui } = await show();
  assertEquals(typesOf(ui).filter((type) => type === "tool-approval-request"), []);
  assertEquals(typesOf(ui).filter((type) => type === "finish"), ["finish"]);
  assertEquals(typesOf(agUi).filter((type) => type === "RUN_FINISHED"), ["RUN_FINISHED"]);
  assertEquals(ui.flatMap(({ delta, type }) => type === "text-delta" ? [delta] : []), ["Paid"]);
});
