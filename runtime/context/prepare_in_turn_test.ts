import { assertEquals, assertRejects, assertThrows } from "@std/assert";
import type { IterationContext, IterationPlan } from "../loop/iteration_plan.ts";
import { runToolLoop } from "../loop/loop.ts";
import { AgentError } from "../shared/error.ts";
import type { UserMessage } from "../shared/model.ts";
import { scriptedModel } from "../testing.ts";
import { ToolRegistry } from "../tools/registry.ts";
import { prepareInTurn } from "./prepare_in_turn.ts";

function user(text: string): UserMessage {
  return { role: "user", content: [{ type: "text", text }] };
}

const MODEL = scriptedModel([]);

const CONTEXT: IterationContext = {
  agentName: "a",
  path: ["a"],
  runId: "r",
  iteration: 0,
  messages: [{ role: "system", content: "S" }, user("go")],
  view: [{ role: "system", content: "S" }, user("go")],
  history: undefined,
  tools: [],
  model: MODEL,
  totalUsage: { inputTokens: 1, outputTokens: 1, totalTokens: 2 },
  lastUsage: undefined,
  signal: new AbortController().signal,
  reportError: () => {},
};

Deno.test("prepareInTurn() merges the plans, and members of later plans take precedence", async () => {
  const usage = { inputTokens: 2, outputTokens: 1, totalTokens: 3 };
  const step = prepareInTurn(
    () => ({ tools: ["a"], systemPrompt: "1", append: "x", usage, generateOptions: { topK: 1 } }),
    () => undefined,
    () => Promise.resolve({ tools: ["b"], usage, generateOptions: { seed: 2 } }),
    () => ({ append: [{ type: "text", text: "y" }] }),
  );
  assertEquals(await step(CONTEXT), {
    tools: ["b"],
    systemPrompt: "1",
    append: [{ type: "text", text: "x" }, { type: "text", text: "y" }],
    usage: { inputTokens: 4, outputTokens: 2, totalTokens: 6 },
    generateOptions: { topK: 1, seed: 2 },
  });
});

Deno.test("prepareInTurn() keeps `append` if a later plan sets it to undefined", async () => {
  const step = prepareInTurn(() => ({ append: "x" }), () => ({ append: undefined }));
  assertEquals(await step(CONTEXT), { append: "x" });
});

Deno.test("prepareInTurn() keeps every member that a later plan sets to undefined", async () => {
  const plan: IterationPlan = {
    tools: [],
    systemPrompt: "1",
    generateOptions: { topK: 1 },
    usage: { inputTokens: 2, outputTokens: 1, totalTokens: 3 },
  };
  // TypeScript rejects a plan whose members are `undefined`, but JavaScript programs can return
  // one.
  const empty: object = {
    tools: undefined,
    systemPrompt: undefined,
    generateOptions: undefined,
    usage: undefined,
  };
  assertEquals(await prepareInTurn(() => plan, () => empty)(CONTEXT), plan);
});

Deno.test("prepareInTurn() calls no function after a plan with `stop`", async () => {
  let calls = 0;
  const step = prepareInTurn(
    () => ({ append: "x" }),
    () => ({ stop: "enough" }),
    () => void calls++,
  );
  assertEquals(await step(CONTEXT), { append: "x", stop: "enough" });
  assertEquals(calls, 0);
});

Deno.test("prepareInTurn() shows each function the changes of the earlier plans", async () => {
  const other = scriptedModel([]);
  const usage = { inputTokens: 2, outputTokens: 1, totalTokens: 3 };
  const history = { head: [user("summary")], from: 1 };
  const seen: IterationContext[] = [];
  const look = (context: IterationContext): IterationPlan | undefined => {
    seen.push(context);
    return undefined;
  };
  await prepareInTurn(
    look,
    () => ({ history, model: other, usage }),
    look,
    () => ({ messages: [user("once")] }),
    look,
  )(CONTEXT);
  const [first, second, third] = seen;
  assertEquals(first, CONTEXT);
  assertEquals(second, {
    ...CONTEXT,
    history,
    model: other,
    view: [{ role: "system", content: "S" }, user("summary"), user("go")],
    totalUsage: { inputTokens: 3, outputTokens: 2, totalTokens: 5 },
  });
  assertEquals(third?.view, [{ role: "system", content: "S" }, user("once")]);
  assertEquals(third?.history, history);
});

Deno.test("prepareInTurn() without functions changes nothing", async () => {
  assertEquals(await prepareInTurn()(CONTEXT), undefined);
});

Deno.test("prepareInTurn() throws a TypeError if an argument is not a function", () => {
  // The cast is unchecked, because the test passes an invalid argument.
  assertThrows(() => prepareInTurn(() => undefined, 5 as never), TypeError, '"steps[1]"');
});

Deno.test("a run fails with code core if a function in prepareInTurn() returns an invalid plan", async () => {
  for (const invalid of [5, new Map([["tools", []]])]) {
    // The casts are unchecked, because the test returns invalid plans.
    const first = prepareInTurn(() => invalid as never);
    const second = prepareInTurn(() => ({ stop: undefined } as never), () => invalid as never);
    for (const prepareIteration of [first, second]) {
      const config = { model: scriptedModel([]), registry: new ToolRegistry(), prepareIteration };
      const error = await assertRejects(() => runToolLoop(config, ""), AgentError);
      assertEquals(error.code, "core");
    }
  }
});
