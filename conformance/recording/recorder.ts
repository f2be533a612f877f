/**
 * Collects what goes over a wire.
 *
 * @module
 */

import { readJson } from "../kit/json.ts";
import { KIT_VERSION } from "../runner/version.ts";
import type { RecordedEvent, Recording, RecordingHeader } from "./format.ts";
import type { Redactor } from "./redact.ts";

/** What a header says beside the kit's own words. */
export type RecordingSource = Omit<RecordingHeader, "recording" | "tool" | "at" | "redacted">;

/** A recording in the making. */
export class Recorder {
  readonly #start: number = performance.now();
  readonly #at: string = new Date().toISOString();
  readonly #events: RecordedEvent[] = [];
  readonly #redactor: Redactor;

  /** Makes a recorder that takes secrets out before it keeps anything. */
  constructor(redactor: Redactor) {
    this.#redactor = redactor;
  }

  /** Adds an event. */
  add(event: Omit<RecordedEvent, "t">): void {
    const t = Math.round((performance.now() - this.#start) * 10) / 10;
    this.#events.push(this.#redactor.clean({ t, ...event }));
  }

  /** Adds a line of standard input or output, as bytes without the line feed. */
  addLine(dir: "c2s" | "s2c", bytes: Uint8Array): void {
    this.add({ dir, ...readLine(bytes) });
  }

  /** Everything so far. */
  finish(source: RecordingSource): Recording {
    const { count } = this.#redactor;
    return {
      header: {
        recording: 1,
        tool: `parley-kit ${KIT_VERSION}`,
        at: this.#at,
        ...source,
        ...(count > 0 ? { redacted: count } : {}),
      },
      events: [...this.#events],
    };
  }
}

/** A line as exactly as JSON can hold it. */
function readLine(bytes: Uint8Array): Pick<RecordedEvent, "msg" | "raw" | "hex"> {
  try {
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
    const parsed = readJson(text);
    // A message is kept as such only when its text can be written again byte for byte.
    const isExact = parsed !== undefined && JSON.stringify(parsed.value) === text;
    return isExact ? { msg: parsed.value } : { raw: text };
  } catch {
    const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
    return { hex };
  }
}

/** Cuts bytes into lines without changing them. */
export class ByteLines {
  readonly #onLine: (bytes: Uint8Array) => void;
  #rest: Uint8Array = new Uint8Array();

  /** Makes a cutter. */
  constructor(onLine: (bytes: Uint8Array) => void) {
    this.#onLine = onLine;
  }

  /** Takes the next bytes. */
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

  /** Hands on what has no line feed after it. */
  end(): void {
    if (this.#rest.length > 0) this.#onLine(this.#rest);
    this.#rest = new Uint8Array();
  }
}
