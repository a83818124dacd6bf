/**
 * Encryption at rest: what is between the kernel and its storage.
 * Room: core/barrier. Imported by the request layer (which seals and opens records) and the composition root.
 */
import { toUtf8 } from '../bytes.ts'
import type { Entropy } from '../entropy.ts'
import { KernelError } from '../errors.ts'
import { type KeyRing, wipeRing } from './key-ring.ts'
import { openRecord, sealRecord, termOf } from './record.ts'

export class Barrier {
  #ring: KeyRing | undefined
  readonly #entropy: Entropy

  constructor(entropy: Entropy) {
    this.#entropy = entropy
  }

  get open(): boolean {
    return this.#ring !== undefined
  }

  unseal(ring: KeyRing): void {
    if (this.#ring) wipeRing(this.#ring)
    this.#ring = ring
  }

  seal(): void {
    if (this.#ring) wipeRing(this.#ring)
    this.#ring = undefined
  }

  /** What is stored under `key`. `value` stays the caller's. */
  encode(key: string, value: Uint8Array): Uint8Array {
    const { term, key: aead } = this.#keys().active
    return sealRecord(term, aead, this.#entropy.bytes(12), value, toUtf8(key))
  }

  /**
   * The value that was stored under `key`.
   * @throws KernelError ERR_INTERNAL when it was altered, moved, or sealed under a term this ring does not have.
   */
  decode(key: string, record: Uint8Array): Uint8Array {
    const term = termOf(record)
    const found = term === undefined ? undefined : this.#keys().terms.get(term)
    if (term !== undefined && !found) {
      throw new KernelError(
        'ERR_INTERNAL',
        `the stored value of ${printable(key)} is sealed under term ${term}, which the key ring lacks`,
      )
    }
    const value = found && openRecord(found.key, record, toUtf8(key))
    if (!value)
      throw new KernelError('ERR_INTERNAL', `the stored value of ${printable(key)} is damaged or was put there by somebody else`)
    return value
  }

  #keys(): KeyRing {
    if (!this.#ring) throw new KernelError('ERR_SEALED', 'the kernel is sealed')
    return this.#ring
  }
}

/** Keys are names, not secrets, but they may be long. */
const printable = (key: string): string => (key.length > 120 ? `${key.slice(0, 117)}...` : key)
