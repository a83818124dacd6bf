/** Reads the counts of key uses in messages between clusters. */
import { KernelError } from '../../../core/base/errors.ts'
import { MIN_SHARED_USES } from '../../../core/transaction/shared-count.ts'
import { listOf, type Message, objectOf, stringMember } from './message-members.ts'

/**
 * The counts of uses of one key version, keyed by the names of the clusters that used it. `of` is the storage key of the record of the key
 * version, without the first segment (the record class).
 */
export interface ReportedCount {
  readonly of: string
  readonly by: Readonly<Record<string, number>>
}

/** The maximum number of counts per message. Further counts are sent in later messages. */
export const MAX_REPORTED_COUNTS = 256

/**
 * The maximum number of clusters whose counts a message contains for one key version. The sum of this many counts has always reached the
 * limit of uses, so further counts are not needed.
 */
export const MAX_COUNTED_CLUSTERS = 16

export const MAX_COUNT = 2 ** 32

export const MAX_COUNT_KEY_CHARACTERS = 512

/** Matches `of`, which has the format `<mount>/<folder>/<owner>/<version>`. */
const OF = /^[A-Za-z0-9-]{1,64}\/[A-Za-z0-9_-]{1,64}\/.+\/[1-9][0-9]{0,9}$/

const NAME = /^[0-9a-f]{16}$/

/**
 * Reads the counts of a message. If a key version occurs twice, its last counts are returned. @throws KernelError 400 if the counts are
 * invalid.
 */
export function countsIn(message: Message): readonly ReportedCount[] {
  const counts = listOf(message, 'counts', MAX_REPORTED_COUNTS).map((item) => {
    const one = objectOf(item, 'counts')
    return { of: ofIn(one), by: byIn(one) }
  })
  return [...new Map(counts.map((one) => [one.of, one])).values()]
}

/**
 * Whether other clusters accept this value of `of`. A sender must check this, because other clusters refuse the whole message if one value
 * is invalid.
 */
export const isReportable = (of: string): boolean => of.length <= MAX_COUNT_KEY_CHARACTERS && OF.test(of)

function ofIn(item: Message): string {
  const of = stringMember(item, 'of', MAX_COUNT_KEY_CHARACTERS)
  if (isReportable(of)) return of
  throw malformedCounts()
}

function byIn(item: Message): ReportedCount['by'] {
  const entries = Object.entries(objectOf(item['by'], 'counts'))
  // One more than the maximum, because the sender also reports its own count.
  if (entries.length > MAX_COUNTED_CLUSTERS + 1) throw malformedCounts()
  return Object.fromEntries(entries.map(([name, count]) => [nameIn(name), countIn(count)]))
}

function nameIn(name: string): string {
  if (NAME.test(name)) return name
  throw malformedCounts()
}

function countIn(count: unknown): number {
  if (typeof count === 'number' && Number.isInteger(count) && count >= MIN_SHARED_USES && count <= MAX_COUNT) return count
  throw malformedCounts()
}

const malformedCounts = (): KernelError => new KernelError('ERR_INVALID_REQUEST', 'the message must contain valid counts')
