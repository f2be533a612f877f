/**
 * Exit codes of the commands that talk to a server, and the errors behind them.
 *
 * @module
 */

import { McpError } from "../shared/error.ts";

/** Exit codes. */
export const ExitCode = {
  Success: 0,
  /** The tool has failed: its result has `isError` set. */
  ToolError: 1,
  /** The command line or a file is not valid. */
  Usage: 2,
  /** The server requires authorization, or has denied it. */
  Authorization: 3,
  /** The server is not reachable, or the connection was lost. */
  Unreachable: 4,
  /** The server has responded with an error or an invalid result, or does not know the tool. */
  ServerError: 5,
  TimedOut: 6,
  /** 128 plus the number of SIGINT, as in a shell. */
  Interrupted: 130,
} as const;

/** Exit code of a command that talks to a server. */
export type ExitCode = (typeof ExitCode)[keyof typeof ExitCode];

/** A mistake of the user, reported in one sentence. */
export class UsageError extends Error {}

/** Returns the exit code for an error, or `undefined` if the error is a defect of the program. */
export function exitCodeOf(error: unknown): ExitCode | undefined {
  if (error instanceof UsageError) return ExitCode.Usage;
  if (!(error instanceof McpError)) return undefined;
  if (error.code === "auth_error" || error.httpStatus === 401 || error.httpStatus === 403) {
    return ExitCode.Authorization;
  }
  const { cause } = error;
  const isLate = error.code === "timeout" || cause instanceof McpError && cause.code === "timeout";
  if (isLate) return ExitCode.TimedOut;
  const isReply = error.rpcCode !== undefined || REPLIES.includes(error.code);
  return isReply ? ExitCode.ServerError : ExitCode.Unreachable;
}

/** Codes of errors that show that the server has responded. */
const REPLIES: readonly string[] = ["tool_not_found", "protocol_error"];

/** Options of the client in error messages, and the words of the command line for them. */
const REPLACED: readonly (readonly [pattern: RegExp, text: string])[] = [
  [/ \("(?:connectTimeoutMs|maxTotalMs|timeoutMs)"\)/, ' ("--timeout")'],
  [
    /; pass the arguments of the program in the array "args" instead of in "command"$/,
    "; write the name of the program and each argument as separate words",
  ],
];

/**
 * Returns the message of an error for the user. The remedies that the errors of the client name are
 * options of the client, so they are replaced.
 *
 * @param options Remedy if the server requires authorization, or `undefined` if the command line
 * contains credentials.
 */
export function describeError(
  error: Error,
  { remedy }: { readonly remedy: string | undefined },
): string {
  if (!(error instanceof McpError && error.is("auth_error"))) {
    return REPLACED.reduce((text, [pattern, own]) => text.replace(pattern, own), error.message);
  }
  const { httpStatus, details } = error;
  if (httpStatus === 403) {
    const needed = details.scope === undefined ? "" : `; required scopes: "${details.scope}"`;
    return `Cannot authorize the request: the server denied access (HTTP 403)${needed}`;
  }
  if (httpStatus !== 401) return error.message;
  return remedy === undefined
    ? "Cannot authorize the request: the server does not accept the credentials (HTTP 401)"
    : `Cannot authorize the request: the server requires authorization (HTTP 401); ${remedy}`;
}

/** Returns the message of an error. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
