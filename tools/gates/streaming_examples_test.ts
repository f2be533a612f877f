import { assertEquals, assertStringIncludes } from "@std/assert";
import { findStreamingExamples, runExample } from "./streaming_examples.ts";

const IMPORTS = `import { answerText, ToolLoopAgent } from "@parley/runtime";
import { scriptedModel } from "@parley/runtime/testing";
import { assertEquals } from "@std/assert";

const agent = new ToolLoopAgent({ name: "a", model: scriptedModel([{ text: "Hi" }]) });
let shown = "";
`;
const CORRECT = `${IMPORTS}for await (const text of answerText(agent.stream("go"))) shown += text;
assertEquals(shown, "Hi");
`;
/** Shows every delta, as if the model streamed only text. */
const WRONG = `${IMPORTS}for await (const event of agent.stream("go")) {
  if (event.type === "tool_input_delta") shown += event.inputText;
  if (event.type === "text_delta") shown += event.text;
}
assertEquals(shown, "Hi");
`;

Deno.test("findStreamingExamples() finds the examples in Markdown and in comments", () => {
  const markdown = `# Title\n\n\`\`\`ts\n${CORRECT}\`\`\`\n\n\`\`\`ts\nconst other = 1;\n\`\`\`\n`;
  assertEquals(findStreamingExamples("a.md", markdown), [
    { path: "a.md", line: 3, code: CORRECT },
  ]);
  const lines = CORRECT.split("\n").slice(0, -1).map((line) => ` * ${line}`.trimEnd());
  const comment = ["/**", " * Text.", " *", " * ```ts", ...lines, " * ```", " */"].join("\n");
  assertEquals(findStreamingExamples("a.ts", comment), [{ path: "a.ts", line: 4, code: CORRECT }]);
});

Deno.test("runExample() accepts an example that shows only text", async () => {
  assertEquals(await runExample({ path: "a.md", line: 1, code: CORRECT }), undefined);
});

Deno.test("runExample() rejects an example that also shows the input of tool calls", async () => {
  const error = await runExample({ path: "a.md", line: 1, code: WRONG });
  assertStringIncludes(error ?? "", "Values are not equal");
});
