/**
 * `comm` operations on peers, which send and serve requests. The driver acts as the remote end of
 * the peer under test.
 *
 * @module
 */

import {
  AgentCommMessage,
  CommError,
  createSigner,
  formatMessage,
  type JsonValue,
  signMessage,
} from "@parley/comm";
import { createVerifier, ReplayGuard } from "@parley/comm/policy";
import { createPeer, type Peer, type PeerContext, PeerError } from "@parley/comm/requests";
import { type MessageTransport, webSocketTransport } from "@parley/comm/transport";
import { initOf } from "./comm_message.ts";
import { resolvingBy } from "./comm_resolver.ts";
import { FakeWebSocket } from "./fake_websocket.ts";
import {
  BadArgs,
  bytesOf,
  type Fields,
  fieldsOf,
  isFields,
  type Operation,
  pick,
  textOf,
} from "./operation.ts";

/** Implementations of the operations, keyed by operation name. */
export const REQUEST_OPS: Readonly<Record<string, Operation>> = {
  "comm.peer.new": async ({ args, handles }) => {
    const end = await PeerEnd.create(args);
    return { handle: handles.add(end, () => end.peer.close()) };
  },
  "comm.peer.serve": ({ on }) => peerOf(on).serve(),
  "comm.peer.request": ({ on, args, signal }) => peerOf(on).request(args, signal),
  "comm.peer.feed": ({ on, args }) => peerOf(on).feed(args),
  "comm.peer.sent": async ({ on }) => ({ message: await peerOf(on).nextSent() }),
  "comm.peer.calls": ({ on }) => {
    const { calls, aborted, errors, others } = peerOf(on);
    return { calls, aborted, errors, others };
  },
  "comm.peer.release": ({ on, args }) => peerOf(on).release(args.again === true),
  "comm.peer.close": async ({ on }) => await peerOf(on).peer.close(),
};

function peerOf(on: unknown): PeerEnd {
  if (on instanceof PeerEnd) return on;
  throw new BadArgs('"on" must be the handle of a peer');
}

/** Returns the code of a documented error, or `other`. */
function codeOf(error: unknown): string {
  return error instanceof CommError ? error.code : "other";
}

/** WebSocket close codes: closure by the remote end, and loss of the connection. */
const NORMAL = 1000;
const LOST = 1006;

/** A peer and the remote end of its transport. */
class PeerEnd {
  readonly peer: Peer;
  calls = 0;
  aborted = 0;
  /** Codes of the errors that the peer reported. */
  readonly errors: string[] = [];
  /** Payloads of the messages that are neither requests nor replies. */
  readonly others: unknown[] = [];
  readonly #socket: FakeWebSocket;
  readonly #sent: Fields[] = [];
  readonly #waiting: ((message: Fields) => void)[] = [];

  #released: Promise<void> = Promise.resolve();
  #release = (): void => {};

  constructor(create: (end: PeerEnd, socket: FakeWebSocket) => Peer) {
    this.#socket = new FakeWebSocket((frame) => this.#onSent(JSON.parse(textOf(frame, "text"))));
    this.peer = create(this, this.#socket);
  }

  static async create(args: Fields): Promise<PeerEnd> {
    const signer = await createSigner({ seed: bytesOf(args, "seedHex") });
    return new PeerEnd((end, socket) =>
      createPeer({
        signer,
        verifier: createVerifier({
          recipient: signer.did,
          replayGuard: new ReplayGuard(),
          ...resolvingBy(args),
        }),
        transport: end.#slowIf(args.held === true, webSocketTransport(socket)),
        protocol: textOf(args, "protocol"),
        onError: (error) => void end.errors.push(codeOf(error)),
        ...(args.listens === true ? { onMessage: (message) => end.#listen(message) } : {}),
        ...pick(args, "maxPending", "maxServing", "maxServingPerSender", "maxServingBytes"),
        ...pick(args, "maxVerifying", "maxVerifyingBytes"),
        ...pick(args, "maxQueuedUpdates", "maxQueuedUpdateBytes"),
        ...pick(args, "sendTimeoutMs", "closeTimeoutMs"),
      })
    );
  }

  /** Returns a transport whose `send` waits until {@linkcode PeerEnd.release} is called. */
  #slowIf(isSlow: boolean, transport: MessageTransport): MessageTransport {
    if (!isSlow) return transport;
    this.#hold();
    return {
      send: async (message, options) => {
        await this.#released;
        await transport.send(message, options);
      },
      receive: (options) => transport.receive(options),
      close: () => transport.close(),
      [Symbol.asyncIterator]: () => transport[Symbol.asyncIterator](),
      [Symbol.asyncDispose]: () => transport.close(),
    };
  }

  #hold(): void {
    this.#released = new Promise((resolve) => this.#release = resolve);
  }

  /** Lets the transport send. If `again`, the messages that follow wait again. */
  release(again: boolean): void {
    this.#release();
    if (again) this.#hold();
  }

  /**
   * Takes a message that is neither a request nor a reply. The payload can contain the behavior.
   */
  #listen({ payload }: AgentCommMessage): Promise<void> | void {
    this.others.push(payload);
    if (!isFields(payload)) return;
    if (payload.crash === true) throw new Error("the program failed");
    if (payload.wait === true) return this.#released;
  }

  /** Serves requests whose payload specifies the handler's behavior. */
  serve(): Fields {
    this.peer.serve(async ({ payload }, context) => {
      this.calls++;
      return await this.#handle(isFields(payload) ? payload : {}, context);
    });
    return {};
  }

  async #handle(payload: Fields, { update, signal }: PeerContext): Promise<JsonValue> {
    const { updates, together, respond, fail, crash, wait, later } = payload;
    for (const each of Array.isArray(updates) ? updates : []) {
      const sending = update(each);
      if (together !== true) await sending;
    }
    if (isFields(fail)) {
      // Message payloads are JSON, so the cast is safe.
      throw new PeerError(textOf(fail, "code"), textOf(fail, "message"), fail.data as JsonValue);
    }
    if (typeof crash === "string" && (crash !== "once" || this.calls === 1)) throw new Error(crash);
    if (wait === true) await this.#untilAborted(signal);
    if (later !== undefined) setTimeout(() => void update(later as JsonValue).catch(() => {}), 0);
    return (respond ?? null) as JsonValue;
  }

  async #untilAborted(signal: AbortSignal): Promise<void> {
    await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve()));
    this.aborted++;
    throw signal.reason;
  }

  async request(args: Fields, signal: AbortSignal): Promise<Fields> {
    const { payload = null, timeoutMs, maxTotalMs, messageType } = args;
    const updates: JsonValue[] = [];
    const isSlow = args.holdsUpdates === true;
    if (isSlow) this.#hold();
    const response = await this.peer.request(textOf(args, "recipient"), payload as JsonValue, {
      signal,
      onUpdate: (update) => {
        updates.push(update);
        return isSlow ? this.#released : undefined;
      },
      ...(typeof timeoutMs === "number" ? { timeoutMs } : {}),
      ...(typeof maxTotalMs === "number" ? { maxTotalMs } : {}),
      ...(typeof messageType === "string" ? { messageType } : {}),
    });
    return { payload: response, updates };
  }

  /**
   * Delivers a frame to the peer: a string, a signed message, or a message that the driver signs.
   */
  async feed(args: Fields): Promise<Fields> {
    const isMessage = args.message !== undefined || args.signed !== undefined;
    if (!isMessage && typeof args.text !== "string") {
      this.#socket.end(args.fail === true ? LOST : NORMAL);
      return {};
    }
    if (typeof args.text === "string") {
      this.#socket.deliver(args.text);
      return {};
    }
    const message = args.signed === undefined ? await this.#sign(args) : fieldsOf(args, "signed");
    this.#socket.deliver(JSON.stringify({ ...message, ...fieldsOf(args, "change") }));
    if (args.end === true) this.#socket.end(NORMAL);
    return { message };
  }

  async #sign(args: Fields): Promise<Fields> {
    const did = typeof args.did === "string" ? args.did : undefined;
    const signer = await createSigner({
      seed: bytesOf(args, "seedHex"),
      ...(did === undefined ? {} : { did, keyId: `${did}#key` }),
    });
    const message = new AgentCommMessage(
      initOf({ ...fieldsOf(args, "message"), sender: signer.did, recipient: this.peer.did }),
    );
    return JSON.parse(formatMessage(await signMessage(message, signer)));
  }

  #onSent(message: Fields): void {
    const waiting = this.#waiting.shift();
    if (waiting === undefined) this.#sent.push(message);
    else waiting(message);
  }

  async nextSent(): Promise<Fields> {
    return this.#sent.shift() ?? await new Promise((resolve) => this.#waiting.push(resolve));
  }
}
