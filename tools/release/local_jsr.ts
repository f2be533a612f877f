/**
 * An in-memory JSR registry on loopback. The registry implements the parts of jsr.io that
 * `deno publish` and `deno add` use so that a release can be checked without network access.
 *
 * @module
 */

import { ToolError } from "../cli.ts";

/** A file in a package. */
export interface PackageFile {
  /** Path relative to the package root, with a leading slash. */
  readonly path: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/** A published version of a package. */
export interface PublishedPackage {
  readonly scope: string;
  readonly name: string;
  readonly version: string;
  readonly files: readonly PackageFile[];
}

const BLOCK = 512;
const API = /^\/api\/scopes\/([^/]+)\/packages\/([^/]+)(?:\/versions\/([^/]+))?$/;
const META = /^\/@([^/]+)\/([^/]+)\/(?:([^/]+)_)?meta\.json$/;
const FILE = /^\/@([^/]+)\/([^/]+)\/([^/]+)(\/.+)$/;

/** A running registry. `url` is the value to set for `JSR_URL`. */
export class JsrRegistry {
  readonly #packages: PublishedPackage[] = [];
  readonly #server: Deno.HttpServer<Deno.NetAddr>;

  constructor() {
    const options = { hostname: "127.0.0.1", port: 0, onListen: () => {} };
    this.#server = Deno.serve(options, (request) => this.#answer(request));
  }

  get url(): string {
    return `http://127.0.0.1:${this.#server.addr.port}/`;
  }

  /** Published packages. */
  get packages(): readonly PublishedPackage[] {
    return this.#packages;
  }

  /** Adds a version as if it had been published. */
  add(published: PublishedPackage): void {
    if (this.#find(published.scope, published.name, published.version)) {
      throw new ToolError(`Cannot add @${published.scope}/${published.name}: it already exists`);
    }
    this.#packages.push(published);
  }

  async close(): Promise<void> {
    await this.#server.shutdown();
  }

  async #answer(request: Request): Promise<Response> {
    const path = decodeURIComponent(new URL(request.url).pathname);
    const [isApi, scope = "", name = "", version] = API.exec(path) ?? [];
    if (isApi !== undefined && version === undefined) return Response.json({ scope, name });
    if (isApi !== undefined && request.method === "POST") {
      this.add({ scope, name, version: version ?? "", files: await readUpload(request) });
      return Response.json({ id: crypto.randomUUID(), status: "success", error: null });
    }
    if (isApi !== undefined && this.#find(scope, name, version)) return Response.json({ version });
    return await this.#serveFile(path) ?? Response.json({ code: "notFound" }, { status: 404 });
  }

  async #serveFile(path: string): Promise<Response | undefined> {
    const [isMeta, scope = "", name = "", version] = META.exec(path) ?? [];
    if (isMeta !== undefined) return await this.#serveMeta(scope, name, version);
    const [, fileScope = "", fileName = "", fileVersion, file] = FILE.exec(path) ?? [];
    const found = this.#find(fileScope, fileName, fileVersion)?.files
      .find((candidate) => candidate.path === file);
    if (found === undefined) return undefined;
    return new Response(found.bytes, { headers: { "content-type": mediaType(found.path) } });
  }

  async #serveMeta(
    scope: string,
    name: string,
    version: string | undefined,
  ): Promise<Response | undefined> {
    if (version !== undefined) {
      const found = this.#find(scope, name, version);
      return found === undefined ? undefined : Response.json(await describe(found));
    }
    const versions = this.#packages
      .filter((candidate) => candidate.scope === scope && candidate.name === name)
      .map((candidate) => candidate.version);
    if (versions.length === 0) return undefined;
    return Response.json({
      scope,
      name,
      latest: versions.at(-1),
      versions: Object.fromEntries(versions.map((each) => [each, {}])),
    });
  }

  #find(scope: string, name: string, version: string | undefined): PublishedPackage | undefined {
    return this.#packages.find((candidate) =>
      candidate.scope === scope && candidate.name === name && candidate.version === version
    );
  }
}

/** Reads the regular files in a tar archive (ustar, with GNU and pax long names). */
export function readTar(tar: Uint8Array<ArrayBuffer>): PackageFile[] {
  const files: PackageFile[] = [];
  let longName: string | undefined;
  for (let at = 0; at + BLOCK <= tar.length && tar[at] !== 0;) {
    const header = tar.subarray(at, at + BLOCK);
    const size = parseInt(readText(header, 124, 12).trim() || "0", 8);
    const bytes = tar.slice(at + BLOCK, at + BLOCK + size);
    at += BLOCK + Math.ceil(size / BLOCK) * BLOCK;
    const type = readText(header, 156, 1) || "0";
    if (type === "L") longName = readText(bytes, 0, size);
    if (type === "x") longName = /\d+ path=(.*)\n/.exec(readText(bytes, 0, size))?.[1];
    if (type !== "0") continue;
    const prefix = readText(header, 345, 155);
    const name = longName ?? (prefix === "" ? "" : `${prefix}/`) + readText(header, 0, 100);
    files.push({ path: `/${name.replace(/^\.?\//, "")}`, bytes });
    longName = undefined;
  }
  return files;
}

function readText(bytes: Uint8Array, start: number, length: number): string {
  return new TextDecoder().decode(bytes.subarray(start, start + length)).replace(/\0.*$/s, "");
}

async function readUpload(request: Request): Promise<PackageFile[]> {
  const bytes = await request.bytes();
  const unzipped = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return readTar(await new Response(unzipped).bytes());
}

/**
 * Returns the files with their checksums and the entry points, as JSR derives them from an upload.
 */
async function describe({ name, files }: PublishedPackage): Promise<Record<string, unknown>> {
  const config = files.find(({ path }) => path === "/deno.json");
  if (config === undefined) throw new ToolError(`Cannot serve ${name}: deno.json is missing`);
  const { exports } = JSON.parse(new TextDecoder().decode(config.bytes));
  const manifest = await Promise.all(files.map(async ({ path, bytes }) => {
    const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
    return [path, { size: bytes.length, checksum: `sha256-${digest.toHex()}` }];
  }));
  return {
    manifest: Object.fromEntries(manifest),
    exports: typeof exports === "string" ? { ".": exports } : exports,
  };
}

function mediaType(path: string): string {
  if (path.endsWith(".json")) return "application/json";
  return path.endsWith(".ts") ? "text/typescript" : "text/plain";
}
