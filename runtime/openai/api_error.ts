/**
 * Errors in the form of OpenAI's interfaces. The texts are fixed: they contain neither data of the
 * request nor messages of other errors.
 *
 * @see https://platform.openai.com/docs/guides/error-codes
 * @module
 */

import { AgentError } from "../shared/error.ts";
import type { UiErrors } from "../ui/front_end.ts";

/** An error as clients receive it. */
export interface ApiErrorBody {
  /** Description. */
  readonly message: string;
  /** Class of the error. */
  readonly type: "invalid_request_error" | "rate_limit_error" | "server_error";
  /** Member of the request that caused the error. */
  readonly param: string | null;
  /** Code. */
  readonly code: string | null;
}

/** An error that a client receives, with the status and the headers of the response. */
export class ApiError extends Error {
  readonly status: number;
  readonly body: ApiErrorBody;
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    status: number,
    message: string,
    { headers = {}, ...details }: Partial<Omit<ApiErrorBody, "message">> & {
      readonly headers?: Readonly<Record<string, string>>;
    } = {},
  ) {
    super(message);
    this.status = status;
    this.body = { message, type: "invalid_request_error", param: null, code: null, ...details };
    this.headers = headers;
  }

  /** Returns the response to a request. */
  toResponse(): Response {
    const { headers, status } = this;
    return Response.json({ error: this.body }, { status, headers });
  }
}

/**
 * Clients repeat a request after a status of 500 or more. A run that has failed must not start
 * again, because its tools may have had effects; OpenAI's clients follow this header.
 */
const NO_RETRY = { "x-should-retry": "false" };

/** Returns the error for a member of a request that is not valid. */
export function invalid(param: string, requirement: string): ApiError {
  return new ApiError(400, `Invalid "${param}": must be ${requirement}`, {
    param,
    code: "invalid_value",
  });
}

/** Returns the error for a parameter that an agent cannot follow. */
export function unsupported(param: string, reason: string): ApiError {
  return new ApiError(400, `Unsupported parameter "${param}": ${reason}`, {
    param,
    code: "unsupported_parameter",
  });
}

/** Returns the error for too many requests. */
export function rateLimited(): ApiError {
  return new ApiError(429, "Too many requests of this caller are in progress", {
    type: "rate_limit_error",
    code: "rate_limit_exceeded",
    headers: { "retry-after": "1" },
  });
}

/** Returns the error for a run that has failed, with a text that clients can receive. */
export function runFailed(text: string): ApiError {
  return new ApiError(500, text, { type: "server_error", code: "server_error", headers: NO_RETRY });
}

/** Returns the error for a run that was cancelled on the server. */
export function runCancelled(): ApiError {
  return runFailed("The run was cancelled");
}

/** Returns the error for a client that has disconnected, which does not receive it. */
export function clientClosed(): ApiError {
  return new ApiError(499, "The client has disconnected");
}

/** Converts an error. An error without a text for clients is reported, and its text is replaced. */
export function toApiError(error: unknown, { mask, report }: UiErrors): ApiError {
  if (error instanceof ApiError) return error;
  if (AgentError.isAgentError(error)) {
    if (error.is("session_busy")) {
      return new ApiError(400, "A response of this conversation is in progress", {
        param: "conversation",
        code: "conversation_locked",
      });
    }
    if (error.is("capacity_exceeded") || error.is("run_limit")) return rateLimited();
    if (error.is("sessions_closed")) {
      return new ApiError(503, "The server is shutting down", {
        type: "server_error",
        code: "server_error",
        headers: { "retry-after": "1" },
      });
    }
  }
  report(error);
  return runFailed(mask(error));
}
