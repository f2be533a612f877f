// The part of `Deno` that our programs use, prepended to the programs for runtimes without `Deno`.
import process from "node:process";
import { Readable, Writable } from "node:stream";

globalThis.Deno ??= {
  stdin: { readable: Readable.toWeb(process.stdin) },
  stdout: { writable: Writable.toWeb(process.stdout) },
  exit: (code) => process.exit(code),
};
