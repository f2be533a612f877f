/**
 * Skills that a server has loaded from a source: entries, files and folders.
 *
 * @module
 */

import type { McpResource } from "../protocol/resource.ts";
import { McpError } from "../shared/error.ts";
import { isRecord } from "@parley/internal/json";
import { parseFrontmatter, type SkillFrontmatter } from "./frontmatter.ts";
import { decodeText, mediaTypeOf } from "./file_content.ts";
import {
  assertEntry,
  digestOf,
  isPlainSegment,
  SKILL_FILE,
  type SkillEntry,
  type SkillLimits,
  type SkillResource,
} from "./skill_entry.ts";
import type { BoundedFiles } from "./bounded_files.ts";
import type { SkillFiles } from "./skill_files.ts";
import { escapeText } from "@parley/internal/escape-text";
import { quote } from "@parley/internal/format-value";

/** Limits for a catalog. */
export interface CatalogLimits extends SkillLimits {
  /** Maximum number of files in the source. */
  readonly maxTotalFiles: number;
}

/** A file that the server serves. */
export interface ServedFile extends SkillResource {
  /** Path in the source. */
  readonly path: string;
}

/** Skills that a server serves. */
export interface SkillCatalog {
  /** Entries, keyed by the URI of the `SKILL.md` file and sorted by URI. */
  readonly skills: ReadonlyMap<string, SkillEntry>;
  /**
   * URIs of the `SKILL.md` files of all folders that have or had such a file, even if it is not
   * valid. Who can see the files of a folder does not change while its skill is being edited.
   */
  readonly boundaries: ReadonlySet<string>;
  /** Files of all skills, keyed by URI. */
  readonly files: ReadonlyMap<string, ServedFile>;
  /** Files and folders in each folder, keyed by folder URI. */
  readonly folders: ReadonlyMap<string, readonly McpResource[]>;
}

/** A file whose content has been read. */
interface LoadedFile {
  readonly file: ServedFile;
  /** The frontmatter of a `SKILL.md` file, or the reason why it is not valid. */
  readonly frontmatter?: SkillFrontmatter | TypeError;
}

/** Maximum length of a path in a source. */
const MAX_PATH_CHARS = 1024;

/** Media type of a folder. */
const FOLDER_TYPE = "inode/directory";

/**
 * Reads all skills from a source. An invalid skill is reported and omitted.
 *
 * @param source Source of the files.
 * @param base URI prefix for the paths from the source, such as `skill://acme/`.
 * @param limits Limits for the source and for each skill.
 * @param report Receives one error for each skill that is omitted.
 * @param previous Boundaries of the previous catalog. The oldest boundaries without files are
 * dropped if there are more than `maxTotalFiles`.
 * @throws {McpError} With code `core` if the source has too many files or does not respond in time.
 * @throws Any error that the source's `list` function throws.
 */
export async function loadCatalog(
  source: BoundedFiles,
  base: string,
  limits: CatalogLimits,
  report: (error: unknown) => void,
  previous: ReadonlySet<string> = new Set(),
): Promise<SkillCatalog> {
  const paths = await listPaths(source, limits);
  const loader = new FileLoader(source, base);
  const skills = new Map<string, SkillEntry>();
  const files = new Map<string, ServedFile>();
  for (const [folder, members] of groupBySkill(paths)) {
    try {
      const { entry, served } = await loadSkill(loader, folder, members, limits);
      skills.set(entry.uri, entry);
      for (const file of served) files.set(file.uri, file);
    } catch (cause) {
      // The files of the other skills are in the same source.
      if (source.hasTimedOut) throw cause;
      const reason = cause instanceof Error ? cause.message : String(cause);
      const text = `Cannot serve the skill in "${folder}": ${reason}`;
      report(new Error(escapeText(text), { cause }));
    }
  }
  return {
    skills,
    files,
    boundaries: boundariesOf(paths, loader, { previous, files, limits }),
    folders: listFolders(base, files.values()),
  };
}

function boundariesOf(
  paths: readonly string[],
  loader: FileLoader,
  { previous, files, limits: { maxTotalFiles } }: {
    readonly previous: ReadonlySet<string>;
    readonly files: ReadonlyMap<string, ServedFile>;
    readonly limits: CatalogLimits;
  },
): ReadonlySet<string> {
  const current = paths.filter((path) => nameOf(path) === SKILL_FILE)
    .flatMap((path) => loader.findUri(path) ?? []);
  const folders = new Set([...files.keys()].flatMap(foldersAbove));
  const isUsed = (uri: string): boolean => folders.has(uri.slice(0, -SKILL_FILE.length - 1));
  const isCurrent = new Set(current);
  const former = [...previous].filter((uri) => !isCurrent.has(uri));
  const unused = former.filter((uri) => !isUsed(uri)).slice(-maxTotalFiles);
  return new Set([...unused, ...former.filter(isUsed), ...current]);
}

/**
 * Reads a file that a catalog contains.
 *
 * @throws {Error} If the file has changed since it was cataloged.
 */
export async function readServedFile(
  source: SkillFiles,
  { path, size, digest }: ServedFile,
): Promise<Uint8Array<ArrayBuffer>> {
  const bytes = new Uint8Array(await source.read(path));
  if (bytes.length === size && await digestOf(bytes) === digest) return bytes;
  throw new Error(
    `The file ${quote(path)} has changed since the skills were loaded; call reload()`,
  );
}

async function listPaths(
  source: SkillFiles,
  { maxTotalFiles }: CatalogLimits,
): Promise<readonly string[]> {
  const paths = await source.list();
  if (paths.length <= maxTotalFiles) return [...new Set(paths)].toSorted();
  throw McpError.core(
    `the source has ${paths.length} files, more than "maxTotalFiles" (${maxTotalFiles})`,
  );
}

/**
 * Returns the files of each skill, keyed by the skill's folder. The files of a nested skill belong
 * to both skills.
 */
function groupBySkill(paths: readonly string[]): ReadonlyMap<string, readonly string[]> {
  const skills = new Map<string, string[]>();
  for (const path of paths) {
    if (path === SKILL_FILE) skills.set("", []);
    else if (path.endsWith(`/${SKILL_FILE}`)) skills.set(path.slice(0, -SKILL_FILE.length - 1), []);
  }
  for (const path of paths) {
    for (const folder of foldersAbove(path)) skills.get(folder)?.push(path);
  }
  return skills;
}

/** Returns the folders that contain a path, from the innermost to the outermost. */
function foldersAbove(path: string): readonly string[] {
  const folders: string[] = [];
  for (let end = path.lastIndexOf("/"); end > 0; end = path.lastIndexOf("/", end - 1)) {
    folders.push(path.slice(0, end));
  }
  return folders;
}

async function loadSkill(
  loader: FileLoader,
  folder: string,
  paths: readonly string[],
  limits: SkillLimits,
): Promise<{ readonly entry: SkillEntry; readonly served: readonly ServedFile[] }> {
  if (folder === "") {
    throw new TypeError(`"${SKILL_FILE}" must be in a folder named after the skill`);
  }
  if (paths.length > limits.maxFiles) {
    throw new RangeError(
      `the skill has ${paths.length} files, more than "maxFiles" (${limits.maxFiles})`,
    );
  }
  const served: ServedFile[] = [];
  let total = 0;
  let frontmatter: LoadedFile["frontmatter"];
  for (const path of paths) {
    const loaded = await loader.load(path);
    served.push(loaded.file);
    total += loaded.file.size;
    if (total > limits.maxBytes) {
      throw new RangeError(`the skill has more than "maxBytes" (${limits.maxBytes}) bytes`);
    }
    if (path === `${folder}/${SKILL_FILE}`) frontmatter = loaded.frontmatter;
  }
  if (frontmatter instanceof TypeError) throw frontmatter;
  assertMetadata(frontmatter?.metadata);
  const resources = served.map(({ uri, digest, size }) => ({ uri, digest, size }));
  const uri = loader.uriOf(`${folder}/${SKILL_FILE}`);
  const entry: unknown = { uri, frontmatter, resources };
  assertEntry(entry, limits);
  return { entry, served };
}

/**
 * Checks the `metadata` field of the frontmatter. Some clients reject a skill whose `metadata`
 * field violates the Agent Skills specification.
 *
 * @throws {TypeError} If the field is present but does not map strings to strings.
 */
function assertMetadata(metadata: unknown): void {
  if (metadata === undefined) return;
  const isValid = isRecord(metadata) &&
    Object.values(metadata).every((value) => typeof value === "string");
  if (!isValid) throw new TypeError('"metadata" in the frontmatter must map strings to strings');
}

/**
 * Reads each file once, even if it belongs to several skills, and stores the file's digest instead
 * of its content.
 */
class FileLoader {
  readonly #source: SkillFiles;
  readonly #base: string;
  readonly #loaded = new Map<string, LoadedFile>();

  constructor(source: SkillFiles, base: string) {
    this.#source = source;
    this.#base = base;
  }

  /** @throws {TypeError} If a path is not a plain relative path. */
  uriOf(path: string): string {
    const segments = path.split("/");
    if (path.length > MAX_PATH_CHARS || !segments.every(isPlainSegment) || !path.isWellFormed()) {
      throw new TypeError(
        `${quote(path)} is not a relative path of at most ${MAX_PATH_CHARS} characters`,
      );
    }
    return this.#base + segments.map(encodeURIComponent).join("/");
  }

  /** Returns the URI of a path, or `undefined` if the path is not a plain relative path. */
  findUri(path: string): string | undefined {
    try {
      return this.uriOf(path);
    } catch {
      // A file with such a path is not served.
      return undefined;
    }
  }

  /** @throws Any error that the source's `read` function throws. */
  async load(path: string): Promise<LoadedFile> {
    const known = this.#loaded.get(path);
    if (known !== undefined) return known;
    const uri = this.uriOf(path);
    const bytes = new Uint8Array(await this.#source.read(path));
    const file = { path, uri, digest: await digestOf(bytes), size: bytes.length };
    const loaded = path.endsWith(`/${SKILL_FILE}`)
      ? { file, frontmatter: readFrontmatter(bytes) }
      : { file };
    this.#loaded.set(path, loaded);
    return loaded;
  }
}

/**
 * Returns the frontmatter, or the error if the frontmatter is not valid. The error is returned
 * because the file may also belong to an enclosing skill, which remains valid.
 */
function readFrontmatter(bytes: Uint8Array): SkillFrontmatter | TypeError {
  const text = decodeText(bytes);
  if (text === undefined) return new TypeError(`"${SKILL_FILE}" is not valid UTF-8`);
  try {
    return parseFrontmatter(text);
  } catch (error) {
    return error instanceof TypeError ? error : new TypeError(String(error));
  }
}

/** Returns the children of each folder that contains a file, keyed by folder URI. */
export function listFolders(
  base: string,
  files: Iterable<ServedFile>,
): ReadonlyMap<string, readonly McpResource[]> {
  const folders = new Map<string, Map<string, McpResource>>();
  const root = base.slice(0, base.indexOf("://") + "://".length);
  for (const { uri, path, size } of files) {
    let child: McpResource = { uri, name: nameOf(path), mimeType: mediaTypeOf(path), size };
    for (const folder of foldersAbove(uri.slice(root.length))) {
      const children = folders.get(root + folder) ?? new Map<string, McpResource>();
      const isKnown = children.has(child.uri);
      folders.set(root + folder, children.set(child.uri, child));
      if (isKnown) break;
      const name = decodeURIComponent(nameOf(folder));
      child = { uri: root + folder, name, mimeType: FOLDER_TYPE };
    }
  }
  return new Map(
    [...folders].map(([uri, children]) => [uri, [...children.values()]]),
  );
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

/**
 * Returns the boundary of the innermost folder that contains a file and has or had a `SKILL.md`
 * file, or the URI of the file if there is none.
 */
export function skillOf({ boundaries }: SkillCatalog, fileUri: string): string {
  for (const folder of foldersAbove(fileUri)) {
    const uri = `${folder}/${SKILL_FILE}`;
    if (boundaries.has(uri)) return uri;
  }
  return fileUri;
}

/** Returns the resource of a skill's `SKILL.md` file, as listed by `resources/list`. */
export function toResource(entry: SkillEntry): McpResource {
  const { uri, frontmatter: { name, description } } = entry;
  return { uri, name, description, mimeType: mediaTypeOf(uri) };
}
