/**
 * The kit's driver for our libraries on platforms without standard input. The driver connects to
 * the check program over a WebSocket, and each WebSocket message is one line.
 *
 * @module
 */

import { runDriver } from "../../../conformance/drivers/typescript/driver_protocol.ts";
import { createProgram } from "../../../conformance/drivers/typescript/create_program.ts";

/** Exchanges messages with the kit over a WebSocket until either side closes the connection. */
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
