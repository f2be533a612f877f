import type { RpcMessage } from "../rpc/message.ts";
import type { Frame } from "../rpc/parse.ts";
import type { Pipe } from "../rpc/transport.ts";
import { createPipePair } from "../transport/memory.ts";

/** The meta that makes a request one of the stateless era. */
export function meta(capabilities: object = {}, more: object = {}): Record<string, unknown> {
  return {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": capabilities,
    ...more,
  };
}

/** One end of a pipe, used by hand. */
export class Hand {
  readonly pipe: Pipe;
  readonly #frames: AsyncIterator<Frame>;

  constructor(pipe: Pipe) {
    this.pipe = pipe;
    this.#frames = pipe.frames[Symbol.asyncIterator]();
  }

  send(message: unknown): Promise<void> {
    return this.pipe.send(message as RpcMessage);
  }

  /** The next message, or what is wrong with it, or undefined at the end. */
  // deno-lint-ignore no-explicit-any
  async next(): Promise<any> {
    const { done, value } = await this.#frames.next();
    if (done) return undefined;
    if (value.kind === "batch") return value.frames;
    return value.kind === "invalid" ? value : value.message;
  }

  /** Sends a request and gives the next message. */
  // deno-lint-ignore no-explicit-any
  async ask(message: unknown): Promise<any> {
    await this.send(message);
    return await this.next();
  }
}

/** A pipe with one end in the hand. */
export function handAndPipe(): readonly [Hand, Pipe] {
  const [left, right] = createPipePair();
  return [new Hand(left), right];
}
