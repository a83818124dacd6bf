/**
 * The state of a rekey that only this process has: the shares that were given to this process, and a new key that waits for verification.
 */
import { invalid, KernelError } from '../../base/errors.ts'
import { equalBytes } from '../../crypto/equal.ts'
import { CollectedShares } from '../../crypto/shamir/collected-shares.ts'
import type { Op } from '../../storage/port.ts'
import type { RekeyAttempt, RekeyKind, VerifyingAttempt } from './rekey-attempt.ts'

/** A new key that is put into use after enough of its shares have been given. */
interface UnverifiedKey {
  /** The nonce of the attempt that created the key. */
  readonly nonce: string
  readonly key: Uint8Array
  /** The writes that store the share backup. They are part of the commit that puts the key into use. */
  readonly backup: readonly Op[]
  readonly given: CollectedShares
  /** The nonce of the verification to which the given shares belong. */
  verifying: string
}

export class RekeyMemory {
  readonly given = new CollectedShares()
  /** The nonce of the attempt to which the given shares belong. */
  #givenNonce = ''
  #unverified: UnverifiedKey | undefined
  /** Incremented when this process is sealed. A call during which the number changes must not store anything in this object. */
  generation = 0

  get holdsKey(): boolean {
    return this.#unverified !== undefined
  }

  /** The number of shares given in the running verification. */
  get verified(): number {
    return this.#unverified?.given.count ?? 0
  }

  /**
   * Compares this object with the stored attempt. Discards the shares and the new key if the attempt or the verification to which they
   * belong has ended, for example because another process ended it.
   */
  sync(attempt: RekeyAttempt | undefined): void {
    const pending = this.#unverified
    const verifying = attempt?.verification?.nonce
    if (pending && (pending.nonce !== attempt?.nonce || verifying === undefined)) this.forget()
    else if (pending && verifying !== undefined && pending.verifying !== verifying) {
      pending.given.clear()
      pending.verifying = verifying
    }
    const nonce = attempt?.nonce ?? ''
    if (this.#givenNonce === nonce) return
    this.given.clear()
    this.#givenNonce = nonce
  }

  /**
   * Keeps the new key of an attempt.
   * @param key The new key. This object takes ownership.
   * @param generation The value of {@link generation} when the attempt was read.
   * @throws KernelError 503 if the kernel has been sealed since then.
   */
  keepKey(attempt: VerifyingAttempt, key: Uint8Array, backup: readonly Op[], generation: number): void {
    this.#unverified = { nonce: attempt.nonce, key, backup, given: new CollectedShares(), verifying: attempt.verification.nonce }
    if (this.generation === generation) return
    this.forget()
    throw new KernelError(
      'ERR_SEALED',
      'the kernel was sealed during the call: the rekey has ended, and the current shares stay valid',
    )
  }

  /** The new key that this process keeps. @throws KernelError 400 in every process except the process that created the key. */
  unverifiedKey(attempt: RekeyAttempt): UnverifiedKey {
    if (this.#unverified) return this.#unverified
    const advice = 'give the shares to that process, or cancel the rekey'
    throw invalid(`only the process that created the new key of rekey "${attempt.nonce}" has the key; ${advice}`)
  }

  /**
   * Reconstructs the current key from the given shares, and discards the shares.
   * @throws KernelError 400 if the shares do not belong together.
   */
  combine(kind: RekeyKind, required: number): Uint8Array {
    try {
      return this.given.combine(required)
    } catch (error) {
      throw withSubject(`failed to compute ${kind === 'recovery' ? 'recovery' : 'root'} key`, error)
    }
  }

  /** Combines and discards the given shares. Returns an error if they do not result in the new key. */
  verificationError({ key, given }: UnverifiedKey, threshold: number): KernelError | undefined {
    let combined: Uint8Array
    try {
      combined = given.combine(threshold)
    } catch (error) {
      return withSubject('failed to compute key for verification', error)
    }
    const same = equalBytes(combined, key)
    combined.fill(0)
    return same ? undefined : invalid('key: rekey verification failed; incorrect key shares supplied')
  }

  forget(): void {
    this.given.clear()
    this.#givenNonce = ''
    this.#unverified?.key.fill(0)
    this.#unverified?.given.clear()
    this.#unverified = undefined
  }
}

/** Returns the error with a prefix that says what failed. */
export function withSubject(what: string, error: unknown): KernelError {
  if (error instanceof KernelError)
    return new KernelError(error.code, `${what}: ${error.message}`, { status: error.status, details: error.details })
  throw error
}
