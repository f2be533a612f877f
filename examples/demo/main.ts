/**
 * Two agents answer a question about documents. Run the program with `deno task demo`; `--help`
 * lists the options.
 *
 * @module
 */

import { parseArgs } from "node:util";
import { McpClient, McpError } from "@parley/mcp";
import { spawnServer } from "@parley/mcp/process";
import { AgentError, type LanguageModel } from "@parley/runtime";
import { toEventJson } from "@parley/runtime/events";
import { openAiChat } from "@parley/runtime/models";
import { openViewer } from "../../tools/viewer/open_viewer.ts";
import { askLibrarian, DemoError, type DemoEvent } from "./agents.ts";
import { createEmbeddedModel } from "./embedded_model.ts";

/** A third-party MCP server. */
const FILE_SERVER = "npm:@modelcontextprotocol/server-filesystem@2026.8.31";

/** The default question. */
export const QUESTION = "What can an intermediary change in a message?";

const PACE = "The embedded model takes 400 ms for each response, so that people can follow.";
const HELP = `Usage: deno task demo [options]

  --question TEXT  question for the clerk (default: "${QUESTION}")
  --folder DIR     folder that the librarian reads (default: this repository)
  --json           print events as JSON Lines
  --tamper         change the response in transit, so that the clerk rejects it
  --web            show the run in a browser, where you approve or deny saving the result

The embedded model needs no key. For an OpenAI-compatible endpoint, set PARLEY_MODEL_URL,
such as http://127.0.0.1:11434/v1, PARLEY_MODEL and, if required, PARLEY_API_KEY.`;

/** An error in the command-line arguments or environment variables. */
class UsageError extends DemoError {}

async function runDemo(signal: AbortSignal): Promise<void> {
  const options = await readOptions();
  if (!options) return console.log(HELP);
  const { values: { json, question = QUESTION, tamper = false, web }, folder, model } = options;
  const note = model.provider === "embedded" ? PACE : "";
  const viewer = web ? openViewer({ title: question, note, signal }) : undefined;
  const print = json ? console.error : console.log;
  if (viewer) print(`Open ${viewer.url} in a browser. Ctrl-C ends the demo.`);
  const emit = (event: DemoEvent): void => {
    const shown = "runId" in event ? toEventJson(event) : event;
    viewer?.emit(shown);
    const line = json ? JSON.stringify(shown) : describe(event);
    if (line !== undefined) console.log(line);
  };
  const reports: Promise<void>[] = [];
  const onError = (error: unknown): void => {
    reports.push(
      waitForInterrupt().then(() => {
        if (!signal.aborted) console.error(error);
      }),
    );
  };
  const client = new McpClient({ transport: fileServer(folder), connectTimeoutMs: 120_000 });
  try {
    await client.connect({ signal });
    emit({ type: "server", at: Date.now(), name: FILE_SERVER, folder });
    const common = { approve: viewer?.approve, client, emit, model, onError, signal, tamper };
    emit({ type: "answer", at: Date.now(), text: await askLibrarian(question, common) });
  } finally {
    await client.disconnect();
    await viewer?.finish();
    await Promise.all(reports);
  }
}

/**
 * Waits for Ctrl-C, which also stops the file server: the demo may notice the server's exit before
 * the signal.
 */
function waitForInterrupt(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 100));
}

/** Reads the command-line arguments and the environment. Returns `undefined` for `--help`. */
async function readOptions() {
  const [text, flag] = [{ type: "string" }, { type: "boolean" }] as const;
  const flags = { question: text, folder: text, json: flag, tamper: flag, web: flag, help: flag };
  try {
    const { values } = parseArgs({ args: Deno.args, options: flags });
    if (values.help) return undefined;
    const folder = await Deno.realPath(values.folder ?? new URL("../..", import.meta.url));
    if (!(await Deno.stat(folder)).isDirectory) throw new Error(`${folder} is not a folder`);
    return { values, folder, model: openModel(values.web) };
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}

function openModel(web?: boolean): LanguageModel {
  const [baseUrl, model] = [Deno.env.get("PARLEY_MODEL_URL"), Deno.env.get("PARLEY_MODEL")];
  if (!baseUrl && !model) return createEmbeddedModel(web ? 400 : 0);
  if (!baseUrl || !model) throw new Error("Set both PARLEY_MODEL_URL and PARLEY_MODEL");
  const apiKey = Deno.env.get("PARLEY_API_KEY");
  return openAiChat({ baseUrl, model, ...apiKey && { apiKey } });
}

/** Starts the file server in a process that can read files but not write them. */
function fileServer(folder: string): ReturnType<typeof spawnServer> {
  const lock = new URL("./filesystem_server.lock", import.meta.url).pathname;
  const access = ["--no-prompt", "--allow-read", "--allow-env", "--allow-sys"];
  const flags = ["--quiet", "--no-config", "--frozen", `--lock=${lock}`, ...access];
  // Settings for downloading the server.
  const names = /^(DENO_|NODE_EXTRA_CA_CERTS$|NPM_CONFIG_REGISTRY$|(all|https?|no)_proxy$)/i;
  const env = Object.entries(Deno.env.toObject()).filter(([name]) => names.test(name));
  const args = ["run", ...flags, FILE_SERVER, folder];
  return spawnServer(Deno.execPath(), args, { env: Object.fromEntries(env) });
}

/** Returns the line for an event, or `undefined` if the event is only printed as JSON. */
function describe(event: DemoEvent): string | undefined {
  const line = (who: string | undefined, does: string) => `${(who ?? "").padEnd(9)}  ${does}`;
  switch (event.type) {
    case "server":
      return line("server", `${event.name} reads ${event.folder}`);
    case "agent":
      return line(event.name, `is ${event.did}`);
    case "message": {
      const verdict = event.verified ? "verified" : `refused (${event.reason})`;
      return line(event.receiver, `${verdict} the signed ${event.message.messageType}`);
    }
    case "tool_started": {
      const { toolName, input } = event.toolCall;
      return line(event.path.at(-1), `calls ${toolName} ${JSON.stringify(input)}`);
    }
    case "run_finished": {
      const { iterations, totalUsage: { totalTokens } } = event.output;
      return line(
        event.path.at(-1),
        `made ${iterations.length} model calls, ${totalTokens} tokens`,
      );
    }
    case "answer":
      return `\n${event.text}`;
    default:
      return undefined;
  }
}

if (import.meta.main) {
  const interrupt = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    Deno.addSignalListener(signal, () => interrupt.abort(new DemoError("Interrupted")));
  }
  await runDemo(interrupt.signal).then(() => Deno.exit(0), async (error: unknown) => {
    await waitForInterrupt();
    const cause: unknown = interrupt.signal.aborted ? interrupt.signal.reason : error;
    const isExpected = [DemoError, McpError, AgentError].some((each) => cause instanceof each);
    if (!isExpected || !(cause instanceof Error)) throw cause;
    console.error(cause.message);
    Deno.exit(interrupt.signal.aborted ? 130 : cause instanceof UsageError ? 2 : 1);
  });
}
