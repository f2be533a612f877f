/**
 * Handler for `completion/complete`: suggestions for argument values.
 *
 * @see
 * {@link https://modelcontextprotocol.io/specification/2026-07-28/server/utilities/completion Completion}
 * @module
 */

import type { JsonObject } from "../shared/json.ts";
import { isRecord } from "@parley/internal/json";
import { assertFunction, assertObject } from "@parley/internal/assert-argument";
import { type OptionsReader, optionsReader } from "@parley/internal/options";
import type { MethodHandler } from "./dispatch.ts";
import type { Principal } from "./exchange_context.ts";
import { invalidParams, readObject, readText } from "./params.ts";

/**
 * Suggests values for an argument, most relevant first. Receives the text that the user has typed
 * so far, and the values of the other arguments.
 */
export type Completer = (
  value: string,
  args: Readonly<Record<string, string>>,
) => readonly string[] | Promise<readonly string[]>;

/**
 * Completers for the arguments of a prompt or the variables of a resource template, keyed by name.
 */
export type Completers = Readonly<Record<string, Completer>>;

/** Options for {@linkcode McpServer.registerPrompt}. */
export interface CompletionOptions {
  /** Completers, keyed by argument or variable name. */
  readonly complete?: Completers;
}

/** Reads the options for registering a prompt or a resource template. */
export const readCompletion: OptionsReader<CompletionOptions, never> = optionsReader<
  CompletionOptions
>("options")({ complete: assertObject });

/**
 * Checks that every completer is a function and belongs to an argument or variable.
 *
 * @param completers Completers to check.
 * @param names Names of the arguments or variables.
 * @param kind Word for the names in error messages, such as `argument`.
 * @throws {TypeError} If a completer is not a function, or its argument or variable does not
 *   exist.
 */
export function assertCompleters(
  completers: Completers,
  names: readonly string[],
  kind: string,
): void {
  for (const [name, completer] of Object.entries(completers)) {
    assertFunction(`complete.${name}`, completer);
    if (names.includes(name)) continue;
    const known = names.length === 0 ? "none" : names.map((each) => `"${each}"`).join(", ");
    throw new TypeError(`"complete.${name}" must belong to a registered ${kind} (${known})`);
  }
}

/**
 * Functions that look up completers. Each function returns `undefined` if the prompt or resource is
 * not registered.
 */
export interface CompletionSources {
  /** Returns the completers for the prompt with the given name. */
  readonly prompt: (name: string, principal: Principal | undefined) => Completers | undefined;
  /**
   * Returns the completers for the resource template or resource with the given URI template or
   * URI.
   */
  readonly resource: (uri: string, principal: Principal | undefined) => Completers | undefined;
}

/** Maximum number of values in a response (MCP 2026-07-28, Completion). */
const MAX_VALUES = 100;

/** Creates the handler for `completion/complete`. */
export function completionMethod(sources: CompletionSources): MethodHandler {
  return async (params, { principal }) => {
    const completers = find(readObject(params, "ref"), sources, principal);
    const argument = readObject(params, "argument");
    const name = readText(argument, "name");
    const completer = Object.hasOwn(completers, name) ? completers[name] : undefined;
    const value = readText(argument, "value");
    const all = await completer?.(value, readArguments(params.context)) ?? [];
    if (!Array.isArray(all) || !all.every((each) => typeof each === "string")) {
      throw new TypeError(
        `Cannot complete "${name}": the completer must return an array of strings`,
      );
    }
    const values = all.slice(0, MAX_VALUES);
    return { completion: { values, total: all.length, hasMore: all.length > values.length } };
  };
}

function find(
  { type, name, uri }: JsonObject,
  { prompt, resource }: CompletionSources,
  principal: Principal | undefined,
): Completers {
  const found = type === "ref/prompt" && typeof name === "string"
    ? prompt(name, principal)
    : type === "ref/resource" && typeof uri === "string"
    ? resource(uri, principal)
    : undefined;
  if (found !== undefined) return found;
  throw invalidParams(
    'Invalid params: "ref" must be a registered prompt, resource or resource template',
  );
}

function readArguments(context: unknown): Readonly<Record<string, string>> {
  const args: JsonObject = isRecord(context) && isRecord(context.arguments)
    ? context.arguments
    : {};
  const texts = Object.entries(args).filter((entry): entry is [string, string] =>
    typeof entry[1] === "string"
  );
  return Object.fromEntries(texts);
}
