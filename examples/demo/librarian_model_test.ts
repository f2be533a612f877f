import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import type {
  AssistantMessage,
  JsonSchema,
  ModelMessage,
  ToolCall,
  ToolDefinition,
  ToolResult,
} from "@parley/runtime";
import { createLibrarianModel } from "./librarian_model.ts";

/** An in-memory library: file contents by path. */
type Library = Readonly<Record<string, string>>;

const GARDEN: Library = {
  "/lib/README.md": "# Garden\n\nThis library holds notes about plants and about tools.",
  "/lib/roses.md": "# Roses\n\nRoses are pruned in early spring, just above an outward bud.",
  "/lib/lawn.md":
    "# Lawn\n\nA lawn is cut once a week from April on, never below four centimetres.",
};

function tool(name: string, description: string, parameters: readonly string[]): ToolDefinition {
  const inputSchema: JsonSchema = {
    type: "object",
    properties: Object.fromEntries(parameters.map((key) => [key, { type: "string" }])),
    required: parameters,
  };
  return { name, description, inputSchema };
}

const FILE_TOOLS = [
  tool("list_allowed_directories", "Returns the directories this server is allowed to access", []),
  tool("list_directory", "Lists the files and directories in a directory", ["path"]),
  tool("search_files", "Searches for files that match a glob pattern", ["path", "pattern"]),
  tool("write_file", "Writes a file", ["path", "content"]),
  tool("read_text_file", "Reads the contents of a file as text", ["path"]),
];

function callTool(call: ToolCall, library: Library): string {
  const { path = "" } = call.input as { path?: string };
  const paths = Object.keys(library);
  if (/allowed|roots/.test(call.toolName)) return "Allowed directories:\n/lib";
  if (/list/.test(call.toolName)) {
    return paths.map((name) => `[FILE] ${name.slice("/lib/".length)}`).join("\n");
  }
  if (/search/.test(call.toolName)) return paths.join("\n");
  return library[path] ?? "no such file";
}

/**
 * Runs the model against a library until the model answers. Returns the tool calls and the answer.
 */
async function converse(
  question: string,
  library: Library,
  tools: readonly ToolDefinition[] = FILE_TOOLS,
): Promise<{ readonly calls: readonly string[]; readonly answer: string }> {
  const model = createLibrarianModel();
  const messages: ModelMessage[] = [{ role: "user", content: [{ type: "text", text: question }] }];
  const calls: string[] = [];
  for (let turn = 0; turn < 20; turn++) {
    const { message, finishReason } = await model.generate({ messages, tools, options: {} });
    messages.push(message);
    const asked = toolCalls(message);
    if (asked.length === 0) {
      assertEquals(finishReason, "stop");
      const answer = message.content.map((part) => part.type === "text" ? part.text : "").join("");
      return { calls, answer };
    }
    calls.push(...asked.map(({ toolName, input }) => `${toolName} ${JSON.stringify(input)}`));
    messages.push({ role: "tool", content: asked.map((call) => answerCall(call, library)) });
  }
  throw new Error("The model did not answer within 20 turns");
}

function toolCalls({ content }: AssistantMessage): readonly ToolCall[] {
  return content.flatMap((part) => part.type === "tool-call" ? [part] : []);
}

function answerCall(call: ToolCall, library: Library): ToolResult {
  const { toolCallId, toolName } = call;
  const output = { type: "text", value: callTool(call, library) } as const;
  return { type: "tool-result", toolCallId, toolName, output, isError: false, durationMs: 0 };
}

Deno.test("the built-in model answers from the document about the topic of the question", async () => {
  const roses = await converse("When are roses pruned?", GARDEN);
  assertStringIncludes(roses.answer, "early spring");
  assertStringIncludes(roses.answer, "[roses.md");
  const lawn = await converse("How often is a lawn cut?", GARDEN);
  assertStringIncludes(lawn.answer, "once a week");
});

Deno.test("the built-in model reads the files that exist in the given library", async () => {
  const garden = await converse("When are roses pruned?", GARDEN);
  const other = await converse("When are roses pruned?", {
    "/lib/ships.txt": "Ships sail on the sea.",
  });
  assert(garden.calls.includes('read_text_file {"path":"/lib/roses.md"}'));
  assert(other.calls.includes('read_text_file {"path":"/lib/ships.txt"}'));
  assertEquals(other.answer, "I read 1 document (ships.txt) and found nothing about this.");
});

Deno.test("the built-in model selects tools by their descriptions, not by their names", async () => {
  const renamed = FILE_TOOLS.map((entry) => ({ ...entry, name: `lib_${entry.name}_v2` }));
  const { calls, answer } = await converse("When are roses pruned?", GARDEN, renamed.toReversed());
  assertStringIncludes(answer, "early spring");
  assert(calls.every((call) => call.startsWith("lib_")));
  assert(!calls.some((call) => call.includes("write")));
});

Deno.test("the built-in model does not treat an empty folder as a document", async () => {
  const { answer } = await converse("When are roses pruned?", {});
  assertEquals(answer, "I found no documents that I could read, so I cannot answer.");
});

Deno.test("the built-in model reports that it found no documents if it has no tools", async () => {
  const { calls, answer } = await converse("When are roses pruned?", GARDEN, []);
  assertEquals(calls, []);
  assertStringIncludes(answer, "I found no documents");
});
