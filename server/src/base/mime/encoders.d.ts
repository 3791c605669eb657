/** The parts of two encoders that the MIME builder uses; they come without declarations. */
declare module 'libmime' {
  const libmime: {
    encodeWord(data: string, encoding: 'B' | 'Q'): string
  }
  export default libmime
}

declare module 'libqp' {
  const libqp: {
    encode(data: string): string
    wrap(encoded: string, lineLength?: number): string
  }
  export default libqp
}
