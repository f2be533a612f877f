/**
 * An npm registry on loopback: Verdaccio in a temporary folder. npm publishes packages to the
 * registry, and npm, Deno and Bun install packages from the registry.
 *
 * @module
 */

import { run, ToolError } from "../cli.ts";

const VERDACCIO = "verdaccio@6.10.4";

/**
 * Settings of the project in which npm installs Verdaccio. A dependency of Verdaccio selects
 * `node-fetch` by the tag `cjs`, which not every npm mirror serves.
 */
const PROJECT = { private: true, type: "module", overrides: { "node-fetch": "^2.7.0" } };

/**
 * The program that runs Verdaccio. Publishing packages in the scope `@parley` requires no account.
 * Package managers download packages outside this scope from the public registry. The program
 * prints the port, and exits when standard input ends, so the registry does not survive the process
 * that started it.
 */
const PROGRAM = `import { runServer } from "verdaccio";

const registry = await runServer({
  self_path: import.meta.dirname,
  storage: import.meta.dirname + "/storage",
  uplinks: {},
  packages: { "@parley/*": { access: "$all", publish: "$all" } },
  log: { type: "file", path: import.meta.dirname + "/registry.log", level: "warn" },
  web: { enable: false },
});
registry.listen(0, "127.0.0.1", () => console.log("port " + registry.address().port));
process.stdin.on("end", () => process.exit()).resume();
`;

/** A running registry. */
export interface NpmRegistry {
  /**
   * Content of an `.npmrc` file for projects that use the registry. npm does not publish without a
   * token; the registry accepts any token.
   */
  readonly npmrc: string;
  /** Stops the registry. */
  close(): Promise<void>;
}

/**
 * Installs and starts a registry.
 *
 * @param dir New folder for the program and the published packages.
 * @param node Path to Node.js 22 or later.
 * @throws {ToolError} If the registry cannot be installed or started.
 */
export async function startNpmRegistry(dir: string, node: string): Promise<NpmRegistry> {
  await Deno.mkdir(dir);
  await Deno.writeTextFile(`${dir}/package.json`, JSON.stringify(PROJECT));
  await Deno.writeTextFile(`${dir}/main.js`, PROGRAM);
  const quiet = ["--silent", "--no-audit", "--no-fund", "--prefer-offline"];
  await run("npm", ["install", ...quiet, VERDACCIO], { cwd: dir });
  const server = new Deno.Command(node, {
    args: ["--no-deprecation", "main.js"],
    cwd: dir,
    stdin: "piped",
    stdout: "piped",
  }).spawn();
  const host = `//127.0.0.1:${await readPort(server)}/`;
  return {
    npmrc: `@parley:registry=http:${host}\n${host}:_authToken=loopback\n`,
    async close() {
      await server.stdin.close();
      await server.status;
    },
  };
}

/** Reads the port, which is all that the program writes to standard output. */
async function readPort({ stdout }: Deno.ChildProcess): Promise<number> {
  let text = "";
  for await (const chunk of stdout.pipeThrough(new TextDecoderStream())) {
    text += chunk;
    const port = /^port (\d+)\n/.exec(text)?.[1];
    if (port !== undefined) return Number(port);
  }
  throw new ToolError(`Cannot start ${VERDACCIO}: ${text}`);
}
