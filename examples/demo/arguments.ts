/**
 * The demo's command line and environment.
 *
 * @module
 */
import { parseArgs } from "node:util";

/** A mistake in the command line or the environment. The demo prints only the message. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

/** A model behind an OpenAI-compatible endpoint. */
export interface EndpointSettings {
  readonly baseUrl: string;
  readonly model: string;
  readonly apiKey?: string;
}

/** Settings from the command line and the environment. */
export interface Settings {
  /** The question that the requester sends. */
  readonly question: string;
  /** Absolute path of the folder that the librarian may read. */
  readonly folder: string;
  /** Whether to print events as NDJSON instead of human-readable lines. */
  readonly json: boolean;
  /** Whether to modify the answer in transit, so that its verification fails. */
  readonly tamper: boolean;
  /** If omitted, the demo uses the built-in model. */
  readonly endpoint?: EndpointSettings;
}

/** The text of `--help`. */
export const HELP: string =
  `Two agents answer a question about documents: the requester sends a signed task, the librarian
reads files through a Model Context Protocol server and sends a signed answer.

Usage: deno task demo [options]

  --question TEXT  the question (default: "${defaultQuestion()}")
  --folder DIR     the folder that the librarian may read (default: this repository)
  --json           print events as NDJSON
  --tamper         modify the answer in transit, so that verification fails
  --help           print this text

By default, the demo uses a small built-in model that needs no API key. To use an endpoint that is compatible with
OpenAI, set PARLEY_MODEL_URL (such as http://127.0.0.1:11434/v1), PARLEY_MODEL and, if required, PARLEY_API_KEY.
`;

/**
 * Reads the settings from the arguments and environment variables.
 *
 * @returns The settings, or `undefined` if the arguments request help.
 * @throws {UsageError} If a flag is unknown or lacks its value, the model is only partly
 *   configured, or the folder is not readable.
 */
export async function readSettings(
  args: readonly string[],
  env: (name: string) => string | undefined,
): Promise<Settings | undefined> {
  const values = readFlags(args);
  if (values.help === true) return undefined;
  const question = (values.question ?? defaultQuestion()).trim();
  if (question === "") {
    throw new UsageError("Cannot ask an empty question: set --question to a non-empty text");
  }
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
    throw new UsageError(`Cannot read the command line: ${fact}; run with --help for usage`);
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
    const fact = error instanceof Deno.errors.NotFound ? "no such folder" : "not readable";
    throw new UsageError(`Cannot open folder "${folder}": ${fact}`);
  }
  if (!(await Deno.stat(path)).isDirectory) {
    throw new UsageError(`Cannot open folder "${folder}": not a folder`);
  }
  return path;
}
