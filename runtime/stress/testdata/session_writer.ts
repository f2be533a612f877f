/**
 * A process that adds runs to a session in a file, for a test in which several processes write to
 * the file. Prints one line per run: `stored` or `conflict`, and the user's message. The commands
 * are:
 *
 * - `write FILE NAME COUNT`: adds COUNT runs with the messages `NAME.0`, `NAME.1` and so on.
 * - `read FILE`: prints the user messages in the session.
 * - `remove FILE`: removes the file.
 *
 * @module
 */

import { rm } from "node:fs/promises";
import process from "node:process";
import { ToolLoopAgent } from "../../mod.ts";
import { fileStore } from "../../file.ts";
import { AgentSession, jsonlSessions } from "../../session.ts";
import { scriptedModel } from "../../testing.ts";

const [command, file = "", name, count] = process.argv.slice(2);
const store = jsonlSessions(() => fileStore(file));
const turns = Array.from({ length: Number(count ?? 0) }, () => ({ text: "ok" }));
const agent = new ToolLoopAgent({ name: "writer", model: scriptedModel(turns) });
await agent.initialize();
const session = new AgentSession(agent, { id: "s", store });
const lines: string[] = [];
if (command === "write") {
  for (const index of turns.keys()) {
    const text = `${name}.${index}`;
    const outcome = await session.run(text).then(
      () => "stored",
      ({ code, partialOutput }) =>
        code === "session_conflict" && partialOutput.messages.at(-2).content[0].text === text
          ? "conflict"
          : "lost",
    );
    lines.push(`${outcome} ${text}`);
  }
} else if (command === "read") {
  for (const { role, content } of await session.messages()) {
    const [part] = content;
    if (role === "user" && typeof part === "object" && part.type === "text") lines.push(part.text);
  }
} else {
  await rm(file, { force: true });
}
process.stdout.write(lines.map((line) => `${line}\n`).join(""));
