/**
 * Entries that somebody wants to write: read and judged by themselves, each once per request.
 */
import { invalid, KernelError } from '../../../core/base/errors.ts'
import type { Steps } from '../../../core/base/steps.ts'
import type { NormalizedEntry } from '../kind.ts'
import { readEntry, validateEntry } from '../read-entry.ts'
import { targetsOf } from '../store/reference-index.ts'

export interface Proposal {
  readonly entry: NormalizedEntry
  /** What it refers to. */
  readonly targets: readonly string[]
}

/** More do not fit one commit. */
const MAX_ENTRIES = 100

/** As many refusals are told of a list. */
const MAX_REFUSALS_SHOWN = 20

/**
 * @param body One entry or a list of them.
 * @param leaving How many are deleted with them; where there are any the list may be empty.
 * @throws KernelError 400; 413 where they are more than a commit holds.
 */
export function* readProposals(body: unknown, leaving: number): Steps<readonly NormalizedEntry[]> {
  const count = leaving + (Array.isArray(body) ? body.length : 1)
  if (count > MAX_ENTRIES) throw tooMany(count)
  if (!Array.isArray(body)) return [yield* readEntry(body)]
  if (count === 0) throw invalid('body: holds no entry')
  return yield* collectRefusals(body, readEntry)
}

/** @throws KernelError 400 that names every entry of a list that breaks a rule of its kind. */
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

/** What is refused of several is told together. */
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
  new KernelError('ERR_REQUEST_TOO_LARGE', `body: holds ${count} entries, and at most ${MAX_ENTRIES} are taken at once`)
