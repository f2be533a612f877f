/**
 * Collects the events of a recording.
 *
 * @module
 */

import { readJson } from "../kit/json.ts";
import { KIT_VERSION } from "../runner/version.ts";
import type { RecordedEvent, Recording, RecordingHeader } from "./format.ts";
import type { Redactor } from "./redact.ts";

/** Members of the recording's header that the caller provides. */
export type RecordingSource = Omit<RecordingHeader, "recording" | "tool" | "at" | "redacted">;

/** Collects events and creates the recording. */
export class Recorder {
  readonly #start: number = performance.now();
  readonly #at: string = new Date().toISOString();
  readonly #events: RecordedEvent[] = [];
  readonly #redactor: Redactor;

  /** Creates a recorder. Secrets are removed before an event is stored. */
  constructor(redactor: Redactor) {
    this.#redactor = redactor;
  }

  /** Adds an event. */
  add(event: Omit<RecordedEvent, "t">): void {
    const t = Math.round((performance.now() - this.#start) * 10) / 10;
    this.#events.push(this.#redactor.clean({ t, ...event }));
  }

  /** Adds a line of standard input or output, without its line feed. */
  addLine(dir: "c2s" | "s2c", bytes: Uint8Array): void {
    this.add({ dir, ...readLine(bytes) });
  }

  /** Returns a recording of all events added so far. Secrets are also removed from the command and the URL. */
  finish({ command, url, ...source }: RecordingSource): Recording {
    const redactor = this.#redactor;
    const cleaned = {
      ...(command === undefined ? {} : { command: command.map((word) => redactor.url(word)) }),
      ...(url === undefined ? {} : { url: redactor.url(url) }),
    };
    const { count } = redactor;
    return {
      header: {
        recording: 1,
        tool: `parley-kit ${KIT_VERSION}`,
        at: this.#at,
        ...source,
        ...cleaned,
        ...(count > 0 ? { redacted: count } : {}),
      },
      events: [...this.#events],
    };
  }
}

/** Represents a line in JSON without losing information. */
function readLine(bytes: Uint8Array): Pick<RecordedEvent, "msg" | "raw" | "hex"> {
  try {
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
    const parsed = readJson(text);
    // A line is stored as a message only if the serialized message is equal to the line.
    const isExact = parsed !== undefined && JSON.stringify(parsed.value) === text;
    return isExact ? { msg: parsed.value } : { raw: text };
  } catch {
    const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
    return { hex };
  }
}

/** Splits bytes into lines without decoding them. */
export class ByteLines {
  readonly #onLine: (bytes: Uint8Array) => void;
  #rest: Uint8Array = new Uint8Array();

  /** Creates a splitter. */
  constructor(onLine: (bytes: Uint8Array) => void) {
    this.#onLine = onLine;
  }

  /** Adds a chunk. */
  push(chunk: Uint8Array): void {
    const bytes = new Uint8Array(this.#rest.length + chunk.length);
    bytes.set(this.#rest);
    bytes.set(chunk, this.#rest.length);
    let start = 0;
    for (let end = bytes.indexOf(10); end >= 0; end = bytes.indexOf(10, start)) {
      this.#onLine(bytes.subarray(start, end));
      start = end + 1;
    }
    this.#rest = bytes.slice(start);
  }

  /** Flushes the last line if it has no line feed. */
  end(): void {
    if (this.#rest.length > 0) this.#onLine(this.#rest);
    this.#rest = new Uint8Array();
  }
}
