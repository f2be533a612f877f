// The real @std/streams code from npm, with our own declarations.
// @ts-types="./text_line_stream.d.ts"
export * from "deno-std/streams/text_line_stream.js";
