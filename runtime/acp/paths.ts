/**
 * Paths of the editor's computer, which may have another operating system than this process.
 *
 * @module
 */

/** Matches the start of an absolute path on Windows: a drive, or the server of a share. */
const WINDOWS_START = /^(?:[A-Za-z]:[\\/]|\\\\[^\\/]+[\\/])/;

/** Returns true if a path is absolute on POSIX systems or on Windows. */
export function isAbsolutePath(path: string): boolean {
  return toSegments(path) !== undefined;
}

/**
 * Removes the segments `.` and `..` from an absolute path, so that the path means the same whether
 * or not a folder is a symbolic link. Returns `undefined` if the path is not absolute.
 */
export function normalizePath(path: string): string | undefined {
  const parts = toSegments(path);
  if (parts === undefined) return undefined;
  const { separator, start } = parts;
  return start + parts.segments.join(separator);
}

/**
 * Returns true if an absolute path is one of the directories, or is in one of them. On Windows,
 * upper and lower case are the same. Symbolic links are not resolved.
 */
export function isWithin(path: string, directories: readonly string[]): boolean {
  const inner = toSegments(path);
  return inner !== undefined && directories.some((directory) => {
    const outer = toSegments(directory);
    return outer !== undefined && fold(outer, outer.start) === fold(inner, inner.start) &&
      outer.segments.length <= inner.segments.length &&
      outer.segments.every((one, index) => fold(outer, one) === fold(inner, inner.segments[index]));
  });
}

interface PathParts {
  /** The root: `/`, or a drive or share. */
  readonly start: string;
  readonly separator: "/" | "\\";
  readonly segments: readonly string[];
}

function toSegments(path: string): PathParts | undefined {
  if (path.includes("\0")) return undefined;
  const [start] = WINDOWS_START.exec(path) ?? [];
  if (start !== undefined) {
    const root = start.replaceAll("/", "\\");
    const names = path.slice(start.length).split(/[\\/]/);
    if (names.some(isAmbiguous)) return undefined;
    return { start: root, separator: "\\", segments: resolve(names) };
  }
  if (!path.startsWith("/")) return undefined;
  return { start: "/", separator: "/", segments: resolve(path.split("/")) };
}

/** Windows removes spaces and dots at the end of a path, so a name like `.. ` can mean `..`. */
function isAmbiguous(name: string): boolean {
  return name !== "." && name !== ".." && /^[ .]+$/.test(name);
}

function resolve(names: readonly string[]): readonly string[] {
  const resolved: string[] = [];
  for (const segment of names) {
    if (segment === "..") resolved.pop();
    else if (segment !== "" && segment !== ".") resolved.push(segment);
  }
  return resolved;
}

function fold({ separator }: PathParts, text: string | undefined): string | undefined {
  return separator === "\\" ? text?.toLowerCase() : text;
}
