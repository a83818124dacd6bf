/**
 * Stores a rekey attempt. Every commit requires that the records on which it depends have not changed since they were read.
 *
 * One commit puts a new key into use, deletes the attempt, and stores the backup of the shares. So exactly one set of shares is valid at
 * any time, and an attempt completes only once.
 */
import { KernelError } from '../../base/errors.ts'
import type { Op } from '../../storage/port.ts'
import { rekeyAuthorityOf } from '../authority.ts'
import type { SealKeeper, StoredSeal } from '../keeper.ts'
import type { KeyChange } from '../key-change.ts'
import { SEAL_KEY } from '../seal-record.ts'
import { dropAttempt, putAttempt, readAttempt, type StoredAttempt } from './records.ts'
import type { CurrentShares, RekeyAttempt, RekeyKind } from './rekey-attempt.ts'
import { retryOnConflict } from './serial-executor.ts'

/** The stored attempt, and the versions that the commit of the next step requires. */
export interface RekeyState extends StoredAttempt<RekeyAttempt> {
  readonly held: StoredSeal
  readonly present: CurrentShares
}

export class RekeyStore {
  readonly #kind: RekeyKind
  readonly #keeper: SealKeeper
  readonly #onRead: (attempt: RekeyAttempt | undefined) => void

  /** @param onRead Called with the attempt every time it is read. */
  constructor(kind: RekeyKind, keeper: SealKeeper, onRead: (attempt: RekeyAttempt | undefined) => void) {
    this.#kind = kind
    this.#keeper = keeper
    this.#onRead = onRead
  }

  async read(): Promise<RekeyState> {
    const held = await this.#keeper.read()
    if (!held) throw new KernelError('ERR_NOT_INITIALIZED', 'the store is not initialized')
    const { of, counts } = rekeyAuthorityOf(held.record)
    const found = await readAttempt(this.#keeper.parts.store, this.#kind, held.record.attempts)
    this.#onRead(found.attempt)
    return { ...found, held, present: { automatic: of === 'recovery', required: counts.secret_threshold } }
  }

  /**
   * Calls `step` with the stored state, and calls it again if its commit conflicted.
   * @param step Returns false or undefined after a conflict.
   */
  run<T>(step: (state: RekeyState) => Promise<T | undefined | false>): Promise<T> {
    return retryOnConflict(this.#keeper.parts.store, async () => step(await this.read()))
  }

  /** Stores the attempt. Returns false after a conflict, as do the methods below. */
  async put({ held, version }: RekeyState, attempt: RekeyAttempt): Promise<boolean> {
    const { store } = this.#keeper.parts
    const ops: Op[] = [putAttempt(store, this.#kind, attempt, version), { op: 'check', key: SEAL_KEY, expect: held.version }]
    return (await store.commit(ops)).ok
  }

  /** Deletes the stored attempt. */
  async drop({ version }: RekeyState): Promise<boolean> {
    return version === 0 || (await this.#keeper.parts.store.commit([dropAttempt(this.#kind, version)])).ok
  }

  /** Creates a new root key. Used for a rekey of the kind `barrier` under an automatic seal, which has no unseal key to replace. */
  renewRootKey({ held, version }: RekeyState): Promise<boolean> {
    return this.#keeper.change(held, { rootKey: true }, [dropAttempt(this.#kind, version)])
  }

  /** Puts the new key into use. The caller remains the owner of `key`. */
  install({ held, version }: RekeyState, attempt: RekeyAttempt, key: Uint8Array, backup: readonly Op[]): Promise<boolean> {
    const shared = { key, secret_shares: attempt.secret_shares, secret_threshold: attempt.secret_threshold }
    const change: KeyChange = this.#kind === 'recovery' ? { recoveryKey: shared } : { shareKey: shared }
    return this.#keeper.change(held, change, [dropAttempt(this.#kind, version), ...backup])
  }
}
