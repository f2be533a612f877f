/**
 * The demo's command line and environment.
 *
 * @module
 */
import { parseArgs } from "node:util";

/** A mistake of the person who started the demo; its message is all they need to see. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

/** A model behind an OpenAI-compatible endpoint. */
export interface EndpointSettings {
  readonly baseUrl: string;
  readonly model: string;
  readonly apiKey?: string;
}

/** What the demo was asked to do. */
export interface Settings {
  /** What the requester wants to know. */
  readonly question: string;
  /** Absolute path of the folder that the librarian may read. */
  readonly folder: string;
  /** Events as NDJSON instead of lines for a person. */
  readonly json: boolean;
  /** Change the answer on its way, to see it refused. */
  readonly tamper: boolean;
  /** Absent: the embedded model. */
  readonly endpoint?: EndpointSettings;
}

/** The text of `--help`. */
export const HELP: string =
  `Two agents work on a question about real documents: the requester sends a signed task, the librarian
reads files through a Model Context Protocol server and sends a signed answer.

Usage: deno task demo [options]

  --question TEXT  what to ask (default: "${defaultQuestion()}")
  --folder DIR     the folder that the librarian may read (default: this repository)
  --json           print events as NDJSON
  --tamper         change the answer on its way, to see it refused
  --help           print this text

Without configuration the model is an embedded one: no key, no network. For any OpenAI-compatible endpoint set
PARLEY_MODEL_URL (such as http://127.0.0.1:11434/v1), PARLEY_MODEL and, where needed, PARLEY_API_KEY.
`;

/**
 * Reads arguments and environment.
 *
 * @returns the settings, or undefined when help was asked for
 * @throws {UsageError} for an unknown flag, a missing value, half a configuration or a folder that cannot be read
 */
export async function readSettings(
  args: readonly string[],
  env: (name: string) => string | undefined,
): Promise<Settings | undefined> {
  const values = readFlags(args);
  if (values.help === true) return undefined;
  const question = (values.question ?? defaultQuestion()).trim();
  if (question === "") throw new UsageError("Cannot ask an empty question: give --question a text");
  const endpoint = readEndpoint(env);
  return {
    question,
    folder: await readFolder(values.folder),
    json: values.json ?? false,
    tamper: values.tamper ?? false,
    ...endpoint === undefined ? {} : { endpoint },
  };
}

function defaultQuestion(): string {
  return "Which members of a message does its signature cover?";
}

interface Flags {
  readonly question?: string;
  readonly folder?: string;
  readonly json?: boolean;
  readonly tamper?: boolean;
  readonly help?: boolean;
}

function readFlags(args: readonly string[]): Flags {
  try {
    return parseArgs({
      args: [...args],
      options: {
        question: { type: "string" },
        folder: { type: "string" },
        json: { type: "boolean" },
        tamper: { type: "boolean" },
        help: { type: "boolean", short: "h" },
      },
    }).values;
  } catch (error) {
    const fact = error instanceof Error ? error.message.split(". ")[0] : String(error);
    throw new UsageError(`Cannot read the command line: ${fact} (see --help)`);
  }
}

function readEndpoint(env: (name: string) => string | undefined): EndpointSettings | undefined {
  const baseUrl = env("PARLEY_MODEL_URL");
  const model = env("PARLEY_MODEL");
  const apiKey = env("PARLEY_API_KEY");
  if (!baseUrl && !model) return undefined;
  if (!baseUrl || !model) {
    throw new UsageError(
      "Cannot choose a model: set both PARLEY_MODEL_URL and PARLEY_MODEL, or neither",
    );
  }
  if (!/^https?:$/.test(URL.parse(baseUrl)?.protocol ?? "")) {
    throw new UsageError(`Cannot use PARLEY_MODEL_URL: "${baseUrl}" is not an http(s) URL`);
  }
  return { baseUrl, model, ...apiKey ? { apiKey } : {} };
}

async function readFolder(folder: string | undefined): Promise<string> {
  if (folder === undefined) return new URL("../../", import.meta.url).pathname.replace(/\/$/, "");
  let path: string;
  try {
    path = await Deno.realPath(folder);
  } catch (error) {
    const fact = error instanceof Deno.errors.NotFound ? "it does not exist" : "it cannot be read";
    throw new UsageError(`Cannot open folder "${folder}": ${fact}`);
  }
  if (!(await Deno.stat(path)).isDirectory) {
    throw new UsageError(`Cannot open folder "${folder}": it is a file`);
  }
  return path;
}
