/**
 * A demo in which two agents answer a question about documents. Run the demo with `deno task demo`;
 * `--help` lists the options.
 *
 * @module
 */
import { AgentCommMessage, createChannelPair, generateSigner } from "@parley/comm";
import { McpClient, McpError } from "@parley/mcp";
import { spawnServer } from "@parley/mcp/process";
import { AgentError, type LanguageModel } from "@parley/runtime";
import { openAiChat } from "@parley/runtime/models";
import { HELP, readSettings, type Settings, UsageError } from "./arguments.ts";
import { runLibrarian } from "./librarian.ts";
import { createLibrarianModel } from "./librarian_model.ts";
import { DemoError, type Line, shortDid } from "./messages.ts";
import { jsonReport, type Report, textReport } from "./report.ts";
import { askLibrarian } from "./requester.ts";

/** The third-party MCP server through which the librarian reads files. */
const FILE_SERVER = "npm:@modelcontextprotocol/server-filesystem@2026.8.31";

/** Timeout for starting the file server, long enough for a slow first download. */
const CONNECT_TIMEOUT_MS = 120_000;

const EXIT = { ok: 0, failed: 1, usage: 2, interrupted: 130 } as const;

async function main(): Promise<number> {
  const interrupt = new AbortController();
  const onSignal = (): void => interrupt.abort(new DemoError("Interrupted"));
  Deno.addSignalListener("SIGINT", onSignal);
  Deno.addSignalListener("SIGTERM", onSignal);
  try {
    const settings = await readSettings(Deno.args, (name) => Deno.env.get(name));
    if (settings === undefined) {
      write(HELP);
      return EXIT.ok;
    }
    await runDemo(settings, interrupt.signal);
    return EXIT.ok;
  } catch (error) {
    // Ctrl-C also ends the file server, and the demo can detect the end of the file server before
    // its own signal.
    await abortedWithin(interrupt.signal, 100);
    if (interrupt.signal.aborted) {
      writeError("Interrupted");
      return EXIT.interrupted;
    }
    if (!isExpected(error)) throw error;
    writeError(error.message);
    return error instanceof UsageError ? EXIT.usage : EXIT.failed;
  } finally {
    Deno.removeSignalListener("SIGINT", onSignal);
    Deno.removeSignalListener("SIGTERM", onSignal);
  }
}

/** Waits until a signal is aborted, at most for the given time in milliseconds. */
async function abortedWithin(signal: AbortSignal, ms: number): Promise<void> {
  if (signal.aborted) return;
  await new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener("abort", () => {
      clearTimeout(timer);
      resolve();
    }, { once: true });
  });
}

async function runDemo(settings: Settings, interrupt: AbortSignal): Promise<void> {
  const report = openReport(settings);
  const stop = new AbortController();
  const signal = AbortSignal.any([interrupt, stop.signal]);
  const client = new McpClient({
    transport: fileServer(settings.folder),
    connectTimeoutMs: CONNECT_TIMEOUT_MS,
  });
  const [requesterSide, librarianSide] = createChannelPair();
  try {
    const started = performance.now();
    const [requester, librarian] = await Promise.all([generateSigner(), generateSigner()]);
    introduce(report, "requester", requester.did);
    introduce(report, "librarian", librarian.did);
    await openLibrary(client, settings, report, signal);
    const model = openModel(settings);
    const serving = runLibrarian({
      signer: librarian,
      transport: librarianSide,
      model,
      client,
      folder: settings.folder,
      report,
      signal,
    });
    const asking = askLibrarian(settings.question, {
      signer: requester,
      transport: settings.tamper ? tamperWith(requesterSide, report) : requesterSide,
      librarianDid: librarian.did,
      report,
      signal,
    }).finally(() => requesterSide.close());
    const [answer] = await Promise.all([asking, serving]);
    report.show({
      who: "demo",
      event: "answer",
      text: "the answer:",
      durationMs: performance.now() - started,
      data: { answer },
    });
    report.tell(answer);
  } finally {
    stop.abort();
    report.close();
    await Promise.all([requesterSide.close(), librarianSide.close(), client.disconnect()]);
  }
}

async function openLibrary(
  client: McpClient,
  { folder }: Settings,
  report: Report,
  signal: AbortSignal,
): Promise<void> {
  const started = performance.now();
  report.wait("starting the file server (the first start downloads it)");
  await client.connect({ signal });
  const tools = await client.listTools({ signal });
  report.show({
    who: "server",
    event: "server_started",
    text: `${FILE_SERVER} offers ${tools.length} tools over stdio for the folder ${folder}`,
    durationMs: performance.now() - started,
    data: { server: FILE_SERVER, folder, tools: tools.map(({ name }) => name) },
  });
}

/** Environment variables with network settings that the download of the file server may need. */
const NETWORK_SETTINGS = [
  "ALL_PROXY",
  "DENO_CERT",
  "DENO_DIR",
  "DENO_TLS_CA_STORE",
  "HTTP_PROXY",
  "HTTPS_PROXY",
  "NODE_EXTRA_CA_CERTS",
  "NO_PROXY",
  "NPM_CONFIG_REGISTRY",
];

function networkSettings(): Record<string, string> {
  const names = [...NETWORK_SETTINGS, ...NETWORK_SETTINGS.map((name) => name.toLowerCase())];
  return Object.fromEntries(names.flatMap((name) => {
    const value = Deno.env.get(name);
    return value === undefined ? [] : [[name, value]];
  }));
}

/** Starts the file server as a child process that can read files but not write them. */
function fileServer(folder: string): ReturnType<typeof spawnServer> {
  const lock = new URL("./filesystem_server.lock", import.meta.url).pathname;
  return spawnServer(Deno.execPath(), [
    "run",
    "--quiet",
    "--no-prompt",
    "--no-config",
    "--frozen",
    `--lock=${lock}`,
    "--allow-read",
    "--allow-env",
    "--allow-sys",
    FILE_SERVER,
    folder,
  ], { env: networkSettings() });
}

function openModel({ endpoint }: Settings): LanguageModel {
  return endpoint === undefined ? createLibrarianModel() : openAiChat(endpoint);
}

/** Wraps a transport and modifies the answer in transit, without signing it again. */
function tamperWith(line: Line, report: Report): Line {
  return {
    send: (message, options) => line.send(message, options),
    async receive(options): Promise<AgentCommMessage | undefined> {
      const message = await line.receive(options);
      if (message?.messageType !== "task_result") return message;
      report.show({
        who: "demo",
        event: "tampered",
        text: "the answer is modified in transit",
        ok: false,
      });
      return new AgentCommMessage({ ...message, payload: { answer: "Nothing. Trust me." } });
    },
  };
}

function introduce(report: Report, who: "requester" | "librarian", did: string): void {
  report.show({ who, event: "identity", text: `is ${shortDid(did)}`, data: { did } });
}

function openReport({ json }: Settings): Report {
  if (json) return jsonReport(write);
  const isTerminal = Deno.stdout.isTerminal();
  return textReport({
    write,
    isTerminal,
    color: isTerminal && !Deno.noColor,
    columns: isTerminal ? Deno.consoleSize().columns : 120,
  });
}

function isExpected(error: unknown): error is Error {
  return error instanceof UsageError || error instanceof DemoError || error instanceof McpError ||
    error instanceof AgentError;
}

function write(text: string): void {
  try {
    writeAll(Deno.stdout, text);
  } catch (error) {
    // The reader of standard output can close the pipe early, as `head` does. The exit code is
    // still correct.
    if (!(error instanceof Deno.errors.BrokenPipe)) throw error;
  }
}

function writeError(message: string): void {
  writeAll(Deno.stderr, `${message}\n`);
}

function writeAll(sink: { writeSync(bytes: Uint8Array): number }, text: string): void {
  const bytes = new TextEncoder().encode(text);
  for (let at = 0; at < bytes.length;) at += sink.writeSync(bytes.subarray(at));
}

if (import.meta.main) Deno.exit(await main());
