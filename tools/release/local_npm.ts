/**
 * A registry of npm packages on loopback, from which npm, Deno and Bun install packages that are not on npm yet.
 *
 * @module
 */

import { createHash } from "node:crypto";

/** Scope of the packages. Package managers ask the public registry for all other packages. */
const SCOPE = "@parley";

/** A package in the registry. */
export interface NpmPackage {
  /** Contents of its package.json file. */
  readonly manifest: { readonly name: string; readonly version: string };
  /** The result of `npm pack`. */
  readonly tarball: Uint8Array<ArrayBuffer>;
}

/** The registry. */
export class NpmRegistry {
  readonly #server: Deno.HttpServer<Deno.NetAddr>;
  readonly #answers = new Map<string, string | Uint8Array<ArrayBuffer>>();

  /** Starts the registry on a free port. */
  constructor() {
    const options = { hostname: "127.0.0.1", port: 0, onListen: () => {} };
    this.#server = Deno.serve(options, ({ url }) => {
      const found = this.#answers.get(decodeURIComponent(new URL(url).pathname));
      return found === undefined ? new Response(null, { status: 404 }) : new Response(found);
    });
  }

  /** Content of an `.npmrc` file for projects that install from the registry. */
  get npmrc(): string {
    return `${SCOPE}:registry=${this.#url}\n`;
  }

  get #url(): string {
    return `http://127.0.0.1:${this.#server.addr.port}/`;
  }

  /** Adds a package. */
  add({ manifest, tarball }: NpmPackage): void {
    const { name, version } = manifest;
    const path = `/${name}/-/${version}.tgz`;
    const dist = {
      tarball: new URL(path, this.#url).href,
      integrity: `sha512-${createHash("sha512").update(tarball).digest("base64")}`,
    };
    const versions = { [version]: { ...manifest, dist } };
    this.#answers.set(path, tarball);
    this.#answers.set(
      `/${name}`,
      JSON.stringify({ name, "dist-tags": { latest: version }, versions }),
    );
  }

  /** Stops the registry. */
  async close(): Promise<void> {
    await this.#server.shutdown();
  }
}
