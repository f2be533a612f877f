/**
 * The kit acting as the server for a client under test, connected through a relay that the client
 * starts.
 *
 * @module
 */

import { type JsonObject, type JsonValue, readJson } from "../kit/json.ts";
import { type Connection, listenTcp } from "../platform/net.ts";
import { randomToken } from "../platform/crypto.ts";
import { ByteLineSplitter, decodeLine } from "./lines.ts";
import type { RpcWire } from "./rpc_connection.ts";
import type { LineWatcher } from "./wire_watcher.ts";

/** A test server for one client. */
export interface TestServer extends RpcWire {
  /** Transport configuration that a driver passes to its client. */
  readonly address: JsonObject;
  /** Resolves when the client has closed its connection. */
  readonly closed: Promise<void>;
  /** Called with each message from the client, or with the text of a malformed message. */
  onMessage: (value: unknown) => void;
  /** Closes the sending side, as a server does when it exits. */
  closeInput(): void;
  /** Stops the server and closes all connections. */
  close(): Promise<void>;
}

/** Maximum length of a line from the client, in bytes. */
const MAX_LINE_BYTES = 8 * 1024 * 1024;
/** Pause after each chunk, in milliseconds. */
const PIECE_MS = 5;

/**
 * Listens for a relay (`parley-kit peer`), which the client starts in place of a server.
 *
 * @param relay Program and arguments of the relay, without port and token.
 * @param watch Returns the watcher of a new connection.
 */
export async function startRelayTestServer(
  relay: readonly string[],
  watch?: () => LineWatcher,
): Promise<TestServer> {
  const token = randomToken();
  const peer = new RelayTestServer(token, watch);
  const { port, close } = await listenTcp((connection) => peer.accept(connection));
  const [command = "", ...args] = [...relay, "--port", String(port), "--token", token];
  peer.address = { type: "stdio", command, args };
  peer.stopListening = close;
  return peer;
}

class RelayTestServer implements TestServer {
  address: JsonObject = {};
  stopListening: () => Promise<void> = () => Promise.resolve();
  onMessage: (value: unknown) => void = () => {};
  readonly closed: Promise<void>;
  readonly #token: string;
  readonly #watch: (() => LineWatcher) | undefined;
  readonly #waiting: (string | Uint8Array)[] = [];
  /** All connections, including those that have not presented the token yet. */
  readonly #accepted: Set<Connection> = new Set();
  #connection: Connection | undefined;
  #watcher: LineWatcher | undefined;
  #hasEnded = false;
  #isClosed = false;
  #settle: () => void = () => {};

  constructor(token: string, watch?: () => LineWatcher) {
    this.#token = token;
    this.#watch = watch;
    this.closed = new Promise((resolve) => this.#settle = resolve);
  }

  /**
   * Accepts a connection that presents the token. A later connection replaces an earlier one,
   * because a client can restart its server.
   */
  accept(connection: Connection): void {
    if (this.#isClosed) return connection.destroy();
    this.#accepted.add(connection);
    let isKnown = false;
    const lines = new ByteLineSplitter({
      line: (bytes) => {
        if (isKnown && this.#connection === connection) this.#watcher?.received(bytes);
        const line = decodeLine(bytes);
        if (isKnown) return this.onMessage(readJson(line)?.value ?? line);
        isKnown = line === this.#token;
        if (isKnown) this.#open(connection);
        else connection.destroy();
      },
      overflow: () => connection.destroy(),
    }, MAX_LINE_BYTES);
    connection.read((chunk) => lines.push(chunk));
  }

  send(message: JsonValue): void {
    this.#write(`${JSON.stringify(message)}\n`);
  }

  sendText(line: string): void {
    this.#write(`${line}\n`);
  }

  async sendBytes(bytes: Uint8Array, chunks: readonly number[]): Promise<void> {
    let at = 0;
    for (const size of [...chunks, bytes.length]) {
      if (at >= bytes.length) return;
      this.#write(bytes.subarray(at, at + size));
      at += size;
      // Without this pause, the relay can join consecutive writes into one chunk.
      await new Promise((resolve) => setTimeout(resolve, PIECE_MS));
    }
  }

  closeInput(): void {
    this.#hasEnded = true;
    this.#watcher?.ended();
    this.#connection?.end();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    for (const connection of this.#accepted) connection.destroy();
    await this.stopListening();
  }

  #open(connection: Connection): void {
    this.#connection = connection;
    this.#watcher = this.#watch?.();
    connection.closed.then(() => {
      if (this.#connection === connection) this.#settle();
    });
    for (const data of this.#waiting.splice(0)) this.#send(connection, data);
    if (this.#hasEnded) connection.end();
  }

  #write(data: string | Uint8Array): void {
    if (this.#connection === undefined) this.#waiting.push(data);
    else this.#send(this.#connection, data);
  }

  #send(connection: Connection, data: string | Uint8Array): void {
    this.#watcher?.sent(data);
    connection.write(data);
  }
}
