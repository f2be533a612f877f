/**
 * Links between the pages of the documentation site, for pages that also work in the repository.
 *
 * In the repository, a README or a page in `docs/` refers to other files by relative paths. On the
 * site, a link to a page becomes the path of the page, and a link to a source file becomes a link
 * to the API reference or plain text.
 *
 * @module
 */

/** Information about the repository and the site that {@linkcode resolveLink} uses. */
export interface LinkContext {
  /**
   * Path of each page on the site, keyed by its file in the repository, such as `mcp/README.md`.
   */
  readonly pages: ReadonlyMap<string, string>;
  /** Returns `true` if a file or folder with this path exists in the repository. */
  exists(path: string): boolean;
  /**
   * Returns the path of the API reference for a symbol, or `undefined` if no entry point exports
   * the symbol.
   */
  findSymbol(name: string, file: string): string | undefined;
  /**
   * URL of the repository's main branch, without a trailing slash. If omitted, links to files
   * become plain text.
   */
  readonly repositoryUrl?: string | undefined;
}

/** Result of {@linkcode resolveLink}: a link, plain text instead of a link, or a broken link. */
export type ResolvedLink =
  | { readonly kind: "link"; readonly href: string }
  | { readonly kind: "text" }
  | { readonly kind: "dead"; readonly file: string };

/**
 * Returns `true` if a link refers to another website, or to a heading or an absolute path of the
 * site.
 */
export function isOutside(href: string): boolean {
  return /^(?:[a-z][a-z+.-]*:|#|\/)/i.test(href);
}

/**
 * Resolves a relative link.
 *
 * @param href Relative link, such as `../docs/releasing.md#versions`.
 * @param source File in the repository that contains the link.
 * @param text Text of the link. A symbol name links to the API reference.
 * @param context Pages on the site and files in the repository.
 */
export function resolveLink(
  href: string,
  source: string,
  text: string,
  context: LinkContext,
): ResolvedLink {
  const { pathname, hash } = new URL(href, `file:///${source}`);
  const file = decodeURIComponent(pathname.slice(1)).replace(/\/$/, "");
  const page = context.pages.get(file);
  if (page !== undefined) return { kind: "link", href: `${page}${hash}` };
  if (!context.exists(file)) return { kind: "dead", file };
  const symbol = context.findSymbol(text, file);
  if (symbol !== undefined) return { kind: "link", href: symbol };
  if (context.repositoryUrl === undefined) return { kind: "text" };
  return { kind: "link", href: `${context.repositoryUrl}/${file}${hash}` };
}
