/**
 * Recordings: conversations as they went over the wire, one JSON object per line.
 *
 * @module
 */

import schema from "../schemas/recording.schema.json" with { type: "json" };
import { KitError, KitErrorCode } from "../kit/error.ts";
import { readJson } from "../kit/json.ts";
import { compileSchema } from "../kit/schema.ts";

/** Where a recording comes from. */
export interface RecordingHeader {
  /** Version of the format. */
  readonly recording: 1;
  /** What recorded it. */
  readonly tool: string;
  /** When, RFC 3339. */
  readonly at: string;
  /** The transport. */
  readonly transport: "stdio" | "http";
  /** The server's command. */
  readonly command?: readonly string[];
  /** The server's address. */
  readonly url?: string;
  /** Names of the environment variables that the command was given. */
  readonly env?: readonly string[];
  /** How many secrets were taken out. */
  readonly redacted?: number;
  /** Places whose value changed when the same messages were sent again. */
  readonly volatile?: readonly string[];
}

/** One thing that went over the wire. */
export interface RecordedEvent {
  /** Milliseconds since the beginning. */
  readonly t: number;
  /** Who wrote: the client (`c2s`) or the server (`s2c`). */
  readonly dir?: "c2s" | "s2c";
  /** A JSON message. */
  readonly msg?: unknown;
  /** A line that is not JSON. */
  readonly raw?: string;
  /** Bytes that are not UTF-8. */
  readonly hex?: string;
  /** The head of an HTTP message. */
  readonly http?: {
    readonly method?: string;
    readonly path?: string;
    readonly status?: number;
    readonly headers: Readonly<Record<string, string>>;
  };
  /** The event that carried the message. */
  readonly sse?: { readonly event: string; readonly id?: string };
  /** The direction has ended. */
  readonly eof?: true;
  /** Something on standard error. */
  readonly stderr?: string;
  /** How the process ended. */
  readonly exit?: { readonly code: number | null; readonly signal: string | null };
}

/** A recording, read. */
export interface Recording {
  /** Where it comes from. */
  readonly header: RecordingHeader;
  /** What went over the wire, oldest first. */
  readonly events: readonly RecordedEvent[];
}

/** Writes a recording as text. */
export function formatRecording({ header, events }: Recording): string {
  return [header, ...events].map((line) => `${JSON.stringify(line)}\n`).join("");
}

/**
 * Reads a recording from its text.
 *
 * @param text one JSON object per line
 * @param name what to call the file in the error
 * @throws {KitError} `bad_file` when the text is no recording
 */
export function parseRecording(text: string, name: string): Recording {
  const parsed = text.split("\n").filter((line) => line !== "").map(readJson);
  const broken = parsed.findIndex((line) => line === undefined);
  if (broken >= 0) throw badRecording(name, `line ${broken + 1} is not JSON`);
  const lines = parsed.map((line) => line?.value);
  const problem = compileSchema(schema)(lines);
  if (problem !== undefined) throw badRecording(name, `${problem.path || "/"}: ${problem.message}`);
  // The schema has just proved this shape.
  const [header, ...events] = lines as [RecordingHeader, ...RecordedEvent[]];
  return { header, events };
}

function badRecording(name: string, reason: string): KitError {
  return new KitError(KitErrorCode.BadFile, `Cannot read recording "${name}": ${reason}`);
}
