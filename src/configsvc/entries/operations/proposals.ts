/** Reads and validates the entries in a request, each entry by itself. */
import { invalid, KernelError } from '../../../core/base/errors.ts'
import type { Steps } from '../../../core/base/steps.ts'
import { assertEntrySize } from '../entry-size.ts'
import type { NormalizedEntry } from '../kind.ts'
import { readConfigEntry, validateEntry } from '../read-entry.ts'
import { targetsOf } from '../store/reference-index.ts'

export interface Proposal {
  readonly entry: NormalizedEntry
  /** The ids of the entries and services that the entry refers to. */
  readonly targets: readonly string[]
}

export interface ProposedEntries {
  readonly proposals: readonly Proposal[]
  /** The error if an entry violates a rule of its kind. It is thrown after the caller was authenticated. */
  readonly refusal: KernelError | undefined
}

/** The maximum number of entries that one commit can contain. */
const MAX_ENTRIES = 100

/** The maximum number of refused entries in an error message. */
const MAX_REFUSALS_SHOWN = 20

/**
 * @param body One entry or a list of entries.
 * @param leaving The number of entries that the request deletes. If it is not 0, the list of entries to write may be empty.
 * @param unknownCaller The error if the caller is unknown. Then the entries are read, because errors of reading come first, but not validated.
 * @throws KernelError 400 if an entry cannot be read, 413 if an entry is too large or if there are more entries than one commit can contain.
 */
export function* readProposals(body: unknown, leaving: number, unknownCaller: KernelError | undefined): Steps<ProposedEntries> {
  const entries = yield* readEntries(body, leaving)
  if (unknownCaller) return { proposals: [], refusal: unknownCaller }
  try {
    return { proposals: yield* validateProposals(entries, Array.isArray(body)), refusal: undefined }
  } catch (thrown) {
    if (!(thrown instanceof KernelError)) throw thrown
    return { proposals: [], refusal: thrown }
  }
}

function* readEntries(body: unknown, leaving: number): Steps<readonly NormalizedEntry[]> {
  const count = leaving + (Array.isArray(body) ? body.length : 1)
  if (count > MAX_ENTRIES) throw tooMany(count)
  if (!Array.isArray(body)) return [yield* readSized(body, 'an entry')]
  if (count === 0) throw invalid('body: must contain at least one entry')
  return yield* collectRefusals(body, (entry, i) => readSized(entry, `entry ${i}`))
}

function* readSized(entry: unknown, what: string): Steps<NormalizedEntry> {
  assertEntrySize(entry, what)
  return yield* readConfigEntry(entry)
}

/** @throws KernelError 400 that lists all entries which violate a rule of their kind. */
function* validateProposals(entries: readonly NormalizedEntry[], many: boolean): Steps<readonly Proposal[]> {
  if (many) yield* collectRefusals(entries, validateEntry)
  else for (const entry of entries) yield* validateEntry(entry)
  const proposals: Proposal[] = []
  for (const entry of entries) {
    proposals.push({ entry, targets: yield* targetsOf(entry) })
  }
  return proposals
}

/** Collects the errors of all items in one error. */
function* collectRefusals<A, B>(items: readonly A[], take: (item: A, index: number) => Steps<B>): Steps<readonly B[]> {
  const taken: B[] = []
  const refusals: string[] = []
  for (const [i, item] of items.entries()) {
    try {
      taken.push(yield* take(item, i))
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
