/**
 * Takes over the right to write from a primary that does not answer.
 */
import { conflict, KernelError } from '../../../core/base/errors.ts'
import type { Center } from '../center.ts'
import { lastOf } from '../state/history.ts'
import type { Relation } from '../state/records.ts'
import type { Found } from './register.ts'
import type { Place, RightToWrite } from './right-to-write.ts'
import { type Term, WAIT_MS } from './term.ts'

/** The term that the primary put there; undefined if it put none in its present epoch. @throws KernelError 400, 503. */
async function termOf(right: RightToWrite, { set, history }: Relation): Promise<(Found & { readonly term: Term }) | undefined> {
  const found = await right.registerOf(set).read()
  if (!found?.term) return undefined
  const { text, term } = found
  const { epoch } = lastOf(history)
  if (term.epoch > epoch) throw conflict('a newer primary has been promoted since, or is being promoted: follow it, or use force')
  return term.epoch === epoch ? { text, term } : undefined
}

/** A term of the primary, and its end. */
export interface ExpiringTerm extends Found {
  readonly term: Term
  /** Resolves when the right to write that the term stands for has expired, if nothing else replaced the term. */
  readonly expired: Promise<void>
}

/**
 * Reads the term of the primary and begins to wait for its end. A kernel that put the term there counts its right from before that, so the
 * right has expired by then; a kernel that renewed its right has put another term there.
 * @param signal Ends the wait.
 * @throws KernelError 400, 503.
 */
export async function expiringTerm(
  { host }: Center,
  right: RightToWrite,
  relation: Relation,
  signal: AbortSignal,
): Promise<ExpiringTerm | undefined> {
  const found = await termOf(right, relation)
  if (!found) return undefined
  // A clock that jumps does not shorten the wait.
  const expired = found.term.released ? Promise.resolve() : host.clock.sleep(WAIT_MS, signal)
  expired.catch(() => {})
  return { ...found, expired }
}

/**
 * Waits until the term has expired, and puts this cluster in its place.
 * @throws KernelError 400 if the primary has renewed its right; 503.
 */
export async function takeExpired(
  right: RightToWrite,
  { text, term, expired }: ExpiringTerm,
  { set, place }: { readonly set: string; readonly place: Place },
): Promise<void> {
  await expired.catch((cause: unknown) => {
    throw new KernelError('ERR_UNAVAILABLE', 'the kernel is closing', { cause })
  })
  if (!(await right.take(set, place, { text, term })))
    throw conflict('the primary renews its right to write, so it lives: demote it first, or use force')
}
