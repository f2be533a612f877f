/**
 * Parser for the `WWW-Authenticate` header.
 *
 * @see {@link https://www.rfc-editor.org/rfc/rfc9110#section-11.6.1 RFC 9110, section 11.6.1}
 * @see {@link https://www.rfc-editor.org/rfc/rfc9728#section-5.1 RFC 9728, section 5.1}
 * @module
 */

/** An authentication challenge. */
export interface Challenge {
  /** Authentication scheme in lower case, such as `bearer`. */
  readonly scheme: string;
  /** Parameters of the challenge, with names in lower case. */
  readonly parameters: ReadonlyMap<string, string>;
}

/** Requirements stated in a 401 or 403 response. */
export interface AuthChallenge {
  /** Whether a valid token or additional scopes are required. */
  readonly kind: "token" | "scope";
  /** Required scopes, separated by spaces. */
  readonly scope?: string;
  /** URL of the protected resource metadata. */
  readonly resourceMetadata?: string;
  /** Whether a refreshed token was already rejected, so a new grant is required. */
  readonly isAfresh?: boolean;
}

/** Maximum length of a header, in characters. */
const MAX_CHARS = 8192;

/** Maximum number of challenges and parameters in a header. */
const MAX_PARTS = 64;

const TOKEN = "[\\w!#$%&'*+.^`|~-]+";
const PARAMETER = new RegExp(`^(${TOKEN})[ \\t]*=[ \\t]*(?:(${TOKEN})|"((?:[^"\\\\]|\\\\.)*)")$`);
const SCHEME = new RegExp(`^(${TOKEN})(?:[ ]+(.*))?$`);
const TOKEN68 = /^[\w.~+/-]+=*$/;

/**
 * Parses the challenges in a header. Returns an empty list if the header is too long or malformed.
 */
export function parseChallenges(header: string): readonly Challenge[] {
  if (header.length > MAX_CHARS) return [];
  const parts = splitList(header);
  if (parts === undefined || parts.length > MAX_PARTS) return [];
  const challenges: { scheme: string; parameters: Map<string, string> }[] = [];
  for (const part of parts) {
    const isRead = addParameter(challenges.at(-1)?.parameters, part) ||
      addChallenge(challenges, part);
    if (!isRead) return [];
  }
  return challenges;
}

/**
 * Reads the challenge from a response with status 401, or with status 403 and error
 * `insufficient_scope`. Returns `undefined` for a response that does not ask for a token.
 */
export function readAuthChallenge(response: Response): AuthChallenge | undefined {
  const { status } = response;
  if (status !== 401 && status !== 403) return undefined;
  const known = parseChallenges(response.headers.get("www-authenticate") ?? "")
    .filter(({ scheme }) => scheme === "bearer" || scheme === "dpop");
  const parameters = known.find(({ parameters }) => parameters.has("resource_metadata"))
    ?.parameters ?? known[0]?.parameters;
  const isScope = parameters?.get("error") === "insufficient_scope";
  if (status === 403 && !isScope) return undefined;
  const scope = parameters?.get("scope");
  const resourceMetadata = parameters?.get("resource_metadata");
  return {
    kind: isScope ? "scope" : "token",
    ...(scope === undefined ? {} : { scope }),
    ...(resourceMetadata === undefined ? {} : { resourceMetadata }),
  };
}

/**
 * Returns `true` if the server requires the request to be repeated with the DPoP nonce from the
 * response (RFC 9449, section 9).
 */
export function wantsNonce(response: Response): boolean {
  if (response.status !== 401 || !response.headers.has("dpop-nonce")) return false;
  return parseChallenges(response.headers.get("www-authenticate") ?? "").some((
    { scheme, parameters },
  ) => scheme === "dpop" && parameters.get("error") === "use_dpop_nonce");
}

/**
 * Splits a header on commas outside quoted strings. Returns `undefined` if a quoted string is not
 * terminated.
 */
function splitList(header: string): string[] | undefined {
  const parts: string[] = [];
  let start = 0;
  let isQuoted = false;
  for (let at = 0; at < header.length; at++) {
    const character = header[at];
    if (isQuoted && character === "\\") at++;
    else if (character === '"') isQuoted = !isQuoted;
    else if (character === "," && !isQuoted) {
      parts.push(header.slice(start, at));
      start = at + 1;
    }
  }
  parts.push(header.slice(start));
  return isQuoted ? undefined : parts.map((part) => part.trim()).filter((part) => part !== "");
}

function addParameter(parameters: Map<string, string> | undefined, part: string): boolean {
  const [, name, token, quoted] = PARAMETER.exec(part) ?? [];
  if (parameters === undefined || name === undefined) return false;
  // If a parameter is duplicated, which is invalid, the first value is used, so appended text
  // cannot override a parameter.
  if (!parameters.has(name.toLowerCase())) {
    parameters.set(name.toLowerCase(), token ?? quoted?.replace(/\\(.)/g, "$1") ?? "");
  }
  return true;
}

function addChallenge(
  challenges: { scheme: string; parameters: Map<string, string> }[],
  part: string,
): boolean {
  const [, scheme, rest] = SCHEME.exec(part) ?? [];
  if (scheme === undefined) return false;
  const parameters = new Map<string, string>();
  challenges.push({ scheme: scheme.toLowerCase(), parameters });
  return rest === undefined || addParameter(parameters, rest.trim()) || TOKEN68.test(rest.trim());
}
