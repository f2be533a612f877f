import { assert, assertEquals } from "@std/assert";
import type { ToolCall } from "../shared/model.ts";
import { completeToolCalls } from "./response.ts";

Deno.test("completeToolCalls() does not search for a free suffix from 1 for each duplicate id", () => {
  let looks = 0;
  class Counted extends Map<string, number> {
    override has(id: string): boolean {
      looks++;
      return super.has(id);
    }
  }
  const taken = new Counted();
  const call = { type: "tool-call", toolCallId: "same", toolName: "t", input: {} } as const;
  const ids: string[] = [];
  for (let index = 0; index < 100; index++) {
    const { calls } = completeToolCalls({ role: "assistant", content: [call] }, index, taken);
    ids.push(...calls.map(({ toolCallId }) => toolCallId));
  }
  assertEquals([new Set(ids).size, ids[1], ids[99]], [100, "same_2", "same_100"]);
  assert(looks <= 300, `${looks} looks`);
});

Deno.test("completeToolCalls() replaces input that is not a JSON value, even if rawInput is set", () => {
  const call: ToolCall = {
    type: "tool-call",
    toolCallId: "c",
    toolName: "t",
    input: 1n,
    rawInput: "{",
  };
  const { calls, message } = completeToolCalls(
    { role: "assistant", content: [call] },
    0,
    new Map(),
  );
  assertEquals(calls, [{ ...call, input: {} }]);
  assertEquals<unknown>(message.content, calls);
});
