/**
 * An MCP server without features. The server opens a session, then returns the same response to
 * every request.
 *
 *     deno run -A conformance/testdata/null_server.ts empty|error|tool-error|invalid|echo
 *
 * @module
 */

import { isObject, readJson } from "../kit/json.ts";
import { commandLine, exitNow, readInput, writeOut } from "../platform/process.ts";
import { LineSplitter } from "../subject/lines.ts";

const ANSWERS: Readonly<Record<string, (params: unknown) => object>> = {
  empty: () => ({ result: {} }),
  error: () => ({ error: { code: -32601, message: "Method not found" } }),
  invalid: () => ({ error: { code: -32602, message: "Invalid params" } }),
  "tool-error": () => ({ result: { content: [{ type: "text", text: "no" }], isError: true } }),
  echo: (params) => ({ result: params ?? {} }),
};

const CAPABILITIES = { tools: {}, resources: {}, prompts: {}, logging: {}, completions: {} };

function take(line: string, answer: (params: unknown) => object): void {
  const message = readJson(line)?.value;
  if (!isObject(message) || !("id" in message)) return;
  const { id, method, params } = message;
  const isOpening = OPENING.has(String(id));
  const body = isObject(params) && isOpening ? open(String(method), params) : answer(params);
  writeOut(`${JSON.stringify({ jsonrpc: "2.0", id, ...body })}\n`);
}

/**
 * Requests that the kit sends before the cases. The null server returns valid responses to the
 * kit's first requests, because no case would run otherwise.
 */
const OPENING: ReadonlySet<string> = new Set([
  "open initialize",
  "open tools/list",
  "open resources/list",
  "open prompts/list",
]);

function open(method: string, { protocolVersion }: Readonly<Record<string, unknown>>): object {
  const lists = { tools: FIXTURES.tools, resources: FIXTURES.resources, prompts: FIXTURES.prompts };
  if (method !== "initialize") return { result: lists };
  const serverInfo = { name: "null server", version: "0" };
  return { result: { protocolVersion, capabilities: CAPABILITIES, serverInfo } };
}

const FIXTURES = {
  tools: ["test_simple_text", "test_error_handling", "test_image_content", "add_numbers"]
    .map((name) => ({ name })),
  resources: ["test://static-text", "test://static-binary"].map((uri) => ({ uri })),
  prompts: ["test_simple_prompt", "test_prompt_with_arguments"].map((name) => ({ name })),
};

if (import.meta.main) {
  const [mode = ""] = commandLine();
  const answer = ANSWERS[mode];
  if (answer === undefined) throw new RangeError(`Unknown mode "${mode}"`);
  const lines = new LineSplitter(
    { line: (line) => take(line, answer), overflow: () => exitNow(1) },
    16 * 1024 * 1024,
  );
  readInput((chunk) => lines.push(chunk), () => exitNow(0));
}
