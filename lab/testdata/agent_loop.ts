/**
 * A small agent loop for Chat Completions with its driver. The argument names a fault of the loop;
 * without an argument, the loop is correct.
 *
 * @module
 */

import process from "node:process";
import {
  type Fields,
  fieldsOf,
  type HostClient,
  isFields,
  type OpCall,
  textOf,
} from "../../conformance/drivers/typescript/operation.ts";
import { serveDriver } from "../../conformance/drivers/typescript/serve_driver.ts";

/** Number of model calls after which a run ends. */
const MAX_CALLS = 10;

const [fault = "none"] = process.argv.slice(2);

async function runLoop({ args, host, signal }: OpCall): Promise<Fields> {
  const messages: Fields[] = [{ role: "user", content: textOf(args, "prompt") }];
  for (let count = 0; count < MAX_CALLS; count++) {
    const message = await callModel(args, messages, signal);
    messages.push(message);
    const calls = listOf(message.tool_calls);
    if (calls.length === 0) return { text: String(message.content) };
    if (fault === "between") messages.push({ role: "user", content: "the tools are running" });
    for (const call of calls) messages.push(...await toResults(call, args, host));
  }
  throw new Error("too many model calls");
}

async function callModel(
  args: Fields,
  messages: readonly Fields[],
  signal: AbortSignal,
): Promise<Fields> {
  const tools = listOf(args.tools).map(({ name, description, inputSchema: parameters }) => ({
    type: "function",
    function: { name, description, parameters },
  }));
  const response = await fetch(`${textOf(args, "baseUrl")}/chat/completions`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ model: args.model, messages, tools }),
    signal,
  });
  const body: unknown = await response.json();
  const [choice] = listOf(isFields(body) ? body.choices : []);
  return fieldsOf(choice ?? {}, "message");
}

async function toResults(call: Fields, args: Fields, host: HostClient): Promise<readonly Fields[]> {
  const called = fieldsOf(call, "function");
  const name = textOf(called, "name");
  const id = fault === "wrong-id" ? `call-${name}` : call.id;
  const result = (content: string): Fields => ({ role: "tool", tool_call_id: id, content });
  const tool = listOf(args.tools).find((each) => each.name === name);
  if (tool === undefined) return fault === "skip-unknown" ? [] : [result(`no tool "${name}"`)];
  const input = readInput(textOf(called, "arguments"));
  if (input === undefined) return [result("the input is not a JSON object")];
  if (!isValid(input, fieldsOf(tool, "inputSchema"))) return [result("the input is not valid")];
  try {
    const value = await host.call("tool.execute", { name, input, toolCallId: call.id });
    const found = result(String(value));
    return fault === "twice" ? [found, found] : [found];
  } catch (error) {
    return fault === "lost-error" ? [] : [result(String(error))];
  }
}

function readInput(text: string): Fields | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isFields(value) ? value : undefined;
  } catch {
    // The model can write invalid JSON.
    return fault === "broken-input" ? {} : undefined;
  }
}

/** Checks the required members and the types of simple values, which the cases need. */
function isValid(input: Fields, schema: Fields): boolean {
  const properties = fieldsOf(schema, "properties");
  const required: readonly unknown[] = Array.isArray(schema.required) ? schema.required : [];
  return required.every((name) => Object.hasOwn(input, String(name))) &&
    Object.entries(input).every(([name, value]) => {
      const { type } = fieldsOf(properties, name);
      return type === (Array.isArray(value) ? "array" : typeof value);
    });
}

function listOf(value: unknown): readonly Fields[] {
  return Array.isArray(value) ? value.filter(isFields) : [];
}

if (import.meta.main) {
  await serveDriver({
    implementation: { name: "small-loop", version: "1.0.0", language: "typescript" },
    ops: { "agent.run": runLoop },
    features: { "api.openai-chat": true },
    toErrorOutcome: (error) => ({ error: { code: "run_failed", message: String(error) } }),
  });
}
