/**
 * Output of the demo: human-readable lines, or NDJSON for programs.
 *
 * @module
 */

/** An event in the demo. */
export interface DemoEvent {
  /** The participant that caused the event. */
  readonly who: "requester" | "librarian" | "server" | "demo";
  /** Name of the event, in snake_case. */
  readonly event: string;
  /** Description of the event. */
  readonly text: string;
  /** Duration, in milliseconds. */
  readonly durationMs?: number;
  /** Whether the step succeeded. Failed steps are printed in red. */
  readonly ok?: boolean;
  /** Additional members of the JSON output. */
  readonly data?: Readonly<Record<string, unknown>>;
}

/** Prints the events of the demo. */
export interface Report {
  /** Prints one event. */
  show(event: DemoEvent): void;
  /** Prints the answer in human-readable output; in NDJSON, an event contains the answer. */
  tell(answer: string): void;
  /** Shows the operation in progress until the next event. */
  wait(text: string): void;
  /** Removes the progress line. */
  close(): void;
}

/**
 * Creates a report that writes one JSON object per line, with the time since the start in
 * milliseconds.
 */
export function jsonReport(write: (text: string) => void): Report {
  const started = performance.now();
  return {
    show: ({ data = {}, ...event }) =>
      write(
        JSON.stringify({ atMs: Math.round(performance.now() - started), ...event, ...data }) + "\n",
      ),
    tell: () => {},
    wait: () => {},
    close: () => {},
  };
}

/** Output function and capabilities of a terminal. */
export interface Terminal {
  readonly write: (text: string) => void;
  readonly isTerminal: boolean;
  readonly color: boolean;
  readonly columns: number;
}

const COLORS = { requester: 36, librarian: 35, server: 33, demo: 32 } as const;
const FRAMES = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏";
const FRAME_MS = 100;
const WHO_WIDTH = 11;

/**
 * Creates a report that writes one line per event, with colors and a progress line on terminals.
 */
export function textReport(terminal: Terminal): Report {
  let timer: ReturnType<typeof setInterval> | undefined;
  const paint = (code: number, text: string): string =>
    terminal.color ? `\x1b[${code}m${text}\x1b[0m` : text;
  const clear = (): void => {
    if (timer === undefined) return;
    clearInterval(timer);
    timer = undefined;
    terminal.write("\r\x1b[2K");
  };
  return {
    show({ who, text, durationMs, ok = true }) {
      clear();
      const name = paint(COLORS[who], who.padEnd(WHO_WIDTH));
      const took = durationMs === undefined ? "" : "  " + paint(2, formatDuration(durationMs));
      const lines = wrap(text, terminal.columns - WHO_WIDTH - 2);
      const body = lines.map((line) => ok ? line : paint(31, line)).join(
        "\n" + " ".repeat(WHO_WIDTH + 1),
      );
      terminal.write(`${name} ${body}${took}\n`);
    },
    tell(answer) {
      const lines = terminal.isTerminal ? wrap(answer, terminal.columns) : [answer];
      terminal.write(`\n${lines.join("\n")}\n`);
    },
    wait(text) {
      clear();
      if (!terminal.isTerminal) return;
      const started = performance.now();
      const draw = (): void => {
        const elapsed = performance.now() - started;
        const frame = FRAMES[Math.floor(elapsed / FRAME_MS) % FRAMES.length];
        terminal.write(`\r\x1b[2K${frame} ${text} ${paint(2, formatDuration(elapsed))}`);
      };
      timer = setInterval(draw, FRAME_MS);
      draw();
    },
    close: clear,
  };
}

function formatDuration(ms: number): string {
  return ms < 1000
    ? `${ms < 10 ? ms.toFixed(1) : Math.round(ms)} ms`
    : `${(ms / 1000).toFixed(1)} s`;
}

function wrap(text: string, width: number): readonly string[] {
  return text.split("\n").flatMap((paragraph) => {
    const lines: string[] = [];
    let line = "";
    for (const word of paragraph.split(" ")) {
      if (line !== "" && line.length + 1 + word.length > Math.max(width, 40)) {
        lines.push(line);
        line = word;
      } else line = line === "" ? word : `${line} ${word}`;
    }
    return [...lines, line];
  });
}
