// The real @std/assert code from npm, with our own declarations for the part that the tests use.
// @ts-types="./mod.d.ts"
export * from "deno-std/assert/mod.js";
