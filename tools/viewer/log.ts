/**
 * Logs and journals as JSON Lines. A journal is converted to the events of its runs.
 *
 * @module
 */

import { type Fields, fieldsOf, numberOf, textOf } from "./rows.ts";

/**
 * Matches the key of a step: the run id, the iteration and, for an approval or a tool call, the
 * position of the call.
 */
const STEP_KEY = /^(.*)\/i(\d+)\/(?:model|(?:approval|tool)\/(\d+))$/s;

/** Reads the lines of a log or of a journal. Counts the lines that are not JSON objects. */
export function readLog(text: string): { events: unknown[]; badLines: number } {
  let badLines = 0;
  const values = text.split("\n").filter((line) => line.trim() !== "").flatMap((line) => {
    try {
      const value = JSON.parse(line);
      if (value instanceof Object && !Array.isArray(value)) return [value];
    } catch {
      // Lines that are not JSON are counted below.
    }
    badLines += 1;
    return [];
  });
  const isJournal = values.some(({ v, kind }) => v === 1 && typeof kind === "string");
  return { events: isJournal ? journalToEvents(values) : values, badLines };
}

/**
 * Converts the steps of a journal to events. A journal contains the time at which each step ended,
 * so a step is shown from the end of the previous step of its run. In a journal without times, each
 * step takes one second.
 */
function journalToEvents(entries: readonly Fields[]): unknown[] {
  const runs = new Map<string, { at: number; calls: Fields[] }>();
  const steps = entries.filter(({ kind, key }) =>
    typeof kind === "string" && typeof key === "string"
  );
  const hasTimes = steps.every(({ at }) => typeof at === "number");
  const note = hasTimes
    ? "A journal: each step begins when the previous step of its run ends."
    : "A journal without times: the rows are in order, and the lengths mean nothing.";
  const events = steps.flatMap(({ key, kind, value: recorded, at: time }, index) => {
    const at = hasTimes ? numberOf(time) : index * 1000 + 1;
    const value = fieldsOf(recorded);
    if (kind === "run") {
      const runId = textOf(key).replace(/\/start$/, "");
      runs.set(runId, { at, calls: [] });
      const agentName = textOf(value.agentName);
      return [...startOuterCall(runId, at), {
        type: "run_started",
        runId,
        at,
        agentName,
        path: [agentName],
      }];
    }
    const [, runId = "", number, position] = STEP_KEY.exec(textOf(key)) ?? [];
    const run = runs.get(runId);
    if (run === undefined) return [];
    const origin = { runId, iteration: Number(number) };
    const start = run.at;
    run.at = at;
    if (kind === "model") {
      const { content } = fieldsOf(value.message);
      run.calls = (Array.isArray(content) ? content : []).map(fieldsOf)
        .filter(({ type }) => type === "tool-call");
      return [
        { type: "model_started", at: start, ...origin },
        { ...value, type: "model_finished", at, ...origin },
      ];
    }
    const toolCall = run.calls[Number(position)] ?? {};
    if (kind === "approval") {
      const { decision } = value;
      return [
        { type: "approval_requested", at: start, toolCall, ...origin },
        { type: "approval_decided", at, toolCall, decision, ...origin },
      ];
    }
    if (kind !== "tool") return [];
    const toolResult = fieldsOf(value.result);
    const began = hasTimes ? at - numberOf(toolResult.durationMs) : start;
    return [
      { type: "tool_started", at: began, toolCall, ...origin },
      { type: "tool_finished", at, toolResult, ...origin },
    ];
  });
  return [{ type: "page", title: "Journal", note }, ...events];

  /** A sub-agent's run starts before the journal contains the tool call that started it. */
  function startOuterCall(runId: string, at: number): unknown[] {
    const [, outer = "", number, position] = STEP_KEY.exec(runId.replace(/\/[^/]*$/, "")) ?? [];
    const toolCall = runs.get(outer)?.calls[Number(position)];
    if (toolCall === undefined) return [];
    return [{ type: "tool_started", at, runId: outer, iteration: Number(number), toolCall }];
  }
}
