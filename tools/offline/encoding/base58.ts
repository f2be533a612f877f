// The real @std/encoding code from npm, with our own declarations.
// @ts-types="./base58.d.ts"
export * from "deno-std/encoding/base58.js";
