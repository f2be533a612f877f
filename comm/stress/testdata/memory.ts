/**
 * A program that attacks a transport's queue. The program prints the additional memory that the
 * queue retains, in bytes. The command-line argument selects the attack. Requires
 * `--v8-flags=--expose-gc`.
 *
 * @module
 */

import { formatMessage } from "../../mod.ts";
import { createMessage } from "../../testdata/messages.ts";
import { streamTransport, webSocketTransport } from "../../transport.ts";
import { FakeSocket } from "./fake_socket.ts";

const MEBIBYTE = 1024 * 1024;

/** A valid message whose parsed form takes about twenty times as much memory as its text. */
const HOSTILE = new TextEncoder().encode(
  formatMessage(createMessage(1, [])).replace("[]", `[${"{},".repeat(MEBIBYTE / 3 - 200)}{}]`),
);

const ATTACKS: ReadonlyMap<string, () => Promise<unknown>> = new Map<
  string,
  () => Promise<unknown>
>([
  ["84 MiB of WebSocket frames to a busy handler", () => {
    const socket = new FakeSocket();
    const transport = webSocketTransport(socket);
    // Decoding creates a new string for each frame.
    for (let frame = 0; frame < 84; frame++) socket.deliver(new TextDecoder().decode(HOSTILE));
    return Promise.resolve([transport, socket]);
  }],
  ["84 MiB of lines to a busy handler", async () => {
    const lines = new TransformStream<Uint8Array, Uint8Array>();
    const { writable } = new TransformStream<Uint8Array, Uint8Array>();
    const transport = streamTransport({ readable: lines.readable, writable });
    const writer = lines.writable.getWriter();
    const line = new Uint8Array([...HOSTILE, 0x0a]);
    const written = Array.from({ length: 84 }, () => writer.write(line));
    await settle();
    return [transport, written];
  }],
  ["a WebSocket peer that never reads", async () => {
    const socket = new FakeSocket();
    const transport = webSocketTransport(socket, { overflow: "error" });
    socket.bufferedAmount = Infinity;
    let code = "";
    for (let id = 0; id < 1000 && code === ""; id++) {
      await transport.send(createMessage(id, `${id}`.padEnd(MEBIBYTE / 2, "x")))
        .catch((error) => code = error.code);
    }
    if (code !== "capacity_exceeded") throw new Error(`expected a full queue, got ${code}`);
    return [transport, socket];
  }],
]);

/** Runs the event loop until the transport stops reading and waits for the handler. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 200; turn++) await new Promise((resolve) => setTimeout(resolve, 0));
}

function measure(): number {
  const { gc } = globalThis as { readonly gc?: () => void };
  gc?.();
  const { heapUsed, external } = Deno.memoryUsage();
  return heapUsed + external;
}

const attack = ATTACKS.get(Deno.args[0] ?? "");
if (attack === undefined) throw new TypeError(`unknown attack "${Deno.args[0]}"`);
const before = measure();
const retained = await attack();
console.log(measure() - before);
Deno.exit(retained === undefined ? 1 : 0);
