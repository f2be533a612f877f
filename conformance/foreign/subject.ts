/**
 * Who is put to the test although nobody here wrote it: the shape of an entry, and choosing entries by name.
 *
 * @module
 */

import { KitError, KitErrorCode } from "../kit/error.ts";
import { splitCommand } from "../kit/split_command.ts";
import type { Subject } from "../runner/subject.ts";

/**
 * How to reach an implementation. In commands `{foreign}` stands for the program and the options that run a script or an
 * `npm:` package with the packages of `drivers/foreign/deno.json`, and `{version}` for the subject's version.
 */
export type Reach =
  /** A driver; its error codes, each with the code that cases use. */
  | {
    readonly kind: "driver";
    readonly command: string;
    readonly errorMap?: Readonly<Record<string, string>>;
  }
  /** An MCP server on stdio. */
  | { readonly kind: "stdio"; readonly command: string }
  /** An MCP server over HTTP: the command starts it, and `{port}` in both is a port that is free. */
  | { readonly kind: "http"; readonly command: string; readonly url: string }
  /** An MCP client; with `{peer}` it is reached over stdio, else over HTTP. */
  | { readonly kind: "client"; readonly command: string };

/** Why some cases are red; one that no red case needs any more is an error. */
export interface Remark {
  /** Ids or patterns of cases: `*` for one part of an id, `**` for any number. */
  readonly cases: readonly string[];
  /** What a reader of the report should know. */
  readonly text: string;
}

/** An implementation that nobody here wrote. */
export interface ForeignSubject {
  /** A name without spaces, unique: `deno task kit:foreign NAME`. */
  readonly name: string;
  /** What is written above its column: the product and the way to it. */
  readonly title: string;
  /** Its package, as the npm registry names it. */
  readonly package: string;
  /** The exact version of the package. */
  readonly version: string;
  /** The language it is written in. */
  readonly language: string;
  /** Whose cases it runs. */
  readonly library: "comm" | "runtime" | "mcp";
  /** How it is reached. */
  readonly reach: Reach;
  /** The MCP revision that the kit speaks with it; default: the kit's. */
  readonly revision?: string;
  /** What a reader should know about the set-up. */
  readonly notes?: string;
  /** Explanations of red cases. */
  readonly remarks?: readonly Remark[];
}

const FOREIGN =
  "deno run -A --quiet --no-check --frozen --config=conformance/drivers/foreign/deno.json";

/** The subject as the runner takes it. */
export function toSubject({ reach, version }: ForeignSubject): Subject {
  const command = splitCommand(
    reach.command.replaceAll("{foreign}", FOREIGN).replaceAll("{version}", version),
  );
  switch (reach.kind) {
    case "driver": {
      const { errorMap } = reach;
      return { driver: { command, ...(errorMap === undefined ? {} : { errorMap }) } };
    }
    case "stdio":
      return { server: command };
    case "http":
      return { url: reach.url, start: command };
    case "client":
      return { client: command };
  }
}

/**
 * The subjects of these names, in their own order; all of them when no name is given.
 *
 * @throws {KitError} `usage` for a name that no subject has
 */
export function chooseSubjects(
  subjects: readonly ForeignSubject[],
  names: readonly string[],
): readonly ForeignSubject[] {
  const known = subjects.map(({ name }) => name);
  const lost = names.find((name) => !known.includes(name));
  if (lost !== undefined) {
    throw new KitError(
      KitErrorCode.Usage,
      `Cannot find subject "${lost}": there are ${known.join(", ")}`,
    );
  }
  return subjects.filter(({ name }) => names.length === 0 || names.includes(name));
}
