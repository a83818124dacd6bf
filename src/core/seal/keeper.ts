/**
 * Maintains the keys of a store: reads and changes the seal record, checks keys that were reconstructed from shares, and replaces keys.
 */
import { KernelError } from '../base/errors.ts'
import { equalBytes } from '../crypto/equal.ts'
import type { Op, Revision } from '../storage/port.ts'
import { type ConfiguredSeals, unwrapBySeals, wrapBySeal } from './configured-seals.ts'
import { type ChangeContext, type KeyChange, planKeyChange } from './key-change.ts'
import { decryptRootKey, type KeyParts, type KeyRecords, openKeys, putSeal, readKeyRecords } from './key-records.ts'
import { nextTerm } from './next-term.ts'
import { isAutomatic } from './seal.ts'
import { decodeSealRecord, SEAL_KEY, type SealRecord } from './seal-record.ts'
import { unlockedRing } from './unlock.ts'
import { unwrapByShares } from './wrapping.ts'

export interface KeeperParts extends KeyParts, ConfiguredSeals {
  /** Called after this process has committed a new term. */
  readonly rotated: (term: number) => void
}

/** A seal record and the version at which it was read. Every change that is based on the record requires this version. */
export interface StoredSeal {
  readonly record: SealRecord
  readonly version: Revision
}

/** The maximum number of times that a commit is tried before the call fails because of conflicts. */
const MAX_TRIES = 200

const contentionError = (): KernelError =>
  new KernelError('ERR_UNAVAILABLE', `gave up after ${MAX_TRIES} conflicts with other writers; nothing was changed`)

export class SealKeeper {
  readonly parts: KeeperParts
  /** The seal epoch under which this process unsealed the store. */
  #epoch: number | undefined
  #reloading: Promise<boolean> | undefined
  readonly #onSeal: (() => void)[] = []
  readonly #onOpen: (() => Promise<void>)[] = []
  /** The seal record as this process last read it. */
  known: SealRecord | undefined

  constructor(parts: KeeperParts) {
    this.parts = parts
  }

  /** Reads the seal record. Undefined if the store is not initialized. */
  async read(): Promise<StoredSeal | undefined> {
    const [entry] = await this.parts.store.entries([SEAL_KEY])
    if (!entry) return undefined
    this.known = decodeSealRecord(entry.value)
    return { record: this.known, version: entry.version }
  }

  /**
   * Whether `key`, which was reconstructed from shares, currently authorizes changes of keys.
   * @throws KernelError 502 if an automatic seal fails.
   */
  async authorizes(record: SealRecord, key: Uint8Array): Promise<boolean> {
    if (record.type === 'shamir') {
      const rootKey = unwrapByShares(this.parts.crypto, key, record.wrapped)
      rootKey?.fill(0)
      return rootKey !== undefined
    }
    if (!record.recovery) return false
    const recoveryKey = await this.unwrap(record.type, record.recovery.wrapped)
    const same = equalBytes(recoveryKey, key)
    recoveryKey.fill(0)
    return same
  }

  /**
   * Changes keys and applies the operations in `more`, in one commit. Returns false if the seal record differs from `held`, or if an
   * expectation in `more` fails. In that case, nothing has changed.
   * @throws KernelError 503 if the kernel is sealed.
   */
  async change(held: StoredSeal, change: KeyChange, more: readonly Op[] = []): Promise<boolean> {
    const { store } = this.parts
    const records = await readKeyRecords(store)
    if (records?.versions.seal !== held.version) return false
    const { record, ops } = await planKeyChange(this.#changing, records, change)
    const verdict = await store.commit([putSeal(record, held.version), ...ops, ...more])
    if (verdict.ok) this.known = record
    return verdict.ok
  }

  /**
   * Adds a term to the key ring. All later writes are encrypted with the key of the new term. Older records stay readable.
   * @param from If given, rotates only if this is the active term.
   */
  async rotate(from?: number): Promise<void> {
    const { store, barrier } = this.parts
    for (let tries = 1; ; tries++) {
      const records = await this.#records()
      const next = nextTerm(this.parts, records, await this.#rootKey(records), from)
      if (!next) return
      const { term } = next.opened.ring.active
      const verdict = await store.commit(next.ops).catch((error: unknown) => {
        next.opened.end()
        throw error
      })
      if (verdict.ok && barrier.open) {
        next.opened.bytes.fill(0)
        barrier.unseal(next.opened.ring)
      } else next.opened.end()
      if (verdict.ok) return this.parts.rotated(term)
      if (tries === MAX_TRIES) throw contentionError()
      await store.backOff(Math.min(tries, 6))
    }
  }

  /** Opens the barrier: decrypts the key ring in `records` with the root key. Wipes the root key. */
  async unlock(records: KeyRecords, rootKey: Uint8Array): Promise<void> {
    this.parts.barrier.unseal(await unlockedRing(this.parts, records, rootKey))
    this.#epoch = records.seal.epoch
    this.known = records.seal
  }

  /** Registers a function that runs each time this process unseals the store, after the barrier was opened and before any request. */
  onOpen(prepare: () => Promise<void>): void {
    this.#onOpen.push(prepare)
  }

  /** Called by the kernel's lifecycle. */
  async opened(): Promise<void> {
    for (const prepare of this.#onOpen) await prepare()
  }

  /**
   * Registers a function that runs each time this process is sealed. It must discard secrets that callers have passed to this process, such
   * as shares.
   */
  onSeal(forget: () => void): void {
    this.#onSeal.push(forget)
  }

  /** Called by the kernel's lifecycle. */
  sealed(): void {
    this.#epoch = undefined
    // Forget a running reload of the key ring: after the next unsealing, no caller may use its result.
    this.#reloading = undefined
    for (const forget of this.#onSeal) forget()
  }

  /**
   * Reloads the key ring after another process rotated it. Returns false if this process must seal itself. That is the case if all
   * processes were sealed, or if the terms of this process are too old to decrypt the root key and the seal is manual.
   */
  refresh(): Promise<boolean> {
    if (this.#reloading) return this.#reloading
    const reloading = this.#refresh().finally(() => {
      if (this.#reloading === reloading) this.#reloading = undefined
    })
    this.#reloading = reloading
    return reloading
  }

  /** Seals all processes that share the store, and ends every attempt. */
  sealAll(): Promise<void> {
    return this.#edit((record) => ({ ...record, epoch: record.epoch + 1, attempts: record.attempts + 1 }))
  }

  /** Ends every rekey attempt and every attempt to create a token. */
  endAttempts(): Promise<void> {
    return this.#edit((record) => ({ ...record, attempts: record.attempts + 1 }))
  }

  /**
   * Unwraps bytes that an automatic seal of this type wrapped. Tries the current seal and the former seal.
   * @throws KernelError if neither seal can unwrap the bytes.
   */
  unwrap(type: string, wrapped: Uint8Array): Promise<Uint8Array> {
    return unwrapBySeals(this.parts, type, wrapped)
  }

  /** Wraps bytes with the current automatic seal. */
  wrap(bytes: Uint8Array): Promise<Uint8Array> {
    return wrapBySeal(this.parts, bytes)
  }

  async #refresh(): Promise<boolean> {
    const { store, barrier } = this.parts
    const records = await readKeyRecords(store)
    this.known = records?.seal
    if (!records || records.seal.epoch !== this.#epoch || !barrier.open) return false
    const rootKey =
      decryptRootKey(this.parts, records) ??
      (isAutomatic(this.parts.seal) ? await this.unwrap(records.seal.type, records.seal.wrapped) : undefined)
    if (!rootKey) return false
    const opened = openKeys(this.parts, records, rootKey)
    opened.bytes.fill(0)
    rootKey.fill(0)
    // During the reads above, this process may have been sealed or may have rotated the ring.
    if (barrier.open && opened.ring.active.term >= barrier.ring.active.term) barrier.unseal(opened.ring)
    else opened.end()
    return barrier.open
  }

  async #edit(edited: (record: SealRecord) => SealRecord): Promise<void> {
    const { store } = this.parts
    for (let tries = 1; ; tries++) {
      const held = await this.read()
      if (!held) return
      const verdict = await store.commit([putSeal(edited(held.record), held.version)])
      if (verdict.ok) return
      if (tries === MAX_TRIES) throw contentionError()
      await store.backOff(Math.min(tries, 6))
    }
  }

  get #changing(): ChangeContext {
    return { parts: this.parts, wrap: (bytes) => this.wrap(bytes), rootKey: (records) => this.#rootKey(records) }
  }

  async #records(): Promise<KeyRecords> {
    const records = await readKeyRecords(this.parts.store)
    if (!records) throw new KernelError('ERR_NOT_INITIALIZED', 'the store is not initialized')
    return records
  }

  /**
   * Decrypts the current root key. If no term of this process can decrypt it, reloads the key ring first.
   * @throws KernelError 503 if the keys change again meanwhile.
   */
  async #rootKey(records: KeyRecords): Promise<Uint8Array> {
    const held = decryptRootKey(this.parts, records)
    if (held) return held
    await this.parts.store.reloadRing()
    const rootKey = decryptRootKey(this.parts, records)
    if (!rootKey) throw new KernelError('ERR_UNAVAILABLE', 'the keys of the store have just been changed; try again')
    return rootKey
  }
}
