// Re-exports the original @std/streams code from npm, with our own type declarations.
// @ts-types="./to_text.d.ts"
export * from "deno-std/streams/to_text.js";
