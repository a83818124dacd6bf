/**
 * Entries that somebody wants to write: read and judged by themselves, each once per request.
 */
import { invalid, KernelError } from '../../../core/base/errors.ts'
import type { Steps } from '../../../core/base/steps.ts'
import type { Entry } from '../kind.ts'
import { judgeEntry, readEntry } from '../read-entry.ts'
import { targetsOf } from '../store/reference-index.ts'

export interface Proposal {
  readonly entry: Entry
  /** What it refers to. */
  readonly targets: readonly string[]
}

/** More do not fit one commit. */
const MOST_AT_ONCE = 100

/** As many refusals are told of a list. */
const MOST_TOLD = 20

/**
 * @param body One entry or a list of them.
 * @param leaving How many are deleted with them; where there are any the list may be empty.
 * @throws KernelError 400; 413 where they are more than a commit holds.
 */
export function* readProposals(body: unknown, leaving: number): Steps<readonly Entry[]> {
  const count = leaving + (Array.isArray(body) ? body.length : 1)
  if (count > MOST_AT_ONCE) throw tooMany(count)
  if (!Array.isArray(body)) return [yield* readEntry(body)]
  if (count === 0) throw invalid('body: holds no entry')
  return yield* each(body, readEntry)
}

/** @throws KernelError 400 that names every entry of a list that breaks a rule of its kind. */
export function* judgeProposals(entries: readonly Entry[], many: boolean): Steps<readonly Proposal[]> {
  if (many) yield* each(entries, judgeEntry)
  else for (const entry of entries) yield* judgeEntry(entry)
  const proposals: Proposal[] = []
  for (const entry of entries) {
    proposals.push({ entry, targets: yield* targetsOf(entry) })
    yield
  }
  return proposals
}

/** What is refused of several is told together. */
function* each<A, B>(items: readonly A[], take: (item: A) => Steps<B>): Steps<readonly B[]> {
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
  if (refusals.length > MOST_TOLD) refusals.splice(MOST_TOLD, refusals.length, `and ${refusals.length - MOST_TOLD} more`)
  if (refusals.length > 0) throw invalid(refusals.join('\n'))
  return taken
}

const tooMany = (count: number): KernelError =>
  new KernelError('ERR_REQUEST_TOO_LARGE', `body: holds ${count} entries, and at most ${MOST_AT_ONCE} are taken at once`)
