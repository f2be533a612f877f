/**
 * Two agents answer a question about documents. Run the program with `deno task demo`; `--help` lists the options.
 *
 * @module
 */

import { parseArgs } from "node:util";
import { McpClient, McpError } from "@parley/mcp";
import { spawnServer } from "@parley/mcp/process";
import { AgentError, type LanguageModel } from "@parley/runtime";
import { openAiChat } from "@parley/runtime/models";
import { askLibrarian, DemoError, type DemoEvent } from "./agents.ts";
import { createEmbeddedModel } from "./embedded_model.ts";

/** A third-party MCP server. */
const FILE_SERVER = "npm:@modelcontextprotocol/server-filesystem@2026.8.31";

/** The question if none is given. */
export const QUESTION = "What can an intermediary change in a message?";

const HELP = `Usage: deno task demo [options]

  --question TEXT  question for the clerk (default: "${QUESTION}")
  --folder DIR     folder that the librarian reads (default: this repository)
  --json           print events as JSON Lines
  --tamper         change the response on its way, so that the clerk refuses it

The embedded model needs no key. For an OpenAI-compatible endpoint, set PARLEY_MODEL_URL,
such as http://127.0.0.1:11434/v1, PARLEY_MODEL and, if required, PARLEY_API_KEY.`;

async function runDemo(signal: AbortSignal): Promise<void> {
  const [text, flag] = [{ type: "string" }, { type: "boolean" }] as const;
  const flags = { question: text, folder: text, json: flag, tamper: flag, help: flag };
  const { values } = parseArgs({ args: Deno.args, options: flags });
  if (values.help) return console.log(HELP);
  const model = openModel();
  const folder = await Deno.realPath(values.folder ?? new URL("../..", import.meta.url));
  const emit = (event: DemoEvent): void => {
    const line = values.json ? JSON.stringify(event) : describe(event);
    if (line !== undefined) console.log(line);
  };
  const client = new McpClient({ transport: fileServer(folder), connectTimeoutMs: 120_000 });
  try {
    await client.connect({ signal });
    emit({ type: "server", at: Date.now(), name: FILE_SERVER, folder });
    const { question = QUESTION, tamper = false } = values;
    const answer = await askLibrarian(question, { client, emit, model, signal, tamper });
    emit({ type: "answer", at: Date.now(), text: answer });
  } finally {
    await client.disconnect();
  }
}

function openModel(): LanguageModel {
  const [baseUrl, model] = [Deno.env.get("PARLEY_MODEL_URL"), Deno.env.get("PARLEY_MODEL")];
  if (!baseUrl && !model) return createEmbeddedModel();
  if (!baseUrl || !model) throw new DemoError("Set both PARLEY_MODEL_URL and PARLEY_MODEL");
  const apiKey = Deno.env.get("PARLEY_API_KEY");
  return openAiChat({ baseUrl, model, ...apiKey && { apiKey } });
}

/** Starts the file server in a process that can read files but not write them. */
function fileServer(folder: string): ReturnType<typeof spawnServer> {
  const lock = new URL("./filesystem_server.lock", import.meta.url).pathname;
  const access = ["--no-prompt", "--allow-read", "--allow-env", "--allow-sys"];
  const flags = ["--quiet", "--no-config", "--frozen", `--lock=${lock}`, ...access];
  // Settings for the download of the server.
  const names = /^(DENO_|NODE_EXTRA_CA_CERTS$|NPM_CONFIG_REGISTRY$|(all|https?|no)_proxy$)/i;
  const env = Object.entries(Deno.env.toObject()).filter(([name]) => names.test(name));
  const args = ["run", ...flags, FILE_SERVER, folder];
  return spawnServer(Deno.execPath(), args, { env: Object.fromEntries(env) });
}

/** Returns the line for an event, or `undefined` if the event is only printed as JSON. */
function describe(event: DemoEvent): string | undefined {
  const { did, folder, message, name, path, receiver, text, toolCall, totalUsage } = Object(event);
  const who = String(receiver ?? path?.at(-1) ?? name).padEnd(9);
  const verdict = event.verified ? "verified" : `refused (${event.reason})`;
  const lines: Readonly<Record<string, () => string>> = {
    agent: () => `${who}  is ${did}`,
    server: () => `server     ${name} reads ${folder}`,
    message: () => `${who}  ${verdict} the signed ${message.messageType}`,
    tool_started: () => `${who}  calls ${toolCall.toolName} ${JSON.stringify(toolCall.input)}`,
    run_finished: () =>
      `${who}  made ${event.iterations} model calls, ${totalUsage.totalTokens} tokens`,
    answer: () => `\n${text}`,
  };
  return lines[event.type]?.();
}

if (import.meta.main) {
  const interrupt = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    Deno.addSignalListener(signal, () => interrupt.abort(new DemoError("Interrupted")));
  }
  await runDemo(interrupt.signal).then(() => Deno.exit(0), async (error) => {
    // Ctrl-C also ends the file server, and the end of the server may be noticed first.
    await new Promise((resolve) => setTimeout(resolve, 100));
    const { aborted, reason } = interrupt.signal;
    const isUsage = /^ERR_PARSE_ARGS/.test(error.code) || error instanceof Deno.errors.NotFound;
    const expected = [DemoError, McpError, AgentError].some((type) => error instanceof type);
    if (!aborted && !isUsage && !expected) throw error;
    console.error(aborted ? reason.message : error.message);
    Deno.exit(aborted ? 130 : isUsage ? 2 : 1);
  });
}
