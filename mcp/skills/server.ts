/**
 * Server side of the skills extension.
 *
 * @see {@link https://modelcontextprotocol.io/seps/2640-skills-extension Skills}
 * @module
 */

import type { CacheHint } from "../protocol/modern.ts";
import type { Principal } from "../server/exchange_context.ts";
import type { ServerExtension } from "../server/extension.ts";
import { invalidParams, readCursor, readText } from "../server/params.ts";
import type { ServerRegistration } from "../server/registration.ts";
import { readCache } from "../server/server_config.ts";
import {
  assertCount,
  assertFunction,
  assertObject,
  assertPositiveNumber,
  rejectArgument,
} from "@parley/internal/assert-argument";
import { optionsReader, required, withDefault } from "@parley/internal/options";
import { createErrorReporter } from "@parley/internal/error-reporter";
import { withMethods } from "@parley/internal/option-checks";
import type { JsonObject } from "../shared/json.ts";
import { BoundedFiles } from "./bounded_files.ts";
import { decodeText, mediaTypeOf } from "./file_content.ts";
import {
  listFolders,
  loadCatalog,
  readServedFile,
  type ServedFile,
  type SkillCatalog,
  skillOf,
  toResource,
} from "./skill_catalog.ts";
import {
  DEFAULT_MAX_BYTES,
  DEFAULT_MAX_FILES,
  type SkillEntry,
  SkillMethod,
  type SkillResource,
  SKILLS_EXTENSION,
} from "./skill_entry.ts";
import type { SkillFiles } from "./skill_files.ts";

/** Options for {@linkcode serverSkills}. */
export interface ServerSkillsOptions {
  /**
   * Source of the skill files. Each folder with a `SKILL.md` file is a skill, and its name must
   * match the skill's name. Files outside of skill folders are not served.
   */
  readonly files: SkillFiles;
  /**
   * Folder path that precedes the paths from the source in skill URIs. With the prefix
   * `acme/billing`, the file `refunds/SKILL.md` has the URI
   * `skill://acme/billing/refunds/SKILL.md`. If omitted, the URI is `skill://refunds/SKILL.md`.
   */
  readonly prefix?: string;
  /**
   * Maximum number of files in one skill. A skill with more than `maxFiles` files is reported and
   * omitted. Clients are not required to support more than 512 files.
   *
   * @default {512}
   */
  readonly maxFiles?: number;
  /**
   * Maximum total size of the files in one skill, in bytes. A skill with more than `maxBytes` bytes
   * is reported and omitted. Clients are not required to support skills of more than 16 MiB.
   *
   * @default {16_777_216}
   */
  readonly maxBytes?: number;
  /**
   * Maximum number of files in the source. If the source has more than `maxTotalFiles` files, no
   * skills are loaded.
   *
   * @default {10_000}
   */
  readonly maxTotalFiles?: number;
  /**
   * Timeout for each call to `list` and `read` of the source, in milliseconds. If a call times out
   * while the skills are loaded, no skills are loaded.
   *
   * @default {60_000}
   */
  readonly sourceTimeoutMs?: number;
  /**
   * Maximum number of skills, or of files in a folder, per page of a result.
   *
   * @default {100}
   */
  readonly pageSize?: number;
  /**
   * Caching rules for the lists of skills and files, and for the skill descriptions. If omitted,
   * clients must not cache the lists and descriptions.
   */
  readonly cache?: CacheHint;
  /**
   * Called with one error for each skill that is omitted. If omitted, errors are printed to
   * standard error: each error once, and at most 20 per minute. Pass `() => {}` to ignore errors.
   */
  readonly onError?: (error: unknown) => void;
}

/** Skills extension for a server. */
export interface ServerSkills extends ServerExtension {
  /** Descriptions of the skills that the server serves, sorted by URI. */
  readonly entries: readonly SkillEntry[];
  /**
   * Loads the skills again, for example after files have changed. Clients receive notifications
   * about skills that were added, removed or changed. Until `reload()` is called, the server does
   * not serve files that have changed. If `reload()` throws, the server continues to serve the
   * previous skills.
   *
   * @throws {McpError} With code `core` if the source has too many files or does not respond in
   * time.
   * @throws Any error that the source's `list` function throws.
   */
  reload(): Promise<void>;
}

const PREFIX = /^[A-Za-z0-9_-][A-Za-z0-9._-]*(?:\/[A-Za-z0-9_-][A-Za-z0-9._-]*)*$/;

const readOptions = optionsReader<ServerSkillsOptions>("options")({
  files: required(withMethods("a source of skill files", ["list", "read"])),
  prefix: assertPrefix,
  maxFiles: withDefault(DEFAULT_MAX_FILES, assertCount),
  maxBytes: withDefault(DEFAULT_MAX_BYTES, assertCount),
  maxTotalFiles: withDefault(10_000, assertCount),
  sourceTimeoutMs: withDefault(60_000, assertPositiveNumber),
  pageSize: withDefault(100, assertCount),
  cache: withDefault({ ttlMs: 0, cacheScope: "private" }, assertObject),
  onError: assertFunction,
});

function assertPrefix(name: string, prefix: unknown): void {
  if (typeof prefix === "string" && PREFIX.test(prefix)) return;
  rejectArgument(name, 'one or more names separated by "/"', prefix);
}

/**
 * Loads skills and creates the skills extension for a server. Register the extension with
 * `new McpServer({ extensions: [skills] })`. Create a separate extension for each server.
 *
 * The server serves each file of a skill as a resource. `resources/list` contains only the
 * `SKILL.md` files. A file that has changed since it was loaded is not served. An invalid skill is
 * reported to `onError` and omitted.
 *
 * A skill is visible to a principal if the server's `visible` option returns `true` for the
 * resource of its `SKILL.md` file. The server neither lists a hidden skill nor serves its files,
 * and sends no updates to them. If a visible skill contains a hidden skill, the entry of the
 * visible skill does not list the hidden files.
 *
 * @param options Source, prefix and limits.
 * @throws {TypeError} If `files` has no `list` or `read` function, `prefix` is not one or more
 * names separated by `/`, or `onError` is not a function.
 * @throws {RangeError} If a limit is not a positive integer, or `cache` has an invalid value.
 * @throws {McpError} With code `core` if the source has too many files or does not respond in time.
 * @throws Any error that the source's `list` function throws.
 *
 * @example Serve a skill
 * ```ts
 * import { McpServer } from "@parley/mcp";
 * import { memorySkills, serverSkills } from "@parley/mcp/skills";
 * import { assertEquals } from "@std/assert";
 *
 * const skills = await serverSkills({
 *   files: memorySkills({
 *     "refunds/SKILL.md": "---\nname: refunds\ndescription: Handles refunds\n---\nAsk for the receipt.",
 *   }),
 * });
 * const server = new McpServer({ name: "shop", version: "1.0.0", extensions: [skills] });
 * assertEquals(skills.entries.map(({ uri }) => uri), ["skill://refunds/SKILL.md"]);
 * ```
 */
export async function serverSkills(options: ServerSkillsOptions): Promise<ServerSkills> {
  const skills = new Skills(options);
  await skills.reload();
  return skills;
}

class Skills implements ServerSkills {
  readonly id = SKILLS_EXTENSION;
  readonly open = true;
  readonly settings: JsonObject = { directoryRead: true };
  readonly methods: NonNullable<ServerExtension["methods"]>;
  readonly #boundFiles: () => BoundedFiles;
  readonly #base: string;
  readonly #load: () => Promise<SkillCatalog>;
  #catalog: SkillCatalog = {
    skills: new Map(),
    files: new Map(),
    boundaries: new Set(),
    folders: new Map(),
  };
  /** The skills before the last reload. */
  #previous = this.#catalog;
  #server: ServerRegistration | undefined;
  #lastReload: Promise<void> = Promise.resolve();

  constructor(options: ServerSkillsOptions) {
    const settings = readOptions(options);
    const { files, prefix, maxFiles, maxBytes, maxTotalFiles, pageSize, onError } = settings;
    const { sourceTimeoutMs } = settings;
    const cache = readCache(settings.cache);
    const report = createErrorReporter("serverSkills", onError);
    this.#boundFiles = () => new BoundedFiles(files, sourceTimeoutMs);
    this.#base = toBase(prefix);
    const limits = { maxFiles, maxBytes, maxTotalFiles };
    this.#load = () =>
      loadCatalog(this.#boundFiles(), this.#base, limits, report, this.#catalog.boundaries);
    this.methods = {
      [SkillMethod.List]: (params, { principal }) => {
        const visible = this.entries.filter(({ uri }) => this.#canSee(uri, principal));
        const { items, ...rest } = pageOf(visible, readCursor(params), pageSize);
        const isVisible = this.#visibilityFor(principal);
        return { skills: items.map((entry) => onlyFiles(entry, isVisible)), ...rest, ...cache };
      },
      [SkillMethod.Get]: (params, { principal }) => {
        const uri = readText(params, "uri");
        const skill = this.#catalog.skills.get(uri);
        if (skill === undefined || !this.#canSee(uri, principal)) {
          throw invalidParams(`Skill not found: "${uri}"`, { uri });
        }
        return { skill: onlyFiles(skill, this.#visibilityFor(principal)), ...cache };
      },
      [SkillMethod.ReadDirectory]: (params, { principal }) => {
        const uri = readText(params, "uri");
        const children = this.#foldersFor(principal).get(uri);
        if (children === undefined) throw invalidParams(`Not a directory: "${uri}"`, { uri });
        const { items, ...rest } = pageOf(children, readCursor(params), pageSize);
        return { resources: items, ...rest, ...cache };
      },
    };
  }

  get entries(): readonly SkillEntry[] {
    return [...this.#catalog.skills.values()];
  }

  readonly attach = (server: ServerRegistration): void => {
    if (this.#server !== undefined) {
      throw new TypeError(
        "The skills extension belongs to another server; create one for each server",
      );
    }
    this.#server = server;
    server.registerResourceTemplate(
      { uriTemplate: `${this.#base}{+path}`, name: "Files of skills" },
      (uri, _variables, { principal }) => this.#read(uri, principal),
    );
    for (const entry of this.entries) this.#register(server, entry);
  };

  async reload(): Promise<void> {
    const reload = this.#lastReload.then(async () => this.#replace(await this.#load()));
    // The caller of `reload()` receives the error through the promise that is awaited below.
    this.#lastReload = reload.catch(() => {});
    await reload;
  }

  /**
   * Returns `false` for a file of a hidden skill. A file that was removed is hidden, because its
   * skill may have been hidden.
   */
  readonly canSeeResource = (uri: string, principal: Principal | undefined): boolean => {
    // The server has checked the resources, which are the `SKILL.md` files.
    if (this.#catalog.skills.has(uri)) return true;
    if (!this.#catalog.files.has(uri) && this.#previous.files.has(uri)) return false;
    const skill = skillOf(this.#catalog, uri);
    const isInNoSkill = skill === uri && !this.#catalog.boundaries.has(uri);
    return isInNoSkill || this.#canSee(skill, principal);
  };

  #replace(next: SkillCatalog): void {
    const previous = this.#catalog;
    const server = this.#server;
    // Subscribers of removed files are notified while the server can decide who can see the files.
    for (const uri of previous.files.keys()) {
      if (!next.files.has(uri)) server?.resourceUpdated(uri);
    }
    this.#catalog = next;
    this.#previous = previous;
    if (server === undefined) return;
    for (const [uri, entry] of previous.skills) {
      if (!isSameResource(entry, next.skills.get(uri))) server.removeResource(uri);
    }
    for (const [uri, entry] of next.skills) {
      if (!isSameResource(entry, previous.skills.get(uri))) this.#register(server, entry);
    }
    for (const [uri, { digest }] of next.files) {
      const file = previous.files.get(uri);
      if (file !== undefined && file.digest !== digest) server.resourceUpdated(uri);
    }
  }

  #register(server: ServerRegistration, entry: SkillEntry): void {
    server.registerResource(toResource(entry), (uri, { principal }) => this.#read(uri, principal));
  }

  #canSee(uri: string, principal: Principal | undefined): boolean {
    if (this.#server === undefined) return true;
    const { skills, boundaries } = this.#catalog;
    // The `SKILL.md` file of a skill that is not valid or was removed is not registered.
    return boundaries.has(uri) && !skills.has(uri)
      ? this.#server.registered("resource").canSee(uri, principal)
      : this.#server.canSeeResource(uri, principal);
  }

  /**
   * Returns the children of each folder, without the files of hidden skills and without folders
   * that become empty as a result.
   */
  #foldersFor(principal: Principal | undefined): SkillCatalog["folders"] {
    const { boundaries, files, folders } = this.#catalog;
    if ([...boundaries].every((uri) => this.#canSee(uri, principal))) return folders;
    return listFolders(this.#base, [...files.values()].filter(this.#visibilityFor(principal)));
  }

  /** Returns a function that returns `true` for the files of visible skills. */
  #visibilityFor(
    principal: Principal | undefined,
  ): (file: Pick<ServedFile, "uri">) => boolean {
    const visible = new Map<string, boolean>();
    return ({ uri }) => {
      const skill = skillOf(this.#catalog, uri);
      const isVisible = visible.get(skill) ?? this.#canSee(skill, principal);
      visible.set(skill, isVisible);
      return isVisible;
    };
  }

  async #read(uri: string, principal: Principal | undefined): Promise<unknown> {
    const file = this.#catalog.files.get(uri);
    if (file === undefined || !this.#canSee(skillOf(this.#catalog, uri), principal)) {
      return undefined;
    }
    const bytes = await readServedFile(this.#boundFiles(), file);
    const text = decodeText(bytes);
    const mimeType = mediaTypeOf(file.path);
    return text === undefined ? { uri, mimeType, blob: bytes } : { uri, mimeType, text };
  }
}

function toBase(prefix: string | undefined): string {
  return prefix === undefined ? "skill://" : `skill://${prefix}/`;
}

/** Returns a skill's entry without the files that a principal cannot see. */
function onlyFiles(
  { resources, ...entry }: SkillEntry,
  isVisible: (file: SkillResource) => boolean,
): SkillEntry {
  return { ...entry, resources: resources === "dynamic" ? resources : resources.filter(isVisible) };
}

function isSameResource(a: SkillEntry, b: SkillEntry | undefined): boolean {
  return b !== undefined && JSON.stringify(toResource(a)) === JSON.stringify(toResource(b));
}

/**
 * Returns the page of items after a cursor, which is the URI of the last item on the previous page.
 */
function pageOf<Item extends { readonly uri: string }>(
  all: readonly Item[],
  cursor: string | undefined,
  size: number,
): { readonly items: readonly Item[]; readonly nextCursor?: string } {
  const start = cursor === undefined ? 0 : all.findIndex(({ uri }) => uri === cursor) + 1;
  if (cursor !== undefined && start === 0) {
    throw invalidParams('Invalid params: "cursor" is not a valid cursor');
  }
  const items = all.slice(start, start + size);
  const last = items.at(-1);
  return start + size < all.length && last !== undefined
    ? { items, nextCursor: last.uri }
    : { items };
}
