/// <reference lib="dom" />
/**
 * The viewer page's script. All event text is inserted through `textContent`.
 *
 * @module
 */

import { formatMs, tickDistance } from "./axis.ts";
import { readLog } from "./log.ts";
import { fieldsOf, formatJson, type Row } from "./rows.ts";
import { type Question, Timeline } from "./timeline.ts";

/** The HTML elements of a row. */
interface Item {
  readonly item: HTMLElement;
  readonly button: HTMLElement;
  readonly name: HTMLElement;
  readonly detail: HTMLElement;
  readonly time: HTMLElement;
  /** List element for the row's child rows. */
  list?: HTMLElement;
}

/** Maximum size of a file, in bytes. */
const MAX_FILE_BYTES = 64 * 1024 * 1024;
/** Maximum number of characters of an input or output that the details show. */
const MAX_SHOWN = 50_000;
/** Interval at which rows in progress grow, in milliseconds. */
const TICK_MS = 200;

const ICONS = { run: "◆", model: "●", tool: "■", approval: "▲", message: "✉", note: "○" };

let timeline = new Timeline();
let source: EventSource | undefined;
/** Difference between the server's clock and the browser's clock, in milliseconds. */
let clockOffset = 0;
let selected: Row | undefined;
const items = new Map<Row, Item>();
/** Elements of the pending approvals, keyed by approval key. */
const questions = new Map<string, HTMLElement>();
let isDrawing = false;
/** Current time and number of shortened silences when the axis was drawn. */
let drawnAxis = "";

function find(id: string): HTMLElement {
  const element = document.getElementById(id);
  if (element === null) throw new Error(`The page has no element "${id}"`);
  return element;
}

/** Creates an element with text or children. */
function create(tag: string, className: string, ...children: (string | Node)[]): HTMLElement {
  const element = document.createElement(tag);
  element.className = className;
  element.append(...children);
  return element;
}

function plan(): void {
  if (isDrawing) return;
  isDrawing = true;
  requestAnimationFrame(draw);
}

function draw(): void {
  isDrawing = false;
  for (const row of timeline.rows.changed) drawRow(row);
  const isSelectedChanged = selected !== undefined && timeline.rows.changed.has(selected);
  timeline.rows.changed.clear();
  drawAxis();
  drawHeader();
  drawQuestions();
  if (isSelectedChanged) drawDetails();
  find("timeline").hidden = timeline.rows.size === 0;
  const { hidden } = timeline.rows;
  show("hidden-rows", hidden === 0 ? "" : "The log has more rows than the page can show.");
  find("answer").hidden = timeline.answer === "";
  const answer = find("answer").querySelector("p");
  if (answer !== null && answer.textContent !== timeline.answer) {
    answer.textContent = timeline.answer;
  }
}

/** Shows text in an element, or hides the element if the text is empty. */
function show(id: string, text: string): void {
  const element = find(id);
  if (element.textContent !== text) element.textContent = text;
  element.hidden = text === "";
}

/** Creates or updates the elements of a row. */
function drawRow(row: Row): void {
  const { item, button, name, detail, time } = items.get(row) ?? createItem(row);
  const { axis } = timeline;
  const isOpen = row.end === undefined;
  item.className = [row.kind, row.verdict ?? "", isOpen ? "open" : ""].join(" ");
  button.style.setProperty("--start", `${axis.positionOf(row.start)}`);
  if (row.end === undefined) button.style.removeProperty("--end");
  else button.style.setProperty("--end", `${axis.positionOf(row.end)}`);
  name.textContent = row.name;
  detail.textContent = row.detail;
  // Event times are whole milliseconds, so a difference of 0 is shown as "< 1 ms".
  const duration = isOpen ? "…" : formatMs(Math.max((row.end ?? 0) - row.start, 0.5));
  time.textContent = row.status ?? duration;
}

function createItem(row: Row): Item {
  const icon = create("span", "icon", ICONS[row.kind]);
  icon.setAttribute("aria-hidden", "true");
  const [name, detail, time] = [
    create("span", "name"),
    create("span", "detail"),
    create("span", "time"),
  ] as const;
  const track = create("span", "track", create("span", "bar"));
  const button = create(
    "button",
    "",
    create("span", "label", icon, name, " ", detail),
    track,
    time,
  );
  button.setAttribute("type", "button");
  button.setAttribute("aria-pressed", "false");
  button.style.setProperty("--depth", `${depthOf(row)}`);
  button.addEventListener("click", () => select(row === selected ? undefined : row));
  const created: Item = { item: create("li", "", button), button, name, detail, time };
  items.set(row, created);
  listFor(row.parent).append(created.item);
  return created;
}

/**
 * Returns the list element that contains a row's child rows. Without a parent, returns the
 * top-level list.
 */
function listFor(parent: Row | undefined): HTMLElement {
  const outer = parent && items.get(parent);
  if (outer === undefined) return find("rows");
  if (outer.list === undefined) {
    outer.list = create("ol", "");
    outer.item.append(outer.list);
  }
  return outer.list;
}

function depthOf({ parent }: Row): number {
  return parent === undefined ? 0 : depthOf(parent) + 1;
}

/**
 * Sets the current time and the length of the axis, from which the style sheet calculates the size
 * of every bar.
 */
function drawAxis(): void {
  const { axis } = timeline;
  if (Number.isNaN(axis.first)) return;
  const isLive = source !== undefined;
  const now = axis.positionOf(isLive ? Math.max(axis.last, Date.now() + clockOffset) : axis.last);
  const span = Math.max(now * 1.02, 1);
  const drawn = `${now} ${axis.cuts.length}`;
  if (drawn === drawnAxis) return; // The axis does not change during a long silence.
  drawnAxis = drawn;
  const style = find("timeline").style;
  style.setProperty("--now", `${now}`);
  style.setProperty("--span", `${span}`);
  style.setProperty("--step", `${tickDistance(span)}`);
  find("cut").hidden = axis.cuts.length === 0;
  const marks = axis.ticks(span).map(({ position, label }) => ({ position, label, className: "" }));
  const cuts = axis.cuts.map((position) => ({ position, label: "⋯", className: "cut" }));
  find("ticks").replaceChildren(...[...marks, ...cuts].map(({ position, label, className }) => {
    const mark = create("span", className, label);
    mark.style.setProperty("--at", `${position}`);
    return mark;
  }));
}

function drawHeader(): void {
  const { axis, totals, isEstimated, title, note, questions: { size } } = timeline;
  if (title !== "") show("title", title);
  show("note", note);
  document.title = `${size > 0 ? `(${size}) ` : ""}${title || "Parley viewer"}`;
  const tokens = `${isEstimated ? "~" : ""}${totals.inputTokens.toLocaleString("en")} · ${
    totals.outputTokens.toLocaleString("en")
  }`;
  const duration = Number.isNaN(axis.first) ? 0 : axis.last - axis.first;
  const list = find("totals");
  list.hidden = timeline.rows.size === 0;
  list.replaceChildren(
    ...drawTotal("time", formatMs(duration)),
    ...drawTotal("model calls", totals.models),
    ...drawTotal("tool calls", totals.tools),
    ...drawTotal("messages verified", totals.verified),
    ...drawTotal("messages refused", totals.refused, "bad"),
    ...(totals.models > 0 ? drawTotal("tokens in · out", tokens) : []),
  );
}

function drawTotal(name: string, value: string | number, className = ""): HTMLElement[] {
  if (value === 0) return [];
  return [create("div", className, create("dt", "", name), create("dd", "", `${value}`))];
}

/** Shows the pending approvals, if a program waits for the decisions. */
function drawQuestions(): void {
  for (const [key, element] of questions) {
    if (timeline.questions.has(key)) continue;
    element.remove();
    questions.delete(key);
  }
  if (source === undefined) return;
  for (const question of timeline.questions.values()) {
    if (questions.has(question.key)) continue;
    const element = createQuestion(question);
    questions.set(question.key, element);
    find("questions").append(element);
  }
}

function createQuestion({ key, agent, toolName, input }: Question): HTMLElement {
  const [approve, deny] = (["approve", "deny"] as const).map((decision) => {
    const button = create("button", decision, decision === "approve" ? "Approve" : "Deny");
    button.setAttribute("type", "button");
    button.addEventListener("click", () => decide(key, decision));
    return button;
  });
  const buttons = create("div", "buttons", ...[approve, deny].flatMap((each) => each ?? []));
  const shown = create("pre", "", showValue(input));
  shown.tabIndex = 0;
  const heading = create("h2", "", `${agent || "An agent"} wants to call ${toolName}`);
  return create("div", "question", heading, shown, buttons);
}

async function decide(key: string, decision: "approve" | "deny"): Promise<void> {
  const buttons = questions.get(key)?.querySelectorAll("button") ?? [];
  for (const button of buttons) button.disabled = true;
  try {
    const response = await fetch("decide", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ key, decision }),
    });
    if (!response.ok) throw new Error(await response.text());
    show("problem", "");
  } catch (error) {
    show(
      "problem",
      `The decision did not arrive: ${error instanceof Error ? error.message : error}`,
    );
    for (const button of buttons) button.disabled = false;
  }
}

/** Shows the details of a row, or closes the details. */
function select(row: Row | undefined): void {
  const previous = selected;
  selected = row;
  for (const each of [previous, row]) {
    const item = each && items.get(each);
    item?.button.setAttribute("aria-pressed", String(each === row));
  }
  drawDetails();
}

function drawDetails(): void {
  const details = find("details");
  details.hidden = selected === undefined;
  if (selected === undefined) return;
  const { name, kind, status, verdict, start, end, facts, input, output } = selected;
  const close = create("button", "", "Close");
  close.setAttribute("type", "button");
  close.addEventListener("click", closeDetails);
  const list = create("dl", "");
  const began = formatMs(start - timeline.axis.first);
  const took = end === undefined ? "in progress" : kind === "message" ? "" : formatMs(end - start);
  for (const [fact, value] of [["began after", began], ["took", took], ...facts]) {
    if (value) list.append(create("dt", "", fact ?? ""), create("dd", "", value));
  }
  const verdictText = verdict === undefined ? [] : [create("p", verdict, status ?? "failed")];
  details.replaceChildren(
    create("div", "top", create("h2", "", name), close),
    ...verdictText,
    list,
    ...showPart(kind === "message" ? "Payload" : "Input", input),
    ...showPart("Output", output),
  );
}

function closeDetails(): void {
  const item = selected && items.get(selected);
  select(undefined);
  item?.button.focus();
}

function showPart(title: string, value: unknown): HTMLElement[] {
  if (value === undefined || value === "") return [];
  const shown = create("pre", "", showValue(value));
  shown.tabIndex = 0;
  return [create("h3", "", title), shown];
}

/**
 * Returns a value as text. Text in a tool output or in an assistant message is not shown as JSON.
 */
function showValue(value: unknown): string {
  const only = Array.isArray(value) && value.length === 1 ? fieldsOf(value[0]).text : undefined;
  const inner = only ?? fieldsOf(value).value;
  const content = fieldsOf(inner).content ?? inner ?? value;
  const text = typeof content === "string" ? content : formatJson(content, 2);
  return text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}\n…` : text;
}

/** Sets the text next to the page name. */
function setState(text: string, className: string): void {
  const state = find("state");
  state.className = className;
  if (state.textContent !== text) state.textContent = text;
}

/** Removes all rows. */
function reset(): void {
  select(undefined);
  timeline = new Timeline();
  drawnAxis = "";
  items.clear();
  find("rows").replaceChildren();
}

/** Shows a file. */
async function open(file: File): Promise<void> {
  if (file.size > MAX_FILE_BYTES) {
    return show("problem", `${file.name} is larger than ${MAX_FILE_BYTES / 1024 / 1024} MiB.`);
  }
  const { events, badLines } = readLog(await file.text());
  const next = new Timeline();
  const badEvents = events.filter((event) => !next.add(event)).length + badLines;
  if (next.rows.size === 0) return show("problem", `${file.name} contains no events.`);
  source?.close();
  source = undefined;
  reset();
  timeline = next;
  timeline.title ||= file.name;
  timeline.close();
  show("problem", badEvents === 0 ? "" : `${badEvents} lines of ${file.name} are not events.`);
  setState("file", "");
  find("back").hidden = !("live" in document.body.dataset);
  plan();
}

/** Follows the server's events. The browser reconnects if the connection is interrupted. */
function follow(): void {
  source = new EventSource("events");
  setState("live", "live");
  source.addEventListener("message", ({ data }) => {
    const event = JSON.parse(data);
    timeline.add(event);
    if (typeof event?.at === "number") clockOffset = Math.max(clockOffset, event.at - Date.now());
    plan();
  });
  source.addEventListener("end", () => {
    source?.close();
    source = undefined;
    timeline.close();
    setState("finished", "");
    plan();
  });
  source.addEventListener("error", () => setState("connection lost", ""));
  source.addEventListener("open", () => setState("live", "live"));
  const timer = setInterval(() => source === undefined ? clearInterval(timer) : plan(), TICK_MS);
}

/** Moves the focus between rows. */
function moveFocus(event: KeyboardEvent): void {
  const buttons = [...find("rows").querySelectorAll("button")];
  const at = buttons.findIndex((button) => button === document.activeElement);
  const next = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: buttons.length - 1 }[event.key];
  if (next === undefined) return;
  event.preventDefault();
  buttons[next]?.focus();
}

addEventListener("dragover", (event) => {
  event.preventDefault();
  document.body.classList.add("dragging");
});
addEventListener("dragleave", () => document.body.classList.remove("dragging"));
addEventListener("drop", (event) => {
  event.preventDefault();
  document.body.classList.remove("dragging");
  const file = event.dataTransfer?.files[0];
  if (file !== undefined) open(file);
});
addEventListener("keydown", (event) => {
  if (event.key === "Escape" && selected !== undefined) closeDetails();
});
find("rows").addEventListener("keydown", moveFocus);
find("file").addEventListener("change", ({ target }) => {
  const file = target instanceof HTMLInputElement ? target.files?.[0] : undefined;
  if (file !== undefined) open(file);
});
find("back").addEventListener("click", () => location.reload());
if ("live" in document.body.dataset) follow();
