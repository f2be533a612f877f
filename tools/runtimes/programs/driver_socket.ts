/**
 * The kit's driver of our libraries on platforms without standard input: it calls the check, and each message is a line.
 *
 * @module
 */

import { runDriver } from "../../../conformance/drivers/typescript/driver_protocol.ts";
import { createProgram } from "../../../conformance/drivers/typescript/create_program.ts";

/** Talks with the kit at the other end of a WebSocket until either says good-bye. */
export async function drive(address: string): Promise<void> {
  const socket = new WebSocket(address);
  try {
    await runDriver(createProgram(), {
      lines: readLines(socket),
      write: (line) => socket.send(line),
    });
  } finally {
    socket.close();
  }
}

function readLines(socket: WebSocket): ReadableStream<string> {
  let isRead = true;
  return new ReadableStream({
    start(controller): void {
      socket.addEventListener("message", ({ data }) => controller.enqueue(String(data)));
      socket.addEventListener("close", () => isRead && controller.close(), { once: true });
    },
    cancel(): void {
      isRead = false;
    },
  });
}
