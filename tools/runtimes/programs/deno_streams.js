// The part of `Deno` that our programs use, prepended to the programs for runtimes without `Deno`.
// The names of the imports differ from the names in the programs.
import * as node from "node:process";
import { Readable as Source, Writable as Sink } from "node:stream";

globalThis.Deno ??= {
  stdin: { readable: Source.toWeb(node.stdin) },
  stdout: { writable: Sink.toWeb(node.stdout) },
  exit: (code) => node.exit(code),
};
