/** Counts the segments that carriers make of an SMS: GSM-7 or UCS-2, one segment or several concatenated ones. */

export interface SmsSegments {
  encoding: 'GSM-7' | 'UCS-2'
  /** Each is sent, and usually paid for, as one message. */
  segments: number
  /** As a reader counts them: code points. */
  characters: number
  /** As segments count them: septets of GSM-7, 16-bit units of UCS-2. */
  units: number
}

/** 3GPP TS 23.038 §6.2.1, the default alphabet; the escape at 0x1B is no character. */
const BASIC = new Set(
  '@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !"#¤%&\'()*+,-./0123456789:;<=>?¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà',
)
/** §6.2.1.1, the extension table: each of them is an escape and a septet. */
const EXTENSION = new Set('\f^{}\\[~]|€')

/** 140 octets; a concatenated segment gives six of them to its header. */
const LIMITS = {
  'GSM-7': { single: 160, concatenated: 153 },
  'UCS-2': { single: 70, concatenated: 67 },
} as const

export function smsSegments(text: string): SmsSegments {
  const characters = [...text]
  const encoding = characters.every((character) => BASIC.has(character) || EXTENSION.has(character)) ? 'GSM-7' : 'UCS-2'
  const widths = characters.map((character) =>
    encoding === 'UCS-2' ? character.length : EXTENSION.has(character) ? 2 : 1,
  )
  const units = widths.reduce((sum, width) => sum + width, 0)
  const { single, concatenated } = LIMITS[encoding]
  const segments = units <= single ? Math.min(1, units) : segmentsOf(widths, concatenated)
  return { encoding, segments, characters: characters.length, units }
}

/** A character of two units is never divided: it moves to the next segment and leaves a unit empty. */
function segmentsOf(widths: readonly number[], unitsMax: number): number {
  let segments = 1
  let used = 0
  for (const width of widths) {
    if (used + width > unitsMax) {
      segments += 1
      used = 0
    }
    used += width
  }
  return segments
}
