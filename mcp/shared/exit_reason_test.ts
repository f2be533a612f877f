import { assertEquals } from "@std/assert";
import { exitReason } from "./exit_reason.ts";

/** Test cases: description, standard error output of a failed program, and expected line. */
const ENDS: readonly [what: string, text: string, words: string][] = [
  ["empty output", "", ""],
  ["blank lines", "\n \n", ""],
  ["a line", "listening\nabout to fail\n", "about to fail"],
  ["a line with a Windows line ending", "listening\r\nabout to fail\r\n", "about to fail"],
  ["an indented line", "  about to fail\n", "about to fail"],
  [
    "Deno",
    `error: Uncaught (in promise) Error: no such file
const x = 1; read("/no/such");
             ^
    at Object.read (ext:deno_node/fs.ts:51:3)
    at file:///server.ts:2:17
`,
    "error: Uncaught (in promise) Error: no such file",
  ],
  [
    "Node",
    `node:internal/modules/cjs/loader:1210
  throw err;
  ^

Error: Cannot find module '/server.mjs'
    at Module._load (node:internal/modules/cjs/loader:1038:27) {
  code: 'MODULE_NOT_FOUND',
  requireStack: []
}

Node.js v20.20.2
`,
    "Error: Cannot find module '/server.mjs'",
  ],
  [
    "Node, with a code",
    "TypeError [ERR_INVALID_URL]: Invalid URL\n    at new URL (node:internal/url:797:36)\n",
    "TypeError [ERR_INVALID_URL]: Invalid URL",
  ],
  [
    "Bun",
    `2 | read("/no/such");
    ^
ENOENT: no such file or directory, open '/no/such'
    path: "/no/such",

      at /server.mjs:2:17

Bun v1.4.5 (Linux x64)
`,
    "ENOENT: no such file or directory, open '/no/such'",
  ],
  [
    "Python",
    `Traceback (most recent call last):
  File "server.py", line 1, in <module>
    import nothing
ModuleNotFoundError: No module named 'nothing'
`,
    "ModuleNotFoundError: No module named 'nothing'",
  ],
  [
    "Java",
    `Exception in thread "main" java.lang.RuntimeException: no port
\tat Main.main(Main.java:3)
`,
    'Exception in thread "main" java.lang.RuntimeException: no port',
  ],
  [
    "Go",
    "panic: no port\n\ngoroutine 1 [running]:\nmain.main()\n\t/main.go:4 +0x27\nexit status 2\n",
    "panic: no port",
  ],
  [
    "npx",
    `npm error code E404
npm error 404 Not Found - GET https://registry.npmjs.org/server
npm error 404
npm error 404  The requested resource could not be found.
npm error A complete log of this run can be found in: debug-0.log
`,
    "npm error 404 Not Found - GET https://registry.npmjs.org/server",
  ],
  [
    "an error outside the final lines",
    `error: no cache\n${"working\n".repeat(10)}out of work\n`,
    "out of work",
  ],
];

for (const [what, text, words] of ENDS) {
  Deno.test(`exitReason() returns the most informative line: ${what}`, () => {
    assertEquals(exitReason(text), words);
  });
}
