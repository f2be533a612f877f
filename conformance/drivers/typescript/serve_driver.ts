/**
 * Runs a driver as a program over stdio.
 *
 * @module
 */

import { TextLineStream } from "@std/streams/text-line-stream";
import { type DriverProgram, runDriver } from "./driver_protocol.ts";

/** Runs the driver until the kit sends the bye message, then exits. */
export async function serveDriver(program: DriverProgram): Promise<never> {
  const encoder = new TextEncoder();
  const writer = Deno.stdout.writable.getWriter();
  await runDriver(program, {
    lines: Deno.stdin.readable
      .pipeThrough(new TextDecoderStream())
      .pipeThrough(new TextLineStream()),
    write: (line) => void writer.write(encoder.encode(`${line}\n`)),
  });
  Deno.exit(0);
}
