// The real @std/assert code from npm, with our declarations of the part the tests use.
// @ts-types="./mod.d.ts"
export * from "deno-std/assert/mod.js";
