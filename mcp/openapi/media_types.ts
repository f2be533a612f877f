/**
 * Kinds of media types.
 *
 * @module
 */

/** Returns true if a media type is JSON, or a range of types that contains JSON. */
export function isJsonType(type: string): boolean {
  return /^(?:application\/(?:[\w.!#$&^-]+\+)?json|text\/json|application\/\*|\*\/\*)\s*(?:;|$)/i
    .test(type);
}

/** Returns true if a media type is the encoding of an HTML form. */
export function isFormType(type: string): boolean {
  return /^application\/x-www-form-urlencoded\s*(?:;|$)/i.test(type);
}

/** Returns true if a media type starts with `text/`. */
export function isTextType(type: string): boolean {
  return /^text\/[\w.+*-]+\s*(?:;|$)/i.test(type);
}

/** Returns true if a response with the media type can be shown to a model as text. */
export function isReadable(type: string): boolean {
  return /^text\/|[/+](?:json|xml|yaml)\b|x-ndjson|jsonl|javascript|x-yaml|urlencoded/i.test(type);
}
