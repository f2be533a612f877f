import { assertEquals, assertRejects } from "@std/assert";
import { CommError } from "../shared/error.ts";
import { postText } from "./http_fetch.ts";

Deno.test("the error of postText() contains neither the query nor the credentials of the URL", async () => {
  const url = new URL("https://ann:hunter2@bob.example/in?key=secret");
  const { signal } = new AbortController();
  for (
    const [text, expected] of [
      [`cannot fetch ${url.href}`, "cannot fetch https://bob.example/in"],
      ["connect /in?key=secret refused", "connect /in refused"],
      ["invalid query key=secret", "invalid query "],
      ["invalid URL ann:hunter2@bob.example", "invalid URL bob.example"],
      ["invalid password hunter2", "invalid password "],
    ] as const
  ) {
    const error = await assertRejects(
      () => postText(() => Promise.reject(new TypeError(text)), url, { body: "", signal }),
      CommError,
    );
    const start = 'Cannot send message: HTTP request to "https://bob.example/in" failed: ';
    assertEquals(error.message, start + expected);
  }
});

Deno.test("the error of postText() is unchanged for a URL without query and credentials", async () => {
  const url = new URL("https://bob.example/in");
  const { signal } = new AbortController();
  const failing = () => Promise.reject(new TypeError("a: b @ c"));
  const error = await assertRejects(() => postText(failing, url, { body: "", signal }), CommError);
  assertEquals(error.message.endsWith("failed: a: b @ c"), true);
});
