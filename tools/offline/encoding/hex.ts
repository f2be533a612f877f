// The real @std/encoding code from npm, with our own declarations. For tests and tools only: it needs Node 22.
// @ts-types="./hex.d.ts"
export * from "deno-std/encoding/hex.js";
