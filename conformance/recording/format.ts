/**
 * Recordings of MCP messages: one JSON object per line.
 *
 * @module
 */

import schema from "../schemas/recording.schema.json" with { type: "json" };
import { KitError, KitErrorCode } from "../kit/error.ts";
import { readJson } from "../kit/json.ts";
import { compileSchema } from "../kit/schema.ts";

/** Header of a recording. */
export interface RecordingHeader {
  /** Version of the format. */
  readonly recording: 1;
  /** Program that created the recording. */
  readonly tool: string;
  /** Start time of the recording (RFC 3339). */
  readonly at: string;
  /** Transport. */
  readonly transport: "stdio" | "http";
  /** Command that starts the server. */
  readonly command?: readonly string[];
  /** URL of the server. */
  readonly url?: string;
  /** Names of the environment variables passed to the command. */
  readonly env?: readonly string[];
  /** Number of removed secrets. */
  readonly redacted?: number;
  /** Set if events are missing at the end, because the recording had reached its maximum size. */
  readonly truncated?: true;
  /** Paths of values that differed when the same messages were sent again. */
  readonly volatile?: readonly string[];
}

/** An event in a recording. */
export interface RecordedEvent {
  /** Time since the start of the recording, in milliseconds. */
  readonly t: number;
  /** Direction: client to server (`c2s`) or server to client (`s2c`). */
  readonly dir?: "c2s" | "s2c";
  /** A JSON message. */
  readonly msg?: unknown;
  /** A line that is not JSON. */
  readonly raw?: string;
  /** Bytes that are not valid UTF-8, in hexadecimal. */
  readonly hex?: string;
  /** Head of an HTTP message. */
  readonly http?: {
    readonly method?: string;
    readonly path?: string;
    readonly status?: number;
    readonly headers: Readonly<Record<string, string>>;
  };
  /** The server-sent event that contains the message. */
  readonly sse?: { readonly event: string; readonly id?: string };
  /** Set when the stream in this direction has ended. */
  readonly eof?: true;
  /** Output on standard error. */
  readonly stderr?: string;
  /** Exit status of the process. */
  readonly exit?: { readonly code: number | null; readonly signal: string | null };
}

/** A parsed recording. */
export interface Recording {
  /** Header. */
  readonly header: RecordingHeader;
  /** Events, in order. */
  readonly events: readonly RecordedEvent[];
}

/** Formats a recording. */
export function formatRecording({ header, events }: Recording): string {
  return [header, ...events].map((line) => `${JSON.stringify(line)}\n`).join("");
}

/**
 * Parses a recording.
 *
 * @param text One JSON object per line.
 * @param name File name for error messages.
 * @throws {KitError} With code `bad_file` if the text is not a valid recording.
 */
export function parseRecording(text: string, name: string): Recording {
  const parsed = text.split("\n").filter((line) => line !== "").map(readJson);
  const broken = parsed.findIndex((line) => line === undefined);
  if (broken >= 0) throw badRecording(name, `line ${broken + 1} is not JSON`);
  const lines = parsed.map((line) => line?.value);
  const problem = compileSchema(schema)(lines);
  if (problem !== undefined) throw badRecording(name, `${problem.path || "/"}: ${problem.message}`);
  // The value has been validated against the recording schema, so the cast is safe.
  const [header, ...events] = lines as [RecordingHeader, ...RecordedEvent[]];
  return { header, events };
}

function badRecording(name: string, reason: string): KitError {
  return new KitError(KitErrorCode.BadFile, `Cannot read recording "${name}": ${reason}`);
}
