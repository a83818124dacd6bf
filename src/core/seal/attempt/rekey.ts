/**
 * Replaces the shares of a key. The current shares authorize the change.
 */
import { invalid } from '../../base/errors.ts'
import { uuid } from '../../base/identifiers.ts'
import { splitKey } from '../../crypto/shamir/shares.ts'
import type { Op } from '../../storage/port.ts'
import type { SealKeeper } from '../keeper.ts'
import type { EncodedShares, PgpRecipients } from '../pgp-recipients.ts'
import { putBackup } from './records.ts'
import {
  assertInProgress,
  assertUpdateAllowed,
  assertVerifyAllowed,
  awaitVerification,
  beginRekey,
  checkSupported,
  type RekeyAttempt,
  type RekeyKind,
  type RekeyParameters,
  validateParameters,
} from './rekey-attempt.ts'
import { RekeyMemory } from './rekey-memory.ts'
import {
  completion,
  type RekeyCompletion,
  type RekeyStatus,
  rekeyStatus,
  type VerificationCompletion,
  type VerificationStatus,
  verificationStatus,
} from './rekey-status.ts'
import { type RekeyState, RekeyStore } from './rekey-store.ts'
import { SerialExecutor } from './serial-executor.ts'

export interface AttemptParts {
  readonly keeper: SealKeeper
  readonly recipients: PgpRecipients
}

/** A share and the nonce with which it was sent. The attempt takes ownership of the share. */
export interface SubmittedShare {
  readonly share: Uint8Array
  readonly nonce: string
}

export interface RekeyOptions {
  /** Whether to complete the rekey without an attempt if there are no current shares that could authorize it. */
  readonly immediate: boolean
  /** Whether the caller has no token. */
  readonly isUnauthenticated: boolean
}

const NO_SHARES: EncodedShares = { keys: [], keys_base64: [] }
const KEY_BYTES = 32

export class Rekey {
  readonly #kind: RekeyKind
  readonly #parts: AttemptParts
  readonly #queue = new SerialExecutor()
  readonly #memory = new RekeyMemory()
  readonly #store: RekeyStore

  constructor(kind: RekeyKind, parts: AttemptParts) {
    this.#kind = kind
    this.#parts = parts
    this.#store = new RekeyStore(kind, parts.keeper, (attempt) => this.#memory.sync(attempt))
  }

  status(): Promise<RekeyStatus> {
    return this.#queue.run(async () => {
      const { attempt, present } = await this.#supported()
      return rekeyStatus(attempt, present.required, this.#memory.given.count)
    })
  }

  async begin(
    requested: RekeyParameters,
    { immediate, isUnauthenticated }: RekeyOptions,
  ): Promise<RekeyStatus | RekeyCompletion> {
    const { present: before } = await this.#queue.run(() => this.#supported())
    const { pgp_keys } = validateParameters(this.#kind, before, requested)
    // Testing PGP keys takes time. Test them outside of the queue, so that they do not delay other calls.
    const pgp_fingerprints =
      pgp_keys.length > 0 ? await this.#parts.recipients.fingerprints(pgp_keys, 'pgp_keys', isUnauthenticated) : null
    return this.#queue.run(() =>
      this.#store.run(async (state) => {
        const { required } = state.present
        const wish = validateParameters(this.#kind, state.present, requested)
        const era = state.held.record.attempts
        const attempt = beginRekey(state.attempt, wish, { nonce: this.#nonce(), pgp_fingerprints, era })
        if (immediate && this.#kind === 'recovery' && required === 0) return this.#complete(state, attempt)
        return (await this.#store.put(state, attempt)) && rekeyStatus(attempt, required, 0)
      }),
    )
  }

  /**
   * Ends the running attempt; the current shares stay valid.
   * @param always If true, the call succeeds even if the seal has no key of this kind.
   */
  cancel(always: boolean): Promise<void> {
    return this.#queue.run(async () => {
      if (!always) await this.#supported()
      await this.#store.run((state) => this.#store.drop(state))
      this.#memory.forget()
    })
  }

  update({ share, nonce }: SubmittedShare): Promise<RekeyStatus | RekeyCompletion> {
    return this.#queue.run(async () => {
      const { given } = this.#memory
      const { attempt, required } = await wipingOnRefusal(share, async () => {
        const state = await this.#supported()
        return { attempt: assertUpdateAllowed(this.#kind, state.attempt, nonce), required: state.present.required }
      })
      if (!given.add(share)) throw invalid('key: given key has already been provided during this rekey operation')
      if (given.count < required) return rekeyStatus(attempt, required, given.count)
      const key = this.#memory.combine(this.#kind, required)
      try {
        return await this.#store.run(async (state) => {
          const current = assertUpdateAllowed(this.#kind, state.attempt, nonce)
          if (!(await this.#parts.keeper.authorizes(state.held.record, key)))
            throw invalid('key: key verification failed: these shares do not result in the current key')
          return this.#complete(state, current)
        })
      } finally {
        key.fill(0)
      }
    })
  }

  verification(): Promise<VerificationStatus> {
    return this.#queue.run(async () => {
      const attempt = assertInProgress((await this.#supported()).attempt)
      return verificationStatus(attempt, this.#memory.verified)
    })
  }

  /** Restarts the verification with a new nonce. All new shares must be given again. */
  restartVerification(): Promise<VerificationStatus> {
    return this.#queue.run(async () => {
      await this.#supported()
      return this.#store.run((state) => this.#renew(state, assertInProgress(state.attempt)))
    })
  }

  verify({ share, nonce }: SubmittedShare): Promise<VerificationStatus | VerificationCompletion> {
    return this.#queue.run(async () => {
      const { attempt, unverified } = await wipingOnRefusal(share, async () => {
        const verifying = assertVerifyAllowed((await this.#supported()).attempt, nonce)
        return { attempt: verifying, unverified: this.#memory.unverifiedKey(verifying) }
      })
      if (!unverified.given.add(share)) throw invalid('key: given key has already been provided during this verify operation')
      if (unverified.given.count < attempt.secret_threshold) return verificationStatus(attempt, unverified.given.count)
      const refusal = this.#memory.verificationError(unverified, attempt.secret_threshold)
      if (refusal) {
        await this.#store.run(async (state) => !state.attempt || this.#renew(state, state.attempt))
        throw refusal
      }
      await this.#store.run((state) => {
        const current = assertVerifyAllowed(state.attempt, nonce)
        return this.#store.install(state, current, this.#memory.unverifiedKey(current).key, unverified.backup)
      })
      this.#memory.forget()
      return { nonce, complete: true as const }
    })
  }

  /**
   * Called when this process has unsealed the store. Ends an attempt that waits for verification, unless this process has the new key of
   * the attempt in memory. The process that created the key may have been restarted, and then the key is lost.
   */
  async opened(): Promise<void> {
    await this.#queue.run(() =>
      this.#store.run(async (state) => !state.attempt?.verification || this.#memory.holdsKey || this.#store.drop(state)),
    )
  }

  /** Discards the given shares and the new key. Called when this process is sealed or closed. */
  forget(): void {
    this.#memory.generation++
    this.#memory.forget()
  }

  async #supported(): Promise<RekeyState> {
    const state = await this.#store.read()
    checkSupported(this.#kind, state.present)
    return state
  }

  /** Creates the new key, and either puts it into use or keeps it for verification. Returns undefined after a conflict. */
  async #complete(state: RekeyState, attempt: RekeyAttempt): Promise<RekeyCompletion | undefined> {
    if (this.#kind === 'barrier' && state.present.automatic)
      return (await this.#store.renewRootKey(state)) ? completion(attempt, NO_SHARES) : undefined
    const { entropy } = this.#parts.keeper.parts
    const key = entropy.bytes(KEY_BYTES)
    const shares = splitKey(key, attempt, entropy)
    try {
      const given = await this.#parts.recipients.encodeShares(shares, attempt.pgp_keys)
      const backup = attempt.backup ? [putBackup(this.#kind, attempt, given)] : []
      if (attempt.require_verification) return await this.#keepForVerification(state, attempt, { key, backup, given })
      return (await this.#store.install(state, attempt, key, backup)) ? completion(attempt, given) : undefined
    } finally {
      for (const secret of [key, ...shares]) secret.fill(0)
    }
  }

  /** Keeps the new key until enough of its shares have been given. */
  async #keepForVerification(
    state: RekeyState,
    attempt: RekeyAttempt,
    { key, backup, given }: { readonly key: Uint8Array; readonly backup: readonly Op[]; readonly given: EncodedShares },
  ): Promise<RekeyCompletion | undefined> {
    const verifying = awaitVerification(attempt, { nonce: this.#nonce() })
    const { generation } = this.#memory
    if (!(await this.#store.put(state, verifying))) return undefined
    this.#memory.keepKey(verifying, key.slice(), backup, generation)
    return completion(verifying, given)
  }

  /** If a verification is running, restarts it with a new nonce and discards the given shares. */
  async #renew(state: RekeyState, attempt: RekeyAttempt): Promise<VerificationStatus | undefined> {
    if (!attempt.verification) return verificationStatus(attempt, 0)
    const renewed = awaitVerification(attempt, { nonce: this.#nonce() })
    if (!(await this.#store.put(state, renewed))) return undefined
    this.#memory.sync(renewed)
    return verificationStatus(renewed, 0)
  }

  #nonce(): string {
    return uuid(this.#parts.keeper.parts.entropy.bytes(16))
  }
}

/** Runs `check`, and wipes the share if `check` throws. */
export async function wipingOnRefusal<T>(share: Uint8Array, check: () => Promise<T>): Promise<T> {
  try {
    return await check()
  } catch (error) {
    share.fill(0)
    throw error
  }
}
