import { assert } from "@std/assert";
import type { RpcMessage } from "../jsonrpc/message.ts";
import type { Frame } from "../jsonrpc/read_frame.ts";
import type { Pipe } from "../jsonrpc/contracts.ts";
import { createPipePair } from "../transport/memory.ts";
import { type Message, messageOf } from "./message.ts";

/** Creates the `_meta` object of a modern request. */
export function meta(capabilities: object = {}, more: object = {}): Record<string, unknown> {
  return {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": capabilities,
    ...more,
  };
}

/** One end of a pipe, controlled by the test. */
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

  /** Receives the next message or batch. Returns an empty array at the end of the pipe. */
  async nextAll(): Promise<readonly Message[]> {
    const { done, value } = await this.#frames.next();
    if (done) return [];
    return (value.kind === "batch" ? value.frames : [value]).map((frame) => {
      assert(frame.kind !== "invalid", `${JSON.stringify(frame)} is not a valid message`);
      return messageOf(frame.message);
    });
  }

  /** Receives the next message. */
  async next(): Promise<Message> {
    const [message, ...others] = await this.nextAll();
    assert(message !== undefined && others.length === 0, "expected exactly one message");
    return message;
  }

  /** Sends a request and returns the next message. */
  async ask(message: unknown): Promise<Message> {
    await this.send(message);
    return await this.next();
  }
}

/** Creates a pipe whose other end is controlled by the test. */
export function handAndPipe(): readonly [Hand, Pipe] {
  const [left, right] = createPipePair();
  return [new Hand(left), right];
}
