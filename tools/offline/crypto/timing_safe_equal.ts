// Re-exports the original @std/crypto code from npm, with our own type declarations.
// @ts-types="./timing_safe_equal.d.ts"
export * from "deno-std/crypto/timing_safe_equal.js";
