/**
 * `parley-kit record`: write down what goes between a client and a server.
 *
 * @module
 */

import { type JsonValue, readJson } from "../kit/json.ts";
import { checkFolderOf, writeText } from "../platform/fs.ts";
import { type Flag, readArguments } from "../platform/read_arguments.ts";
import { findVolatile } from "../recording/find_volatile.ts";
import { formatRecording, type Recording } from "../recording/format.ts";
import { recordHttp } from "../recording/http.ts";
import { Recorder, type RecordingSource } from "../recording/recorder.ts";
import { Redactor } from "../recording/redact.ts";
import { playStdio, relayStdio } from "../recording/stdio.ts";
import { watchProcessGroups } from "../subject/process_groups.ts";
import { type Command, usageError } from "./command.ts";
import type { CommandIo } from "../kit/command_io.ts";
import { needText } from "./select_flags.ts";

const FLAGS: Readonly<Record<string, Flag>> = {
  out: { type: "string", short: "o" },
  play: { type: "string" },
  twice: { type: "boolean" },
  target: { type: "string" },
  port: { type: "string" },
  redact: { type: "string", multiple: true },
};

/** The command `record`. */
export const RECORD: Command = {
  summary: "record a conversation with an MCP server",
  usage: `parley-kit record -o FILE [options] -- COMMAND...
parley-kit record -o FILE --target URL [--port N]

With a command: give this to your client as the server's command. Every byte
goes through unchanged and into FILE. With a target: a proxy on loopback; give
your client its address. An interrupt ends the recording. Secrets are taken out
before anything is written: credentials, values of the environment, what
--redact finds.
  --play FILE                send the messages of a JSON list instead of what
                             standard input brings
  --twice                    send the same messages to a second server, and note
                             what came out differently
  --redact PATTERN           take out what this regular expression finds
                             (may come again)
  --port N                   where the proxy listens (default: any free port)`,
  run: recordCommand,
};

async function recordCommand(words: readonly string[], io: CommandIo): Promise<number> {
  const split = words.indexOf("--");
  const args = readArguments(split < 0 ? words : words.slice(0, split), FLAGS);
  const command = split < 0 ? [] : words.slice(split + 1);
  const out = args.text("out");
  const target = args.text("target");
  if (out === undefined) throw usageError("Cannot record: name a file with -o");
  if ((command.length === 0) === (target === undefined)) {
    throw usageError("Cannot record: name either a command after -- or a --target");
  }
  await checkFolderOf(out);
  const makeRecorder = (): Recorder =>
    new Recorder(new Redactor(secretsOf(io.env), args.texts("redact").map(toPattern)));
  const recording = target === undefined
    ? await recordCommandLine(command, args, makeRecorder, io)
    : await recordTarget(target, readPort(args.text("port")), makeRecorder(), io);
  await writeText(out, formatRecording(recording));
  return 0;
}

async function recordCommandLine(
  command: readonly string[],
  args: ReturnType<typeof readArguments>,
  makeRecorder: () => Recorder,
  { signal }: CommandIo,
): Promise<Recording> {
  const playFile = args.text("play");
  const messages = playFile === undefined ? undefined : await readMessages(playFile);
  const groups = await watchProcessGroups();
  try {
    const recorder = makeRecorder();
    const source = sourceOf(command, args.texts("redact"));
    const options = { command, recorder, groups, signal };
    if (messages === undefined) await relayStdio(options);
    else await playStdio(messages, options);
    const recording = recorder.finish(source);
    if (!args.has("twice")) return recording;
    const again = makeRecorder();
    await playStdio(messages ?? sentBy(recording), { ...options, recorder: again });
    const { events } = again.finish(source);
    return recorder.finish({ ...source, volatile: findVolatile(recording.events, events) });
  } finally {
    await groups.close();
  }
}

async function recordTarget(
  target: string,
  port: number,
  recorder: Recorder,
  { err, signal }: CommandIo,
): Promise<Recording> {
  if (!URL.canParse(target)) throw usageError(`Cannot record "${target}": it is no URL`);
  const proxy = await recordHttp(new URL(target), recorder, port);
  err(`Recording http://127.0.0.1:${proxy.port}/ until an interrupt\n`);
  await new Promise<void>((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener("abort", () => resolve(), { once: true });
  });
  await proxy.close();
  return recorder.finish({ transport: "http", url: target });
}

function readPort(text = "0"): number {
  const port = Number(text);
  if (text !== "" && Number.isInteger(port) && port >= 0 && port <= 65_535) return port;
  throw usageError(`Cannot use --port "${text}": it is no port`);
}

/** The command as it may be shown to others. */
function sourceOf(command: readonly string[], patterns: readonly string[]): RecordingSource {
  const redactor = new Redactor([], patterns.map(toPattern));
  return { transport: "stdio", command: command.map((word) => redactor.text(word)) };
}

/** Values that a child inherits and that look like more than settings. */
function secretsOf(env: Readonly<Record<string, string | undefined>>): readonly string[] {
  return Object.entries(env).flatMap(([name, value]) =>
    /key|token|secret|password|credential/i.test(name) && value !== undefined ? [value] : []
  );
}

function toPattern(source: string): RegExp {
  try {
    return new RegExp(source, "gu");
  } catch {
    // The engine's own words name the pattern, but not the option.
    throw usageError(`Cannot use --redact "${source}": it is no regular expression`);
  }
}

async function readMessages(path: string): Promise<readonly JsonValue[]> {
  const value = readJson(await needText(path, "messages"))?.value;
  if (Array.isArray(value)) return value;
  throw usageError(`Cannot play "${path}": it is no JSON list`);
}

function sentBy({ events }: Recording): readonly JsonValue[] {
  return events.flatMap(({ dir, msg }) =>
    dir === "c2s" && msg !== undefined ? [msg as JsonValue] : []
  );
}
