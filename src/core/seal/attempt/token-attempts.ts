/**
 * Creates a root token or an operation token. Key shares authorize the creation.
 *
 * The attempt is stored, but the shares that this process was given are only in its memory. One commit creates the token and deletes the
 * attempt. That commit fails if the seal record has changed since the shares were checked.
 */
import { rootRecord } from '../../access/token/root-token.ts'
import { storeToken } from '../../access/token/store-token.ts'
import { newAccessor, newCubbyholeId, newServiceToken } from '../../access/token/token-id.ts'
import { encodeBase64 } from '../../base/base64.ts'
import { invalid, KernelError } from '../../base/errors.ts'
import { uuid } from '../../base/identifiers.ts'
import { KernelService } from '../../contract/kernel-service.ts'
import { ROOT_NAMESPACE } from '../../contract/namespace.ts'
import type { Call, Tx } from '../../contract/tx.ts'
import { CollectedShares } from '../../crypto/shamir/collected-shares.ts'
import type { Topology } from '../../mount/topology.ts'
import type { Op } from '../../storage/port.ts'
import { CORE } from '../../transaction/core-key.ts'
import type { Host } from '../../transaction/host.ts'
import { Keyspace } from '../../transaction/keyspace.ts'
import { transactAndEnd } from '../../transaction/transact.ts'
import { rekeyAuthorityOf } from '../authority.ts'
import type { StoredSeal } from '../keeper.ts'
import { SEAL_KEY } from '../seal-record.ts'
import { encodeToken, newPad } from '../token-pad.ts'
import { storeOperationToken } from './operation-token.ts'
import { attemptKey, dropAttempt, putAttempt, readAttempt, type StoredAttempt } from './records.ts'
import { type AttemptParts, type SubmittedShare, wipingOnRefusal } from './rekey.ts'
import { withSubject } from './rekey-memory.ts'
import { retryOnConflict, SerialExecutor } from './serial-executor.ts'
import {
  assertTokenUpdateAllowed,
  beginToken,
  type TokenAttempt,
  type TokenParameters,
  type TokenStatus,
  type TokenStrategy,
  tokenStatus,
  validateTokenParameters,
} from './token-attempt.ts'

export interface TokenParts extends AttemptParts {
  readonly host: Host
  readonly topology: Topology
  /** The trusted call with which the kernel stores the token. */
  readonly call: Call
}

interface TokenState extends StoredAttempt<TokenAttempt> {
  readonly held: StoredSeal
  readonly required: number
}

/** The attempts of the current kernel. */
export const TOKEN_ATTEMPTS = /* @__PURE__ */ new KernelService<TokenAttempts>()

export class TokenAttempts {
  readonly #parts: TokenParts
  readonly #queue = new SerialExecutor()
  readonly #given = new CollectedShares()
  /** The nonce of the attempt to which the given shares belong. */
  #givenNonce = ''

  constructor(parts: TokenParts) {
    this.#parts = parts
    parts.keeper.onSeal(() => this.forget())
  }

  status(): Promise<TokenStatus> {
    return this.#queue.run(async () => {
      const { attempt, required } = await this.#state()
      return tokenStatus(attempt, required, this.#given.count)
    })
  }

  /** @param isUnauthenticated Whether the caller has no token. */
  async begin(strategy: TokenStrategy, requested: TokenParameters, isUnauthenticated: boolean): Promise<TokenStatus> {
    const { entropy } = this.#parts.keeper.parts
    const { otp, pgp_key } = validateTokenParameters(requested)
    const [pgp_fingerprint = ''] =
      pgp_key === '' ? [] : await this.#parts.recipients.fingerprints([pgp_key], 'pgp_key', isUnauthenticated)
    const generatedPad = otp === '' && pgp_key === '' ? newPad(entropy) : ''
    return this.#queue.run(() =>
      this.#retry(async ({ attempt: running, version, held, required }) => {
        const era = held.record.attempts
        const nonce = uuid(entropy.bytes(16))
        const attempt = beginToken(running, { nonce, strategy, otp: otp || generatedPad, pgp_key, pgp_fingerprint, era })
        const begun = await this.#commit(putAttempt(this.#store, 'token', attempt, version), held)
        return begun && { ...tokenStatus(attempt, required, 0), otp: generatedPad }
      }),
    )
  }

  /** Ends the running attempt. It may be an attempt for either kind of token. */
  cancel(): Promise<void> {
    return this.#queue.run(async () => {
      await this.#retry(({ version, held }) => this.#commit(dropAttempt('token', version), held))
      this.#given.clear()
    })
  }

  update(strategy: TokenStrategy, { share, nonce }: SubmittedShare): Promise<TokenStatus> {
    return this.#queue.run(async () => {
      const { attempt, required } = await wipingOnRefusal(share, async () => {
        const state = await this.#state()
        return { attempt: assertTokenUpdateAllowed(state.attempt, strategy, nonce), required: state.required }
      })
      if (!this.#given.add(share)) throw invalid('key: given key has already been provided during this generation operation')
      const { count } = this.#given
      if (count < required) return shown(tokenStatus(attempt, required, count))
      const key = this.#combine(required)
      try {
        const encoded_token = await this.#retry(async (state) => {
          const current = assertTokenUpdateAllowed(state.attempt, strategy, nonce)
          if (!(await this.#parts.keeper.authorizes(state.held.record, key)))
            throw invalid('key: root generation aborted: these shares do not result in the current key')
          return this.#create(state, current)
        })
        return { ...shown(tokenStatus(attempt, required, count)), complete: true, encoded_token }
      } finally {
        key.fill(0)
      }
    })
  }

  /** Called when this process is sealed or closed. */
  forget(): void {
    this.#given.clear()
    this.#givenNonce = ''
  }

  get #store() {
    return this.#parts.keeper.parts.store
  }

  async #state(): Promise<TokenState> {
    const held = await this.#parts.keeper.read()
    if (!held) throw new KernelError('ERR_NOT_INITIALIZED', 'the store is not initialized')
    const found = await readAttempt(this.#store, 'token', held.record.attempts)
    const nonce = found.attempt?.nonce ?? ''
    // If another process ended the attempt, discard the shares that were given for it.
    if (this.#givenNonce !== nonce) this.#given.clear()
    this.#givenNonce = nonce
    return { ...found, held, required: rekeyAuthorityOf(held.record).counts.secret_threshold }
  }

  #retry<T>(step: (state: TokenState) => Promise<T | undefined | false>): Promise<T> {
    return retryOnConflict(this.#store, async () => step(await this.#state()))
  }

  async #commit(op: Op, { version }: StoredSeal): Promise<boolean> {
    return (await this.#store.commit([op, { op: 'check', key: SEAL_KEY, expect: version }])).ok
  }

  #combine(required: number): Uint8Array {
    try {
      return this.#given.combine(required)
    } catch (error) {
      throw withSubject('failed to compute root key', error)
    }
  }

  /** Creates the token and returns it in encoded form. Undefined after a conflict; then no token was created. */
  async #create(state: TokenState, { otp, pgp_key, strategy }: TokenAttempt): Promise<string | undefined> {
    const token = newServiceToken(this.#parts.keeper.parts.entropy, ROOT_NAMESPACE)
    const encoded = pgp_key === '' ? encodeToken(token, otp) : encodeBase64(await this.#parts.recipients.encrypt(token, pgp_key))
    const keep = strategy === 'root' ? (tx: Tx) => this.#storeRootToken(tx, token) : (tx: Tx) => storeOperationToken(tx, token)
    return (await this.#keep(state, keep)) ? encoded : undefined
  }

  async #keep({ version, held }: TokenState, keep: (tx: Tx) => void): Promise<boolean> {
    const { host, call } = this.#parts
    try {
      const { value } = await transactAndEnd(host, underSeal(host, held.version), call, 'write', (run) => {
        if (run.version(attemptKey('token')) !== version) return false
        keep(run)
        run.deleteKey(attemptKey('token'))
        return true
      })
      return value
    } catch (error) {
      if (error === SEAL_CHANGED) return false
      throw error
    }
  }

  #storeRootToken(tx: Tx, token: string): void {
    const { entropy } = tx.env
    const mount = this.#parts.topology.mounts.at(ROOT_NAMESPACE, 'auth/token/', 'token')
    const accessor = newAccessor(entropy, ROOT_NAMESPACE)
    const record = rootRecord(accessor, newCubbyholeId(entropy), mount.record.uuid, tx.now)
    storeToken(tx, token, record)
    const { display_name, policies } = record
    const place = { namespace: '', mount: mount.record.path }
    tx.event('token.created', { accessor, display_name, policies, token_type: 'service' }, place)
  }
}

const SEAL_CHANGED = /* @__PURE__ */ new Error('the seal record has changed')

/** The kernel's own keyspace, for commits that fail if the seal record no longer has this version. */
const underSeal = (host: Host, version: number): Keyspace =>
  new Keyspace(CORE, host, {
    fences: () => [{ key: SEAL_KEY, version }],
    revalidate: async () => {
      const [now] = await host.store.versions([SEAL_KEY])
      if (now !== version) throw SEAL_CHANGED
    },
  })

/** The status in the response to a share. This response does not show the length of the pad. */
const shown = (status: TokenStatus): TokenStatus => ({ ...status, otp_length: 0 })
