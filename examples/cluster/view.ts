/**
 * The output of the example: a live table in a terminal, plain lines in a pipe, or JSON Lines.
 *
 * @module
 */

import type { ClusterEvent } from "./events.ts";
import { describeProof, isProven, type Proof } from "./proof.ts";

/** Shows the events of a cluster. */
export interface View {
  /** Shows an event. */
  readonly show: (event: ClusterEvent) => void;
  /** Shows the counts that prove that no run or message was lost. */
  readonly end: (proof: Proof) => void;
  /** Stops updating the view. */
  readonly close: () => void;
}

/** Options for {@linkcode createView}. */
export interface ViewOptions {
  readonly tasks: number;
  readonly kills: number;
  readonly seed: number;
  readonly isJson: boolean;
}

/** Interval between two updates of the table, in milliseconds. */
const UPDATE_MS = 100;

/** Creates the view that matches standard output: a table, lines or JSON Lines. */
export function createView(options: ViewOptions): View {
  if (options.isJson) return jsonView();
  console.log(describeOptions(options));
  return Deno.stdout.isTerminal() ? tableView(options) : lineView(options);
}

/** Returns a title that describes the options. */
export function describeOptions({ kills, seed, tasks }: ViewOptions): string {
  const title = `${tasks} tasks, each sent twice`;
  return kills === 0 ? title : `${title}; ${kills} kills with seed ${seed}`;
}

function jsonView(): View {
  return {
    show: (event) => console.log(JSON.stringify(event)),
    end: (proof) => {
      const isOk = isProven(proof);
      console.log(JSON.stringify({ type: "proof", at: Date.now(), isProven: isOk, ...proof }));
    },
    close: () => {},
  };
}

function lineView(options: ViewOptions): View {
  const status = new Status(options);
  return {
    show: (event) => {
      status.add(event);
      const line = describe(event, status);
      if (line !== undefined) console.log(`${(event.process ?? "").padEnd(11)}${line}`);
    },
    end: (proof) => printProof(proof),
    close: () => {},
  };
}

/** Returns the line for an event, or `undefined` if this view does not show the event. */
function describe(event: ClusterEvent, status: Status): string | undefined {
  switch (event.type) {
    case "responded":
      return `has response ${status.responses} of ${status.options.tasks}: ${event.text}`;
    case "problem":
      return `reports: ${event.text}`;
    case "process":
      if (event.state === "killed") return `killed (${status.kills} of ${status.options.kills})`;
      if (event.state === "ready") return "ready";
      return event.process === "postgres" ? "starting; the first start downloads 60 MB" : undefined;
    default:
      return undefined;
  }
}

function tableView(options: ViewOptions): View {
  const status = new Status(options);
  let height = 0;
  const draw = (): void => {
    const lines = status.lines();
    // Moves the cursor to the first line of the table, and clears the rest of each line.
    const up = height === 0 ? "" : `\x1b[${height}A`;
    Deno.stdout.writeSync(
      new TextEncoder().encode(up + lines.map((line) => `${line}\x1b[K\n`).join("")),
    );
    height = lines.length;
  };
  const timer = setInterval(draw, UPDATE_MS);
  return {
    show: (event) => status.add(event),
    end: (proof) => {
      draw();
      printProof(proof);
    },
    close: () => clearInterval(timer),
  };
}

function printProof(proof: Proof): void {
  console.log(["", ...describeProof(proof)].join("\n"));
}

interface Row {
  state: string;
  kills: number;
  runs: number;
  calls: number;
}

/** Counts shown in the table. */
class Status {
  readonly options: ViewOptions;
  readonly #rows: Map<string, Row> = new Map();
  #effects = 0;
  responses = 0;
  kills = 0;

  constructor(options: ViewOptions) {
    this.options = options;
  }

  add({ process = "", state, type }: ClusterEvent): void {
    const row = this.#rows.get(process) ?? { state: "", kills: 0, runs: 0, calls: 0 };
    this.#rows.set(process, row);
    if (type === "responded") this.responses++;
    if (type === "effect") this.#effects++;
    if (type === "run_started") row.runs++;
    if (type === "tool_started" || type === "effect") row.calls++;
    if (type !== "process") return;
    row.state = String(state);
    if (state === "killed") {
      row.kills++;
      this.kills++;
    }
  }

  lines(): readonly string[] {
    const { kills, tasks } = this.options;
    const toLine = (cells: readonly (string | number)[]): string =>
      cells.map((cell, index) => index < 2 ? `${cell}`.padEnd(12) : `${cell}`.padStart(6)).join("");
    const rows = [...this.#rows].map(([name, { calls, kills, runs, state }]) =>
      toLine([name, state, kills, runs || "", calls || ""])
    );
    return [
      "",
      toLine(["process", "state", "kills", "runs", "calls"]),
      ...rows,
      "",
      `${this.responses} of ${tasks} responses, ${this.#effects} effects, ${this.kills} of ${kills} kills`,
    ];
  }
}
