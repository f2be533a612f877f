import { assertEquals } from "@std/assert";
import { redirectConsole } from "./redirect_console.ts";

Deno.test("redirectConsole() redirects all output to console.error() until it is restored", () => {
  const printed: unknown[][] = [];
  const plain = (..._data: unknown[]): void => void printed.push(["plain"]);
  const target = {
    ...globalThis.console,
    log: plain,
    table: plain,
    error: (...data: unknown[]) => void printed.push(data),
  };
  const restore = redirectConsole(target);
  target.log("a", 1);
  target.info("b");
  target.table([1]);
  target.group("c");
  restore();
  target.log("d");
  assertEquals(printed, [["a", 1], ["b"], [[1]], ["c"], ["plain"]]);
  assertEquals(target.log, plain);
});
