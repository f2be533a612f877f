/**
 * Parses the clauses of the specification from Markdown, for `parley-kit explain` and for the
 * checks of the specification.
 *
 * A clause consists of a level-3 heading with its id, one or more paragraphs, and a quotation with
 * the state and the sources.
 *
 * @module
 */

/**
 * Requirement level of a clause: the first of the keywords MUST, SHOULD and MAY in the text of the
 * clause.
 */
export type ClauseLevel = "MUST" | "SHOULD" | "MAY";

/** Whether any of the kit's cases test a clause. */
export type ClauseState = "tested" | "planned" | "excluded";

/** A requirement. */
export interface Clause {
  readonly id: string;
  readonly level: ClauseLevel;
  /** The requirement, in one line. */
  readonly text: string;
  /** Documents or decision on which the requirement is based. */
  readonly source: string;
  /** URLs of the documents that state the requirement. */
  readonly refs: readonly string[];
  readonly state: ClauseState;
  /** Reason for the state `excluded`. */
  readonly reason?: string;
}

/** The members of a case that the checks use. */
export interface CaseMention {
  readonly id: string;
  readonly level?: string;
  readonly clauses: readonly string[];
}

const ID = /^[A-Z0-9]+(?:-[A-Z0-9]+)+$/;
const HEADING = /^### (.*)$/m;
const LEVEL = /\b(MUST|SHOULD|MAY)\b/;
const LINK = /\[([^\]]+)\]\(([^)]+)\)/g;

/** Beginning of the only reason that permits a MUST clause to have the state `excluded`. */
const NOT_OBSERVABLE = "not observable: ";

/**
 * Parses the clauses of a Markdown file.
 *
 * @throws {SyntaxError} If a clause is malformed. The message contains the id of the malformed
 * clause.
 */
export function parseClauses(markdown: string): readonly Clause[] {
  const [, ...parts] = markdown.split(HEADING);
  const clauses: Clause[] = [];
  for (let index = 0; index < parts.length; index += 2) {
    clauses.push(parseClause(parts[index] ?? "", parts[index + 1] ?? ""));
  }
  return clauses;
}

function parseClause(id: string, section: string): Clause {
  if (!ID.test(id)) throw new SyntaxError(`"${id}" is not a valid clause id`);
  const body = section.split(/^## /m, 1)[0]?.trim() ?? "";
  const match = /^([\s\S]+?)\n\n((?:> .+(?:\n|$))+)$/.exec(body);
  if (match === null) throw new SyntaxError(`${id} does not end with "> state · sources"`);
  const [, prose = "", quote = ""] = match;
  const [stateText = "", ...sources] = unwrap(quote.replace(/^> /gm, "")).split(" · ");
  if (sources.length === 0) throw new SyntaxError(`${id} has no source`);
  const text = unwrap(prose);
  return {
    id,
    level: readLevel(id, text),
    text,
    source: sources.map((source) => source.replace(LINK, "$1")).join("; "),
    refs: sources.flatMap((source) => [...source.matchAll(LINK)].map(([, , url = ""]) => url)),
    ...readState(id, stateText),
  };
}

function unwrap(text: string): string {
  return text.trim().replace(/\s+/g, " ");
}

function readLevel(id: string, text: string): ClauseLevel {
  const word = LEVEL.exec(text)?.[1];
  if (word === "MUST" || word === "SHOULD" || word === "MAY") return word;
  throw new SyntaxError(`${id} contains none of MUST, SHOULD and MAY`);
}

function readState(id: string, text: string): Pick<Clause, "state" | "reason"> {
  if (text === "tested" || text === "planned") return { state: text };
  const reason = /^excluded, (.+)$/.exec(text)?.[1];
  if (reason === undefined) throw new SyntaxError(`${id} has the unknown state "${text}"`);
  return { state: "excluded", reason };
}

/** Finds inconsistencies between clauses and cases. */
export function findProblems(
  clauses: readonly Clause[],
  cases: readonly CaseMention[],
): readonly string[] {
  const named = new Set(cases.flatMap((each) => each.clauses));
  const known = new Set(clauses.map(({ id }) => id));
  return [
    ...clauses.filter(({ id }, index) => clauses.findIndex((each) => each.id === id) < index)
      .map(({ id }) => `duplicate clause ${id}`),
    ...clauses.flatMap((clause) => findStateProblem(clause, named.has(clause.id))),
    ...cases.flatMap((each) =>
      each.clauses.filter((id) => !known.has(id)).map((id) =>
        `${each.id} lists ${id}, which is not a clause`
      )
    ),
    ...cases.filter((each) => each.level === "MUST" && !isDemanded(each, clauses))
      .map(({ id }) => `${id} has the level MUST, but none of its clauses contains MUST`),
  ];
}

/**
 * Returns true if a clause of a case contains MUST, or permits a feature, which must then work. A
 * failure of a MUST case would otherwise be no violation of the specification.
 */
function isDemanded(each: CaseMention, clauses: readonly Clause[]): boolean {
  const listed = clauses.filter(({ id }) => each.clauses.includes(id));
  return listed.length === 0 ||
    listed.some(({ level, text }) => level === "MAY" || /\bMUST\b/.test(text));
}

function findStateProblem({ id, level, state, reason = "" }: Clause, named: boolean): string[] {
  if (named && state !== "tested") return [`${id} is ${state}, but a case lists it`];
  if (!named && state === "tested") return [`${id} is tested, but no case lists it`];
  if (state === "excluded" && level === "MUST" && !reason.startsWith(NOT_OBSERVABLE)) {
    return [`${id} is an observable MUST and must not be excluded`];
  }
  return [];
}
