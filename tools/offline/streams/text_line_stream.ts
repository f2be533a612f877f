// The real @std/streams code from npm, with our declarations.
// @ts-types="./text_line_stream.d.ts"
export * from "deno-std/streams/text_line_stream.js";
