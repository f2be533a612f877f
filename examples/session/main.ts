/**
 * Continues a conversation after a restart. Each run of the program is a new process, and the
 * conversation is stored in a file.
 *
 *     deno run --allow-read=. --allow-write=. examples/session/main.ts chat.jsonl "My name is Ada."
 *     deno run --allow-read=. --allow-write=. examples/session/main.ts chat.jsonl "What is my name?"
 *
 * @module
 */

import { type ModelRequest, ToolLoopAgent } from "@parley/runtime";
import { fileStore } from "@parley/runtime/file";
import { AgentSession, jsonlSessions } from "@parley/runtime/session";
import { scriptedModel } from "@parley/runtime/testing";

const [file, message, ...more] = Deno.args;
if (file === undefined || message === undefined || more.length > 0) {
  console.error("Usage: main.ts FILE MESSAGE");
  Deno.exit(2);
}

/** Responds with the name that the user stated in the conversation. */
function respond({ messages }: ModelRequest) {
  const name = /My name is (\w+)/.exec(JSON.stringify(messages))?.[1];
  const turn = messages.filter(({ role }) => role === "user").length;
  return {
    text: name === undefined ? "I do not know your name." : `You are ${name} (turn ${turn}).`,
  };
}

const store = jsonlSessions(() => fileStore(file));
await using agent = new ToolLoopAgent({ name: "friend", model: scriptedModel([respond]) });
const session = new AgentSession(agent, { id: "chat-1", store });
const { finalText } = await session.run(message);
console.log(finalText);
