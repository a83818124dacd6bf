/**
 * Keeps the keys of a store: what its seal record says, which keys authorise, and every change of them. Room: core/seal. Imported by the
 * lifecycle and by what shares authorise; it knows of no request.
 */
import { RING_KEY, withNextTerm } from '../barrier/key-ring.ts'
import { equalBytes } from '../crypto/equal.ts'
import { KernelError } from '../errors.ts'
import type { Op, Revision } from '../storage/port.ts'
import { type Changing, changedKeys, type KeyChange } from './key-change.ts'
import {
  expand,
  heldRootKey,
  type KeyParts,
  type KeyRecords,
  type OpenedRing,
  openKeys,
  putRing,
  putSeal,
  readKeyRecords,
} from './key-records.ts'
import { openRootKey, ROOT_KEY_BYTES } from './root-key.ts'
import { type AnySeal, isAutomatic } from './seal.ts'
import { decodeSealRecord, SEAL_KEY, type SealRecord } from './seal-record.ts'
import { unwrapByShares } from './wrapping.ts'

export interface KeeperParts extends KeyParts {
  readonly seal: AnySeal
  /** Opened the store before `seal` did. */
  readonly former: AnySeal | undefined
  /** Aborted when the kernel closes. */
  readonly closing: AbortSignal
  /** Told of a new term that was committed here. */
  readonly rotated: (term: number) => void
}

/** A seal record and the version it was read at, on which whatever is done because of it rests. */
export interface Held {
  readonly record: SealRecord
  readonly version: Revision
}

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
    const { store, barrier, crypto, entropy, now } = this.parts
    for (let tries = 1; ; tries++) {
      const records = await this.#records()
      const rootKey = await this.#rootKey(records)
      const fresh = entropy.bytes(ROOT_KEY_BYTES)
      const old = openKeys(this.parts, records, rootKey)
      if (from !== undefined && old.ring.active.term !== from) {
        rootKey.fill(0)
        return old.end()
      }
      const next = expand(withNextTerm(old.bytes, fresh, now()), crypto)
      const { term } = next.ring.active
      const ops = putRing(this.parts, next, rootKey, records.versions)
      for (const secret of [fresh, rootKey]) secret.fill(0)
      old.end()
      const verdict = await store
        .commit([...ops, { op: 'check', key: SEAL_KEY, expect: records.versions.seal }])
        .catch((error: unknown) => {
          next.end()
          throw error
        })
      if (verdict.ok && barrier.open) {
        next.bytes.fill(0)
        barrier.unseal(next.ring)
      } else next.end()
      if (verdict.ok) return this.parts.rotated(term)
      await store.backOff(Math.min(tries, 6))
    }
  }

  /** Opens the barrier with a root key that was found for these records. It is wiped. */
  async unlock(records: KeyRecords, rootKey: Uint8Array): Promise<void> {
    const opened = openKeys(this.parts, records, rootKey)
    try {
      if (records.seal.untold) await this.#confirm(records)
      if (!records.rootKey) await this.#complete(records, opened, rootKey)
      else checkRootKey(opened, records.rootKey, rootKey)
    } catch (error) {
      opened.end()
      throw error
    } finally {
      opened.bytes.fill(0)
      rootKey.fill(0)
    }
    this.parts.barrier.unseal(opened.ring)
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
  async unwrap(type: string, wrapped: Uint8Array): Promise<Uint8Array> {
    const { seal, former, closing } = this.parts
    let refusal: unknown
    for (const candidate of [seal, former]) {
      if (!candidate || !isAutomatic(candidate) || candidate.type !== type) continue
      try {
        return await candidate.unwrap(wrapped, closing)
      } catch (error) {
        refusal ??= error
      }
    }
    throw refusal ?? new KernelError('ERR_SEALED', `the store is sealed with a seal of type ${type}, not ${seal.type}`)
  }

  /** By the automatic seal that is in force. */
  async wrap(bytes: Uint8Array): Promise<Uint8Array> {
    const { seal, closing } = this.parts
    if (!isAutomatic(seal)) throw new TypeError('a manual seal wraps by its shares')
    return seal.wrap(bytes, closing)
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

  /** Whoever opens a store has its shares, or its seal: it is not to be made anew. @throws KernelError 503 where it just was */
  async #confirm({ seal: { untold: _, ...record }, versions }: KeyRecords): Promise<void> {
    const { ok } = await this.parts.store.commit([putSeal(record, versions.seal)])
    if (!ok) throw new KernelError('ERR_UNAVAILABLE', 'others have just initialised the store; try again')
  }

  /** What an older release did not keep. Others may have been first. */
  async #complete({ versions }: KeyRecords, opened: OpenedRing, rootKey: Uint8Array): Promise<void> {
    const [, putRootKey] = putRing(this.parts, opened, rootKey, versions)
    await this.parts.store.commit([putRootKey as Op, { op: 'check', key: RING_KEY, expect: versions.ring }])
  }
}

/** @throws KernelError ERR_INTERNAL where the root key behind the barrier is not the one in front of it. */
function checkRootKey({ ring }: OpenedRing, stored: Uint8Array, rootKey: Uint8Array): void {
  const found = openRootKey(ring, stored)
  const same = found !== undefined && found.length === rootKey.length && equalBytes(found, rootKey)
  found?.fill(0)
  if (!same) throw new KernelError('ERR_INTERNAL', 'the stored root key is damaged or was put there by somebody else')
}
