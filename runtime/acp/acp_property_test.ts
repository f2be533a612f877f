import { asRecord } from "@parley/internal/json";
import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { propertyRuns } from "../../tools/testing/property.ts";
import type { ModelRequest } from "../shared/model.ts";
import { NOTE } from "./testdata/agents.ts";
import { openEditor, type TestEditor } from "./testdata/test_editor.ts";

/** Responds to the last message: the first word selects a tool call or text. */
function respond({ messages }: ModelRequest): object {
  const last = messages.at(-1);
  const part = last?.role === "user" ? last.content[0] : undefined;
  const word = part?.type === "text" ? part.text : "";
  if (word === "defer" || word === "ask") return { text: "See:", calls: [{ toolName: word }] };
  return { text: "Done." };
}

const session = fc.constantFrom(0, 1);

/** An operation of the editor: a method, the session, and a text. */
const operation = fc.record({
  method: fc.constantFrom(
    "session/prompt",
    "session/prompt",
    "session/prompt",
    "session/cancel",
    "$/cancel_request",
    "session/close",
    "session/load",
    "session/resume",
    "session/set_mode",
  ),
  session,
  word: fc.constantFrom("hello", "defer", "ask"),
  /** Whether the editor waits for the response before its next operation. */
  isAwaited: fc.boolean(),
  back: fc.nat({ max: 3 }),
});

const answer = fc.constantFrom("allow", "reject", "cancelled", "error", "late");

type Operation = typeof operation extends fc.Arbitrary<infer One> ? One : never;

/** Executes an operation. Returns the promise of its response. */
async function execute(
  editor: TestEditor,
  { back, method, session, word }: Operation,
  { ids, sessions }: { readonly ids: number[]; readonly sessions: readonly string[] },
): Promise<unknown> {
  const sessionId = sessions[session];
  if (method === "session/cancel") return await editor.post({ method, params: { sessionId } });
  if (method === "$/cancel_request") {
    return await editor.post({ method, params: { requestId: ids.at(-1 - back) ?? 0 } });
  }
  const prompt = [{ type: "text", text: word }];
  const id = await editor.start(method, { sessionId, prompt, cwd: "/w", modeId: "b" });
  ids.push(id);
  return editor.response(id);
}

/** Returns the updates that were received while neither a prompt nor a load was in progress. */
function strayUpdates({ timeline }: TestEditor): readonly unknown[] {
  const open = new Map<unknown, unknown>();
  return timeline.filter(({ isSent, message: { id, method, params } }) => {
    const { sessionId } = asRecord(params);
    if (isSent && (method === "session/prompt" || method === "session/load")) {
      open.set(id, sessionId);
    } else if (method === undefined) {
      open.delete(id);
    }
    return method === "session/update" && ![...open.values()].includes(sessionId);
  });
}

/** Returns the calls that the editor shows as not ended. */
function openCalls({ received }: TestEditor): readonly (readonly [string, unknown])[] {
  const calls = new Map<string, unknown>();
  for (const { params } of received) {
    const { sessionId, update } = asRecord(params);
    const { status, toolCallId } = asRecord(update);
    if (toolCallId !== undefined) calls.set(`${sessionId}/${toolCallId}`, status);
  }
  return [...calls].filter(([, status]) => status !== "completed" && status !== "failed");
}

Deno.test("any operations of an editor are responded to, and their updates are complete", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(operation, { maxLength: 12 }),
      fc.array(answer, { minLength: 1, maxLength: 4 }),
      async (operations, answers) => {
        let asked = 0;
        const editor = openEditor({
          modes: [{ id: "a", name: "A" }, { id: "b", name: "B" }],
          script: Array.from({ length: 100 }, () => respond),
          agent: ({ client }) => ({
            graceMs: 0,
            tools: [{ ...NOTE, name: "defer" }, {
              ...NOTE,
              name: "ask",
              execute: async (input, context) =>
                `${await client.requestPermission(input, context)}`,
            }],
            approvalHandler: ({ toolCall }) => toolCall.toolName === "ask" || { decision: "defer" },
          }),
          answers: {
            "session/request_permission": () => {
              const next = answers[asked++ % answers.length];
              if (next === "late") return undefined;
              if (next === "error") return { error: { code: -32603, message: "closed" } };
              return {
                result: {
                  outcome: next === "cancelled"
                    ? { outcome: next }
                    : { outcome: "selected", optionId: next },
                },
              };
            },
          },
          onError: () => {},
        });
        const first = await editor.open();
        const { sessionId } = await editor.ask("session/new", { cwd: "/w" });
        const context = { ids: [], sessions: [first, String(sessionId)] };
        const responses: Promise<unknown>[] = [];
        for (const one of operations) {
          const response = execute(editor, one, context);
          responses.push(response);
          // A permission that is decided late could block a response forever.
          if (one.isAwaited && !answers.includes("late")) await response;
        }
        await editor.end();
        await Promise.all(responses);
        const failed = editor.received.filter(({ error }) => asRecord(error).code === -32603);
        assertEquals([failed, strayUpdates(editor), openCalls(editor)], [[], [], []]);
      },
    ),
    propertyRuns(100),
  );
});
