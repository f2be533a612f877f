// Re-exports the original @std/assert code from npm, with our own type declarations for the part that the tests use.
// @ts-types="./mod.d.ts"
export * from "deno-std/assert/mod.js";
