/**
 * Keeps the keys of a store: what its seal record says, which keys authorise, and every change of them.
 */
import { KernelError } from '../base/errors.ts'
import { equalBytes } from '../crypto/equal.ts'
import type { Op, Revision } from '../storage/port.ts'
import { type Changing, changedKeys, type KeyChange } from './key-change.ts'
import { heldRootKey, type KeyParts, type KeyRecords, openKeys, putSeal, readKeyRecords } from './key-records.ts'
import { nextTerm } from './next-term.ts'
import { type OwnSeals, unwrapBySeals, wrapBySeal } from './own-seals.ts'
import { isAutomatic } from './seal.ts'
import { decodeSealRecord, SEAL_KEY, type SealRecord } from './seal-record.ts'
import { unlockedRing } from './unlock.ts'
import { unwrapByShares } from './wrapping.ts'

export interface KeeperParts extends KeyParts, OwnSeals {
  /** Told of a new term that was committed here. */
  readonly rotated: (term: number) => void
}

/** A seal record and the version it was read at, on which whatever is done because of it rests. */
export interface Held {
  readonly record: SealRecord
  readonly version: Revision
}

/** As many as any other change of records gets. */
const MOST_TRIES = 200

const contended = (): KernelError =>
  new KernelError('ERR_UNAVAILABLE', `gave up after ${MOST_TRIES} conflicts with other writers; nothing was changed`)

export class SealKeeper {
  readonly parts: KeeperParts
  /** What this process was opened under. */
  #epoch: number | undefined
  #reloading: Promise<boolean> | undefined
  readonly #onSeal: (() => void)[] = []
  readonly #onOpen: (() => Promise<void>)[] = []
  /** The seal record as this process last saw it. */
  known: SealRecord | undefined

  constructor(parts: KeeperParts) {
    this.parts = parts
  }

  /** From the store; undefined where nobody has initialised it. */
  async read(): Promise<Held | undefined> {
    const [entry] = await this.parts.store.entries([SEAL_KEY])
    if (!entry) return undefined
    this.known = decodeSealRecord(entry.value)
    return { record: this.known, version: entry.version }
  }

  /** Whether `key`, which shares gave, is the one that authorises now. @throws KernelError 502 when an automatic seal fails */
  async authorizes(record: SealRecord, key: Uint8Array): Promise<boolean> {
    if (record.type === 'shamir') {
      const rootKey = unwrapByShares(this.parts.crypto, key, record.wrapped)
      rootKey?.fill(0)
      return rootKey !== undefined
    }
    if (!record.recovery) return false
    const recoveryKey = await this.unwrap(record.type, record.recovery.wrapped)
    const same = recoveryKey.length === key.length && equalBytes(recoveryKey, key)
    recoveryKey.fill(0)
    return same
  }

  /**
   * Changes keys in one commit, together with `more`. False when the seal record is no longer `held`, or one of `more` expects what is not
   * so: then nothing has changed.
   * @throws KernelError 503 while sealed.
   */
  async change(held: Held, change: KeyChange, more: readonly Op[] = []): Promise<boolean> {
    const { store } = this.parts
    const records = await readKeyRecords(store)
    if (records?.versions.seal !== held.version) return false
    const { record, ops } = await changedKeys(this.#changing, records, change)
    const verdict = await store.commit([putSeal(record, held.version), ...ops, ...more])
    if (verdict.ok) this.known = record
    return verdict.ok
  }

  /**
   * A new term, under which everything is encrypted from now on. Whatever was before stays readable.
   * @param from Only where this is still the active term.
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
      if (tries === MOST_TRIES) throw contended()
      await store.backOff(Math.min(tries, 6))
    }
  }

  /** Opens the barrier with a root key that was found for these records. It is wiped. */
  async unlock(records: KeyRecords, rootKey: Uint8Array): Promise<void> {
    this.parts.barrier.unseal(await unlockedRing(this.parts, records, rootKey))
    this.#epoch = records.seal.epoch
    this.known = records.seal
  }

  /** Asked when this process is opening the store: what is to be done with the barrier open, before anybody is served. */
  onOpen(prepare: () => Promise<void>): void {
    this.#onOpen.push(prepare)
  }

  /** Called by the lifecycle. */
  async opened(): Promise<void> {
    for (const prepare of this.#onOpen) await prepare()
  }

  /** Told when this process has been sealed: what was given to it is to be forgotten. */
  onSeal(forget: () => void): void {
    this.#onSeal.push(forget)
  }

  /** Called by the lifecycle. */
  sealed(): void {
    this.#epoch = undefined
    // What was asked for before says nothing to who opens it next.
    this.#reloading = undefined
    for (const forget of this.#onSeal) forget()
  }

  /**
   * Reads the ring anew, after others have rotated it. False when this process may not or cannot go on: all were sealed, or its terms are too
   * old and its seal needs shares. It must seal itself then.
   */
  refresh(): Promise<boolean> {
    if (this.#reloading) return this.#reloading
    const reloading = this.#refresh().finally(() => {
      if (this.#reloading === reloading) this.#reloading = undefined
    })
    this.#reloading = reloading
    return reloading
  }

  /** Seals all processes of the store, and ends every attempt. */
  sealAll(): Promise<void> {
    return this.#edit((record) => ({ ...record, epoch: record.epoch + 1, attempts: record.attempts + 1 }))
  }

  /** Ends every attempt that shares authorise. */
  endAttempts(): Promise<void> {
    return this.#edit((record) => ({ ...record, attempts: record.attempts + 1 }))
  }

  /** What an automatic seal of that type wrapped: by the present one or the former. @throws KernelError when neither can */
  unwrap(type: string, wrapped: Uint8Array): Promise<Uint8Array> {
    return unwrapBySeals(this.parts, type, wrapped)
  }

  /** By the automatic seal that is in force. */
  wrap(bytes: Uint8Array): Promise<Uint8Array> {
    return wrapBySeal(this.parts, bytes)
  }

  async #refresh(): Promise<boolean> {
    const { store, barrier } = this.parts
    const records = await readKeyRecords(store)
    this.known = records?.seal
    if (!records || records.seal.epoch !== this.#epoch || !barrier.open) return false
    const rootKey =
      heldRootKey(this.parts, records) ??
      (isAutomatic(this.parts.seal) ? await this.unwrap(records.seal.type, records.seal.wrapped) : undefined)
    if (!rootKey) return false
    const opened = openKeys(this.parts, records, rootKey)
    opened.bytes.fill(0)
    rootKey.fill(0)
    // Meanwhile it may have been sealed, or have rotated itself.
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
      if (tries === MOST_TRIES) throw contended()
      await store.backOff(Math.min(tries, 6))
    }
  }

  get #changing(): Changing {
    return { parts: this.parts, wrap: (bytes) => this.wrap(bytes), rootKey: (records) => this.#rootKey(records) }
  }

  async #records(): Promise<KeyRecords> {
    const records = await readKeyRecords(this.parts.store)
    if (!records) throw new KernelError('ERR_NOT_INITIALIZED', 'the store is not initialized')
    return records
  }

  /** The present one, after a look at the ring where others have left this process behind. @throws KernelError 503 */
  async #rootKey(records: KeyRecords): Promise<Uint8Array> {
    const held = heldRootKey(this.parts, records)
    if (held) return held
    await this.parts.store.reloadRing()
    const rootKey = heldRootKey(this.parts, records)
    if (!rootKey) throw new KernelError('ERR_UNAVAILABLE', 'the keys of the store have just been changed; try again')
    return rootKey
  }
}
