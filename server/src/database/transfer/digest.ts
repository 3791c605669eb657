/** An order-independent digest of a set of rows: the sum of their SHA-256, so that partial digests can be added. */
import { hash } from 'node:crypto'

/** 128 of the 256 bits: two different sets collide with a probability of 2^-128. */
const BITS = 128

export const emptyDigest = '0'.repeat(BITS / 4)

export function rowsDigest(rows: Iterable<string>): string {
  let high = 0n
  let low = 0n
  for (const row of rows) {
    const bytes = hash('sha256', row, 'buffer')
    high += bytes.readBigUInt64BE(0)
    low += bytes.readBigUInt64BE(8)
  }
  return hex((high << 64n) + low)
}

export const addDigests = (a: string, b: string): string => hex(BigInt(`0x${a}`) + BigInt(`0x${b}`))

const hex = (sum: bigint) =>
  BigInt.asUintN(BITS, sum)
    .toString(16)
    .padStart(BITS / 4, '0')
