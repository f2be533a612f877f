// The real @std/streams code from npm, with our own declarations.
// @ts-types="./to_text.d.ts"
export * from "deno-std/streams/to_text.js";
