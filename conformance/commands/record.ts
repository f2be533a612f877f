/**
 * `parley-kit record`: records the messages between a client and a server.
 *
 * @module
 */

import { type JsonValue, readJson } from "../kit/json.ts";
import { checkTarget, writeText } from "../platform/fs.ts";
import { type Flag, readArguments } from "../platform/read_arguments.ts";
import { findVolatile } from "../recording/find_volatile.ts";
import { formatRecording, type Recording } from "../recording/format.ts";
import { recordHttp } from "../recording/http.ts";
import { Recorder } from "../recording/recorder.ts";
import { Redactor } from "../recording/redact.ts";
import { playStdio, relayStdio } from "../recording/stdio.ts";
import { watchProcessGroups } from "../subject/process_groups.ts";
import { assertUnused, type Command, usageError } from "./command.ts";
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

/** The `record` command. */
export const RECORD: Command = {
  summary: "record the messages of an MCP server",
  usage: `parley-kit record -o FILE [options] -- COMMAND...
parley-kit record -o FILE --target URL [--port N]

Records the messages between a client and an MCP server in FILE.

Over stdio, configure the first form as the server command of your client. All
bytes are forwarded unchanged. Over HTTP, the second form starts a proxy on
loopback: configure its URL in your client, and interrupt it to stop recording.

Secrets are removed before they are written: credentials, values of environment
variables, and matches of --redact.
  -o, --out FILE             file to write
  --play FILE                send the messages of this JSON array instead of
                             standard input
  --twice                    send the same messages to a second process and list
                             the values that differ as volatile
  --target URL               URL of the server
  --port N                   port of the proxy (default: any free port)
  --redact PATTERN           remove matches of this regular expression
                             (repeatable)`,
  run: recordCommand,
};

async function recordCommand(words: readonly string[], io: CommandIo): Promise<number> {
  const split = words.indexOf("--");
  const args = readArguments(split < 0 ? words : words.slice(0, split), FLAGS);
  const command = split < 0 ? [] : words.slice(split + 1);
  const out = args.text("out");
  const target = args.text("target");
  if (out === undefined) throw usageError("Cannot record: -o FILE is required");
  if ((command.length === 0) === (target === undefined)) {
    throw usageError("Cannot record: either a command after -- or --target is required");
  }
  if (target === undefined) assertUnused(args, ["port"], "with a command");
  else assertUnused(args, ["play", "twice"], "with --target");
  await checkTarget(out);
  const makeRecorder = (): Recorder =>
    new Recorder(new Redactor(secretsOf(io.env), args.texts("redact").map(toPattern)));
  const recording = target === undefined
    ? await recordCommandLine(command, args, makeRecorder, io)
    : await recordTarget(target, readPort(args.text("port")), makeRecorder(), io);
  await writeText(out, formatRecording(recording));
  if (recording.header.truncated === true) {
    io.err(`The recording "${out}" is incomplete: its maximum size was reached\n`);
  }
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
    const options = { command, recorder, groups, signal };
    if (messages === undefined) await relayStdio(options);
    else await playStdio(messages, options);
    const recording = recorder.finish({ transport: "stdio", command });
    if (!args.has("twice")) return recording;
    const again = makeRecorder();
    await playStdio(messages ?? sentBy(recording), { ...options, recorder: again });
    const { events } = again.finish({ transport: "stdio" });
    const volatile = findVolatile(recording.events, events);
    return { ...recording, header: { ...recording.header, volatile } };
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
  if (!URL.canParse(target)) throw usageError(`Cannot record "${target}": invalid URL`);
  const proxy = await recordHttp(new URL(target), recorder, port);
  err(`Recording http://127.0.0.1:${proxy.port}/; press Ctrl+C to stop\n`);
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
  throw usageError(`Cannot use --port "${text}": the value must be an integer from 0 to 65535`);
}

/** Returns the values of environment variables that look like credentials. */
function secretsOf(env: Readonly<Record<string, string | undefined>>): readonly string[] {
  return Object.entries(env).flatMap(([name, value]) =>
    /key|token|secret|password|credential/i.test(name) && value !== undefined ? [value] : []
  );
}

function toPattern(source: string): RegExp {
  try {
    return new RegExp(source, "gu");
  } catch {
    // The `SyntaxError` message does not mention the `--redact` option.
    throw usageError(`Cannot use --redact "${source}": invalid regular expression`);
  }
}

async function readMessages(path: string): Promise<readonly JsonValue[]> {
  const value = readJson(await needText(path, "messages"))?.value;
  if (Array.isArray(value)) return value;
  throw usageError(`Cannot play "${path}": the file must contain a JSON array`);
}

function sentBy({ events }: Recording): readonly JsonValue[] {
  return events.flatMap(({ dir, msg }) =>
    dir === "c2s" && msg !== undefined ? [msg as JsonValue] : []
  );
}
