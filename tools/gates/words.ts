/**
 * Counts the sentences that break the project's language rules, grouped by folder and kind of text.
 * The rules are in words.json. A folder passes if at most one percent of its sentences break a
 * rule, or if the number of such sentences does not exceed the number in words_ratchet.json.
 *
 *     deno task words                        counts, and fails above the allowed numbers
 *     deno task words --hits RULE [FOLDER]   lists the sentences that break a rule; RULE may be `all`
 *     deno task words --write                lowers the numbers in words_ratchet.json; never raises them
 *
 * @module
 */

import { readArguments, runTool, ToolError } from "../cli.ts";
import { ROOT } from "../members.ts";
import { type ProseKind, readProse, type Sentence } from "./prose.ts";
import { compareToRatchet, lowerRatchet } from "./ratchet.ts";
import config from "./words.json" with { type: "json" };
import ratchet from "./words_ratchet.json" with { type: "json" };

/** A rule in words.json. */
export interface WordRule {
  readonly id: string;
  /** Regular expression, which is case-insensitive. */
  readonly pattern: string;
  /** Words to use instead of those that the rule matches. */
  readonly advice: string;
  /** Kinds of text to which the rule applies. If omitted, the rule applies to all kinds. */
  readonly kinds?: readonly string[];
  /** Whether the rule applies only to the first sentence of a doc comment. */
  readonly summaryOnly?: boolean;
}

/** A sentence that is correct although it matches a rule. */
export interface AllowedSentence {
  readonly rule: string;
  /** Part of the sentence's text that identifies the sentence. */
  readonly text: string;
}

/** A rule with its compiled pattern. */
interface Matcher extends WordRule {
  readonly regexp: RegExp;
}

/** A sentence that breaks a rule. */
export interface Hit {
  readonly path: string;
  readonly sentence: Sentence;
  readonly rule: WordRule;
}

/** Counts for one folder and kind of text. */
export interface GroupCount {
  readonly sentences: number;
  /** Number of sentences that break at least one rule. */
  readonly hits: number;
}

const RATCHET = "tools/gates/words_ratchet.json";
const EXTENSIONS = /\.(?:ts|js|mjs|md|json|py|yml)$/;
const SKIP_FOLDERS: ReadonlySet<string> = new Set(
  [".git", ".scratch", "node_modules", "npm", "coverage", "cov_profile"],
);
/** JSON files that contain human-readable titles and reasons. */
const DATA_FILES = /^(?:deno\.json|(?:comm|runtime|mcp|conformance|lab|tools)\/.*\.json)$/;

/** Creates a function that returns the rules that a sentence breaks. */
export function createMatcher(
  rules: readonly WordRule[],
  allowed: readonly AllowedSentence[] = [],
): (sentence: Sentence) => WordRule[] {
  const matchers = rules.map((rule): Matcher => ({
    ...rule,
    regexp: new RegExp(rule.pattern, "i"),
  }));
  return ({ kind, text, isSummary }) => {
    const bare = text.replace(/`[^`]*`/g, "`x`").replace(/"[^"]*"|\\"[^"]*\\"/g, '"x"');
    return matchers.filter(({ id, kinds, summaryOnly = false, regexp }) =>
      (kinds === undefined || kinds.includes(kind)) && (isSummary || !summaryOnly) &&
      regexp.test(bare) &&
      !allowed.some((each) => each.rule === id && text.includes(each.text))
    );
  };
}

/**
 * Returns the group in which a sentence is counted: its top-level folder, with separate groups for
 * test names and for data.
 */
export function groupOf(path: string, kind: ProseKind): string {
  const folder = path.includes("/") ? path.slice(0, path.indexOf("/")) : "root";
  const kinds: Partial<Record<ProseKind, string>> = { test: " tests", data: " data" };
  return `${folder}${kinds[kind] ?? ""}`;
}

/**
 * Returns the numbers to compare with the ratchet: the hits per group, for the groups where more
 * than `maxPercent` of the sentences break a rule.
 */
export function hitsAbove(
  groups: ReadonlyMap<string, GroupCount>,
  maxPercent: number,
): Map<string, number> {
  return new Map(
    [...groups].filter(([, { sentences, hits }]) => hits > sentences * maxPercent / 100)
      .map(([name, { hits }]) => [name, hits]),
  );
}

async function* listFiles(folder = ""): AsyncGenerator<string> {
  for await (const { name, isDirectory } of Deno.readDir(new URL(`./${folder}`, ROOT))) {
    const path = `${folder}${name}`;
    if (isDirectory && !SKIP_FOLDERS.has(name)) yield* listFiles(`${path}/`);
    else if (path === ".ci/run" || (EXTENSIONS.test(name) && isProseFile(path))) yield path;
  }
}

function isProseFile(path: string): boolean {
  if (config.skip.some((skipped) => path.startsWith(skipped))) return false;
  return !path.endsWith(".json") || DATA_FILES.test(path);
}

async function readGroups(): Promise<{ hits: Hit[]; groups: Map<string, GroupCount> }> {
  const match = createMatcher(config.rules, config.allowed);
  const hits: Hit[] = [];
  const groups = new Map<string, GroupCount>();
  const paths = (await Array.fromAsync(listFiles())).toSorted();
  for (const path of paths) {
    for (const sentence of readProse(path, await Deno.readTextFile(new URL(path, ROOT)))) {
      const broken = match(sentence);
      hits.push(...broken.map((rule) => ({ path, sentence, rule })));
      const name = groupOf(path, sentence.kind);
      const count = groups.get(name) ?? { sentences: 0, hits: 0 };
      groups.set(name, {
        sentences: count.sentences + 1,
        hits: count.hits + (broken.length > 0 ? 1 : 0),
      });
    }
  }
  return { hits, groups };
}

function printHits(hits: readonly Hit[], wanted: string, folder: string): void {
  const found = hits.filter(({ rule, path }) =>
    (wanted === "all" || rule.id === wanted) && path.startsWith(folder)
  );
  for (const { path, sentence: { line, text }, rule } of found) {
    console.log(`${path}:${line} ${rule.id}: ${text}`);
  }
  const advice = config.rules.find(({ id }) => id === wanted)?.advice;
  console.log(`${found.length} hits${advice === undefined ? "" : `; write: ${advice}`}`);
}

function printGroups(groups: ReadonlyMap<string, GroupCount>): void {
  for (const [name, { sentences, hits }] of [...groups].toSorted()) {
    const percent = (100 * hits / sentences).toFixed(1).padStart(5);
    console.log(
      `${name.padEnd(20)} ${String(hits).padStart(5)} of ${
        String(sentences).padStart(5)
      } sentences, ${percent} %`,
    );
  }
}

async function main(): Promise<number> {
  const flags = { hits: { type: "string" }, write: { type: "boolean" } } as const;
  const { values, positionals: [folder = ""] } = readArguments(Deno.args, flags);
  const isKnown = values.hits === "all" || config.rules.some(({ id }) => id === values.hits);
  if (values.hits !== undefined && !isKnown) {
    const ids = config.rules.map(({ id }) => id).join(", ");
    throw new ToolError(`Unknown rule "${values.hits}"; available rules: ${ids}`);
  }
  const { hits, groups } = await readGroups();
  if (values.hits !== undefined) {
    printHits(hits, values.hits, folder);
    return 0;
  }
  const above = hitsAbove(groups, config.maxPercent);
  if (values.write) {
    const lowered = JSON.stringify(lowerRatchet(ratchet, above), null, 2);
    await Deno.writeTextFile(new URL(RATCHET, ROOT), `${lowered}\n`);
    return 0;
  }
  printGroups(groups);
  const { errors, hints } = compareToRatchet(above, ratchet, RATCHET);
  for (const hint of hints) console.log(hint);
  for (const error of errors) {
    const name = error.slice(0, error.indexOf(":"));
    for (const { path, sentence: { kind, line, text }, rule: { advice } } of hits) {
      if (groupOf(path, kind) === name) console.error(`${path}:${line} ${text} (write: ${advice})`);
    }
    console.error(error);
  }
  if (hints.length > 0) console.log("deno task words --write lowers the numbers");
  console.log(`words: ${groups.size} groups, ${errors.length} above the allowed numbers`);
  return errors.length === 0 ? 0 : 1;
}

if (import.meta.main) await runTool("words", main);
