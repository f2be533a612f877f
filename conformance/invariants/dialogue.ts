/**
 * The state of a conversation between an MCP client and a server, as a third party sees it that
 * reads all messages.
 *
 * @module
 */

import { isObject } from "../kit/json.ts";

/** The sender of a message. */
export type Side = "subject" | "kit";

/** A JSON object from the wire. */
export type WireObject = Readonly<Record<string, unknown>>;

/** A request that one side has sent. */
export interface Asked {
  /** Id of the request. */
  readonly id: unknown;
  /** Method. */
  readonly method: string;
  /** The complete message. */
  readonly message: WireObject;
  /** Protocol version that applies to the request and its response, or `undefined`. */
  readonly version: string | undefined;
  /** HTTP request that contained the message. */
  readonly exchange: object | undefined;
  /** Whether the sender has used the id before. */
  readonly isRepeated: boolean;
  /** Number of responses so far. */
  answers: number;
  /** Whether the sender has cancelled the request. */
  isCancelled: boolean;
  /** Whether the response announced a task, so that progress continues after the response. */
  isLasting: boolean;
  /** Last reported progress. */
  progress: number;
}

/** A message and its place in the conversation. */
export interface Seen {
  /** The message. */
  readonly message: WireObject;
  /** The sender of the message. */
  readonly from: Side;
  /** Kind of the message. */
  readonly kind: "request" | "notification" | "response";
  /** Protocol version that applies to the message, or `undefined` if it is unknown. */
  readonly version: string | undefined;
  /** The request itself, or the request that a response or progress notification belongs to. */
  readonly asked?: Asked;
  /** Number of earlier responses to the request. */
  readonly answers: number;
  /** Last progress before this message. */
  readonly progress: number;
  /** HTTP request with which, or with whose response, the message was sent. */
  readonly exchange?: object;
  /** State of the conversation before the message. */
  readonly phase: Phase;
}

/** Progress of the opening of a legacy session. */
export type Phase = "new" | "asked" | "answered" | "ready";

const KNOWN_VERSIONS: ReadonlySet<unknown> = new Set([
  "2024-11-05",
  "2025-03-26",
  "2025-06-18",
  "2025-11-25",
  "2026-07-28",
]);
const MODERN = "2026-07-28";
const META = "io.modelcontextprotocol/";

/** The messages of one connection or session. */
export class Dialogue {
  /** Side that acts as the client. */
  readonly client: Side;
  /** Progress of the opening of a legacy session. */
  phase: Phase = "new";
  /** Capabilities that the server has declared, or `undefined`. */
  serverCapabilities: WireObject | undefined;
  /** Capabilities that the client has declared in a legacy session, or `undefined`. */
  clientCapabilities: WireObject | undefined;
  /** Session id that the server has assigned over HTTP. */
  session: string | undefined;
  /** Number of requests of the client between the response to `initialize` and its notification. */
  uninitialized = 0;
  /** Whether the kit has sent something that is not a message. */
  hasMalformed = false;
  /** Whether the kit has rejected an HTTP request, after which a client can open a new session. */
  isDisturbed = false;
  /** Whether the session follows another one, whose requests the client can still cancel. */
  isRenewed = false;
  /** Whether some messages are unknown, because they were too long to be read. */
  isPartial = false;
  readonly #asked: Readonly<Record<Side, Map<unknown, Asked>>> = {
    kit: new Map(),
    subject: new Map(),
  };
  readonly #tokens: Readonly<Record<Side, Map<unknown, Asked>>> = {
    kit: new Map(),
    subject: new Map(),
  };
  /** Requests in the body of each HTTP request: ids can be reused in others. */
  readonly #within: WeakMap<object, readonly Asked[]> = new WeakMap();
  #version: string | undefined;
  #hasModern = false;

  /** Creates a conversation in which nothing has been sent. */
  constructor(client: Side) {
    this.client = client;
  }

  /** Version of the messages that name none, or `undefined` if it is unknown or ambiguous. */
  get version(): string | undefined {
    if (this.#version !== undefined) return this.#hasModern ? undefined : this.#version;
    return this.#hasModern ? MODERN : undefined;
  }

  /** Version that was negotiated in a legacy session. */
  get negotiated(): string | undefined {
    return this.#version;
  }

  /** Records a message, and returns its place in the conversation. */
  observe(message: WireObject, from: Side, exchange?: object): Seen {
    const seen = this.#classify(message, from, exchange);
    this.#apply(seen);
    return seen;
  }

  /** Returns the request with a progress token that one side has chosen. */
  askedWithToken(side: Side, token: unknown): Asked | undefined {
    return this.#tokens[side].get(token);
  }

  /** Returns the request with an id that one side has chosen. */
  askedWithId(side: Side, id: unknown): Asked | undefined {
    return this.#asked[side].get(id);
  }

  /** Returns the requests that an HTTP request contained. */
  requestsWithin(exchange: object): readonly Asked[] {
    return this.#within.get(exchange) ?? [];
  }

  /** Returns the requests of one side that have no response yet. */
  openRequests(side: Side): readonly Asked[] {
    return [...this.#asked[side].values()].filter(({ answers }) => answers === 0);
  }

  #classify(message: WireObject, from: Side, exchange: object | undefined): Seen {
    const place = exchange === undefined ? {} : { exchange };
    const common = { message, from, phase: this.phase, ...place };
    if ("method" in message && "id" in message) {
      const asked = this.#ask(message, from, exchange);
      return { ...common, kind: "request", version: asked.version, asked, answers: 0, progress: 0 };
    }
    const other: Side = from === "kit" ? "subject" : "kit";
    if ("method" in message) {
      const asked = message.method === "notifications/progress"
        ? this.#tokens[other].get(paramsOf(message).progressToken)
        : undefined;
      const version = versionOf(message) ?? asked?.version ?? this.version;
      return { ...common, kind: "notification", version, ...counts(asked) };
    }
    const { id } = message;
    const asked = (id ?? null) === null
      ? undefined
      : this.#askedWithin(exchange, id) ?? this.#asked[other].get(id);
    return {
      ...common,
      kind: "response",
      version: answerVersion(asked, message),
      ...counts(asked),
    };
  }

  #ask(message: WireObject, from: Side, exchange: object | undefined): Asked {
    const { id, method } = message;
    const own = versionOf(message);
    const proposed = method === "initialize" ? paramsOf(message).protocolVersion : undefined;
    const known = KNOWN_VERSIONS.has(proposed) ? String(proposed) : undefined;
    const asked: Asked = {
      id,
      method: typeof method === "string" ? method : "",
      message,
      version: own ?? known ?? (hasVersion(message) ? undefined : this.#versionOf(from)),
      exchange,
      isRepeated: this.#asked[from].has(id),
      answers: 0,
      isCancelled: false,
      isLasting: false,
      progress: -Infinity,
    };
    this.#asked[from].set(id, asked);
    if (exchange !== undefined) {
      const within = this.#within.get(exchange) ?? [];
      this.#within.set(exchange, [...within, asked]);
    }
    const token = metaOf(message).progressToken;
    if (token !== undefined) this.#tokens[from].set(token, asked);
    return asked;
  }

  /** Version of a request that names none. The kit sends such requests on purpose. */
  #versionOf(from: Side): string | undefined {
    return from === "kit" && this.#version === undefined ? undefined : this.version;
  }

  #askedWithin(exchange: object | undefined, id: unknown): Asked | undefined {
    return exchange === undefined
      ? undefined
      : this.requestsWithin(exchange).find((asked) => asked.id === id);
  }

  #apply(seen: Seen): void {
    const { message, from, kind, asked } = seen;
    if (kind === "response") return this.#answer(seen);
    if (kind === "request") {
      if (from !== this.client || message.method !== "initialize") return;
      this.phase = "asked";
      this.session = undefined;
      this.uninitialized = 0;
      this.#version = undefined;
      const { capabilities } = paramsOf(message);
      this.clientCapabilities = isObject(capabilities) ? capabilities : undefined;
      return;
    }
    if (message.method === "notifications/initialized" && from === this.client) {
      this.phase = "ready";
    } else if (message.method === "notifications/cancelled") {
      const cancelled = this.#asked[from].get(paramsOf(message).requestId);
      if (cancelled !== undefined) cancelled.isCancelled = true;
    } else if (message.method === "notifications/progress" && asked !== undefined) {
      const { progress } = paramsOf(message);
      if (typeof progress === "number") asked.progress = progress;
    }
  }

  #answer({ message, from, asked }: Seen): void {
    if (asked === undefined) return;
    asked.answers++;
    const { result } = message;
    if (!isObject(result)) return;
    asked.isLasting = isObject(result.task) || result.resultType === "task";
    if (from === this.client) return;
    if (asked.version === MODERN) this.#hasModern = true;
    if (asked.method === "server/discover" || asked.method === "initialize") {
      this.serverCapabilities = isObject(result.capabilities) ? result.capabilities : undefined;
    }
    if (asked.method !== "initialize") return;
    this.phase = "answered";
    const { protocolVersion } = result;
    this.#version = KNOWN_VERSIONS.has(protocolVersion) ? String(protocolVersion) : undefined;
    this.#hasModern = false;
  }
}

/** Returns the parameters of a message, or an empty object. */
export function paramsOf({ params }: WireObject): WireObject {
  return isObject(params) ? params : {};
}

/** Returns the `_meta` member of the parameters of a message, or an empty object. */
export function metaOf(message: WireObject): WireObject {
  const { _meta } = paramsOf(message);
  return isObject(_meta) ? _meta : {};
}

/** Returns true if a message names its protocol version, known or not. */
export function hasVersion(message: WireObject): boolean {
  return metaOf(message)[`${META}protocolVersion`] !== undefined;
}

/** Returns the protocol version that a message names, if the kit knows it. */
function versionOf(message: WireObject): string | undefined {
  const version = metaOf(message)[`${META}protocolVersion`];
  return KNOWN_VERSIONS.has(version) ? String(version) : undefined;
}

/** The response to `initialize` has the version that it states. */
function answerVersion(asked: Asked | undefined, { result }: WireObject): string | undefined {
  if (asked?.method !== "initialize") return asked?.version;
  const stated = isObject(result) ? result.protocolVersion : undefined;
  return KNOWN_VERSIONS.has(stated) ? String(stated) : undefined;
}

function counts(asked: Asked | undefined): Pick<Seen, "asked" | "answers" | "progress"> {
  if (asked === undefined) return { answers: 0, progress: -Infinity };
  return { asked, answers: asked.answers, progress: asked.progress };
}
