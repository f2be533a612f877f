// The real @std/crypto code from npm, with our own declarations.
// @ts-types="./timing_safe_equal.d.ts"
export * from "deno-std/crypto/timing_safe_equal.js";
