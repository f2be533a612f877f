import { assertEquals } from "@std/assert";
import { MemoryJournal, recordSteps } from "../journal.ts";
import { copyJsonValue } from "../shared/json.ts";
import type { FilePart, LanguageModel, ModelMessage, TextPart } from "../shared/model.ts";
import type { PendingApproval } from "../shared/output.ts";
import { scriptedModel } from "../testing.ts";
import { ToolRegistry } from "../tools/registry.ts";
import { ToolOutput } from "../tools/tool.ts";
import type { ApprovalDecision } from "./approval.ts";
import type { LoopEvent } from "./events.ts";
import { runToolLoop } from "./loop.ts";
import type { ToolLoopConfig } from "./options.ts";

const TO_ANN = {
  type: "object",
  properties: { to: { const: "ann" } },
  required: ["to"],
  additionalProperties: false,
};

/** Runs a tool that can only pay Ann, and a second tool, and returns the inputs of the first. */
async function payments(
  more: Partial<ToolLoopConfig>,
  input: unknown = { to: "ann" },
): Promise<readonly unknown[]> {
  const paid: unknown[] = [];
  const registry = new ToolRegistry([
    {
      name: "pay",
      inputSchema: TO_ANN,
      execute: (input: { to: string }) => {
        paid.push(input.to);
        // A tool may modify its input.
        input.to = "changed by the tool";
      },
    },
    { name: "other", inputSchema: { type: "object" }, execute: () => "ok" },
  ]);
  const model = scriptedModel([
    { calls: [{ toolName: "pay", input }, { toolName: "other" }] },
    { text: "done" },
  ]);
  await runToolLoop({ model, registry, runId: "r", onError: () => {}, ...more }, "go");
  return paid;
}

/** Returns an object whose `to` is "ann" the first time, and "eve" later. */
function changingInput(): { to: string } {
  let reads = 0;
  return {
    get to() {
      return reads++ === 0 ? "ann" : "eve";
    },
  };
}

function changingProxy(): { to: string } {
  let reads = 0;
  return new Proxy({ to: "ann" }, {
    get: (target, name) =>
      name !== "to" ? Reflect.get(target, name) : reads++ === 0 ? "ann" : "eve",
  });
}

for (const journal of ["without", "with"]) {
  const recorded = () => journal === "with" ? { stepRunner: recordSteps(new MemoryJournal()) } : {};

  Deno.test(`runToolLoop() executes the approved input that was validated, ${journal} a journal`, async () => {
    const decision = { decision: "approve", input: { to: "ann" } } as const;
    const approvalHandler: ToolLoopConfig["approvalHandler"] = async ({ toolCall }) => {
      if (toolCall.toolName === "pay") return decision;
      await Promise.resolve();
      Object.assign(decision.input, { to: "eve" });
      return true;
    };
    assertEquals(await payments({ ...recorded(), approvalHandler }), ["ann"]);
    for (const input of [changingInput(), changingProxy()]) {
      const handler = (): ApprovalDecision => ({ decision: "approve", input });
      assertEquals(await payments({ ...recorded(), approvalHandler: handler }), ["ann"]);
    }
    const toJSON = () => ({ to: "eve" });
    const tricky = (): ApprovalDecision => ({
      decision: "approve",
      input: Object.defineProperty({ to: "ann" }, "toJSON", { value: toJSON }),
    });
    assertEquals(await payments({ ...recorded(), approvalHandler: tricky }), ["ann"]);
  });

  Deno.test(`runToolLoop() denies a call whose approved input is not serializable, ${journal} a journal`, async () => {
    const cyclic: Record<string, unknown> = { to: "ann" };
    cyclic.self = cyclic;
    for (const input of [cyclic, { to: "ann", more: () => {} }, new Map(), Symbol("ann")]) {
      const errors: unknown[] = [];
      const approvalHandler = (): ApprovalDecision => ({ decision: "approve", input });
      const onError = (error: unknown) => void errors.push(error);
      assertEquals(await payments({ ...recorded(), approvalHandler, onError }), []);
      assertEquals(errors.length, 2);
    }
  });

  Deno.test(`runToolLoop() uses the decisions that it was called with, ${journal} a journal`, async () => {
    const pending: PendingApproval[] = [];
    const config = recorded();
    const deferring: Partial<ToolLoopConfig> = {
      ...config,
      approvalHandler: () => ({ decision: "defer" }),
      onEvent: (event) => {
        if (event.type === "run_finished") pending.push(...event.output.pending?.approvals ?? []);
      },
    };
    assertEquals(await payments(deferring), []);
    const [pay, other] = pending.map(({ key }) => key);
    const given: Record<string, ApprovalDecision> = {
      [pay ?? ""]: { decision: "deny" },
      [other ?? ""]: { decision: "approve" },
    };
    const approve: ApprovalDecision = { decision: "approve" };
    const onEvent = () => {
      Object.assign(given[pay ?? ""] ?? {}, approve);
      given[pay ?? ""] = approve;
    };
    assertEquals(await payments({ ...config, decisions: given, onEvent }), []);
  });

  Deno.test(`runToolLoop() executes the repaired input that was validated, ${journal} a journal`, async () => {
    const repaired = { to: "ann" };
    const approvalHandler = () => {
      repaired.to = "eve";
      return true;
    };
    const inputs = [repaired, changingInput(), changingProxy()];
    for (const input of inputs) {
      const repairToolCall = () => ({ input });
      const more = { ...recorded(), repairToolCall, approvalHandler };
      assertEquals(await payments(more, { to: "bob" }), ["ann"]);
    }
  });

  Deno.test(`runToolLoop() shows the approval handler the input that is executed, ${journal} a journal`, async () => {
    const input = { to: "ann" };
    const shown: unknown[] = [];
    const model: LanguageModel = {
      modelId: "m",
      generate: ({ messages }) =>
        Promise.resolve({
          message: {
            role: "assistant" as const,
            content: messages.at(-1)?.role === "tool" ? [] : [
              { type: "tool-call" as const, toolCallId: "a", toolName: "other", input: {} },
              { type: "tool-call" as const, toolCallId: "b", toolName: "pay", input },
            ],
          },
          finishReason: messages.at(-1)?.role === "tool" ? "stop" as const : "tool-calls" as const,
        }),
    };
    const approvalHandler: ToolLoopConfig["approvalHandler"] = async ({ toolCall }) => {
      await Promise.resolve();
      input.to = "eve";
      if (toolCall.toolName === "pay") shown.push(toolCall.input);
      return true;
    };
    assertEquals(await payments({ ...recorded(), model, approvalHandler }), ["ann"]);
    assertEquals(shown, [{ to: "ann" }]);
  });
}

Deno.test("runToolLoop() copies the result of a tool", async () => {
  const bytes = new Uint8Array([1, 2]);
  const text: { -readonly [Name in keyof TextPart]: TextPart[Name] } = { type: "text", text: "a" };
  const file: FilePart = {
    type: "file",
    mediaType: "image/png",
    data: { type: "data", data: bytes },
  };
  const json = { list: ["a"] };
  const results = [
    new ToolOutput({ type: "content", value: [text, file] }),
    new ToolOutput({ type: "json", value: json }),
    json,
  ];
  const registry = new ToolRegistry([{
    name: "work",
    inputSchema: { type: "object" },
    execute: () => results.shift(),
  }]);
  const calls = results.map(() => ({ toolName: "work" }));
  const onEvent = ({ type }: LoopEvent) => {
    if (type !== "iteration_finished") return;
    bytes.fill(9);
    text.text = "changed";
    json.list.push("changed");
  };
  const model = scriptedModel([{ calls }, { text: "done" }]);
  const { iterations: [first] } = await runToolLoop({ model, registry, onEvent }, "go");
  const data = new Uint8Array([1, 2]);
  assertEquals(first?.toolResults.map(({ output }) => output), [
    {
      type: "content",
      value: [
        { type: "text", text: "a" },
        { type: "file", mediaType: "image/png", data: { type: "data", data } },
      ],
    },
    { type: "json", value: { list: ["a"] } },
    { type: "json", value: { list: ["a"] } },
  ]);
});

Deno.test("runToolLoop() copies the user's message and the messages of a plan", async () => {
  const part: { -readonly [Name in keyof TextPart]: TextPart[Name] } = { type: "text", text: "go" };
  const appended = { ...part, text: "hurry" };
  const model = scriptedModel([{ text: "done" }]);
  const onEvent = () => {
    part.text = "changed";
    appended.text = "changed";
  };
  const prepareIteration = () => ({ append: [appended] });
  await runToolLoop({ model, registry: new ToolRegistry(), onEvent, prepareIteration }, [part]);
  const texts = model.requests[0]?.messages.map(({ content }: ModelMessage) => content);
  assertEquals(texts, [[{ type: "text", text: "go" }], [{ type: "text", text: "changed" }]]);
});

Deno.test("copyJsonValue() reads each member once and rejects what is not JSON", () => {
  const own = JSON.parse('{"__proto__":{"a":1},"list":[1,null,"x",true]}');
  assertEquals(JSON.stringify(copyJsonValue(own)), JSON.stringify(own));
  assertEquals(copyJsonValue(changingInput()), { to: "ann" });
  assertEquals(copyJsonValue(changingProxy()), { to: "ann" });
  const cyclic: unknown[] = [];
  cyclic.push(cyclic, cyclic);
  for (const value of [cyclic, NaN, undefined, () => {}, new Date(), [, 1], { a: 1n }]) {
    assertEquals(copyJsonValue(value), undefined);
  }
});

Deno.test("runToolLoop() does not convert input that is not an object to an empty object", async () => {
  for (const input of [null, false, 0, "", []]) {
    let executions = 0;
    const registry = new ToolRegistry([{
      name: "pay",
      inputSchema: { type: "object" },
      execute: () => void executions++,
    }]);
    const model = scriptedModel([{ calls: [{ toolName: "pay", input }] }, { text: "done" }]);
    const { iterations } = await runToolLoop({ model, registry }, "go");
    assertEquals(iterations[0]?.toolResults[0]?.code, "invalid_input");
    assertEquals(executions, 0);
  }
});
