import { assertEquals } from "@std/assert";
import { ROOT } from "../members.ts";
import { createApiMenu, GUIDE_MENU, listLinks, NOT_ON_SITE } from "./navigation.ts";

/** Pages that are linked from the home page and the reference, but do not appear in a menu. */
const WITHOUT_MENU = ["/"];

async function* listPages(folder = ""): AsyncGenerator<string> {
  for await (const { name, isDirectory } of Deno.readDir(new URL(`docs/${folder}`, ROOT))) {
    const path = `${folder}${name}`;
    if (NOT_ON_SITE.includes(path) || NOT_ON_SITE.includes(`${path}/**`)) continue;
    if (path === "api" || name.startsWith(".")) continue;
    if (isDirectory) yield* listPages(`${path}/`);
    else if (name.endsWith(".md")) yield `/${path.replace(/(?:(?<=^|\/)index)?\.md$/, "")}`;
  }
}

Deno.test("every page of the site is in the menu, and every entry of the menu is a page", async () => {
  const pages = await Array.fromAsync(listPages());
  const links = [...listLinks(GUIDE_MENU), ...WITHOUT_MENU];
  assertEquals(links.toSorted(), pages.toSorted());
});

Deno.test("createApiMenu() has one entry for each entry point", () => {
  const menu = createApiMenu([{
    folder: "mcp",
    name: "@parley/mcp",
    exports: [[".", "mod.ts"], ["./auth/loopback", "auth/loopback.ts"]],
  }]);
  assertEquals(menu, [{
    text: "@parley/mcp",
    items: [
      { text: "@parley/mcp", link: "/api/mcp/mod/" },
      { text: "@parley/mcp/auth/loopback", link: "/api/mcp/auth/loopback/" },
    ],
  }]);
});
