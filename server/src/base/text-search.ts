/** Finds a text in a text in time that grows with their lengths, never with the product of the two. */

/** The engine's own search compares at most this much at each position of the text. */
const SHORT_NEEDLE_MAX = 8
/** Up to this product of the lengths the engine's own search is the faster one, whatever the texts hold. */
const SMALL_PRODUCT_MAX = 65_536

/** The same position as `text.indexOf(needle)`. */
export function positionOf(text: string, needle: string): number {
  if (needle.length > text.length) return -1
  if (needle.length <= SHORT_NEEDLE_MAX || text.length * needle.length <= SMALL_PRODUCT_MAX) return text.indexOf(needle)
  const borders = bordersOf(needle)
  let matched = 0
  for (let at = 0; at < text.length; at += 1) {
    const character = text.charCodeAt(at)
    while (matched > 0 && needle.charCodeAt(matched) !== character) matched = borders[matched - 1] ?? 0
    if (needle.charCodeAt(matched) === character) matched += 1
    if (matched === needle.length) return at - needle.length + 1
  }
  return -1
}

/** For each prefix, the length of the longest one that it also ends with (Knuth, Morris and Pratt, 1977). */
function bordersOf(needle: string): Int32Array {
  const borders = new Int32Array(needle.length)
  for (let at = 1, length = 0; at < needle.length; at += 1) {
    const character = needle.charCodeAt(at)
    while (length > 0 && needle.charCodeAt(length) !== character) length = borders[length - 1] ?? 0
    if (needle.charCodeAt(length) === character) length += 1
    borders[at] = length
  }
  return borders
}
