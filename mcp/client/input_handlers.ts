/**
 * Client handlers for the input that servers request: elicitation, sampling and roots.
 *
 * @module
 */

import { abortable } from "@parley/internal/abortable";
import { assertFunction } from "@parley/internal/assert-argument";
import { McpError } from "../shared/error.ts";
import type { JsonObject } from "../shared/json.ts";
import { defined, isRecord } from "@parley/internal/json";
import { optionsReader } from "@parley/internal/options";
import { Semaphore } from "@parley/internal/semaphore";
import { RpcErrorCode } from "../jsonrpc/error_codes.ts";
import type { ClientCapabilities } from "../protocol/capabilities.ts";
import { type ElicitHandler, readForm } from "./elicit_handler.ts";
import { toResponse, withDefaults } from "./input_response.ts";
import {
  type CreateMessageParams,
  type CreateMessageResult,
  type ElicitResult,
  type ElicitUrl,
  isCreateMessageParams,
  isElicitForm,
  isElicitUrl,
  type Root,
} from "../protocol/input_request.ts";
import { Method } from "../protocol/methods.ts";

/**
 * Handlers for input requests and, in the legacy era, server requests. The client declares each
 * capability only if the handler for that capability is set.
 */
export interface InputHandlers {
  /**
   * Requests input from the user with a form (elicitation). Fields that are missing from an
   * accepted form are set to the defaults in the form's schema.
   */
  readonly elicit?: ElicitHandler;
  /**
   * Requests that the user visit a URL (elicitation in URL mode). Called only with HTTP and HTTPS
   * URLs that contain no credentials, in normalized form. Show the whole URL, and open it only
   * after the user has agreed: the server chooses the URL.
   */
  readonly elicitUrl?: (
    params: ElicitUrl,
    signal: AbortSignal,
  ) => Promise<ElicitResult> | ElicitResult;
  /**
   * Requests a message from the client's model (sampling). The user should be able to review the
   * request and the response.
   */
  readonly createMessage?: (
    params: CreateMessageParams,
    signal: AbortSignal,
  ) => Promise<CreateMessageResult> | CreateMessageResult;
  /** Returns the client's roots, which are the folders that servers may use. */
  readonly listRoots?: (signal: AbortSignal) => Promise<readonly Root[]> | readonly Root[];
}

const readOptions = optionsReader<InputHandlers>("handlers")({
  elicit: assertFunction,
  elicitUrl: assertFunction,
  createMessage: assertFunction,
  listRoots: assertFunction,
});

/**
 * Reads input handlers. A misspelled name would mean that the client does not declare the
 * capability.
 *
 * @throws {TypeError} If a handler is not a function, or a name is not the name of a handler.
 */
export function readHandlers(handlers: InputHandlers): InputHandlers {
  return defined(readOptions(handlers));
}

/** Identifier and settings of an extension that the client declares. */
interface DeclaredExtension {
  readonly id: string;
  readonly settings?: JsonObject;
}

/**
 * Returns the client capabilities for the given handlers and extensions, together with additional
 * capabilities.
 */
export function capabilitiesOf(
  handlers: InputHandlers,
  more: ClientCapabilities = {},
  extensions: readonly DeclaredExtension[] = [],
): ClientCapabilities {
  const { elicit, elicitUrl, createMessage, listRoots } = handlers;
  return {
    ...((elicit || elicitUrl) && {
      elicitation: { ...(elicit && { form: {} }), ...(elicitUrl && { url: {} }) },
    }),
    ...(createMessage && { sampling: {} }),
    ...(listRoots && { roots: {} }),
    ...more,
    ...(extensions.length > 0 && { extensions: { ...more.extensions, ...settingsOf(extensions) } }),
  };
}

/** Adds the capabilities of a request's own handlers to the client's capabilities. */
export function withHandlers(
  capabilities: ClientCapabilities,
  handlers: InputHandlers,
): ClientCapabilities {
  const { elicitation, sampling, roots } = capabilitiesOf(handlers);
  return {
    ...capabilities,
    ...(elicitation && { elicitation: { ...elicitation, ...capabilities.elicitation } }),
    ...(sampling && { sampling: { ...sampling, ...capabilities.sampling } }),
    ...(roots && { roots: { ...roots, ...capabilities.roots } }),
  };
}

function settingsOf(extensions: readonly DeclaredExtension[]): Record<string, JsonObject> {
  return Object.fromEntries(extensions.map(({ id, settings = {} }) => [id, settings]));
}

/** Handlers of a session and the limits that apply to them. */
export interface InputOptions {
  /** Handlers for input that servers request. */
  readonly handlers: InputHandlers;
  /** Capabilities that the client has declared. Requests for other capabilities are rejected. */
  readonly capabilities: ClientCapabilities;
  /**
   * Maximum number of input requests in one response, and of input requests that are handled at the
   * same time.
   */
  readonly maxInputRequests: number;
  /** Called with the errors that handlers throw. `onError` must not throw. */
  readonly onError: (error: unknown) => void;
}

/** Maximum number of input requests that can wait while `maxInputRequests` are being handled. */
const MAX_QUEUED = 10_000;

/**
 * Handles the input requests in a modern session. All calls in the session share the limit
 * `maxInputRequests`.
 */
export class InputRequests {
  readonly #options: InputOptions;
  readonly #semaphore: Semaphore;

  /** Creates a handler for the input requests of one session. */
  constructor(options: InputOptions) {
    this.#options = options;
    this.#semaphore = new Semaphore(options.maxInputRequests, MAX_QUEUED);
  }

  /**
   * Handles all input requests in a response and returns the input responses by key. Up to
   * `maxInputRequests` input requests are handled concurrently; additional input requests wait.
   * Rejects immediately when the signal aborts.
   *
   * @param inputRequests Input requests by key, as received from the server.
   * @param signal Signal that aborts the handlers.
   * @param handlers The request's own handlers, which replace the client's handlers of the same
   * name.
   * @throws {McpError} With code `protocol_error` if an input request is invalid or there are too
   * many.
   * @throws {McpError} If a handler fails, with the same codes as {@linkcode handleInputRequest}.
   */
  async answerAll(
    inputRequests: unknown,
    signal: AbortSignal,
    handlers: InputHandlers = {},
  ): Promise<JsonObject> {
    const { maxInputRequests } = this.#options;
    const options = {
      ...this.#options,
      handlers: { ...this.#options.handlers, ...handlers },
      capabilities: withHandlers(this.#options.capabilities, handlers),
    };
    if (!isRecord(inputRequests)) {
      throw McpError.protocolError('"inputRequests" must be an object');
    }
    const entries = Object.entries(inputRequests);
    if (entries.length > maxInputRequests) {
      throw McpError.protocolError(
        `the response has ${entries.length} input requests, more than "maxInputRequests" (${maxInputRequests})`,
      );
    }
    // If one input request fails, the call fails, so the remaining input requests are not started.
    const failing = new AbortController();
    const either = AbortSignal.any([signal, failing.signal]);
    const answers = entries.map(async ([key, question]) => {
      try {
        return [key, await this.#answer(key, question, options, either)];
      } catch (error) {
        failing.abort(error);
        throw error;
      }
    });
    return Object.fromEntries(await abortable(Promise.all(answers), signal));
  }

  async #answer(
    key: string,
    question: unknown,
    options: InputOptions,
    signal: AbortSignal,
  ): Promise<JsonObject> {
    if (!isRecord(question) || typeof question.method !== "string") {
      throw McpError.protocolError(`input request "${key}" has no "method"`);
    }
    const params = isRecord(question.params) ? question.params : {};
    const turn = this.#semaphore.acquire(signal);
    if (turn === undefined) throw McpError.core("too many input requests are queued");
    if (turn !== "acquired") await turn;
    try {
      signal.throwIfAborted();
      return await handleInputRequest(options, question.method, params, signal);
    } finally {
      this.#semaphore.release();
    }
  }
}

/**
 * Handles one input request or server request. The error that a handler throws is passed to
 * `onError`.
 *
 * @throws {McpError} With code `protocol_error` and `rpcCode` -32601 if the client has no handler
 * for the method, or has not declared its capability.
 * @throws {McpError} With code `protocol_error` and `rpcCode` -32602 if the parameters are invalid,
 * or require a part of the capability that the client has not declared.
 * @throws {McpError} With code `core` if the handler throws or returns an invalid result. An
 * `McpError` with an `rpcCode` is thrown unchanged, so that a handler can choose the error code.
 */
export async function handleInputRequest(
  { handlers, capabilities, onError }: Pick<InputOptions, "handlers" | "capabilities" | "onError">,
  method: string,
  params: JsonObject,
  signal: AbortSignal,
): Promise<JsonObject> {
  // A client that has not declared the capability for tasks processes a request with `task` as if
  // the member were absent (2025-11-25, Tasks, "Task Support and Handling").
  const { task: _task, ...own } = params;
  const offered = declaredHandlers(handlers, capabilities);
  const { name, run } = selectHandler(offered, method, own, signal);
  assertParts(method, own, capabilities);
  try {
    return await run();
  } catch (cause) {
    if (cause instanceof McpError && cause.rpcCode !== undefined) throw cause;
    const reason = cause instanceof Error ? cause.message : String(cause);
    const error = McpError.core(`the handler "${name}" failed: ${reason}`, { cause });
    if (!signal.aborted) onError(error);
    throw error;
  }
}

/** Returns the handlers whose capabilities the client has declared. */
function declaredHandlers(
  { elicit, elicitUrl, createMessage, listRoots }: InputHandlers,
  { elicitation, sampling, roots }: ClientCapabilities,
): InputHandlers {
  const { form, url } = elicitation ?? {};
  // An empty object declares forms.
  const hasForms = elicitation !== undefined && (form !== undefined || url === undefined);
  return defined({
    elicit: hasForms ? elicit : undefined,
    elicitUrl: url === undefined ? undefined : elicitUrl,
    createMessage: sampling === undefined ? undefined : createMessage,
    listRoots: roots === undefined ? undefined : listRoots,
  });
}

/**
 * Throws if a sampling request uses a part of the capability that the client has not declared.
 *
 * @see
 * {@link https://modelcontextprotocol.io/specification/2026-07-28/client/sampling#capabilities Sampling, capabilities}
 */
function assertParts(method: string, params: JsonObject, { sampling }: ClientCapabilities): void {
  if (method !== Method.CreateMessage) return;
  const { tools, toolChoice, includeContext = "none" } = params;
  if ((tools !== undefined || toolChoice !== undefined) && sampling?.tools === undefined) {
    throw invalidParams('the client does not declare "sampling.tools"');
  }
  if (includeContext !== "none" && sampling?.context === undefined) {
    throw invalidParams('the client does not declare "sampling.context"');
  }
}

/** A handler, bound to a validated request. */
interface BoundHandler {
  readonly name: keyof InputHandlers;
  readonly run: () => Promise<JsonObject>;
}

function selectHandler(
  { elicit, elicitUrl, createMessage, listRoots }: InputHandlers,
  method: string,
  params: JsonObject,
  signal: AbortSignal,
): BoundHandler {
  if (method === Method.Elicit && params.mode === "url" && elicitUrl !== undefined) {
    if (!isElicitUrl(params)) throw invalidParams('"message" and "url" must be strings');
    const shown = { ...params, url: normalizeSafeUrl(params.url) };
    return {
      name: "elicitUrl",
      run: async () => {
        return toResponse("elicitUrl", { method, params }, await elicitUrl(shown, signal));
      },
    };
  }
  if (method === Method.Elicit && (elicit !== undefined || elicitUrl !== undefined)) {
    if (elicit === undefined || !isElicitForm(params)) {
      const modes = [elicit && '"form"', elicitUrl && '"url"'].filter(Boolean).join(" or ");
      throw invalidParams(
        `"mode" must be ${modes}, "message" must be a string, and a form must have a "requestedSchema"`,
      );
    }
    return {
      name: "elicit",
      run: async () => {
        const result = await elicit(readForm(params), signal);
        const completed = withDefaults(result, params.requestedSchema);
        return toResponse("elicit", { method, params }, completed);
      },
    };
  }
  if (method === Method.CreateMessage && createMessage !== undefined) {
    if (!isCreateMessageParams(params)) {
      throw invalidParams('"messages" must be an array and "maxTokens" must be a number');
    }
    return {
      name: "createMessage",
      run: async () => {
        return toResponse("createMessage", { method, params }, await createMessage(params, signal));
      },
    };
  }
  if (method === Method.ListRoots && listRoots !== undefined) {
    return {
      name: "listRoots",
      run: async () => {
        const roots = await listRoots(signal);
        return toResponse("listRoots", { method }, { roots }, roots);
      },
    };
  }
  throw McpError.protocolError(`Method not found: "${method}"`, {
    rpcCode: RpcErrorCode.MethodNotFound,
  });
}

/**
 * Returns a URL in its normalized form, so that every program extracts the same host. For example,
 * a browser extracts the host `a` from `https://a\@b`, but other programs extract `b`. Control
 * characters, which could be used to manipulate a terminal, are encoded. Throws unless the URL can
 * be shown to a user: other schemes such as `javascript:` can run code or open files, and a user
 * name can make a host look like a different one.
 *
 * @see
 * {@link https://modelcontextprotocol.io/specification/2026-07-28/client/elicitation#security-considerations Elicitation, security}
 */
function normalizeSafeUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isWeb = url?.protocol === "https:" || url?.protocol === "http:";
  if (url === undefined || !isWeb || url.username !== "" || url.password !== "") {
    throw invalidParams('"url" must be an HTTP or HTTPS URL without credentials');
  }
  return url.href;
}

function invalidParams(detail: string): McpError {
  return McpError.protocolError(`Invalid params: ${detail}`, {
    rpcCode: RpcErrorCode.InvalidParams,
  });
}
