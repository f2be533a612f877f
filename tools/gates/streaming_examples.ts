/**
 * Runs each example in the documentation that streams text once more, with a model that first
 * thinks and calls a tool that does not exist, and with sub-agents that do the same. The assertions
 * of the example must still hold, so that no example works only for a model that writes nothing but
 * text.
 *
 *     deno task docs
 *
 * @module
 */

import { run, runTool, tryRun } from "../cli.ts";
import { ROOT } from "../members.ts";

/** A code block of the documentation. */
export interface CodeBlock {
  readonly path: string;
  /** Line of the opening fence, starting at 1. */
  readonly line: number;
  readonly code: string;
}

const FENCE = /^([ \t]*(?:\*[ ]?)?)```(?:ts|typescript)[ \t]*$\n([\s\S]*?)^\1```[ \t]*$/gm;
/** Matches code that reads streamed text. */
const READS_TEXT = /\banswerText\(|"(?:text|reasoning|tool_input)_delta"/;
const MODEL_IMPORT = /^import \{[^}]*\bscriptedModel\b[^}]*\} from "@parley\/runtime\/testing";$/m;

/** Replaces `scriptedModel` with a function that adds a turn to each script. */
const WRAPPER = `
function scriptedModel(turns, modelId) {
  const first = {
    content: [
      { type: "reasoning", text: "a thought" },
      { type: "tool-call", toolCallId: "gate", toolName: "no_such_tool", input: { a: 1 } },
    ],
  };
  return modelOfExample([first, ...turns], modelId);
}
`;

/** Returns the examples in a file that read streamed text. */
export function findStreamingExamples(path: string, source: string): CodeBlock[] {
  const blocks: CodeBlock[] = [];
  for (const { 0: whole, 1: prefix = "", 2: body = "", index } of source.matchAll(FENCE)) {
    const trimmed = prefix.trimEnd();
    const code = body.split("\n").map((line) => withoutPrefix(line, prefix, trimmed)).join("\n");
    if (whole === "" || !READS_TEXT.test(code) || !MODEL_IMPORT.test(code)) continue;
    blocks.push({ path, line: source.slice(0, index).split("\n").length, code });
  }
  return blocks;
}

function withoutPrefix(line: string, prefix: string, trimmed: string): string {
  if (line.startsWith(prefix)) return line.slice(prefix.length);
  return line.startsWith(trimmed) ? line.slice(trimmed.length) : line;
}

/** Returns the code of an example with models whose scripts begin with an unknown tool call. */
export function withUnknownCall(code: string): string {
  return code.replace(
    MODEL_IMPORT,
    (line) => line.replace(/\bscriptedModel\b/, "scriptedModel as modelOfExample"),
  ) + WRAPPER;
}

/** Runs an example. Returns the error message, or `undefined` if its assertions hold. */
export async function runExample({ code }: CodeBlock): Promise<string | undefined> {
  const { success, stderr } = await tryRun("deno", ["eval", "--ext=ts", withUnknownCall(code)], {
    cwd: ROOT,
  });
  return success ? undefined : stderr.trim();
}

async function main(): Promise<number> {
  const pattern = 'answerText\\(|"(text|reasoning|tool_input)_delta"';
  const { stdout } = await run("git", ["grep", "-lE", pattern, "--", "*.md", "*.ts"], {
    cwd: ROOT,
  });
  const paths = stdout.split("\n").filter((path) => path !== "" && !path.endsWith("_test.ts"));
  const sources = await Promise.all(paths.map((path) => Deno.readTextFile(new URL(path, ROOT))));
  const blocks = paths.flatMap((path, index) => findStreamingExamples(path, sources[index] ?? ""));
  let errors = blocks.length === 0 ? 1 : 0;
  for (const block of blocks) {
    const error = await runExample(block);
    if (error === undefined) continue;
    errors++;
    console.error(`${block.path}:${block.line} fails if the model calls a tool first\n${error}`);
  }
  console.log(`streaming examples: ${blocks.length} examples, ${errors} errors`);
  return errors === 0 ? 0 : 1;
}

if (import.meta.main) await runTool("streaming-examples", main);
