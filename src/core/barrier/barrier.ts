/**
 * Encrypts and decrypts stored records, between the kernel and its storage.
 */
import { toUtf8 } from '../base/bytes.ts'
import type { Entropy } from '../base/entropy.ts'
import { KernelError } from '../base/errors.ts'
import type { Steps } from '../base/steps.ts'
import { type KeyRing, type RingTerm, wipeRing } from './key-ring.ts'
import { NONCE_BYTES, openRecord, openRecordSteps, sealRecord, sealRecordSteps, termOf } from './record.ts'
import type { RecordCipher } from './record-cipher.ts'

/** Thrown for a term that the key ring lacks. Another process may have rotated the key ring, so the caller reloads the stored ring once. */
export class UnknownTermError extends KernelError {
  constructor(key: string, term: number) {
    super('ERR_INTERNAL', `the stored value of ${printable(key)} is sealed under term ${term}, which the key ring lacks`)
  }
}

export class Barrier implements RecordCipher {
  #ring: KeyRing | undefined
  /** The number of encryptions with the active term since the last {@link takeEncryptions}. */
  #encryptions = 0
  readonly #entropy: Entropy

  constructor(entropy: Entropy) {
    this.#entropy = entropy
  }

  get open(): boolean {
    return this.#ring !== undefined
  }

  /** The key ring. Valid until the next await, because sealing wipes it. @throws KernelError 503 while sealed. */
  get ring(): KeyRing {
    if (!this.#ring) throw new KernelError('ERR_SEALED', 'the kernel is sealed')
    return this.#ring
  }

  /** Unseals the barrier, or replaces its key ring by one with more terms. */
  unseal(ring: KeyRing): void {
    if (this.#ring?.active.term !== ring.active.term) this.#encryptions = 0
    if (this.#ring) wipeRing(this.#ring)
    this.#ring = ring
  }

  seal(): void {
    if (this.#ring) wipeRing(this.#ring)
    this.#ring = undefined
    this.#encryptions = 0
  }

  encode(key: string, value: Uint8Array): Uint8Array {
    return this.encodeAll([key], [value])[0] as Uint8Array
  }

  /** Encrypts all values with nonces from one call of the random generator. */
  encodeAll(keys: readonly string[], values: readonly Uint8Array[]): readonly Uint8Array[] {
    const { term, key: aead } = this.ring.active
    this.#encryptions += keys.length
    const nonces = this.#entropy.bytes(NONCE_BYTES * keys.length)
    const records: Uint8Array[] = []
    for (let index = 0; index < keys.length; index++) {
      // Copying so few bytes costs less than creating a view, because V8 allocates a buffer for a view.
      const nonce = keys.length === 1 ? nonces : nonces.slice(NONCE_BYTES * index, NONCE_BYTES * (index + 1))
      const key = keys[index] as string
      records.push(sealRecord(term, aead, nonce, values[index] as Uint8Array, toUtf8(key)))
    }
    return records
  }

  /**
   * Returns the value that was stored under `key`.
   * @throws KernelError ERR_INTERNAL if the record was altered or moved, {@link UnknownTermError} if the key ring lacks the record's term.
   */
  decode(key: string, record: Uint8Array): Uint8Array {
    const found = this.#termOf(key, record)
    const value = found && openRecord(found.key, record, toUtf8(key))
    if (!value) throw damaged(key)
    return value
  }

  /** Like {@link encode}, for a long value. */
  *encodeSteps(key: string, value: Uint8Array): Steps<Uint8Array> {
    return yield* this.#withCurrentRing(() => {
      const { term, key: aead } = this.ring.active
      this.#encryptions++
      return sealRecordSteps(term, aead, this.#entropy.bytes(NONCE_BYTES), value, toUtf8(key))
    })
  }

  /** Like {@link decode}, for a long record. */
  *decodeSteps(key: string, record: Uint8Array): Steps<Uint8Array> {
    if (termOf(record) === undefined) throw damaged(key)
    const value = yield* this.#withCurrentRing(() =>
      openRecordSteps((this.#termOf(key, record) as RingTerm).key, record, toUtf8(key)),
    )
    if (!value) throw damaged(key)
    return value
  }

  /**
   * Runs a generator that uses the current key ring. If the ring is replaced while the generator is paused, the ring's keys are wiped, so
   * the work starts again with the new ring.
   */
  *#withCurrentRing<T>(begin: () => Steps<T>): Steps<T> {
    for (;;) {
      const { ring } = this
      try {
        return yield* begin()
      } catch (thrown) {
        if (ring === this.ring) throw thrown
      }
    }
  }

  #termOf(key: string, record: Uint8Array): RingTerm | undefined {
    const term = termOf(record)
    const found = term === undefined ? undefined : this.ring.terms.get(term)
    if (term !== undefined && !found) throw new UnknownTermError(key, term)
    return found
  }

  get encryptions(): number {
    return this.#encryptions
  }

  addEncryptions(count: number): void {
    this.#encryptions += count
  }

  /** Returns the number of encryptions since the last call. The caller adds it to the stored count of the active term. */
  takeEncryptions(): number {
    const taken = this.#encryptions
    this.#encryptions = 0
    return taken
  }
}

const damaged = (key: string): KernelError =>
  new KernelError('ERR_INTERNAL', `the stored value of ${printable(key)} is damaged or was written by another program`)

/** A storage key for an error message. Storage keys are not secret, but they may be long. */
const printable = (key: string): string => (key.length > 120 ? `${key.slice(0, 117)}...` : key)
