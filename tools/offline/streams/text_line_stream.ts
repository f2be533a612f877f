// Re-exports the original @std/streams code from npm, with our own type declarations.
// @ts-types="./text_line_stream.d.ts"
export * from "deno-std/streams/text_line_stream.js";
