/**
 * Forms and URLs that a server requests, on the terminal.
 *
 * @module
 */

import { escapeText } from "@parley/internal/escape-text";
import { isRecord } from "@parley/internal/json";
import { Semaphore } from "@parley/internal/semaphore";
import type { ReceivedElicitForm } from "../client/elicit_handler.ts";
import type { InputHandlers } from "../client/input_handlers.ts";
import type { ElicitResult } from "../protocol/input_request.ts";
import { findRequirement } from "../protocol/elicit_content.ts";
import type { JsonObject } from "../shared/json.ts";
import type { CliIo } from "./run_program.ts";

/** Value of a field in a form. */
type Value = string | number | boolean | readonly string[];

/** The terminal of a form. */
interface Terminal extends Pick<CliIo, "err"> {
  /** Asks one question. Resolves to `undefined` at the end of the input. */
  readonly ask: (question: string) => Promise<string | undefined>;
}

/**
 * Creates the handlers of a client. If the command has a terminal, the user fills in forms line by
 * line. Otherwise, each form is declined.
 */
export function createInputHandlers({ ask, err }: Pick<CliIo, "ask" | "err">): InputHandlers {
  const title = (message: string) => `parley-mcp: the server requests: ${escapeText(message)}`;
  if (ask === undefined) {
    return {
      elicit: ({ message }) => {
        err(`${title(message)} (declined, because the command has no terminal)\n`);
        return { action: "decline" };
      },
    };
  }
  // The server can request several inputs at the same time, and the terminal has one line.
  const turns = new Semaphore(1, Infinity);
  return {
    elicit: (form, signal) =>
      turns.use(signal, async () => {
        err(`${title(form.message)}\n`);
        return await fillIn(form, { ask: (question) => ask(question, signal), err });
      }),
    elicitUrl: ({ message, url }, signal) =>
      turns.use(signal, async () => {
        err(`${title(message)}\n  ${escapeText(url)}\n`);
        const response = await ask("  Have you visited the URL? [y/N] ", signal);
        return { action: toAction(response) };
      }),
  };
}

async function fillIn(
  { requestedSchema }: ReceivedElicitForm,
  terminal: Terminal,
): Promise<ElicitResult> {
  const { properties, required } = requestedSchema;
  const needed: readonly unknown[] = Array.isArray(required) ? required : [];
  const content = new Map<string, Value>();
  for (const [name, schema] of Object.entries(properties)) {
    const isRequired = needed.includes(name) && schema.default === undefined;
    const value = await askField({ name, schema, isRequired }, terminal);
    if (value === undefined) return { action: "cancel" };
    // The client fills in the default of a field that is omitted.
    if (value !== "") content.set(name, value);
  }
  const action = toAction(await terminal.ask("  Send these values? [y/N] "));
  return action === "accept" ? { action, content: Object.fromEntries(content) } : { action };
}

/**
 * Asks for a field until the input is valid. Returns `""` if the user leaves out the field, and
 * `undefined` at the end of the input.
 */
async function askField(
  { name, schema, isRequired }: {
    readonly name: string;
    readonly schema: JsonObject;
    readonly isRequired: boolean;
  },
  { ask, err }: Terminal,
): Promise<Value | undefined> {
  const label = typeof schema.title === "string" ? schema.title : name;
  const question = `  ${escapeText(`${label}${hintOf(schema, isRequired)}`)}: `;
  for (;;) {
    const text = (await ask(question))?.trim();
    if (text === undefined) return undefined;
    if (text === "" && !isRequired) return "";
    const value = readValue(text, schema);
    const requirement = text === "" ? "not be empty" : findRequirement(schema, value);
    if (requirement === undefined) return value;
    err(`  The value must ${requirement}.\n`);
  }
}

function hintOf(schema: JsonObject, isRequired: boolean): string {
  const choices = choicesOf(schema);
  const type = schema.type === "boolean" ? "y/n" : choices?.join(" | ") ?? String(schema.type);
  const many = schema.type === "array" ? ", separated by commas" : "";
  if (isRequired) return ` (${type}${many})`;
  const otherwise = schema.default === undefined
    ? "optional"
    : `default: ${JSON.stringify(schema.default)}`;
  return ` (${type}${many}; ${otherwise})`;
}

/** Converts the text to the type of the field. Returns other text unchanged. */
function readValue(text: string, { type }: JsonObject): Value {
  switch (type) {
    case "boolean":
      return /^(y|yes|true)$/i.test(text) || (/^(n|no|false)$/i.test(text) ? false : text);
    case "number":
    case "integer": {
      const value = Number(text);
      return Number.isFinite(value) ? value : text;
    }
    case "array":
      return text.split(",").map((part) => part.trim());
    default:
      return text;
  }
}

/** Returns the values of an enumeration, or `undefined` if the schema is not an enumeration. */
function choicesOf({ enum: values, oneOf, anyOf, items }: JsonObject): string[] | undefined {
  if (isRecord(items)) return choicesOf(items);
  if (Array.isArray(values)) return values.map(String);
  const branches: unknown = oneOf ?? anyOf;
  if (!Array.isArray(branches)) return undefined;
  return branches.map((branch) => isRecord(branch) ? String(branch.const) : "");
}

function toAction(response: string | undefined): "accept" | "decline" | "cancel" {
  if (response === undefined) return "cancel";
  return /^(y|yes)$/i.test(response.trim()) ? "accept" : "decline";
}
