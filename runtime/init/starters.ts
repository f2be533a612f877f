/**
 * Starters of the command `init`, which `tools/release/embed_starters.ts` generates from
 * `examples/starters`.
 *
 * @module
 */

import type { Starters } from "@parley/internal/create-project";

const AGENT: Readonly<Record<string, string>> = {
  "README.md": `\
# An agent

\`agent.ts\` creates the agent and its tools, \`model.ts\` selects the model, and \`main.ts\` asks the
question given on the command line. \`agent_test.ts\` tests the agent with prepared responses. To use
a model of OpenAI, set \`MODEL\` and \`MODEL_API_KEY\`. To use a model of another server, set
\`MODEL_URL\` (such as \`http://127.0.0.1:11434/v1\`), \`MODEL\` and, if needed, \`MODEL_API_KEY\`.

- Node.js: \`npm install\`, \`npm start\`, \`npm test\`, \`npm run check\`
- Deno: \`deno install\`, \`deno task start\`, \`deno task test\`, \`deno task check\`
- Bun: \`bun install\`, \`bun main.ts\`, \`bun test\`, \`bun run check\`
`,
  "agent.ts": `\
import { jsonSchema, type LanguageModel, ToolLoopAgent } from "@parley/runtime";

/** Creates an agent with one tool. Add the tools for your task to \`tools\`. */
export function createAgent(model: LanguageModel): ToolLoopAgent {
  return new ToolLoopAgent({
    name: "assistant",
    model,
    systemPrompt: "Respond in one sentence. Use the tools for facts.",
    tools: [{
      name: "weekday",
      description: "Returns the day of the week of a date",
      inputSchema: jsonSchema<{ date: string }>({
        type: "object",
        properties: { date: { type: "string", description: "A date, such as 2026-07-28" } },
        required: ["date"],
      }),
      execute: ({ date }) =>
        new Date(date).toLocaleDateString("en", { weekday: "long", timeZone: "UTC" }),
    }],
  });
}
`,
  "agent_test.ts": `\
import { deepStrictEqual } from "node:assert/strict";
import { test } from "node:test";
import { scriptedModel } from "@parley/runtime/testing";
import { createAgent } from "./agent.ts";

test("the agent calls the tool and responds with its result", async () => {
  const model = scriptedModel([
    { calls: [{ toolName: "weekday", input: { date: "2026-07-28" } }] },
    { text: "It is a Tuesday." },
  ]);
  const agent = createAgent(model);
  try {
    const { finalText, iterations } = await agent.run("Which day of the week is 2026-07-28?");
    deepStrictEqual(finalText, "It is a Tuesday.");
    deepStrictEqual(iterations[0]?.toolResults[0]?.output, { type: "text", value: "Tuesday" });
  } finally {
    await agent.terminate();
  }
});
`,
  "main.ts": `\
import process from "node:process";
import { createAgent } from "./agent.ts";
import { chooseModel } from "./model.ts";

const question = process.argv.slice(2).join(" ") || "Which day of the week is 2026-07-28?";
const agent = createAgent(chooseModel());
try {
  const { finalText } = await agent.run(question);
  console.log(finalText);
} finally {
  await agent.terminate();
}
`,
  "model.ts": `\
import process from "node:process";
import type { LanguageModel } from "@parley/runtime";
import { openAiChat, openAiResponses } from "@parley/runtime/models";
import { scriptedModel } from "@parley/runtime/testing";

/**
 * Returns the model that the environment variables name, or a model with prepared responses if they
 * are not set.
 */
export function chooseModel(): LanguageModel {
  const { MODEL_URL: baseUrl, MODEL: model, MODEL_API_KEY: apiKey } = process.env;
  if (baseUrl && model) return openAiChat({ baseUrl, model, ...(apiKey ? { apiKey } : {}) });
  if (apiKey && model) return openAiResponses({ apiKey, model });
  return scriptedModel([
    { calls: [{ toolName: "weekday", input: { date: "2026-07-28" } }] },
    {
      text: "It is a Tuesday. This response is prepared: to use a language model, see README.md.",
    },
  ]);
}
`,
};

const TEAM: Readonly<Record<string, string>> = {
  "README.md": `\
# A team of agents

\`team.ts\` creates a writer and its sub-agent, a checker with a tool that the writer does not see.
\`models.ts\` selects the models, and \`main.ts\` gives the team the task from the command line.
\`team_test.ts\` tests the team with prepared responses. To use a model of OpenAI, set \`MODEL\` and
\`MODEL_API_KEY\`. To use a model of another server, set \`MODEL_URL\` (such as
\`http://127.0.0.1:11434/v1\`), \`MODEL\` and, if needed, \`MODEL_API_KEY\`.

- Node.js: \`npm install\`, \`npm start\`, \`npm test\`, \`npm run check\`
- Deno: \`deno install\`, \`deno task start\`, \`deno task test\`, \`deno task check\`
- Bun: \`bun install\`, \`bun main.ts\`, \`bun test\`, \`bun run check\`
`,
  "main.ts": `\
import process from "node:process";
import { chooseModels } from "./models.ts";
import { createTeam } from "./team.ts";

const task = process.argv.slice(2).join(" ") || "Greet the team";
const team = createTeam(chooseModels(process.env));
try {
  for await (const event of team.stream(task)) {
    const agent = event.path.join(" > ");
    if (event.type === "tool_started") console.log(\`\${agent} calls \${event.toolCall.toolName}\`);
    if (event.type === "run_finished") console.log(\`\${agent}: \${event.output.finalText}\`);
  }
} finally {
  await team.terminate();
}
`,
  "models.ts": `\
import { openAiChat, openAiResponses } from "@parley/runtime/models";
import { scriptedModel } from "@parley/runtime/testing";
import type { TeamModels } from "./team.ts";

const DRAFT = "Good morning, team!";

/**
 * Returns the model that the environment variables name, or a model with prepared responses if they
 * are not set.
 */
export function chooseModels(env: Readonly<Record<string, string | undefined>>): TeamModels {
  const { MODEL_URL: baseUrl, MODEL: model, MODEL_API_KEY: apiKey } = env;
  if (baseUrl && model) {
    const both = openAiChat({ baseUrl, model, ...(apiKey ? { apiKey } : {}) });
    return { writer: both, checker: both };
  }
  if (apiKey && model) {
    const both = openAiResponses({ apiKey, model });
    return { writer: both, checker: both };
  }
  return {
    writer: scriptedModel([
      { calls: [{ toolName: "checker", input: { task: \`Check this draft: \${DRAFT}\` } }] },
      { text: DRAFT },
    ]),
    checker: scriptedModel([
      { calls: [{ toolName: "count_words", input: { text: DRAFT } }] },
      { text: "The draft has three words. Accepted." },
    ]),
  };
}
`,
  "team.ts": `\
import { asTool, jsonSchema, type LanguageModel, ToolLoopAgent } from "@parley/runtime";

/** The model of each agent. */
export interface TeamModels {
  readonly writer: LanguageModel;
  readonly checker: LanguageModel;
}

/** Creates a writer with a sub-agent: the checker, which can use only the tool \`count_words\`. */
export function createTeam({ writer, checker }: TeamModels): ToolLoopAgent {
  const agent = new ToolLoopAgent({
    name: "writer",
    model: writer,
    systemPrompt: "Write a short text. Have the checker check your draft before you respond.",
    tools: [asTool({
      name: "checker",
      description: "Checks that a draft is short",
      model: checker,
      systemPrompt: "Accept a draft if it has at most ten words.",
      allowedTools: ["count_words"],
    })],
  });
  // The writer's model does not see a hidden tool.
  agent.registry.register({
    name: "count_words",
    description: "Counts the words in a text",
    inputSchema: jsonSchema<{ text: string }>({
      type: "object",
      properties: { text: { type: "string" } },
      required: ["text"],
    }),
    execute: ({ text }) => text.split(/\\s+/).filter((word) => word !== "").length,
  }, { hidden: true });
  return agent;
}
`,
  "team_test.ts": `\
import { deepStrictEqual } from "node:assert/strict";
import { test } from "node:test";
import { chooseModels } from "./models.ts";
import { createTeam } from "./team.ts";

test("the checker counts the words before the writer responds", async () => {
  const team = createTeam(chooseModels({}));
  const called: string[] = [];
  try {
    for await (const event of team.stream("Greet the team")) {
      if (event.type !== "tool_finished") continue;
      called.push(\`\${event.path.join(" > ")}: \${event.toolResult.toolName}\`);
    }
  } finally {
    await team.terminate();
  }
  deepStrictEqual(called, ["writer > checker: count_words", "writer: checker"]);
});
`,
};

const ACP: Readonly<Record<string, string>> = {
  "README.md": `\
# An agent for editors

An editor that supports the [Agent Client Protocol](https://agentclientprotocol.com) starts
\`main.ts\` and talks to the agent. \`agent.ts\` creates the agent, which reads and writes the files of
the editor and runs commands in it, and asks before each change. \`model.ts\` selects the model.
\`agent_test.ts\` tests the agent with prepared responses. To use a model of OpenAI, set \`MODEL\` and
\`MODEL_API_KEY\`. To use a model of another server, set \`MODEL_URL\` (such as
\`http://127.0.0.1:11434/v1\`), \`MODEL\` and, if needed, \`MODEL_API_KEY\`.

- Node.js: \`npm install\`, \`npm start\`, \`npm test\`, \`npm run check\`
- Deno: \`deno install\`, \`deno task start\`, \`deno task test\`, \`deno task check\`
- Bun: \`bun install\`, \`bun main.ts\`, \`bun test\`, \`bun run check\`

In Zed, add the agent to \`settings.json\`, with the path to this folder:

\`\`\`json
{
  "agent_servers": {
    "My agent": {
      "type": "custom",
      "command": "node",
      "args": ["/path/to/main.ts"],
      "env": { "MODEL": "gpt-5", "MODEL_API_KEY": "..." }
    }
  }
}
\`\`\`

The conversations are in memory. To load them after a restart, replace \`memoryStorage()\` in
\`main.ts\` with \`sqliteStorage("sessions.db")\` from \`@parley/runtime/sqlite\`.
`,
  "agent.ts": `\
import { type LanguageModel, ToolLoopAgent } from "@parley/runtime";
import { type AcpMode, type AcpSession, acpTools } from "@parley/runtime/acp";

/** Modes that the user can select in the editor. */
export const MODES: readonly AcpMode[] = [
  { id: "ask", name: "Ask", description: "Asks before each change" },
  { id: "auto", name: "Auto", description: "Changes files and runs commands without asking" },
];

/** Creates the agent of a session. Add the tools for your task to \`tools\`. */
export function createAgent(session: AcpSession, model: LanguageModel): ToolLoopAgent {
  return new ToolLoopAgent({
    name: "coder",
    model,
    systemPrompt: \`You work on the project in \${session.cwd}. Use absolute paths.\`,
    tools: [...acpTools(session, { askPermission: session.modeId !== "auto" })],
  });
}
`,
  "agent_test.ts": `\
import { deepStrictEqual } from "node:assert/strict";
import { test } from "node:test";
import { serveAcp } from "@parley/runtime/acp";
import { memoryStorage } from "@parley/runtime/session";
import { scriptedModel } from "@parley/runtime/testing";
import { createAgent } from "./agent.ts";

test("the agent reads a file through the editor", async () => {
  const model = scriptedModel([
    { calls: [{ toolName: "read_text_file", input: { path: "/project/a.txt" } }] },
    { text: "The file says hello." },
  ]);
  const input = new TransformStream<Uint8Array, Uint8Array>();
  const output = new TransformStream<Uint8Array, Uint8Array>();
  const served = serveAcp({ readable: input.readable, writable: output.writable }, {
    name: "coder",
    version: "0.0.0",
    storage: memoryStorage(),
    make: (session) => createAgent(session, model),
  });

  const writer = input.writable.getWriter();
  const send = (message: object) =>
    writer.write(new TextEncoder().encode(\`\${JSON.stringify({ jsonrpc: "2.0", ...message })}\\n\`));
  const clientCapabilities = { fs: { readTextFile: true } };
  await send({ id: 1, method: "initialize", params: { protocolVersion: 1, clientCapabilities } });
  await send({ id: 2, method: "session/new", params: { cwd: "/project", mcpServers: [] } });

  let text = "";
  const reader = output.readable.getReader();
  for (let line = await reader.read(); !line.done; line = await reader.read()) {
    const { id, method, params, result } = JSON.parse(new TextDecoder().decode(line.value));
    if (id === 2) {
      const prompt = [{ type: "text", text: "What does a.txt say?" }];
      await send({ id: 3, method: "session/prompt", params: { ...result, prompt } });
    }
    if (method === "fs/read_text_file") await send({ id, result: { content: "hello" } });
    if (params?.update?.sessionUpdate === "agent_message_chunk") text += params.update.content.text;
    if (id === 3) await writer.close();
  }
  await served;
  deepStrictEqual(text, "The file says hello.");
});
`,
  "main.ts": `\
import { serveAcpStdio } from "@parley/runtime/acp";
import { memoryStorage } from "@parley/runtime/session";
import { createAgent, MODES } from "./agent.ts";
import { chooseModel } from "./model.ts";

await serveAcpStdio({
  name: "coder",
  version: "0.0.0",
  storage: memoryStorage(),
  modes: MODES,
  make: (session) => createAgent(session, chooseModel()),
});
`,
  "model.ts": `\
import process from "node:process";
import type { LanguageModel } from "@parley/runtime";
import { openAiChat, openAiResponses } from "@parley/runtime/models";
import { scriptedModel } from "@parley/runtime/testing";

/**
 * Returns the model that the environment variables name, or a model with a prepared response if
 * they are not set.
 */
export function chooseModel(): LanguageModel {
  const { MODEL_URL: baseUrl, MODEL: model, MODEL_API_KEY: apiKey } = process.env;
  if (baseUrl && model) return openAiChat({ baseUrl, model, ...(apiKey ? { apiKey } : {}) });
  if (apiKey && model) return openAiResponses({ apiKey, model });
  return scriptedModel([
    { text: "This response is prepared: to use a language model, see README.md." },
  ]);
}
`,
};

/** The starters of this package. */
export const STARTERS: Starters = {
  packageName: "@parley/runtime",
  version: "0.1.0",
  kinds: new Map([["agent", AGENT], ["team", TEAM], ["acp", ACP]]),
};
