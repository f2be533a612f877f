/**
 * What a handler gets beside its arguments: who asks, whether it is still wanted, and ways to talk back.
 *
 * @module
 */

import { McpError } from "../shared/error.ts";
import type { JsonObject } from "../shared/json.ts";
import {
  type McpErrorObject,
  notification,
  type RequestId,
  type RpcNotification,
  type RpcRequest,
  stringifyMessage,
} from "../jsonrpc/message.ts";
import { RpcErrorCode } from "../jsonrpc/error_codes.ts";
import {
  type InputRequest,
  type InputResponse,
  isInputResponse,
  missingCapability,
} from "../protocol/input_request.ts";
import { isWanted, type LogLevel } from "../protocol/logging.ts";
import { MetaKey, metaOf } from "../protocol/meta.ts";
import { Notice } from "../protocol/methods.ts";
import type { Peer } from "../protocol/client_description.ts";
import { type Call, type Principal, signalOf } from "./exchange_context.ts";
import type { RequestState } from "./request_state.ts";

/** What accompanies a progress report. */
export interface ProgressOptions {
  /** What `progress` will be at the end, if that is known. */
  readonly total?: number;
  /** What is going on, for people. */
  readonly message?: string;
}

/** The answers to several questions, by key. */
export type InputResponses<Requests extends Readonly<Record<string, InputRequest>>> = {
  readonly [Key in keyof Requests]: InputResponse<Requests[Key]>;
};

/** What a handler gets beside its arguments. */
export interface RequestContext {
  /** The client. */
  readonly peer: Peer;
  /** Aborts when the result is not wanted any more. */
  readonly signal: AbortSignal;
  /** The id of the request. */
  readonly requestId: RequestId;
  /** Who the request was authenticated as, where the server asks for that. */
  readonly principal: Principal | undefined;
  /** What an earlier round of the same request has kept, see {@linkcode RequestContext.keep}. */
  readonly kept: unknown;
  /**
   * Tells how far the work has come, if the client wants to know. Reports that do not increase are left out. Resolves
   * once there is room for the next one: await it to go no faster than the client reads.
   */
  progress(progress: number, options?: ProgressOptions): Promise<void>;
  /**
   * Sends a log message, if the client wants that level. `data` is any JSON value; rejects with a `serialization_error`
   * when it is none.
   */
  log(level: LogLevel, data: unknown, logger?: string): Promise<void>;
  /**
   * Asks the client's side: its user, its model, its roots.
   *
   * In a session this sends a request and waits. Elsewhere it ends the run: the client gets the question, and repeats
   * its request with the answer, which runs the handler again from the start. So whatever comes before an `ask` is
   * done again and should do no harm when it is.
   *
   * @param key tells the questions of one request apart
   * @param request the question
   * @throws {McpError} `protocol_error` when the client cannot be asked that, the request is answered already, or the
   * answer is not there yet: let it pass
   */
  ask<Request extends InputRequest>(key: string, request: Request): Promise<InputResponse<Request>>;
  /** Asks several questions at once. */
  askAll<const Requests extends Readonly<Record<string, InputRequest>>>(
    requests: Requests,
  ): Promise<InputResponses<Requests>>;
  /**
   * Lets the client go for a while, where it can come back: a session over HTTP of revision 2025-11-25. It saves an open
   * connection during long work. Elsewhere this does nothing.
   */
  release(): void;
  /** Keeps a JSON value for the next round of the same request, sealed and in the client's hands. */
  keep(value: unknown): void;
}

/** What the handler of a method gets: the handlers of tools and the like do not send just any notification. */
export interface MethodContext extends RequestContext {
  /** Sends a notification that belongs to the request. Resolves once there is room for the next one. */
  notify(method: string, params: JsonObject): Promise<void>;
}

/** The context of one request, and what came of it. */
export class RequestScope implements MethodContext {
  // The functions are made when a handler looks at them: it can take the context apart, and most want none of them.
  readonly #request: RpcRequest;
  readonly #call: Call;
  readonly #maxWaiting: number;
  readonly #given: JsonObject;
  readonly #used: Record<string, unknown> = {};
  #wanted: Record<string, InputRequest> | undefined;
  #waiting = 0;
  #kept: unknown;
  #refusal: McpErrorObject | undefined;
  #progress = -Infinity;
  #isAnswered = false;

  /** Sets the scene: the request, its circumstances, what earlier rounds left. */
  constructor(request: RpcRequest, call: Call, state: RequestState, maxWaiting: number) {
    this.#request = request;
    this.#call = call;
    this.#maxWaiting = maxWaiting;
    this.#given = state.answers;
    this.#kept = state.kept;
  }

  get peer(): Peer {
    return this.#call.peer;
  }

  get signal(): AbortSignal {
    return signalOf(this.#call);
  }

  get requestId(): RequestId {
    return this.#request.id;
  }

  get principal(): Principal | undefined {
    return this.#call.principal;
  }

  get kept(): unknown {
    return this.#kept;
  }

  /** The error that the request has to end with, whatever the handler made of it. */
  get refusal(): McpErrorObject | undefined {
    return this.#refusal;
  }

  /** The questions that have no answer yet, if there are any. */
  get wanted(): Readonly<Record<string, InputRequest>> | undefined {
    return this.#wanted;
  }

  /** What the next round has to know. */
  get state(): RequestState {
    return { answers: this.#used, kept: this.#kept };
  }

  get progress(): MethodContext["progress"] {
    return async (progress, options) => {
      const token = metaOf(this.#request.params)[MetaKey.ProgressToken];
      if (token === undefined || !(progress > this.#progress)) return;
      this.#progress = progress;
      await this.notify(Notice.Progress, { progressToken: token, progress, ...options });
    };
  }

  get log(): MethodContext["log"] {
    return async (level, data, logger) => {
      const { logLevel } = this.peer;
      if (logLevel === undefined || !isWanted(level, logLevel)) return;
      const params = logger === undefined ? { level, data } : { level, logger, data };
      // What is not JSON is the handler's mistake; on its way to the client there is nobody to tell of it.
      stringifyMessage(notification(Notice.Message, params));
      await this.notify(Notice.Message, params);
    };
  }

  get ask(): MethodContext["ask"] {
    return async (key, request) => {
      if (this.#isAnswered) throw McpError.protocolError("the request is answered already");
      this.#assertCapability(request);
      const answer = this.#call.ask === undefined
        ? this.#given[key]
        : await this.#call.ask(request, this.signal, (message) => this.#emit(message));
      if (isInputResponse(request, answer)) {
        this.#used[key] = answer;
        return answer;
      }
      if (this.#call.ask !== undefined) {
        throw McpError.protocolError(`the client's answer to "${request.method}" is not valid`);
      }
      this.#wanted = { ...this.#wanted, [key]: request };
      throw McpError.protocolError(`the answer to "${key}" is not there yet`);
    };
  }

  get askAll(): MethodContext["askAll"] {
    return async <const Requests extends Readonly<Record<string, InputRequest>>>(
      requests: Requests,
    ) => {
      const entries = Object.entries(requests).map(async ([key, request]) =>
        [key, await this.ask(key, request)] as const
      );
      // Each key was asked its own request, and `ask` has looked at each answer.
      return Object.fromEntries(await Promise.all(entries)) as InputResponses<Requests>;
    };
  }

  get release(): MethodContext["release"] {
    return () => this.#call.release?.();
  }

  get keep(): MethodContext["keep"] {
    return (value) => {
      this.#kept = value;
    };
  }

  get notify(): MethodContext["notify"] {
    return async (method, params) => {
      if (this.#isAnswered || this.#call.signal.aborted) return;
      await this.#emit(notification(method, params));
    };
  }

  /** The request is answered: whatever a handler that goes on tells from now on belongs to nothing any more. */
  end(): void {
    this.#isAnswered = true;
  }

  async #emit(message: RpcNotification | RpcRequest): Promise<boolean> {
    const { emit } = this.#call;
    if (emit === undefined || this.#waiting >= this.#maxWaiting) return false;
    this.#waiting++;
    try {
      return await emit(message);
    } finally {
      this.#waiting--;
    }
  }

  #assertCapability(request: InputRequest): void {
    const requiredCapabilities = missingCapability(request, this.peer.capabilities);
    if (requiredCapabilities === undefined) return;
    const message = `The client does not offer what "${request.method}" needs`;
    const code = RpcErrorCode.MissingClientCapability;
    this.#refusal = { code, message, data: { requiredCapabilities } };
    throw McpError.protocolError(message, { rpcCode: code, data: { requiredCapabilities } });
  }
}
