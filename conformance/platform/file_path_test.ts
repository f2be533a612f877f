import { assertEquals } from "@std/assert";
import { toFilePath } from "./file_path.ts";

Deno.test("toFilePath() decodes a file URL, and writes backslashes and no leading slash on Windows", () => {
  const table = [
    ["file:///home/me/my%20server.ts", false, "/home/me/my server.ts"],
    ["file:///C:/my%20tools/server.ts", true, String.raw`C:\my tools\server.ts`],
    ["file://files/share/a.ts", true, String.raw`\\files\share\a.ts`],
  ] as const;
  for (const [url, isWindows, path] of table) assertEquals(toFilePath(url, isWindows), path);
  assertEquals(toFilePath(new URL("file:///a/%C3%A9.ts"), false), "/a/é.ts");
});
