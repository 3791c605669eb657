/** Makes texts of the embedded database come back whole in the thread that loads it: a leading U+FEFF is one of their signs. */

// The engine reads every value with a decoder that takes a leading U+FEFF for a byte order mark and drops it.
const Decoder = globalThis.TextDecoder

globalThis.TextDecoder = class extends Decoder {
  constructor(label?: string, options?: ConstructorParameters<typeof Decoder>[1]) {
    super(label, { ignoreBOM: true, ...options })
  }
}
