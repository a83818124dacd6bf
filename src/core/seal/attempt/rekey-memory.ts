/**
 * What only this process holds of a rekey: the shares given to it, and a new key that waits for verification.
 */
import { invalid, KernelError } from '../../base/errors.ts'
import { equalBytes } from '../../crypto/equal.ts'
import { CollectedShares } from '../../crypto/shamir/collected-shares.ts'
import type { Op } from '../../storage/port.ts'
import type { RekeyAttempt, RekeyKind, Verifying } from './rekey-attempt.ts'

/** A new key that waits for its shares to be given. */
interface Fresh {
  /** The nonce of the attempt that made it. */
  readonly nonce: string
  readonly key: Uint8Array
  /** Written when the key comes into force. */
  readonly backup: readonly Op[]
  readonly given: CollectedShares
  /** The verification that the given shares belong to. */
  verifying: string
}

export class RekeyMemory {
  readonly given = new CollectedShares()
  /** The attempt that the given shares belong to. */
  #givenFor = ''
  #fresh: Fresh | undefined
  /** Counts the calls to forget everything: an action begun before the last one must store nothing here. */
  turn = 0

  get holdsKey(): boolean {
    return this.#fresh !== undefined
  }

  /** Shares given in the running verification. */
  get verified(): number {
    return this.#fresh?.given.count ?? 0
  }

  /** Drops what belongs to an attempt that others have ended. */
  follow(attempt: RekeyAttempt | undefined): void {
    const fresh = this.#fresh
    const verifying = attempt?.verification?.nonce
    if (fresh && (fresh.nonce !== attempt?.nonce || verifying === undefined)) this.forget()
    else if (fresh && verifying !== undefined && fresh.verifying !== verifying) {
      fresh.given.clear()
      fresh.verifying = verifying
    }
    const nonce = attempt?.nonce ?? ''
    if (this.#givenFor === nonce) return
    this.given.clear()
    this.#givenFor = nonce
  }

  /**
   * Keeps the new key of an attempt. @param key Owned by this memory from then on.
   * @param turn When the attempt was read. @throws KernelError 503 where everything was forgotten since.
   */
  hold(attempt: Verifying, key: Uint8Array, backup: readonly Op[], turn: number): void {
    this.#fresh = { nonce: attempt.nonce, key, backup, given: new CollectedShares(), verifying: attempt.verification.nonce }
    if (this.turn === turn) return
    this.forget()
    throw new KernelError('ERR_SEALED', 'the kernel was sealed meanwhile: the rekey has ended, and the former shares stay')
  }

  /** @throws KernelError 400 in every process except the one that made the new key. */
  fresh(attempt: RekeyAttempt): Fresh {
    if (this.#fresh) return this.#fresh
    const where = 'by the process that made it: give the shares there, or cancel the rekey'
    throw invalid(`the new key of rekey "${attempt.nonce}" is held ${where}`)
  }

  /**
   * The key that results from the given shares; they are forgotten. @throws KernelError 400 for shares that do not belong
   * together.
   */
  combine(kind: RekeyKind, required: number): Uint8Array {
    try {
      return this.given.combine(required)
    } catch (error) {
      throw within(`failed to compute ${kind === 'recovery' ? 'recovery' : 'root'} key`, error)
    }
  }

  /** Why the given shares are not those of the new key; they are forgotten. */
  refute({ key, given }: Fresh, threshold: number): KernelError | undefined {
    let combined: Uint8Array
    try {
      combined = given.combine(threshold)
    } catch (error) {
      return within('failed to compute key for verification', error)
    }
    const same = combined.length === key.length && equalBytes(combined, key)
    combined.fill(0)
    return same ? undefined : invalid('key: rekey verification failed; incorrect key shares supplied')
  }

  forget(): void {
    this.given.clear()
    this.#givenFor = ''
    this.#fresh?.key.fill(0)
    this.#fresh?.given.clear()
    this.#fresh = undefined
  }
}

/** A refusal with its subject in front of the message. */
export function within(what: string, error: unknown): KernelError {
  if (error instanceof KernelError)
    return new KernelError(error.code, `${what}: ${error.message}`, { status: error.status, details: error.details })
  throw error
}
