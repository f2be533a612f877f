/**
 * A worker process for the tests that follow durable runs. The command-line arguments are the URL
 * of a PostgreSQL database or the path of an SQLite file, the path of a log, and the number of
 * concurrent runs.
 *
 * Each run executes a tool, which appends a line to the log, and then streams a response of many
 * words. The worker prints the id of a run with each word, so that a test can kill the worker in
 * mid-stream.
 *
 * @module
 */

import { appendFileSync } from "node:fs";
import process from "node:process";
import { type LanguageModel, type ModelResponse, ToolLoopAgent } from "@parley/runtime";
import { openRuns } from "@parley/runtime/runs";
import { openEngine } from "./chaos/engine.ts";
import { WORDS } from "./follow_words.ts";

const [, , url = "", log = "", concurrency = "2"] = process.argv;

/** Time between two words, in milliseconds. */
const WORD_MS = 8;

const CALL: ModelResponse = {
  message: {
    role: "assistant",
    content: [{ type: "tool-call", toolCallId: "c1", toolName: "look", input: {} }],
  },
  finishReason: "tool-calls",
};
const ANSWER: ModelResponse = {
  message: { role: "assistant", content: [{ type: "text", text: WORDS.join("") }] },
  finishReason: "stop",
};

function createModel(runId: string): LanguageModel {
  return {
    modelId: "words",
    generate: () => Promise.reject(new Error("The events of the run are not stored")),
    async *stream({ messages }) {
      if (!messages.some(({ role }) => role === "tool")) {
        yield { type: "finish", response: CALL };
        return;
      }
      for (const word of WORDS) {
        yield { type: "text-delta", delta: word };
        process.stdout.write(`${runId}\n`);
        await new Promise((resolve) => setTimeout(resolve, WORD_MS));
      }
      yield { type: "finish", response: ANSWER };
    },
  };
}

function makeAgent(runId: string): ToolLoopAgent {
  return new ToolLoopAgent({
    name: "clerk",
    model: createModel(runId),
    tools: [{
      name: "look",
      inputSchema: { type: "object" },
      execute: (_, { idempotencyKey }) => {
        appendFileSync(log, `${idempotencyKey}\n`);
        return "found";
      },
    }],
  });
}

process.stdin.on("end", () => process.exit()).resume();
function onError(error: unknown): void {
  appendFileSync(log, `error ${error}\n`);
}

function make({ runId }: { readonly runId: string }): ToolLoopAgent {
  return makeAgent(runId);
}

const runs = openRuns(await openEngine(url, onError), { clerk: { version: "1", make } }, {
  storeEvents: true,
  onError,
});
await runs.work({ concurrency: Number(concurrency) });
