/**
 * The part of a rekey that is only in this process: the shares that were given here, and a new key that waits for verification.
 */
import { invalid, KernelError } from '../../base/errors.ts'
import { equalBytes } from '../../crypto/equal.ts'
import { CollectedShares } from '../../crypto/shamir/collected-shares.ts'
import type { Op } from '../../storage/port.ts'
import type { RekeyAttempt, RekeyKind, VerifyingAttempt } from './rekey-attempt.ts'

/** A new key whose shares must be given before it is used. */
interface UnverifiedKey {
  /** The nonce of the attempt that created it. */
  readonly nonce: string
  readonly key: Uint8Array
  /** Ops that store the share backup, in the commit that puts the key into use. */
  readonly backup: readonly Op[]
  readonly given: CollectedShares
  /** The nonce of the verification for which shares were given. */
  verifying: string
}

export class RekeyMemory {
  readonly given = new CollectedShares()
  /** The nonce of the attempt for which shares were given. */
  #givenNonce = ''
  #unverified: UnverifiedKey | undefined
  /** Incremented by every `forget` for a seal. An action that began before must not store anything here. */
  generation = 0

  get holdsKey(): boolean {
    return this.#unverified !== undefined
  }

  /** Number of shares given in the running verification. */
  get verified(): number {
    return this.#unverified?.given.count ?? 0
  }

  /** Drops the shares and the key of an attempt that another process has ended. */
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
   * Keeps the new key of an attempt. @param key Owned by this object from now on.
   * @param generation The value of {@link generation} when the attempt was read. @throws KernelError 503 if the kernel was sealed since.
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

  /** @throws KernelError 400 in every process except the one that created the new key. */
  unverifiedKey(attempt: RekeyAttempt): UnverifiedKey {
    if (this.#unverified) return this.#unverified
    const where = 'in the process that created it: give the shares there, or cancel the rekey'
    throw invalid(`the new key of rekey "${attempt.nonce}" is only ${where}`)
  }

  /**
   * The key that the given shares result in. The shares are dropped. @throws KernelError 400 if the shares do not fit together.
   */
  combine(kind: RekeyKind, required: number): Uint8Array {
    try {
      return this.given.combine(required)
    } catch (error) {
      throw withSubject(`failed to compute ${kind === 'recovery' ? 'recovery' : 'root'} key`, error)
    }
  }

  /** The error if the given shares do not result in the new key. The shares are dropped. */
  verificationError({ key, given }: UnverifiedKey, threshold: number): KernelError | undefined {
    let combined: Uint8Array
    try {
      combined = given.combine(threshold)
    } catch (error) {
      return withSubject('failed to compute key for verification', error)
    }
    const same = combined.length === key.length && equalBytes(combined, key)
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

/** The error with its subject before the message. */
export function withSubject(what: string, error: unknown): KernelError {
  if (error instanceof KernelError)
    return new KernelError(error.code, `${what}: ${error.message}`, { status: error.status, details: error.details })
  throw error
}
