/** Interpolates values into a URL: behind the origin each is encoded and stays in its place. */

/** Stands for a value that is not known yet. */
export const MISSING_VALUE = '\0'

const ORIGIN = /^(?:[^:/?#]*:\/\/)?[^/?#]*[/?#]/

/** A value as it is put behind what is written before it, with holes in it; undefined when it would lead to another path. */
export function interpolateUrl(before: string, value: string): string | undefined {
  // What makes the origin, or the whole address, is taken as it is.
  if (!ORIGIN.test(before)) return value
  // However they are encoded, they are steps to another path.
  if (/^\.\.?$/.test(value) && !/[?#]/.test(before)) return undefined
  return encodeURIComponent(value.replaceAll(/\p{Surrogate}/gu, '\ufffd'))
}
