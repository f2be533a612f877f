// Re-exports the original @std/encoding code from npm, with our own type declarations. Only tests and tools import this
// module.
// @ts-types="./hex.d.ts"
export * from "deno-std/encoding/hex.js";
