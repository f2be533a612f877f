// Re-exports the original @std/encoding code from npm, with our own type declarations.
// @ts-types="./base58.d.ts"
export * from "deno-std/encoding/base58.js";
