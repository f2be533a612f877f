/**
 * Command-line options that select cases.
 *
 * @module
 */

import { CaseLevel } from "../kit/case.ts";
import { KitError, KitErrorCode } from "../kit/error.ts";
import { parseCaseFile, readSuite, type Suite } from "../kit/load_cases.ts";
import { Profile } from "../kit/profile.ts";
import { readJson } from "../kit/json.ts";
import type { Selection } from "../kit/select_cases.ts";
import { readText } from "../platform/fs.ts";
import type { Arguments, Flag } from "../platform/read_arguments.ts";
import { loadSuite } from "../suite.ts";
import { usageError } from "./command.ts";

/** Options that select cases. */
export const SELECT_FLAGS: Readonly<Record<string, Flag>> = {
  lib: { type: "string", multiple: true },
  only: { type: "string", multiple: true },
  skip: { type: "string", multiple: true },
  level: { type: "string" },
  profile: { type: "string" },
  flag: { type: "string", multiple: true },
  set: { type: "string" },
  requirements: { type: "string", multiple: true },
  cases: { type: "string", multiple: true },
};

/** Help text for the options that select cases. */
export const SELECT_USAGE =
  `  --lib LIBRARY              run only cases of this library: comm, runtime, mcp,
                             or model, for adapters of model providers
                             (repeatable)
  --only PATTERN             run only matching ids: * matches within one part of
                             an id, ** across parts; @FILE reads patterns from a
                             file (repeatable)
  --skip PATTERN             skip matching ids (repeatable)
  --level must|should|may    run only cases of this level or a stricter one
  --profile core|parley|all|none
                             core: only requirements of specifications and
                             contracts of others (default, if a subject is
                             given); parley: only decisions of this project, as
                             differences that never fail the run; all: both;
                             none: both, and decisions are required, too
  --flag LABEL               run only cases with this label, such as read-only
                             (repeatable)
  --set FILE                 run only the ids in a JSON array
  --requirements SET         run only the cases of a requirement set, such as
                             mcp-2026-07-28 (the newest set), comm.1 or
                             comm.draft (repeatable)
  --cases FILE               read cases from this file instead of the kit's own
                             (repeatable)`;

const LIBRARIES: readonly string[] = ["comm", "runtime", "mcp", "model"];

/** Creates the selection that the command-line options specify. */
export async function readSelection(args: Arguments): Promise<Selection> {
  const isAgent = args.text("agent") !== undefined;
  const libraries = readLibraries(args) ?? (isAgent ? ["runtime"] : undefined);
  const profile = readProfile(args);
  const setFile = args.text("set");
  const only = await readPatterns(args.texts("only"));
  if (args.texts("only").length > 0 && only.length === 0) {
    throw new KitError(
      KitErrorCode.NothingToRun,
      "Cannot select cases: the pattern files of --only are empty",
    );
  }
  return {
    ...(libraries === undefined ? {} : { libraries }),
    only,
    skip: await readPatterns(args.texts("skip")),
    level: readLevel(args.text("level")),
    ...(profile === undefined ? {} : { profile }),
    flags: args.texts("flag"),
    ...(setFile === undefined ? {} : { set: await readSet(setFile) }),
    requirements: args.texts("requirements"),
  };
}

/** Returns the libraries named by `--lib`, or `undefined`. */
export function readLibraries(args: Arguments): readonly string[] | undefined {
  const libraries = args.texts("lib");
  const unknown = libraries.find((name) => !LIBRARIES.includes(name));
  if (unknown !== undefined) {
    throw usageError(
      `Cannot use --lib "${unknown}": the value must be comm, runtime, mcp or model`,
    );
  }
  return libraries.length > 0 ? libraries : undefined;
}

/** Loads the cases specified by `--cases`, or the kit's cases if the option is absent. */
export async function readNamedSuite(args: Arguments): Promise<Suite> {
  const paths = args.texts("cases");
  if (paths.length === 0) return loadSuite();
  const files = new Map<string, unknown>();
  for (const path of paths) {
    const text = await needText(path, "case file");
    parseCaseFile(text, path);
    files.set(path, readJson(text)?.value);
  }
  return readSuite(files);
}

/** Options that name a subject. Without them, the subject is a library of this project. */
const NAMES_OF_SUBJECTS = ["driver", "agent", "server", "url", "client"] as const;
/** Options that name cases. The user then decides who wrote the requirements. */
const NAMES_OF_CASES = ["only", "set", "requirements"] as const;

/** Without a profile, decisions of this project are required, which only its own libraries are. */
function readProfile(args: Arguments): Selection["profile"] {
  const name = args.text("profile");
  if (name === "none") return undefined;
  if (name === "all") return name;
  const profile = Object.values(Profile).find((each) => each === name);
  if (profile !== undefined) return profile;
  if (name !== undefined) {
    throw usageError(`Cannot use --profile "${name}": the value must be core, parley, all or none`);
  }
  const isGiven = args.words.length > 0 ||
    NAMES_OF_SUBJECTS.some((each) => args.text(each) !== undefined);
  if (!isGiven || args.texts("cases").length > 0) return undefined;
  return NAMES_OF_CASES.some((each) => args.texts(each).length > 0) ? "all" : Profile.Core;
}

function readLevel(text: string | undefined): CaseLevel {
  if (text === undefined || text === "all") return CaseLevel.Info;
  const level = Object.values(CaseLevel).find((each) => each.toLowerCase() === text.toLowerCase());
  if (level !== undefined) return level;
  throw usageError(`Cannot use --level "${text}": the value must be must, should, may or all`);
}

async function readPatterns(patterns: readonly string[]): Promise<readonly string[]> {
  const lists = await Promise.all(patterns.map(async (pattern) => {
    if (!pattern.startsWith("@")) return [pattern];
    const text = await needText(pattern.slice(1), "pattern file");
    return text.split("\n").map((line) => line.trim()).filter((line) => line !== "");
  }));
  return lists.flat();
}

async function readSet(path: string): Promise<ReadonlySet<string>> {
  const value = readJson(await needText(path, "set"))?.value;
  if (Array.isArray(value) && value.every((id) => typeof id === "string")) return new Set(value);
  throw new KitError(
    KitErrorCode.BadFile,
    `Cannot read set "${path}": the file must contain a JSON array of ids`,
  );
}

/**
 * Reads a text file that must exist.
 *
 * @throws {KitError} With code `bad_file` if the file does not exist or is not readable.
 */
export async function needText(path: string, what: string): Promise<string> {
  const text = await readText(path);
  if (text !== undefined) return text;
  throw new KitError(KitErrorCode.BadFile, `Cannot read ${what} "${path}": no such file`);
}
