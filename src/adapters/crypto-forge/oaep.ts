/** RSAES-OAEP padding by node-forge, over the hash functions of noble: node-forge lacks SHA-224 and SHA-3. */
import { texts } from '../../core/base/texts.ts'
import type { HashName } from '../../core/crypto/hash-name.ts'
import { NOBLE_HASHES } from '../../core/crypto/noble/hash.ts'
import type { Forge, ForgeBuffer, ForgeDigest } from './library.ts'

export class Oaep {
  readonly #forge: Forge
  readonly #random: (n: number) => Uint8Array

  constructor(forge: Forge, random: (n: number) => Uint8Array) {
    this.#forge = forge
    this.#random = random
  }

  /** Returns the padded message, which has the length of the modulus. The caller has checked the length of the message, and wipes the result. */
  encode(message: Uint8Array, hash: HashName, modulusBits: number): Uint8Array {
    const md = this.#digest(hash)
    const seed = binaryOf(this.#random(md.digestLength))
    return bytesOf(this.#forge.pkcs1.encode_rsa_oaep(keyOf(modulusBits), binaryOf(message), { md, seed }))
  }

  /** Returns the message, which the caller owns. Undefined if the padding is wrong. */
  decode(encoded: Uint8Array, hash: HashName, modulusBits: number): Uint8Array | undefined {
    try {
      return bytesOf(this.#forge.pkcs1.decode_rsa_oaep(keyOf(modulusBits), binaryOf(encoded), { md: this.#digest(hash) }))
    } catch {
      return undefined
    }
  }

  #digest(hash: HashName): ForgeDigest {
    return new NobleDigest(hash, (bytes) => this.#forge.util.createBuffer(bytes))
  }
}

class NobleDigest implements ForgeDigest {
  readonly digestLength: number
  readonly #name: HashName
  readonly #bufferOf: (bytes: string) => ForgeBuffer
  #state: ReturnType<(typeof NOBLE_HASHES)[HashName]['create']>

  constructor(name: HashName, bufferOf: (bytes: string) => ForgeBuffer) {
    this.digestLength = NOBLE_HASHES[name].outputLen
    this.#name = name
    this.#bufferOf = bufferOf
    this.#state = NOBLE_HASHES[name].create()
  }

  start(): this {
    this.#state = NOBLE_HASHES[this.#name].create()
    return this
  }

  update(bytes: string): this {
    this.#state.update(bytesOf(bytes))
    return this
  }

  digest(): ForgeBuffer {
    return this.#bufferOf(binaryOf(this.#state.digest()))
  }
}

const keyOf = (modulusBits: number) => ({ n: { bitLength: () => modulusBits } })

const binaryOf = (bytes: Uint8Array): string => texts.latin1(texts.view(bytes), 0, bytes.length)

const bytesOf = (binary: string): Uint8Array => Uint8Array.from(binary, (character) => character.charCodeAt(0))
