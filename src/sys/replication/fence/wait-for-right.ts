/**
 * Taking the right to write over from a primary that cannot be reached.
 */
import { conflict, KernelError } from '../../../core/base/errors.ts'
import type { Center } from '../center.ts'
import { lastOf } from '../state/history.ts'
import type { Relation } from '../state/records.ts'
import type { Found } from './register.ts'
import type { Place, RightToWrite } from './right-to-write.ts'
import { type Term, WAIT_MS } from './term.ts'

/** What the primary has put there; undefined where it has put nothing in its present epoch. @throws KernelError 400, 503. */
export async function termOf(
  right: RightToWrite,
  { set, history }: Relation,
): Promise<(Found & { readonly term: Term }) | undefined> {
  const found = await right.registerOf(set).read()
  if (!found?.term) return undefined
  const { text, term } = found
  const { epoch } = lastOf(history)
  if (term.epoch > epoch) throw conflict('a newer primary has been promoted since, or is being promoted: follow it, or use force')
  return term.epoch === epoch ? { text, term } : undefined
}

/**
 * Waits until what was found has run out, and puts this cluster in its place. A kernel that has put it there counted its right from before
 * that, so it writes no more by then; one that has renewed it meanwhile has put something else.
 * @throws KernelError 400 where the primary renews it; 503.
 */
export async function waitForRight(
  { host }: Center,
  right: RightToWrite,
  { text, term }: Found & { readonly term: Term },
  { set, place }: { readonly set: string; readonly place: Place },
): Promise<void> {
  if (!term.released) {
    // A clock that jumps shortens nothing.
    await host.clock.sleep(WAIT_MS, host.env.closing).catch((cause: unknown) => {
      throw new KernelError('ERR_UNAVAILABLE', 'the kernel is closing', { cause })
    })
  }
  if (!(await right.take(set, place, { text, term })))
    throw conflict('the primary renews its right to write, so it lives: demote it first, or use force')
}
