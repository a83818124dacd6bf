/**
 * The calls to the external store during one turn, which is one synchronization of one association. Values are never stored: records
 * contain only keyed digests of them.
 */

import { TOKEN_SALT } from '../../../core/access/token/token-id.ts'
import { combinedSignal } from '../../../core/base/combined-signal.ts'
import { base62, uuid } from '../../../core/base/identifiers.ts'
import { texts } from '../../../core/base/texts.ts'
import type { EffectContext } from '../../../core/contract/effect.ts'
import { ownershipMarkOf } from '../destination/validate.ts'
import type { SyncDescription, SyncPutMode, SyncRules, SyncSession } from '../port.ts'
import { storeOf } from '../ports.ts'
import { readAssociationId, readDestinationId, type SyncDestinationRecord, type SyncRow } from '../records.ts'
import { SYNC_TRANSACTIONS } from '../sync-transactions.ts'
import { assertDescription, assertPutResult, assertRemoval } from './assert-results.ts'
import type { DesiredState } from './desired-state.ts'
import { isOwnOutside, ownerOf, putModeOf, storeLocationOf } from './ownership.ts'
import { repair } from './repair.ts'
import { sessionsOf } from './sessions.ts'
import { exceedsBytes } from './value.ts'

export interface PushId {
  readonly digest: string
  /** The number of the push. Retries of one push have the same number. */
  readonly turn: number
}

export class PushCalls {
  readonly #id: string
  readonly #desired: DesiredState
  readonly #outside: Pick<EffectContext, 'env' | 'signal'>
  readonly #tags: Readonly<Record<string, string>>
  readonly #owner: string
  /** The location to which the destination writes, as computed by `storeLocationOf`; empty if the destination was deleted. */
  readonly location: string
  /** A part of each `opId`: empty in a normal turn, random in the recovery of an unfinished turn. */
  readonly #salt: string

  constructor(id: string, desired: DesiredState, outside: Pick<EffectContext, 'env' | 'signal'>, again = false) {
    // The calls that the unfinished turn made, and their values, are unknown, so do not reuse the ids of these calls.
    this.#salt = again ? base62(outside.env.entropy, 16) : ''
    this.#id = id
    this.#desired = desired
    this.#outside = outside
    const { env } = outside
    const { destination } = desired
    this.#owner = ownerOf(env.crypto, id)
    this.location = destination ? storeLocationOf(env.crypto, readAssociationId(id).destination, destination) : ''
    this.#tags = { ...destination?.custom_tags, [ownershipMarkOf(env.ciphertextPrefix)]: this.#owner }
  }

  isTooLong(value: string): boolean {
    return exceedsBytes(value, this.#rules.maxValueBytes)
  }

  /** Returns a keyed digest of the name, the tags and the value that the external store receives. */
  digest({ name }: SyncRow, value: string): string {
    const tags = Object.entries(this.#tags).sort(([a], [b]) => (a < b ? -1 : 1))
    return this.#mac(JSON.stringify(['sync value', name, tags]) + value)
  }

  turnOf(row: SyncRow, value: string): PushId {
    const digest = this.digest(row, value)
    return { digest, turn: row.tried === digest ? row.turn : row.turn + 1 }
  }

  /**
   * Returns the mode of the next `put`. Returns undefined if the external secret with the row's name belongs to another owner and the
   * association may not replace it.
   */
  modeOf(row: SyncRow, description: SyncDescription | undefined): SyncPutMode | undefined {
    return putModeOf(description, row, { place: this.location, hasMarks: this.#hasMarks(description) })
  }

  isOwn(row: SyncRow, description: SyncDescription | undefined): boolean {
    return isOwnOutside(description, row, this.location)
  }

  /**
   * Whether to set `SyncRow.claimed` before the push. This is needed in an external store without ownership marks, because there only the
   * record can prove that the association created the secret.
   */
  needsClaim(row: SyncRow, mode: SyncPutMode, description: SyncDescription | undefined): boolean {
    return mode === 'create' && row.claimed !== this.location && !this.#hasMarks(description)
  }

  get #rules(): SyncRules {
    return storeOf(this.#outside.env, readDestinationId(this.#id).type).rules
  }

  #hasMarks(description: SyncDescription | undefined): boolean {
    const { marks, tags } = this.#rules
    return description !== undefined && (marks ?? tags)
  }

  /** @throws The error of the external store, or NoAnswer if that store does not respond. */
  async put(row: SyncRow, value: string, { digest, turn }: PushId, mode: SyncPutMode, ms: number) {
    const tags = Object.keys(this.#tags)
    const removeTags = (row.tags ?? []).filter((tag) => !tags.includes(tag))
    const request = {
      name: row.name,
      value,
      tags: this.#tags,
      removeTags,
      ...(row.external === undefined ? {} : { previous: row.external }),
      opId: this.#opId(row, `put ${turn} ${digest}`),
      mode,
      owner: this.#owner,
    }
    const claimed = { ...row, claimed: this.location }
    const result = await this.#call('put', claimed, ms, (session, signal) => session.put(request, signal))
    const { externalVersion: external, created: isCreated } = assertPutResult(result)
    return { external, tags, isCreated }
  }

  /** @throws The errors of {@link put}. */
  async remove(row: SyncRow, ms: number): Promise<void> {
    const external = row.external === undefined ? {} : { externalVersion: row.external }
    const request = { name: row.name, ...external, opId: this.#opId(row, `remove ${row.turn}`), owner: this.#owner }
    assertRemoval(await this.#call('remove', row, ms, (session, signal) => session.remove(request, signal)))
  }

  /** Returns undefined if the session has no method `describe`. @throws The errors of {@link put}. */
  async describe({ name, external }: SyncRow, ms = this.#outside.env.deadline.ms): Promise<SyncDescription | undefined> {
    const { env, signal: over } = this.#outside
    const mark = ownershipMarkOf(env.ciphertextPrefix)
    const request = { name, mark, owner: this.#owner, ...(external === undefined ? {} : { externalVersion: external }) }
    return this.#withSession(async (session) => {
      if (!session.describe) return undefined
      over.throwIfAborted()
      const ask = (signal: AbortSignal) => session.describe?.(request, combinedSignal(signal, over))
      return assertDescription(await env.deadline.call({ name: 'sync describe', ms, call: ask }))
    })
  }

  #withSession<T>(work: (session: SyncSession) => Promise<T>): Promise<T> {
    const { destination } = readAssociationId(this.#id)
    return sessionsOf(this.#outside.env).use(destination, this.#desired.destination as SyncDestinationRecord, work)
  }

  #call<T>(call: string, row: SyncRow, ms: number, work: (session: SyncSession, signal: AbortSignal) => Promise<T>): Promise<T> {
    const { env, signal: over } = this.#outside
    return this.#withSession(async (session) => {
      // If this synchronization has timed out, another process may already run the next one, so do not start a call.
      over.throwIfAborted()
      const ended = await env.deadline.call({
        name: `sync ${call}`,
        ms,
        call: (signal) => outcomeOf(() => work(session, combinedSignal(signal, over))),
        // Called if the call ends after its time limit: it may have overwritten a newer value.
        late: () =>
          SYNC_TRANSACTIONS.find({ env })?.write((tx) => repair(tx, this.#id, this.#desired.association.accessor, [row])),
      })
      if ('error' in ended) throw ended.error
      return ended.value
    })
  }

  #opId({ fold }: SyncRow, what: string): string {
    const { epoch } = this.#desired.association
    return uuid(texts.fromHex(this.#mac(`sync call ${JSON.stringify([this.#id, fold, epoch, this.#salt])} ${what}`).slice(1, 33)))
  }

  #mac(text: string): string {
    return TOKEN_SALT.of(this.#outside).id(text)
  }
}

/**
 * Returns an error instead of throwing it. So the handler `late` also runs for a call that fails after its time limit, because that call
 * may have taken effect nevertheless.
 */
async function outcomeOf<T>(work: () => Promise<T>): Promise<{ readonly value: T } | { readonly error: unknown }> {
  try {
    return { value: await work() }
  } catch (error) {
    return { error }
  }
}
