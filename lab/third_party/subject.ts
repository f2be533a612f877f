/**
 * Entries for third-party implementations, and a function that selects them by name.
 *
 * @module
 */

import { KitError, KitErrorCode } from "../../conformance/kit/error.ts";
import { splitCommand } from "../../conformance/kit/split_command.ts";
import type { Subject } from "../../conformance/runner/subject.ts";
import { buildFolder } from "./build.ts";

/**
 * Command or URL that the kit uses to connect to an implementation.
 *
 * In commands, `{third_party}` is replaced with the `deno run` command that runs a script or an
 * `npm:` package with the packages in `drivers/third_party/deno.json`. `{version}` is replaced with
 * the subject's version, and `{build}` with the folder of the subject's build.
 */
export type SubjectAccess =
  /** A driver. `errorMap` maps the driver's error codes to the codes in the cases. */
  | {
    readonly kind: "driver";
    readonly command: string;
    readonly errorMap?: Readonly<Record<string, string>>;
  }
  /** An MCP server over stdio. */
  | { readonly kind: "stdio"; readonly command: string }
  /**
   * An MCP server over HTTP, started by `command`. `{port}` is replaced with a free port in
   * `command` and `url`.
   */
  | { readonly kind: "http"; readonly command: string; readonly url: string }
  /** An MCP client, tested over stdio if the command contains `{peer}`, and otherwise over HTTP. */
  | { readonly kind: "client"; readonly command: string };

/** Explanation of failing cases. A pattern that matches no failing case is an error. */
export interface Note {
  /** Case ids or patterns: `*` matches one part of an id, and `**` matches any number of parts. */
  readonly cases: readonly string[];
  /** Explanation for readers of the report. */
  readonly text: string;
  /** URL of the issue in which the cause was reported. */
  readonly issue?: string;
}

/** A statement by a maintainer of the implementation, shown with its results. */
export interface MaintainerNote {
  /** The statement, with at most 500 characters. */
  readonly text: string;
  /** Name of the maintainer or team. */
  readonly by: string;
  /** Date of the statement, as `YYYY-MM-DD`. */
  readonly date: string;
}

/** A third-party implementation under test. */
export interface ThirdPartySubject {
  /** Unique name without spaces: `deno task kit:third-party NAME`. */
  readonly name: string;
  /**
   * Name that all configurations of a program share. Reports count programs.
   *
   * @default The name of the subject
   */
  readonly program?: string;
  /** Title of the program in the report, such as the product name. */
  readonly title: string;
  /** Transport and protocol version, if there are several configurations of the program. */
  readonly configuration?: string;
  /**
   * Package name in the registry of the language, or the names of several packages, separated by
   * commas.
   */
  readonly package: string;
  /** Exact version of the package, or the versions of several packages, separated by commas. */
  readonly version: string;
  /**
   * Folder in `drivers/third_party` of a program that is built before the run, such as `go/mcp`.
   * The first part of the path is the language of the toolchain.
   */
  readonly build?: string;
  /** Programming language of the implementation. */
  readonly language: string;
  /** Library whose cases are run. */
  readonly library: "comm" | "runtime" | "mcp" | "model";
  /** Command or URL that the kit uses to connect to the implementation. */
  readonly access: SubjectAccess;
  /** MCP protocol version that the kit uses. Defaults to the kit's default version. */
  readonly revision?: string;
  /** Notes about the test setup. */
  readonly setup?: string;
  /** Explanations of failing cases. */
  readonly notes?: readonly Note[];
  /** Statement by a maintainer of the implementation. */
  readonly maintainerNote?: MaintainerNote;
}

/** Returns the name that all configurations of the subject's program share. */
export function programOf({ name, program = name }: ThirdPartySubject): string {
  return program;
}

/** Returns the title of the program and its configuration. */
export function fullTitle({ title, configuration }: ThirdPartySubject): string {
  return configuration === undefined ? title : `${title}, ${configuration}`;
}

const THIRD_PARTY =
  "deno run -A --quiet --no-check --frozen --config=lab/drivers/third_party/deno.json";

const DEFAULT_REVISION = "2025-11-25";

/**
 * Returns the family of requirement sets that a subject is tested with. The sets contain no
 * decisions of this project.
 */
export function setFamilyOf({ library, revision = DEFAULT_REVISION }: ThirdPartySubject): string {
  if (library === "comm") return "comm";
  if (library === "model") return "model";
  return library === "runtime" ? "runtime-core" : `mcp-${revision}`;
}

/** Converts a third-party implementation to a subject for the runner. */
export function toSubject({ access, version, build = "" }: ThirdPartySubject): Subject {
  const command = splitCommand(
    access.command.replaceAll("{third_party}", THIRD_PARTY)
      .replaceAll("{version}", version)
      .replaceAll("{build}", buildFolder(build)),
  );
  switch (access.kind) {
    case "driver": {
      const { errorMap } = access;
      return { driver: { command, ...(errorMap === undefined ? {} : { errorMap }) } };
    }
    case "stdio":
      return { server: command };
    case "http":
      return { url: access.url, start: command };
    case "client":
      return { client: command };
  }
}

/**
 * Selects subjects by name, in the order of the list. Selects all subjects if no name is given.
 *
 * @throws {KitError} With code `usage` if a name is unknown.
 */
export function chooseSubjects(
  subjects: readonly ThirdPartySubject[],
  names: readonly string[],
): readonly ThirdPartySubject[] {
  const known = subjects.map(({ name }) => name);
  const unknown = names.find((name) => !known.includes(name));
  if (unknown !== undefined) {
    throw new KitError(
      KitErrorCode.Usage,
      `Cannot find subject "${unknown}": expected one of ${known.join(", ")}`,
    );
  }
  return subjects.filter(({ name }) => names.length === 0 || names.includes(name));
}
