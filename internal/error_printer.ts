/**
 * Prints errors that no caller receives.
 *
 * @module
 */

import { escapeText, excerpt } from "./escape_text.ts";
import { createRepeatFilter } from "./repeat_filter.ts";

/** Maximum length of one printed error, in characters. */
const MAX_LENGTH = 8000;

/** Number of nested causes that are printed. */
const MAX_CAUSES = 8;

/** Output and clock of {@linkcode createErrorPrinter}, replaceable in tests. */
export interface ErrorPrinterOptions {
  /** Prints a string. If omitted, strings are printed to standard error. */
  readonly print?: (text: string) => void;
  /** Returns the current time in milliseconds. If omitted, the system clock is used. */
  readonly now?: () => number;
}

/**
 * Returns the default value of an `onError` option: a function that prints an error with its stack
 * and causes.
 *
 * Each distinct error is printed once, and at most 20 errors are printed per minute. The returned
 * function never throws.
 *
 * @param source Name of the object that reports the errors, printed before each error.
 */
export function createErrorPrinter(
  source: string,
  { print = printToStandardError, now = Date.now }: ErrorPrinterOptions = {},
): (error: unknown) => void {
  const filter = createRepeatFilter(now);
  return (error) => {
    try {
      const result = filter(summarize(error));
      if (result === "dropped") return;
      print(`${source}: ${excerpt(withCauses(error), MAX_LENGTH)}`);
      if (result === "passes_last") {
        print(`${source}: further errors are not printed for up to one minute`);
      }
    } catch {
      // Reading or printing the error failed, and there is nowhere else to report it.
    }
  };
}

function printToStandardError(text: string): void {
  console.error(text);
}

/**
 * Returns the names and messages of an error and its causes. The result is the same for each
 * repetition of the error.
 */
function summarize(error: unknown): string {
  return excerpt(errorChain(error).map((link) => toText(link)).join("\n"), MAX_LENGTH);
}

function withCauses(error: unknown): string {
  return errorChain(error).map((link) => toStack(link)).join("\nCaused by: ");
}

/** Lists an error and its causes, outermost first. */
function errorChain(error: unknown): readonly unknown[] {
  const chain = [error];
  for (let link = error; link instanceof Error && link.cause !== undefined;) {
    link = link.cause;
    if (chain.length > MAX_CAUSES || chain.includes(link)) break;
    chain.push(link);
  }
  return chain;
}

/**
 * Returns an error's stack. On runtimes whose stacks contain only frames, the error message is
 * added before the stack.
 */
function toStack(error: unknown): string {
  const text = toText(error);
  if (!(error instanceof Error) || typeof error.stack !== "string") return text;
  const { message, stack } = error;
  // The message is escaped first, because its line breaks could otherwise not be distinguished from
  // those of the stack.
  const lines = stack.replaceAll(message, () => escapeText(message)).split("\n").map(escapeText);
  return stack.includes(message) ? lines.join("\n") : [text, ...lines].join("\n");
}

function toText(value: unknown): string {
  if (value instanceof Error || typeof value !== "object" || value === null) {
    return escapeText(String(value));
  }
  try {
    return escapeText(JSON.stringify(value) ?? String(value));
  } catch {
    return "an object that cannot be represented as JSON";
  }
}
