/**
 * Paths of files.
 *
 * @module
 */

/**
 * Converts a file URL to a path.
 *
 * @param url A URL such as `file:///home/me/my%20server.ts` or `file:///C:/server.ts`.
 * @param isWindows Whether the path is for Windows, such as `C:\\server.ts`.
 */
export function toFilePath(url: string | URL, isWindows: boolean): string {
  const { hostname, pathname } = new URL(url);
  const path = decodeURIComponent(pathname);
  if (!isWindows) return path;
  const local = path.replaceAll("/", "\\");
  return hostname === "" ? local.slice(1) : `\\\\${hostname}${local}`;
}
