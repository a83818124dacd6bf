/**
 * What members tell each other of uses of keys.
 */
import { KernelError } from '../../../core/base/errors.ts'
import { TOLD_FROM } from '../../../core/transaction/shared-count.ts'
import { listOf, type Message, objectOf, textOf } from './message-members.ts'

/** One key version, by its key behind the class, and the uses of clusters by their names. */
export interface ReportedCount {
  readonly of: string
  readonly by: Readonly<Record<string, number>>
}

/** In one message, whatever there is: the others come with the next ones. */
export const MAX_REPORTED_COUNTS = 256

/** Clusters of one count: where so many have what is told, all of them together are at the limit, whatever others have. */
export const MAX_COUNTED_CLUSTERS = 16

export const MAX_COUNT = 2 ** 32

export const MAX_COUNT_KEY_CHARACTERS = 512

/** `<mount>/<folder>/<owner>/<version>` */
const OF = /^[A-Za-z0-9-]{1,64}\/[A-Za-z0-9_-]{1,64}\/.+\/[1-9][0-9]{0,9}$/

const NAME = /^[0-9a-f]{16}$/

/** Each key version once. @throws KernelError 400 for what no member tells. */
export function countsIn(message: Message): readonly ReportedCount[] {
  const told = listOf(message, 'counts', MAX_REPORTED_COUNTS).map((item) => {
    const one = objectOf(item, 'counts')
    return { of: ofIn(one), by: byIn(one) }
  })
  return [...new Map(told.map((one) => [one.of, one])).values()]
}

/** Whether a key version has a name that can be told: one that others refuse would keep them from hearing anything. */
export const isReportable = (of: string): boolean => of.length <= MAX_COUNT_KEY_CHARACTERS && OF.test(of)

function ofIn(item: Message): string {
  const of = textOf(item, 'of', MAX_COUNT_KEY_CHARACTERS)
  if (isReportable(of)) return of
  throw malformedCounts()
}

function byIn(item: Message): ReportedCount['by'] {
  const entries = Object.entries(objectOf(item['by'], 'counts'))
  // The one that tells may be one more.
  if (entries.length > MAX_COUNTED_CLUSTERS + 1) throw malformedCounts()
  return Object.fromEntries(entries.map(([name, count]) => [nameIn(name), countIn(count)]))
}

function nameIn(name: string): string {
  if (NAME.test(name)) return name
  throw malformedCounts()
}

function countIn(count: unknown): number {
  if (typeof count === 'number' && Number.isInteger(count) && count >= TOLD_FROM && count <= MAX_COUNT) return count
  throw malformedCounts()
}

const malformedCounts = (): KernelError => new KernelError('ERR_INVALID_REQUEST', 'the message has no proper counts')
