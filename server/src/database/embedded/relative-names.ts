/** Makes the names in a tar relative, in place: `/PG_VERSION` becomes `PG_VERSION`, and no tool unpacks to the root. */

// https://pubs.opengroup.org/onlinepubs/9699919799/utilities/pax.html#tag_20_92_13_06
const BLOCK = 512
const NAME_BYTES = 100
const SIZE = { at: 124, bytes: 12 }
const CHECKSUM = { at: 148, bytes: 8 }
const SLASH = 0x2f
const SPACE = 0x20

export function relativeNames(tar: Uint8Array): void {
  for (let at = 0; at + BLOCK <= tar.length && tar[at] !== 0; ) {
    const header = tar.subarray(at, at + BLOCK)
    const name = header.subarray(0, NAME_BYTES)
    while (name[0] === SLASH) {
      name.copyWithin(0, 1)
      name[NAME_BYTES - 1] = 0
    }
    writeChecksum(header)
    const size = Number.parseInt(Buffer.from(header.subarray(SIZE.at, SIZE.at + SIZE.bytes)).toString('latin1'), 8)
    if (!Number.isSafeInteger(size)) throw new Error(`The size of a file in the tar at byte ${at} is not readable`)
    at += BLOCK + Math.ceil(size / BLOCK) * BLOCK
  }
}

/** The sum of the header's bytes, its own place taken as spaces. */
function writeChecksum(header: Uint8Array): void {
  const place = header.subarray(CHECKSUM.at, CHECKSUM.at + CHECKSUM.bytes).fill(SPACE)
  const sum = header.reduce((total, byte) => total + byte, 0)
  place.set(Buffer.from(`${sum.toString(8).padStart(6, '0')}\0 `, 'latin1'))
}
