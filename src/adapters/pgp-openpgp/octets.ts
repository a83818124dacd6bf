/** Reads octets (the OpenPGP term for bytes) that another party supplied, in order and never beyond their end. */

/** The reason why a key is refused. It is shown to the owner of the key. */
export class KeyRefused extends Error {}

export const toHex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex')

export class Octets {
  readonly #bytes: Uint8Array
  #at = 0

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes
  }

  get left(): number {
    return this.#bytes.length - this.#at
  }

  /** Returns a view. @throws KeyRefused if fewer octets are left. */
  take(length: number): Uint8Array {
    if (length > this.left) throw new KeyRefused('it is truncated')
    this.#at += length
    return this.#bytes.subarray(this.#at - length, this.#at)
  }

  /** A big-endian number of up to four octets. */
  number(length: number): number {
    let number = 0
    for (const octet of this.take(length)) number = number * 256 + octet
    return number
  }

  rest(): Uint8Array {
    return this.take(this.left)
  }

  /** A multiprecision integer (RFC 9580, section 3.2) without its leading zeros. */
  integer(mostBits: number): Uint8Array {
    const bits = this.number(2)
    if (bits > mostBits) throw new KeyRefused(`it has a number of ${bits} bits; the limit is ${mostBits}`)
    const bytes = this.take((bits + 7) >> 3)
    const first = bytes.findIndex((octet) => octet !== 0)
    return first < 0 ? new Uint8Array(0) : bytes.subarray(first)
  }

  /** @throws KeyRefused if octets are left. */
  end(): void {
    if (this.left > 0) throw new KeyRefused('it has octets after its end')
  }
}
