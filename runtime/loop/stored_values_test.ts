import { assertEquals, assertRejects } from "@std/assert";
import { ToolLoopAgent } from "../agent/agent.ts";
import { MemoryJournal, recordSteps } from "../journal.ts";
import { AgentSession, memorySessions } from "../session.ts";
import type { JsonValue } from "../shared/json.ts";
import { toStepValue } from "../shared/step_value.ts";
import { toJson } from "../shared/to_json.ts";
import type { AssistantMessage, TextPart, UserTurn } from "../shared/model.ts";
import { scriptedModel, type ScriptedTurn } from "../testing.ts";
import { ToolRegistry } from "../tools/registry.ts";
import { type Tool, ToolOutput } from "../tools/tool.ts";
import type { ApprovalDecision } from "./approval.ts";
import { runToolLoop } from "./loop.ts";
import type { ToolLoopConfig } from "./options.ts";

/** Returns a value that is nested to a depth. */
function nest(depth: number): JsonValue {
  let value: JsonValue = 1;
  for (let level = 0; level < depth; level++) value = level % 2 === 0 ? [value] : { a: value };
  return value;
}

const DEPTHS = [201, 1_000, 2_200, 3_000, 10_000];

interface Conversation {
  readonly turn?: ScriptedTurn;
  readonly execute?: Tool["execute"];
  readonly user?: UserTurn;
}

/** Runs a session, and a second one with the same store. Returns the result of the first run. */
async function converse(
  { turn = { calls: [{ toolName: "work" }] }, execute = () => "ok", user = "hi" }: Conversation,
  more: Partial<ToolLoopConfig> = {},
): Promise<{ readonly code: unknown; readonly message: AssistantMessage | undefined }> {
  const store = memorySessions();
  const createSession = (turns: readonly ScriptedTurn[]) =>
    new AgentSession(
      new ToolLoopAgent({
        name: "a",
        model: scriptedModel(turns),
        tools: [{ name: "work", inputSchema: { type: "object" }, execute }],
        onError: () => {},
        ...more,
      }),
      { id: "s", store, stepRunner: recordSteps(new MemoryJournal()) },
    );
  const { iterations } = await createSession([turn, { text: "done" }]).run(user);
  const { finalText } = await createSession([{ text: "later" }]).run("next");
  assertEquals(finalText, "later");
  const [first] = iterations;
  return { code: first?.toolResults[0]?.code, message: first?.assistantMessage };
}

Deno.test("a session can be loaded after a tool has returned a value that is nested too deeply", async () => {
  for (const depth of DEPTHS) {
    const value = nest(depth);
    for (
      const output of [value, { value, date: new Date(0) }, new ToolOutput({ type: "json", value })]
    ) {
      assertEquals((await converse({ execute: () => output })).code, "not_serializable");
    }
  }
  assertEquals((await converse({ execute: () => nest(200) })).code, undefined);
});

Deno.test("a session can be loaded after a model has returned a value that is nested too deeply", async () => {
  for (const depth of DEPTHS) {
    const value = nest(depth);
    const { code } = await converse({ turn: { calls: [{ toolName: "work", input: { value } }] } });
    assertEquals(code, "invalid_input");
    const part = { type: "text", text: "x", providerOptions: { p: { value } } } as const;
    const { message } = await converse({ turn: { content: [part] } });
    assertEquals(message?.content, [{ type: "text", text: "x" }]);
  }
});

Deno.test("runToolLoop() denies a call if the input in its approval is nested too deeply", async () => {
  for (const depth of DEPTHS) {
    const decision: ApprovalDecision = { decision: "approve", input: { value: nest(depth) } };
    const { code } = await converse({}, { approvalHandler: () => decision });
    assertEquals(code, "approval_denied");
  }
});

Deno.test("toJson() and toStepValue() reject values that are nested too deeply", () => {
  for (const depth of DEPTHS.slice(1)) {
    for (const convert of [toJson, toStepValue]) {
      let error: unknown;
      try {
        convert(nest(depth));
      } catch (thrown) {
        error = thrown;
      }
      assertEquals(error instanceof TypeError || error instanceof RangeError, true);
    }
  }
  assertEquals(toJson({ deep: nest(199) }), { deep: nest(199) });
});

Deno.test("toStepValue() does not call the methods of a date", () => {
  class Changing extends Date {
    override toJSON(): string {
      return "changed";
    }
    override toISOString(): string {
      return "changed";
    }
  }
  assertEquals(toStepValue([new Changing(0)]), ["1970-01-01T00:00:00.000Z"]);
  assertEquals(toStepValue(new Date(NaN)), null);
});

/** Returns a text part with further members. */
function textPart(more: object): TextPart {
  return Object.assign({ type: "text", text: "x" } as const, more);
}

Deno.test("a session stores parts with members and options that JSON cannot represent", async () => {
  const parts = [textPart({ extra: 10n }), textPart({ providerOptions: { p: { cost: NaN } } })];
  for (const part of parts) {
    const { message } = await converse({ turn: { content: [part] } });
    assertEquals(message?.content, [{ type: "text", text: "x" }]);
  }
  const output = (part: TextPart) => new ToolOutput({ type: "content", value: [part] });
  const codes = await Promise.all(
    parts.map(async (part) => (await converse({ execute: () => output(part) })).code),
  );
  assertEquals(codes, [undefined, "not_serializable"]);
  await converse({ user: [textPart({ extra: 10n })] });
  const invalid = [textPart({ providerOptions: { p: { id: 10n } } })];
  await assertRejects(() => converse({ user: invalid }), TypeError, '"providerOptions"');
});

Deno.test("provider options with undefined members and dates are converted to JSON", async () => {
  const providerOptions = { p: { cache: undefined, at: new Date(0) } };
  const { message } = await converse({ turn: { content: [textPart({ providerOptions })] } });
  const at = "1970-01-01T00:00:00.000Z";
  assertEquals(message?.content, [{ type: "text", text: "x", providerOptions: { p: { at } } }]);
});

Deno.test("runToolLoop() executes the input that the approval handler receives", async () => {
  const call = {
    type: "tool-call",
    toolCallId: "c",
    toolName: "work",
    input: { amount: 1000 },
    toJSON: () => ({ ...call, input: { amount: 1 } }),
  } as const;
  const inputs: unknown[] = [];
  await converse({
    turn: { content: [call] },
    execute: (input) => void inputs.push(input),
  }, { approvalHandler: ({ toolCall }) => inputs.push(toolCall.input) > 0 });
  assertEquals(inputs, [{ amount: 1000 }, { amount: 1000 }]);
});

Deno.test("maxToolOutputChars also limits provider options and unknown members of parts", async () => {
  const long = "y".repeat(10_000);
  const parts = [textPart({ extra: long }), textPart({ providerOptions: { p: { long } } })];
  for (const part of parts) {
    const registry = new ToolRegistry([{
      name: "work",
      inputSchema: { type: "object" },
      execute: () => new ToolOutput({ type: "content", value: [part, textPart({})] }),
    }]);
    const { iterations } = await runToolLoop({
      model: scriptedModel([{ calls: [{ toolName: "work" }] }, { text: "done" }]),
      registry,
      maxToolOutputChars: 100,
    }, "go");
    const [result] = iterations[0]?.toolResults ?? [];
    const value = [textPart({}), textPart({})];
    assertEquals(result?.output, { type: "content", value });
    assertEquals(result?.isTruncated, "providerOptions" in part ? true : undefined);
  }
});

Deno.test("runToolLoop() rejects a planned history that cannot be recorded before it calls the model", async () => {
  for (const value of [nest(1_000), NaN]) {
    const model = scriptedModel([{ text: "done" }]);
    const head = [{
      role: "user" as const,
      content: [textPart({ providerOptions: { p: { value } } })],
    }];
    await assertRejects(() =>
      runToolLoop({
        model,
        registry: new ToolRegistry(),
        prepareIteration: () => ({ history: { head, from: 0 } }),
      }, "go")
    );
    assertEquals(model.requests.length, 0);
  }
});
