/**
 * Compares URIs that servers may treat as equal.
 *
 * @module
 */

import { trimEnd } from "@parley/internal/trim-end";

/** Maximum number of nested percent-encodings that are decoded. */
const MAX_DECODINGS = 8;

/** A control character, a backslash, or a `.` or `..` segment, in a decoded URI. */
// deno-lint-ignore no-control-regex
const UNSAFE = /[\0-\x1f\x7f\\]|(?:^|[/:])\.{1,2}(?:[/?#;]|$)/;

/** Maximum length of a URI that is compared, in characters. Templates match no longer URI. */
const MAX_COMPARED_CHARS = 8192;

/** Maximum number of parameters that are stored for each resource. */
const MAX_PARAMETERS = 16;

/** Segments that must be trimmed. Most URIs have none. */
const UNTRIMMED = /[. ](?:[/?]|$)|\/\/|::\$data/;

/** Name of a file's default data stream on Windows, in lower case. */
const DATA_STREAM = "::$data";

const NO_PARAMETERS: ReadonlySet<string> = new Set();

/** A URI in the forms that are compared with the URIs of resources and templates. */
export interface ComparedUri {
  readonly uri: string;
  /** See {@linkcode canonicalUri}. */
  readonly canonical: string;
  /**
   * The canonical form without the parts that some servers ignore: query, path parameters such as
   * `;version=1`, user name and password, and the host of a `file` URI.
   */
  readonly base: string;
  /** The ignored parts. A server that lists a URI with such a part does not ignore the part. */
  readonly parameters: ReadonlySet<string>;
}

/**
 * Returns a form of a URI that is the same for all URIs that a server may treat as equal: without
 * percent-encoding, even if it is nested, without a fragment, an empty query, control characters,
 * invisible characters, dot segments, and periods and spaces at the end of a segment, and without
 * differences in case. Two URIs with different results differ for every server that follows the URL
 * standard; two URIs with the same result may differ. A URI with more than 8192 characters is
 * returned unchanged.
 *
 * @see {@link https://url.spec.whatwg.org/#url-parsing URL standard, URL parsing}
 */
export function canonicalUri(uri: string): string {
  return uri.length > MAX_COMPARED_CHARS ? uri : fold(normalizedUri(uri));
}

/** Returns the forms of a URI that are compared, like {@linkcode canonicalUri}. */
export function toCompared(uri: string): ComparedUri {
  if (uri.length <= MAX_COMPARED_CHARS) return formsOf(uri);
  return { uri, canonical: uri, base: uri, parameters: NO_PARAMETERS };
}

/**
 * Returns the forms of the URI of a resource. The parameters of a URI with many parameters are not
 * compared, because they would need much memory, so that the resource is hidden more often.
 */
export function toListed(uri: string): ComparedUri {
  const compared = toCompared(uri);
  return compared.parameters.size <= MAX_PARAMETERS
    ? compared
    : { ...compared, parameters: NO_PARAMETERS };
}

/** Returns the forms of a URI of any length. */
export function formsOf(uri: string): ComparedUri {
  const whole = normalizedUri(uri);
  const canonical = fold(whole);
  // In the canonical form, a host cannot be distinguished from the first segment of the path.
  const [start = "", host = ""] = /^file:\/\/([^/]+)/i.exec(whole) ?? [];
  const { base, parameters } = splitUri(
    host === "" ? canonical : fold(`file://${whole.slice(start.length)}`),
  );
  if (host !== "") parameters.push(fold(`//${host.slice(host.lastIndexOf("@") + 1)}`));
  // Most URIs of a list have no parameters, so the equal values are stored once.
  return {
    uri,
    canonical,
    base: base === canonical ? canonical : base,
    parameters: parameters.length === 0 ? NO_PARAMETERS : new Set(parameters),
  };
}

/**
 * Returns `true` if a server that ignores parts of a URI may read a resource that it lists: the
 * bases are the same, and the URI has all parameters of the resource's URI.
 */
export function mayRead(uri: ComparedUri, resource: ComparedUri): boolean {
  if (uri.canonical === resource.canonical) return true;
  if (uri.base !== resource.base) return false;
  for (const parameter of resource.parameters) if (!uri.parameters.has(parameter)) return false;
  return true;
}

/** Divides a canonical URI into its base and its parameters. */
export function splitUri(
  canonical: string,
): { readonly base: string; readonly parameters: string[] } {
  if (!/[;?@]/.test(canonical)) return { base: canonical, parameters: [] };
  const [beforeQuery = "", ...query] = canonical.split("?");
  const inPath = beforeQuery.match(/;[^;/]+/g) ?? [];
  const inQuery = query.join("?").split(/[&;]/).map((text) => text.replaceAll("+", " "));
  const path = trimSegments(beforeQuery.replaceAll(/;[^/]*/g, ""));
  const [start = "", scheme = "", user = ""] = /^([^/:]*:\/)([^/]*@)/.exec(path) ?? [];
  return {
    base: scheme + path.slice(start.length),
    parameters: [...inPath, ...inQuery, user].filter((text) => text !== ""),
  };
}

/** Decodes and normalizes a URI, and removes its fragment. The case of the path is unchanged. */
export function normalizedUri(uri: string): string {
  // deno-lint-ignore no-control-regex
  const text = decodeAll(uri).replaceAll(/[\0-\x1f\x7f]/g, "").trim().replaceAll("\\", "/");
  const [beforeFragment = ""] = text.split("#", 1);
  return URL.canParse(beforeFragment) ? decodeAll(new URL(beforeFragment).href) : beforeFragment;
}

/** Removes the differences between texts that file systems and parsers treat as equal. */
function fold(text: string): string {
  if (!/[^\0-\x7f]/.test(text)) return trimSegments(toPathForm(text.toLowerCase()));
  // A conversion to upper case first has the same result for all lower-case forms of a letter.
  const folded = text.replaceAll(/\p{Default_Ignorable_Code_Point}/gu, "").normalize("NFKC")
    .toUpperCase().toLowerCase().normalize("NFKC");
  return trimSegments(toPathForm(folded));
}

/** Writes the slashes after the scheme in one way. */
function toPathForm(text: string): string {
  return text.replace(/^([^/:]*:)\/*/, "$1/");
}

/**
 * Removes empty segments, and the ends of segments that Windows ignores.
 */
function trimSegments(text: string): string {
  if (!UNTRIMMED.test(text)) return trimEnd(text, "/?& ");
  const [path = "", ...query] = text.split("?");
  const segments = path.split("/").map(trimSegment);
  const trimmed = segments.filter((segment, index) => index === 0 || segment !== "").join("/");
  return trimEnd([trimmed, ...query].join("?"), "/?& ");
}

/** Windows reads the default data stream of a file as the file's name followed by `::$DATA`. */
function trimSegment(segment: string): string {
  const trimmed = trimEnd(segment, ". ");
  return trimmed.endsWith(DATA_STREAM)
    ? trimEnd(trimmed.slice(0, -DATA_STREAM.length), ". ")
    : trimmed;
}

/**
 * Returns `true` if servers may interpret a URI in different ways: it contains a dot segment, a
 * backslash, a control character, a space or an invalid percent-encoding, or it is too long to be
 * compared.
 */
export function isUnusualUri(uri: string): boolean {
  if (uri.length > MAX_COMPARED_CHARS || /\s/.test(uri)) return true;
  const decoded = decodeAll(uri);
  return UNSAFE.test(decoded) || /%[0-9a-f]{2}/i.test(decoded) || hasInvalidEncoding(uri);
}

/**
 * Returns `true` if a URI contains the percent-encoding of a character that is a delimiter or needs
 * no percent-encoding, so that the parts of the URI are different after decoding.
 */
export function hasNeedlessEncoding(uri: string): boolean {
  return /%(?:2[1-9a-f]|[3-6][0-9a-f]|7[0-9a-e])/i.test(uri);
}

function hasInvalidEncoding(uri: string): boolean {
  try {
    decodeURIComponent(uri);
    return false;
  } catch {
    return true;
  }
}

function decodeAll(uri: string): string {
  let text = uri;
  for (let count = 0; count < MAX_DECODINGS && text.includes("%"); count++) {
    const decoded = text.replaceAll(/(?:%[0-9a-f]{2})+/gi, decodeRun);
    if (decoded === text) break;
    text = decoded;
  }
  return text;
}

/** Decodes a sequence of encoded bytes. If the bytes are not UTF-8, decodes only ASCII. */
function decodeRun(encoded: string): string {
  try {
    return decodeURIComponent(encoded);
  } catch {
    return encoded.replaceAll(/%[0-7][0-9a-f]/gi, decodeURIComponent);
  }
}
