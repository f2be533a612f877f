/**
 * Command-line options that specify the subject.
 *
 * @module
 */

import schema from "../schemas/subject.schema.json" with { type: "json" };
import { KitError, KitErrorCode } from "../kit/error.ts";
import { readJson } from "../kit/json.ts";
import { PROTOCOL_VERSIONS } from "../kit/protocol_versions.ts";
import { protocolVersionOf } from "../kit/requirements.ts";
import { compileSchema } from "../kit/schema.ts";
import { joinCommand, splitCommand } from "../kit/split_command.ts";
import { toFilePath } from "../platform/file_path.ts";
import { readText } from "../platform/fs.ts";
import { isWindows } from "../platform/process.ts";
import type { Arguments, Flag } from "../platform/read_arguments.ts";
import { ownSubject, type Subject } from "../runner/subject.ts";
import { usageError } from "./command.ts";

/** Options that specify the subject. */
export const SUBJECT_FLAGS: Readonly<Record<string, Flag>> = {
  driver: { type: "string" },
  agent: { type: "string" },
  server: { type: "string" },
  url: { type: "string" },
  start: { type: "string" },
  client: { type: "string" },
};

/** Help text for the options that specify the subject. */
export const SUBJECT_USAGE = `  SUBJECT.json               read the subject from a file
                             (schemas/subject.schema.json)
  --driver CMD               test comm, runtime or an MCP client with a driver
  --agent CMD                test an agent loop with a driver that has only the
                             operation agent.run: --lib runtime, --profile core
  --server CMD               test an MCP server over stdio
  --url URL                  test an MCP server over HTTP
  --start CMD                start the server of --url; {port} in CMD and URL is
                             replaced with a free port
  --client CMD               test an MCP client; {peer} in CMD is replaced with
                             the command of its server; without {peer}, the URL
                             of the server is appended`;

/** Content of a subject file. */
interface SubjectFile {
  readonly driver?: string;
  readonly server?: string;
  readonly url?: string;
  readonly start?: string;
  readonly client?: string;
  readonly errorMap?: Readonly<Record<string, string>>;
}

/** A subject, and the arguments that specify it. */
export interface NamedSubject {
  /** The subject. */
  readonly subject: Subject;
  /** Arguments that specify the subject. */
  readonly words: readonly string[];
}

/**
 * Reads the subject from the arguments. In the repository, the Parley libraries are the default
 * subject.
 *
 * @throws {KitError} With code `usage` if no subject is given.
 * @throws {KitError} With code `bad_file` if the subject file is malformed.
 */
export async function readSubject(args: Arguments): Promise<NamedSubject> {
  const named = Object.keys(SUBJECT_FLAGS).flatMap((name) => {
    const command = args.text(name);
    return command === undefined ? [] : [[name, command] as const];
  });
  const [path, ...more] = args.words;
  if (more.length > 0) {
    throw usageError(`Cannot use "${more[0]}": only one subject file is allowed`);
  }
  if (path !== undefined && named[0] !== undefined) {
    throw usageError(
      `Cannot use --${named[0][0]}: the subject file "${path}" describes the subject`,
    );
  }
  if (path !== undefined) return { subject: toSubject(await readProfile(path)), words: [path] };
  if (named.length === 0) return await ownLibraries();
  return {
    subject: toSubject(toSubjectFile(Object.fromEntries(named))),
    words: named.flatMap(([name, command]) => [`--${name}`, command]),
  };
}

/**
 * Reads the MCP protocol version. Without `--revision`, the protocol version of the selected
 * requirement sets is used.
 *
 * @throws {KitError} With code `usage` if the version is unknown. A mistyped version would
 * otherwise make most cases `n/a`.
 */
export function readRevision(args: Arguments): string | undefined {
  const revision = args.text("revision");
  if (revision === undefined) return protocolVersionOf(args.texts("requirements"));
  if (PROTOCOL_VERSIONS.includes(revision)) return revision;
  const known = `${PROTOCOL_VERSIONS.slice(0, -1).join(", ")} or ${PROTOCOL_VERSIONS.at(-1)}`;
  throw usageError(`Cannot use --revision "${revision}": the value must be ${known}`);
}

/** Formats the arguments that specify the subject. */
export function describeSubject({ words }: NamedSubject): string {
  return joinCommand(words);
}

/** An agent loop is connected through a driver. */
function toSubjectFile(
  { agent, ...file }: SubjectFile & { readonly agent?: string },
): SubjectFile {
  if (agent === undefined) return file;
  if (file.driver !== undefined) throw usageError("Cannot use --agent: --driver is given, too");
  return { ...file, driver: agent };
}

function toSubject({ driver, server, url, start, client, errorMap }: SubjectFile): Subject {
  if (url !== undefined && !URL.canParse(url.replaceAll("{port}", "1"))) {
    throw usageError(`Cannot use --url "${url}": invalid URL`);
  }
  if (start !== undefined && url === undefined) {
    throw usageError("Cannot use --start: --url is required");
  }
  return {
    ...(server === undefined ? {} : { server: splitCommand(server) }),
    ...(url === undefined ? {} : { url }),
    ...(start === undefined ? {} : { start: splitCommand(start) }),
    ...(client === undefined ? {} : { client: splitCommand(client) }),
    ...(driver === undefined
      ? {}
      : { driver: { command: splitCommand(driver), ...(errorMap ? { errorMap } : {}) } }),
  };
}

async function readProfile(path: string): Promise<SubjectFile> {
  const text = await readText(path);
  if (text === undefined) throw badProfile(path, "no such file");
  const parsed = readJson(text);
  if (parsed === undefined) throw badProfile(path, "invalid JSON");
  const problem = compileSchema(schema)(parsed.value);
  if (problem !== undefined) throw badProfile(path, `${problem.path || "/"}: ${problem.message}`);
  // The value has been validated against subject.schema.json, so the cast is safe.
  return parsed.value as SubjectFile;
}

/**
 * Returns the Parley libraries if the kit runs in the repository. The published kit does not
 * contain the libraries' drivers.
 */
async function ownLibraries(): Promise<NamedSubject> {
  const folder = new URL("../drivers/typescript/", import.meta.url);
  const driver = new URL("parley.ts", folder);
  const isHere = driver.protocol === "file:" && await readText(driver) !== undefined;
  if (!isHere) {
    throw usageError(
      "Cannot run cases: no subject given; use --driver, --agent, --server, --url or --client",
    );
  }
  return { subject: ownSubject(toFilePath(folder, isWindows())), words: [] };
}

function badProfile(path: string, reason: string): KitError {
  return new KitError(KitErrorCode.BadFile, `Cannot read subject "${path}": ${reason}`);
}
