import { assertEquals, assertStringIncludes } from "@std/assert";
import type { HostScript } from "../kit/case.ts";
import { ScriptedHost } from "./scripted_host.ts";
import { type TranscriptProblems, TranscriptRule } from "./transcript.ts";

const REQUEST = { model: "m", messages: [{ role: "user", content: "go" }], tools: [] };
const REPLY = { content: [{ type: "text", text: "hi" }], finishReason: "stop" };

function host(script: HostScript): ScriptedHost {
  return new ScriptedHost(script, new Map());
}

Deno.test("ScriptedHost returns a model's turns in order and adds missing token usage", async () => {
  const world = host({
    models: { m: [{ reply: REPLY }, { throws: { message: "503", status: 503 } }] },
  });
  assertEquals(await world.answer("model.generate", REQUEST, 1), {
    ok: { usage: { inputTokens: 0, outputTokens: 0 }, ...REPLY },
  });
  assertEquals(world.leftOver(), ['1 of 2 turns for model "m"']);
  assertEquals(await world.answer("model.generate", REQUEST, 2), {
    error: { message: "503", status: 503 },
  });
  assertEquals([world.leftOver(), world.violations, world.log], [[], [], ["model m", "model m"]]);
});

Deno.test("ScriptedHost records a violation if the script is exhausted, a call is forbidden or a matcher fails", async () => {
  const world = host({
    models: { m: [{ expect: { tools: ["x"] }, reply: REPLY }] },
    tools: { never: [] },
  });
  await world.answer("model.generate", REQUEST, 1);
  await world.answer("model.generate", REQUEST, 2);
  await world.answer("tool.execute", { name: "never" }, 3);
  await world.answer("world.end", {}, 4);
  const words = [
    "request 1 to model",
    "whose script has 1 turn",
    "a call to tool",
    "world.end",
  ];
  for (const [index, word] of words.entries()) {
    assertStringIncludes(JSON.stringify(world.violations[index]), word);
  }
});

Deno.test("ScriptedHost repeats a tool's last response, and returns special values and stop requests", async () => {
  const world = host({
    tools: { t: [{ returns: 1 }, { special: "nan" }], last: [{ returns: 2, stops: true }] },
  });
  const ask = (name: string, call: number): Promise<unknown> =>
    world.answer("tool.execute", { name }, call);
  assertEquals(await ask("t", 1), { ok: 1 });
  assertEquals(await ask("t", 2), { special: "nan" });
  assertEquals(await ask("t", 3), { special: "nan" });
  assertEquals(await ask("last", 4), { ok: 2, stops: true });
});

Deno.test("ScriptedHost returns malformed model responses, tool errors for the model, initializer outcomes and repaired input", async () => {
  const world = host({
    models: { m: [{ malformed: { content: 7 } }] },
    tools: { t: [{ throws: { message: "reset", tellModel: { limit: 10 } } }] },
    repairers: { r: [{ returns: { input: { a: 1 } } }] },
    initializers: { i: [{ throws: { message: "down" } }, { returns: null }] },
  });
  assertEquals(await world.answer("model.generate", REQUEST, 1), {
    ok: { malformed: { content: 7 } },
  });
  assertEquals(await world.answer("tool.execute", { name: "t" }, 2), {
    error: { message: "reset", tellModel: { limit: 10 } },
  });
  const initialize = (call: number): Promise<unknown> =>
    world.answer("agent.initialize", { initializer: "i" }, call);
  assertEquals(await initialize(3), { error: { message: "down" } });
  assertEquals(await initialize(4), { ok: null });
  assertEquals(await world.answer("repair.input", { repairer: "r" }, 5), {
    ok: { input: { a: 1 } },
  });
  assertEquals(world.log, ["model m", "tool t", "initializer i", "initializer i", "repairer r"]);
});

Deno.test("ScriptedHost holds a response until it is released or the call is cancelled", async () => {
  const world = host({
    tools: {
      patient: [{ hold: "a", returns: 1 }],
      hasty: [{ hold: "b", returns: 1 }],
      stubborn: [{ hold: "c", ignoresAbort: true, returns: 1 }],
    },
  });
  const patient = world.answer("tool.execute", { name: "patient" }, 1);
  await world.hold("a").arrived;
  world.hold("a").release();
  assertEquals(await patient, { ok: 1 });
  const hasty = world.answer("tool.execute", { name: "hasty" }, 2);
  world.cancelled(2);
  assertEquals(await hasty, { error: { message: "aborted" } });
  const stubborn = world.answer("tool.execute", { name: "stubborn" }, 3);
  world.cancelled(3);
  await world.hold("c").cancelled;
  world.hold("c").release();
  assertEquals(await stubborn, { ok: 1 });
});

Deno.test("ScriptedHost reports the problems of each request and output unless the case disables it", async () => {
  const broken = [{ role: "tool", content: [{ type: "tool-result", toolCallId: "a" }] }];
  const found: TranscriptProblems[] = [];
  const models = { m: [{ reply: REPLY }] };
  const strict = new ScriptedHost({ models }, new Map(), (problems) => found.push(problems));
  await strict.answer("model.generate", { ...REQUEST, messages: broken }, 1);
  strict.checkOutput({ messages: broken });
  assertEquals(found.map((each) => each[TranscriptRule.OneResult].length), [1, 1]);
  assertEquals(strict.violations, []);
  const script = { models, invariants: [] };
  const lax = new ScriptedHost(script, new Map(), (problems) => found.push(problems));
  await lax.answer("model.generate", { ...REQUEST, messages: broken }, 1);
  assertEquals(found.length, 2);
});

Deno.test("ScriptedHost returns a condition's scripted results and logs each check of the condition", () => {
  const world = host({
    conditions: {
      c: [{ expect: { iteration: 0 }, returns: false }, { throws: { message: "no" } }],
    },
  });
  assertEquals(world.conditionAnswers("c"), [false, { throws: "no" }]);
  world.event("condition", { name: "c", context: { iteration: 0 } });
  assertEquals([world.log, world.violations], [["condition c"], []]);
});
