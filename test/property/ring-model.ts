/**
 * A minimal model of a key ring: version numbers, and the ciphertexts with their plaintexts and versions. The rules are those of Vault.
 */

/** One key between its creation and its deletion. */
export interface ModelRing {
  readonly life: number
  latest: number
  minDecryption: number
  minEncryption: number
  deletionAllowed: boolean
}

export interface ModelCiphertext {
  readonly text: string
  readonly plaintext: Uint8Array
  readonly life: number
  readonly version: number
}

export interface ModelConfig {
  readonly min_decryption_version?: number
  readonly min_encryption_version?: number
  readonly deletion_allowed?: boolean
}

export class RingModel {
  ring: ModelRing | undefined
  readonly ciphertexts: ModelCiphertext[] = []
  #lives = 0

  /** True if the call created a key. */
  create(): boolean {
    if (this.ring) return false
    this.ring = { life: ++this.#lives, latest: 1, minDecryption: 1, minEncryption: 0, deletionAllowed: false }
    return true
  }

  rotate(): boolean {
    if (!this.ring) return false
    this.ring.latest++
    return true
  }

  delete(): boolean {
    if (!this.ring?.deletionAllowed) return false
    this.ring = undefined
    return true
  }

  configure(config: ModelConfig): boolean {
    const { ring } = this
    if (!ring) return false
    const decryption = config.min_decryption_version ?? ring.minDecryption
    const encryption = config.min_encryption_version ?? ring.minEncryption
    const inRange = (value: number) => value >= 0 && value <= ring.latest
    if (!inRange(decryption) || !inRange(encryption)) return false
    const stored = Math.max(1, decryption)
    if (encryption > 0 && encryption < stored) return false
    ring.minDecryption = stored
    ring.minEncryption = encryption
    ring.deletionAllowed = config.deletion_allowed ?? ring.deletionAllowed
    return true
  }

  /** The version that encrypts, or undefined if the encryption is refused. Encryption creates a missing key. */
  encrypts(requested: number): number | undefined {
    if (!this.ring) {
      if (requested !== 0 && requested !== 1) return undefined
      this.create()
    }
    return this.produces(requested)
  }

  produces(requested: number): number | undefined {
    const { ring } = this
    if (!ring) return undefined
    const version = requested === 0 ? ring.latest : requested
    const usable = version >= Math.max(1, ring.minEncryption, ring.minDecryption) && version <= ring.latest
    return usable ? version : undefined
  }

  opens({ life, version }: ModelCiphertext): boolean {
    const { ring } = this
    return ring !== undefined && ring.life === life && version >= ring.minDecryption
  }

  /** The expected result of reading the key, or undefined if there is no key. */
  shown() {
    const { ring } = this
    if (!ring) return undefined
    return {
      latest_version: ring.latest,
      min_decryption_version: ring.minDecryption,
      min_encryption_version: ring.minEncryption,
      deletion_allowed: ring.deletionAllowed,
      versions: Array.from({ length: ring.latest - ring.minDecryption + 1 }, (_, index) => String(ring.minDecryption + index)),
    }
  }
}
