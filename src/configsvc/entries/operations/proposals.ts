/** Reads and validates the entries of a request, each by itself and once per request. */
import { invalid, KernelError } from '../../../core/base/errors.ts'
import type { Steps } from '../../../core/base/steps.ts'
import type { NormalizedEntry } from '../kind.ts'
import { readConfigEntry, validateEntry } from '../read-entry.ts'
import { targetsOf } from '../store/reference-index.ts'

export interface Proposal {
  readonly entry: NormalizedEntry
  /** The ids of what it refers to. */
  readonly targets: readonly string[]
}

/** More entries do not fit into one commit. */
const MAX_ENTRIES = 100

/** An error message lists at most this many refused entries. */
const MAX_REFUSALS_SHOWN = 20

/**
 * @param body One entry or a list.
 * @param leaving The number of entries that the request deletes; if it is not 0, the list may be empty.
 * @throws KernelError 400; 413 if a commit cannot contain them.
 */
export function* readProposals(body: unknown, leaving: number): Steps<readonly NormalizedEntry[]> {
  const count = leaving + (Array.isArray(body) ? body.length : 1)
  if (count > MAX_ENTRIES) throw tooMany(count)
  if (!Array.isArray(body)) return [yield* readConfigEntry(body)]
  if (count === 0) throw invalid('body: must contain at least one entry')
  return yield* collectRefusals(body, readConfigEntry)
}

/** @throws KernelError 400 with all entries of a list that break a rule of their kind. */
export function* validateProposals(entries: readonly NormalizedEntry[], many: boolean): Steps<readonly Proposal[]> {
  if (many) yield* collectRefusals(entries, validateEntry)
  else for (const entry of entries) yield* validateEntry(entry)
  const proposals: Proposal[] = []
  for (const entry of entries) {
    proposals.push({ entry, targets: yield* targetsOf(entry) })
    yield
  }
  return proposals
}

/** Reports the errors of all items together. */
function* collectRefusals<A, B>(items: readonly A[], take: (item: A) => Steps<B>): Steps<readonly B[]> {
  const taken: B[] = []
  const refusals: string[] = []
  for (const [i, item] of items.entries()) {
    try {
      taken.push(yield* take(item))
    } catch (thrown) {
      if (!(thrown instanceof KernelError) || thrown.status !== 400) throw thrown
      refusals.push(`entry ${i}: ${thrown.message}`)
    }
  }
  if (refusals.length > MAX_REFUSALS_SHOWN)
    refusals.splice(MAX_REFUSALS_SHOWN, refusals.length, `and ${refusals.length - MAX_REFUSALS_SHOWN} more`)
  if (refusals.length > 0) throw invalid(refusals.join('\n'))
  return taken
}

const tooMany = (count: number): KernelError =>
  new KernelError('ERR_REQUEST_TOO_LARGE', `body: must contain at most ${MAX_ENTRIES} entries, not ${count}`)
