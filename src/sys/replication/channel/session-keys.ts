/** The keys of a session, one per direction. After `end`, pending `seal` and `open` calls return undefined. */
import type { Steps } from '../../../core/base/steps.ts'
import type { AeadKey } from '../../../core/crypto/backend.ts'
import { openText, sealText } from './sealed-text.ts'

export class SessionKeys {
  readonly #outgoing: AeadKey
  readonly #incoming: AeadKey
  #ended = false

  /** Takes ownership of the keys. */
  constructor(outgoing: AeadKey, incoming: AeadKey) {
    this.#outgoing = outgoing
    this.#incoming = incoming
  }

  get ended(): boolean {
    return this.#ended
  }

  /** Like `sealText`, but returns undefined if the session has ended. */
  *seal(counter: number, head: Uint8Array, plaintext: Uint8Array): Steps<Uint8Array | undefined> {
    return yield* this.#whileAlive(() => sealText(this.#outgoing, counter, head, plaintext))
  }

  /** Like `openText`, but also returns undefined if the session has ended. */
  *open(counter: number, head: Uint8Array, sealed: Uint8Array): Steps<Uint8Array | undefined> {
    return yield* this.#whileAlive(() => openText(this.#incoming, counter, head, sealed))
  }

  /** Wipes the keys. Idempotent. */
  end(): void {
    this.#ended = true
    this.#outgoing.wipe()
    this.#incoming.wipe()
  }

  *#whileAlive(work: () => Steps<Uint8Array | undefined>): Steps<Uint8Array | undefined> {
    if (this.#ended) return undefined
    try {
      const result = yield* work()
      return this.#ended ? undefined : result
    } catch (error) {
      // If `end` wiped the keys while the generator was suspended, their use throws.
      if (this.#ended) return undefined
      throw error
    }
  }
}
