/**
 * History of the stored results: one file per program with one line per stored result.
 *
 * @module
 */

import { isObject, readJson } from "../../conformance/kit/json.ts";
import { readText, writeText } from "../../conformance/platform/fs.ts";
import type { Row } from "./row.ts";

const FOLDER = new URL("history/", import.meta.url);

/** The members of a row that the page draws. */
export type HistoryPoint =
  & Pick<Row, "version" | "set" | "kit" | "date" | "must" | "should" | "passed">
  & Pick<Partial<Row>, "configuration" | "digest">;

/** Adds a line to the history of the row's program. */
export async function addToHistory(row: Row): Promise<void> {
  const file = fileOf(row.program);
  await writeText(file, appendRow(await readText(file) ?? "", row));
}

/** Adds the line of a row to the text of a history, unless the history contains the line. */
export function appendRow(history: string, { program: _, ...row }: Row): string {
  const line = JSON.stringify(row);
  return history.split("\n").includes(line) ? history : `${history}${line}\n`;
}

/** Reads the history of a program, oldest first. */
export async function readHistory(program: string): Promise<readonly HistoryPoint[]> {
  return parseHistory(await readText(fileOf(program)) ?? "");
}

/** Converts the text of a history to points. Lines that are not readable are omitted. */
export function parseHistory(text: string): readonly HistoryPoint[] {
  return text.split("\n").flatMap((line) => {
    const point = readPoint(readJson(line)?.value);
    return point === undefined ? [] : [point];
  });
}

function fileOf(program: string): URL {
  return new URL(`${program}.jsonl`, FOLDER);
}

function readPoint(value: unknown): HistoryPoint | undefined {
  if (!isObject(value)) return undefined;
  const { version, configuration, set, digest, kit, date, must, should, passed } = value;
  if (typeof version !== "string" || typeof set !== "string" || typeof kit !== "string") {
    return undefined;
  }
  if (typeof date !== "string" || typeof must !== "number") return undefined;
  if (typeof should !== "number" || typeof passed !== "number") return undefined;
  return {
    ...{ version, set, kit, date, must, should, passed },
    ...(typeof configuration === "string" ? { configuration } : {}),
    ...(typeof digest === "string" ? { digest } : {}),
  };
}
