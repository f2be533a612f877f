/**
 * Draws the demo as an SVG picture that is animated by CSS alone. The lines come from
 * `deno task demo --json`.
 *
 * @module
 */

import { run, ToolError } from "../cli.ts";
import { ROOT } from "../members.ts";
import { readLog } from "../viewer/log.ts";
import { type Fields, fieldsOf, textOf } from "../viewer/rows.ts";

const PICTURE = new URL("docs/public/demo.svg", ROOT);
const [WIDTH, ROW, TOP, LEFT, MAX_CHARS] = [900, 24, 106, 26, 80] as const;

/** A line in the picture. */
export interface Line {
  /** Type of the event and, for a tool call, the tool name. */
  readonly event: string;
  readonly who: string;
  readonly text: string;
  readonly isVerified?: boolean;
}

/** Returns the lines of the picture, and the final text. */
export function readDemo(log: string): { lines: Line[]; answer: string } {
  const events = readLog(log).events.map(fieldsOf);
  const folder = textOf(events.find(({ type }) => type === "server")?.folder);
  const lines = events.flatMap((event) => {
    const line = toLine(event);
    return line ? [{ ...line, text: line.text.replaceAll(`${folder}/`, "") }] : [];
  });
  return { lines, answer: textOf(events.find(({ type }) => type === "answer")?.text) };
}

function toLine(event: Fields): Line | undefined {
  const type = textOf(event.type);
  const who = Array.isArray(event.path) ? textOf(event.path.at(-1)) : textOf(event.receiver);
  switch (type) {
    case "server": {
      const name = textOf(event.name).replace(/^npm:|@[\d.]+$/g, "");
      return { event: type, who: "server", text: `${name} reads this repository` };
    }
    case "message": {
      const isVerified = event.verified === true;
      const verdict = isVerified ? "verified" : "refused";
      const text = `${verdict} the signed ${textOf(fieldsOf(event.message).messageType)}`;
      return { event: type, who, text, isVerified };
    }
    case "tool_started": {
      const { toolName, input } = fieldsOf(event.toolCall);
      const values = Object.values(fieldsOf(input)).map(textOf);
      const text = `calls ${textOf(toolName)} ${values.at(-1) ?? ""}`.trim();
      return { event: `${type} ${textOf(toolName)}`, who, text };
    }
    case "run_finished":
      return { event: type, who, text: `made ${textOf(event.iterations)} model calls` };
    default:
      return undefined;
  }
}

/** Formats the picture. */
export function formatSvg({ lines, answer }: { lines: readonly Line[]; answer: string }): string {
  const rows = lines.map((line, index) => formatRow(line, index));
  const top = TOP + lines.length * ROW;
  const parts = wrap(answer).map((text, index) =>
    `<text x="${LEFT + 6}" y="${top + 24 + index * 22}" class="answer">${escape(text)}</text>`
  );
  const height = top + 34 + parts.length * 22;
  const spoken = lines.map(({ who, text }) => `${who} ${text.replace(/[^?]$/, "$&.")}`).join(" ");
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" role="img" aria-labelledby="title description">
<title id="title">The Parley demo in a terminal</title>
<desc id="description">${escape(`${spoken} The answer: ${answer}`)}</desc>
<style>
text{font:14px ui-monospace,SFMono-Regular,"SF Mono",Menlo,Consolas,"DejaVu Sans Mono",monospace;fill:#d8d6e0;white-space:pre}
.clerk{fill:#6cc7ff}.librarian{fill:#c9a2ff}.server{fill:#ffc46b}.good{fill:#5fd08f;font-weight:700}.bad{fill:#ff8d8d;font-weight:700}.dim{fill:#9a98a8}.answer{fill:#fff;font-weight:600}
.row{opacity:0;animation:appear .25s ease-out forwards}
@keyframes appear{from{opacity:0;transform:translateY(4px)}to{opacity:1;transform:none}}
@media(prefers-reduced-motion:reduce){.row{animation:none;opacity:1}}
</style>
<rect width="${WIDTH}" height="${height}" rx="14" fill="#16151d"/>
<path d="M14 0H${WIDTH - 14}a14 14 0 0 1 14 14V42H0V14A14 14 0 0 1 14 0" fill="#211f2b"/>
<circle cx="26" cy="21" r="6" fill="#ff6b62"/><circle cx="47" cy="21" r="6" fill="#f5bd4f"/><circle cx="68" cy="21" r="6" fill="#5fc454"/>
<text x="${
    WIDTH / 2
  }" y="26" text-anchor="middle" class="dim">two agents, signed messages, real files</text>
<text x="${LEFT}" y="74"><tspan class="good">$</tspan> deno task demo</text>
${rows.join("\n")}
<g class="row" style="animation-delay:${delay(lines.length + 1)}"><rect x="${
    LEFT - 8
  }" y="${top}" width="${WIDTH - 2 * LEFT + 16}" height="${
    14 + parts.length * 22
  }" rx="8" fill="#1d3327"/>${parts.join("")}</g>
</svg>
`;
}

function formatRow({ event, who, text, isVerified }: Line, index: number): string {
  const [sign, className] = isVerified ? ["✓ ", "good"] : ["✗ ", "bad"];
  const mark = isVerified === undefined ? "" : `<tspan class="${className}">${sign}</tspan>`;
  const shown = text.length > MAX_CHARS ? `${text.slice(0, MAX_CHARS - 1)}…` : text;
  const y = TOP + index * ROW;
  return `<g class="row" data-event="${escape(event)}" style="animation-delay:${delay(index)}">` +
    `<text x="${LEFT}" y="${y}" class="${escape(who)}">${escape(who)}</text>` +
    `<text x="${LEFT + 100}" y="${y}">${mark}${escape(shown)}</text></g>`;
}

function delay(index: number): string {
  return `${(0.6 + index * 0.45).toFixed(2)}s`;
}

/** Splits text into lines of at most 95 characters. */
function wrap(text: string): string[] {
  return text.match(/.{1,95}(?:\s|$)/g)?.map((line) => line.trim()) ?? [];
}

function escape(text: string): string {
  const names: Readonly<Record<string, string>> = { "&": "amp", "<": "lt", ">": "gt", '"': "quot" };
  return text.replace(/[&<>"]/g, (char) => `&${names[char]};`);
}

/** Returns the events that a picture shows. */
export function eventsIn(svg: string): string[] {
  return [...svg.matchAll(/data-event="([^"]*)"/g)].map(([, event = ""]) => event);
}

/**
 * Compares the events in docs/public/demo.svg with the demo's events, except for their times and
 * text.
 *
 * @throws {ToolError} If the picture's events differ from the demo's events.
 */
export async function checkPicture(log: string): Promise<void> {
  const shown = eventsIn(await Deno.readTextFile(PICTURE)).join("\n");
  const expected = readDemo(log).lines.map(({ event }) => event).join("\n");
  if (shown !== expected) {
    throw new ToolError(
      `docs/public/demo.svg shows\n${shown}\nbut the demo emits\n${expected}\nRun "deno task pictures".`,
    );
  }
}

/** Runs the demo and writes docs/public/demo.svg. */
export async function writeDemoPicture(): Promise<void> {
  const env = { NO_COLOR: "1", PARLEY_MODEL: "", PARLEY_MODEL_URL: "" };
  const { stdout } = await run("deno", ["task", "--quiet", "demo", "--json"], { cwd: ROOT, env });
  await Deno.writeTextFile(PICTURE, formatSvg(readDemo(stdout)));
}
