/**
 * `completion/complete`: suggestions for an argument that a person is typing.
 *
 * @see {@link https://modelcontextprotocol.io/specification/2026-07-28/server/utilities/completion Completion}
 * @module
 */

import { isJsonObject, type JsonObject } from "../shared/json.ts";
import type { MethodHandler } from "./dispatch.ts";
import { invalidParams, readObject, readText } from "./params.ts";

/** Suggests values for an argument: what is typed so far, and the other arguments. The best come first. */
export type Completer = (
  value: string,
  args: Readonly<Record<string, string>>,
) => readonly string[] | Promise<readonly string[]>;

/** The completers of a prompt or a resource template, by argument. */
export type Completers = Readonly<Record<string, Completer>>;

/** Finds the completers of a prompt or of a resource template; undefined when there is no such thing. */
export interface CompletionSources {
  /** By the prompt's name. */
  readonly prompt: (name: string) => Completers | undefined;
  /** By the template, or a resource's URI. */
  readonly resource: (uri: string) => Completers | undefined;
}

/** How many suggestions one answer may hold. */
const MAX_VALUES = 100;

/** The handler of `completion/complete`. */
export function completionMethod(sources: CompletionSources): MethodHandler {
  return async (params) => {
    const completers = find(readObject(params, "ref"), sources);
    const argument = readObject(params, "argument");
    const name = readText(argument, "name");
    const completer = Object.hasOwn(completers, name) ? completers[name] : undefined;
    const value = readText(argument, "value");
    const all = await completer?.(value, readArguments(params.context)) ?? [];
    const values = all.slice(0, MAX_VALUES);
    return { completion: { values, total: all.length, hasMore: all.length > values.length } };
  };
}

function find(
  { type, name, uri }: JsonObject,
  { prompt, resource }: CompletionSources,
): Completers {
  const found = type === "ref/prompt" && typeof name === "string"
    ? prompt(name)
    : type === "ref/resource" && typeof uri === "string"
    ? resource(uri)
    : undefined;
  if (found !== undefined) return found;
  throw invalidParams(
    'Invalid params: "ref" must be a registered prompt, resource or resource template',
  );
}

function readArguments(context: unknown): Readonly<Record<string, string>> {
  const args: JsonObject = isJsonObject(context) && isJsonObject(context.arguments)
    ? context.arguments
    : {};
  const texts = Object.entries(args).filter((entry): entry is [string, string] =>
    typeof entry[1] === "string"
  );
  return Object.fromEntries(texts);
}
