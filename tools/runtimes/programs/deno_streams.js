// What our programs use of `Deno`, for runtimes without it; it is put before them.
import process from "node:process";
import { Readable, Writable } from "node:stream";

globalThis.Deno ??= {
  stdin: { readable: Readable.toWeb(process.stdin) },
  stdout: { writable: Writable.toWeb(process.stdout) },
  exit: (code) => process.exit(code),
};
