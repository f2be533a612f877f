import { assertEquals } from "@std/assert";
import { inheritedEnv } from "./inherited_env.ts";

const ENV = {
  HOME: "/home/ada",
  APPDATA: "C:\\Ada",
  NO_PROXY: "",
  PATH: undefined,
  API_KEY: "secret",
};

Deno.test("inheritedEnv() returns the variables of the platform and of the network", () => {
  assertEquals(inheritedEnv(ENV, "linux"), { HOME: "/home/ada", NO_PROXY: "" });
  assertEquals(inheritedEnv(ENV, "win32"), { APPDATA: "C:\\Ada", NO_PROXY: "" });
});

Deno.test("inheritedEnv() omits exported shell functions", () => {
  assertEquals(inheritedEnv({ SHELL: "() { :; }", TERM: "(x)" }, "linux"), { TERM: "(x)" });
});
