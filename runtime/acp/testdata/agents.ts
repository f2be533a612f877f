/**
 * Agents of the tests.
 *
 * @module
 */

import { jsonSchema } from "../../shared/typed_schema.ts";
import { createGate, type Gate } from "../../testing/gate.ts";
import type { ScriptedAnswer } from "../../testing/scripted_model.ts";
import type { ToolSpec } from "../../tools/tool.ts";
import type { TestEditor } from "./test_editor.ts";

/** A tool. */
export const NOTE: ToolSpec = {
  name: "note",
  inputSchema: jsonSchema<{ text: string }>({ type: "object" }),
  execute: (input) => `noted ${Reflect.get(Object(input), "text")}`,
};

/** Model responses that call the tool `note`, and then end. */
export const CALLS_NOTE: readonly ScriptedAnswer[] = [
  { text: "Let me see.", calls: [{ toolName: "note", input: { text: "a" }, toolCallId: "c1" }] },
  { text: "Done." },
];

/** A tool that runs until it is aborted, and the gate that it reaches. */
export function slowTool(): { readonly gate: Gate; readonly tool: ToolSpec } {
  const gate = createGate();
  return { gate, tool: { ...NOTE, execute: () => gate.wait() } };
}

/** Returns the updates without the ids of the messages, which are random. */
export function withoutIds(editor: TestEditor): object[] {
  return editor.takeUpdates().map(({ messageId: _, ...update }) => update);
}
