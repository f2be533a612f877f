/**
 * Wire format of apps: extension, media type, and metadata of tools and pages.
 *
 * @see
 * {@link https://github.com/modelcontextprotocol/ext-apps/blob/main/specification/2026-01-26/apps.mdx MCP Apps}
 * @module
 */

import { formatValue } from "@parley/internal/format-value";
import type { JsonObject } from "../shared/json.ts";
import { isRecord } from "@parley/internal/json";

/** Media type of an app's page. */
export const APP_MEDIA_TYPE = "text/html;profile=mcp-app";

/** URI scheme of a page. */
export const APP_SCHEME = "ui://";

/** Key of the app metadata in the `_meta` object of tools, resources and contents. */
export const APP_META_KEY = "ui";

/** Caller of a tool: `model` is the host's model, and `app` is an app page from the same server. */
export type AppVisibility = "model" | "app";

/** Origins that a page may use. Hosts block all origins that are not listed. */
export interface AppCsp {
  /** Origins for network requests, such as `https://api.example.com`. */
  readonly connectDomains?: readonly string[];
  /** Origins for scripts, styles, images, fonts and media, such as `https://*.example.com`. */
  readonly resourceDomains?: readonly string[];
  /** Origins for nested frames. */
  readonly frameDomains?: readonly string[];
  /** Origins for the base URI of the page. */
  readonly baseUriDomains?: readonly string[];
}

/** Browser features that a page requests. Hosts may deny any requested feature. */
export interface AppPermissions {
  /** Camera. */
  readonly camera?: JsonObject;
  /** Microphone. */
  readonly microphone?: JsonObject;
  /** Device location. */
  readonly geolocation?: JsonObject;
  /** Write access to the clipboard. */
  readonly clipboardWrite?: JsonObject;
}

/** Metadata of a page, for the host that renders the page. */
export interface AppPageMetadata {
  /** Origins that the page may use. If omitted, the page may use only its own origin. */
  readonly csp?: AppCsp;
  /** Browser features that the page requests. If omitted, the page requests no browser features. */
  readonly permissions?: AppPermissions;
  /**
   * Origin for the page's sandbox, in a format that the host defines. If omitted, the host chooses
   * an origin.
   */
  readonly domain?: string;
  /**
   * Whether the host should draw a border and a background around the page. If omitted, the host
   * decides whether to draw a border and a background.
   */
  readonly prefersBorder?: boolean;
}

const CSP_KEYS = ["connectDomains", "resourceDomains", "frameDomains", "baseUriDomains"] as const;
const PERMISSIONS = ["camera", "microphone", "geolocation", "clipboardWrite"] as const;

/**
 * One source in a Content Security Policy. A space, `;` or `,` would end the source or its
 * directive, and quotation marks would turn the source into a keyword such as `'unsafe-eval'`. `<`,
 * `>`, `&` and quotation marks would end a `<meta>` element, or be replaced with character
 * references in it. A header cannot contain control characters or characters that are not ASCII.
 */
const CSP_SOURCE = /^(?:(?![;,'"`<>&\\])[!-~])+$/;

/**
 * Reads a page's metadata, without unknown members.
 *
 * @throws {TypeError} If a known member has the wrong type, or an origin contains a space, a
 * control character, one of `;`, `,`, `<`, `>`, `&` and `\\`, a quotation mark, or a character that
 * is not ASCII.
 */
export function parsePageMetadata(value: unknown): AppPageMetadata {
  if (!isRecord(value)) throw invalid("ui", "an object", value);
  const { csp, permissions, domain, prefersBorder } = value;
  if (domain !== undefined && typeof domain !== "string") {
    throw invalid("domain", "a string", domain);
  }
  if (prefersBorder !== undefined && typeof prefersBorder !== "boolean") {
    throw invalid("prefersBorder", "a boolean", prefersBorder);
  }
  return {
    ...(csp === undefined ? {} : { csp: parseCsp(csp) }),
    ...(permissions === undefined ? {} : { permissions: parsePermissions(permissions) }),
    ...(domain === undefined ? {} : { domain }),
    ...(prefersBorder === undefined ? {} : { prefersBorder }),
  };
}

function parseCsp(value: unknown): AppCsp {
  if (!isRecord(value)) throw invalid("csp", "an object", value);
  return Object.fromEntries(
    CSP_KEYS.filter((key) => value[key] !== undefined)
      .map((key) => [key, parseSources(`csp.${key}`, value[key])]),
  );
}

function parseSources(name: string, value: unknown): readonly string[] {
  if (!Array.isArray(value)) throw invalid(name, "an array of origins", value);
  return value.map((source: unknown) => {
    if (typeof source === "string" && CSP_SOURCE.test(source)) return source;
    throw invalid(name, "an array of origins", source);
  });
}

function parsePermissions(value: unknown): AppPermissions {
  if (!isRecord(value)) throw invalid("permissions", "an object", value);
  return Object.fromEntries(
    PERMISSIONS.filter((key) => value[key] !== undefined).map((key) => {
      const permission = value[key];
      if (isRecord(permission)) return [key, permission];
      throw invalid(`permissions.${key}`, "an object", permission);
    }),
  );
}

function invalid(name: string, requirement: string, value: unknown): TypeError {
  return new TypeError(`"${name}" must be ${requirement}, got ${formatValue(value)}`);
}
