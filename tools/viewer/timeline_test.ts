import { assert, assertEquals } from "@std/assert";
import { asTool, ToolLoopAgent } from "@parley/runtime";
import { toEventJson } from "@parley/runtime/events";
import { JsonlJournal, recordSteps } from "@parley/runtime/journal";
import { scriptedModel } from "@parley/runtime/testing";
import { Axis, formatMs, MAX_SILENCE_MS } from "./axis.ts";
import { readLog } from "./log.ts";
import { MAX_ROWS, type Row } from "./rows.ts";
import { Timeline } from "./timeline.ts";

function show(events: Iterable<unknown>): Timeline {
  const timeline = new Timeline();
  for (const event of events) timeline.add(event);
  return timeline;
}

/** Returns the rows as text, indented by their depth. */
function outline(timeline: Timeline): string[] {
  const depth = ({ parent }: Row): number => parent === undefined ? 0 : depth(parent) + 1;
  return timeline.rows.all.map((row) =>
    `${"  ".repeat(depth(row))}${row.kind} ${row.name}: ${row.detail}`
  );
}

/** Runs an agent with a tool and a sub-agent, and returns the run's events and journal. */
async function runEditor(): Promise<{ log: string; journal: string }> {
  let [log, journal] = ["", ""];
  const store = {
    read: () => Promise.resolve(journal),
    append: (line: string) => Promise.resolve(void (journal += line)),
  };
  const proofread = asTool({
    name: "proofread",
    description: "Finds mistakes",
    model: scriptedModel([{ text: "No mistakes" }]),
    allowedTools: [],
  });
  const agent = new ToolLoopAgent({
    name: "editor",
    model: scriptedModel([
      { calls: [{ toolName: "proofread", input: { task: "Check it" } }] },
      { text: "Done" },
    ]),
    tools: [proofread],
    onEvent: (event) => log += `${JSON.stringify(toEventJson(event))}\n`,
  });
  const stepRunner = recordSteps(await JsonlJournal.open(store));
  await agent.run("Write", { runId: "r1", stepRunner });
  await agent.terminate();
  return { log, journal };
}

Deno.test("Timeline shows a sub-agent below the tool call that runs it, from events and from a journal", async () => {
  const { log, journal } = await runEditor();
  const steps = [
    "  model scripted: call 1 · 2 tokens",
    "  tool proofread: Check it",
    "    run proofread: scripted · sub-agent of editor",
    "      model scripted: call 1 · 2 tokens",
    "  model scripted: call 2 · 2 tokens",
  ];
  assertEquals(outline(show(readLog(log).events)), ["run editor: scripted", ...steps]);
  const withoutModels = steps.map((step) =>
    step.replace("model scripted", "model model").replace("scripted · sub-agent of editor", "")
  );
  assertEquals(outline(show(readLog(journal).events)), ["run editor: ", ...withoutModels]);
});

Deno.test("Timeline counts model calls, tool calls and tokens once if a durable run starts again", async () => {
  const { log } = await runEditor();
  const timeline = show([...readLog(log).events, ...readLog(log).events]);
  const { models, tools, inputTokens } = timeline.totals;
  assertEquals([models, tools, inputTokens], [3, 1, 3]);
  assertEquals(timeline.rows.get("r1")?.facts.get("starts"), "2");
});

Deno.test("Timeline shows the verification result of the receiver, and places a run below its request", () => {
  const message = (id: string, more: object) => ({
    type: "message",
    at: 3,
    receiver: "bob",
    verified: true,
    message: { id, sender: "did:a", recipient: "did:b", messageType: "request", ...more },
  });
  const timeline = show([
    { type: "agent", at: 1, name: "ann", did: "did:a" },
    { type: "agent", at: 1, name: "bob", did: "did:b" },
    message("m1", { payload: { taskId: "t1" } }),
    { type: "task", at: 3, run: "r1", sender: "did:a", taskId: "t1" },
    { type: "run_started", at: 4, runId: "r1", path: ["bob"], agentName: "bob" },
    { ...message("m2", { correlationId: "m1", sender: "did:b" }), receiver: "ann" },
    { ...message("m3", { payload: "</b>" }), verified: false, reason: "wrong signature" },
  ]);
  assertEquals(outline(timeline), [
    "message request: ann → bob",
    "  run bob: ",
    "  message request: bob → ann",
    "message request: ann → bob · wrong signature",
  ]);
  const refused = timeline.rows.all[3];
  assertEquals([refused?.verdict, refused?.status], ["bad", "✗ refused"]);
  assertEquals(refused?.facts.get("refused by"), "bob");
  assertEquals(refused?.facts.get("claimed sender"), "did:a");
  assertEquals(refused?.facts.has("sender"), false);
  assertEquals([timeline.totals.verified, timeline.totals.refused], [2, 1]);
});

Deno.test("Timeline shows approvals that wait for a person, and hides quick approvals of programs", () => {
  const toolCall = (toolCallId: string) => ({ toolCallId, toolName: "save", input: { a: 1 } });
  const approval = (type: string, at: number, id: string, more: object = {}) => ({
    type,
    at,
    runId: "r",
    path: ["ann"],
    iteration: 0,
    toolCall: toolCall(id),
    ...more,
  });
  const timeline = show([
    { type: "run_started", at: 0, runId: "r", path: ["ann"], agentName: "ann" },
    approval("approval_requested", 0, "1"),
    approval("approval_decided", 1, "1", { decision: "approve" }),
    approval("approval_requested", 2, "2"),
    { type: "decision_needed", at: 2, key: "k", agent: "ann", runId: "r", ...toolCall("2") },
  ]);
  assertEquals(timeline.questions.get("k")?.toolName, "save");
  assertEquals(outline(timeline), ["run ann: ", "  approval approval: save"]);
  timeline.add(approval("approval_decided", 900, "2", { decision: "deny" }));
  assertEquals([timeline.questions.size, timeline.rows.all[1]?.status], [0, "✗ denied"]);
});

Deno.test("Timeline accepts malformed events and limits the number of rows", () => {
  const members = ["runId", "path", "toolCall", "toolResult", "message", "usage", "error"];
  const types = ["run_started", "run_finished", "run_failed", "run_paused", "model_started"];
  const more = ["model_finished", "approval_decided", "tool_finished", "message", "page", "note"];
  const values = [null, 5, "x", [], [null], {}, { content: [null, 5] }, { message: null }];
  const timeline = new Timeline();
  for (const type of [...types, ...more, "answer", "decision_needed", "unknown", "__proto__"]) {
    for (const member of members) {
      for (const value of values) {
        assert(timeline.add({ type, at: 1, runId: "r", [member]: value }));
        assert(timeline.add({ type, [member]: value }));
      }
    }
  }
  for (const value of [null, 5, "x", [], {}, { type: 5 }]) assertEquals(timeline.add(value), false);
  for (let index = 0; index < MAX_ROWS; index++) timeline.add({ type: "note", at: index });
  assertEquals(timeline.rows.size, MAX_ROWS);
  assert(timeline.rows.hidden > 0);
  timeline.close();
  assert(timeline.rows.all.every(({ end }) => end !== undefined));
});

Deno.test("readLog() counts lines that are not JSON objects, and shows deeply nested values", () => {
  const deep = `{"type":"note","at":1,"value":${"[".repeat(50_000)}${"]".repeat(50_000)}}`;
  const { events, badLines } = readLog(`{"type":"note","at":1}\n\nnonsense\n5\n[]\n${deep}\n`);
  assertEquals([events.length, badLines], [2, 3]);
  assertEquals(show(events).rows.all[1]?.detail, "(nested too deeply)");
});

Deno.test("Axis shortens long silences, and its labels show the real time", () => {
  const axis = new Axis();
  for (const at of [1000, 2000, 2000 + 60_000, 63_000]) axis.add(at);
  const silence = MAX_SILENCE_MS;
  const positions = [1000, 2000, 62_000, 63_000].map((at) => axis.positionOf(at));
  assertEquals(positions, [0, 1000, 1000 + silence, 2000 + silence]);
  assertEquals(axis.cuts, [1000 + silence]);
  assertEquals(axis.positionOf(10_000_000), 2000 + silence + silence);
  const [first, , , fourth] = axis.ticks(8000);
  assertEquals([first?.label, fourth?.label], ["0", "6 s"]);
  assertEquals(axis.ticks(8000).at(-1), { position: 8000, label: "1 min 3 s" });
});

Deno.test("formatMs() formats durations", () => {
  const durations = [0, 0.2, 450.4, 2300, 10_000, 61_500, 120_000];
  const expected = ["0", "< 1 ms", "450 ms", "2.3 s", "10 s", "1 min 2 s", "2 min 0 s"];
  assertEquals(durations.map(formatMs), expected);
});
