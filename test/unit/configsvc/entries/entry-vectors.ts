/**
 * The vectors of config entries, as they lie beside the repository: `vectors/config-entries`.
 */
import { readdirSync } from 'node:fs'
import { parseGoDuration } from '../../../../src/core/base/go-duration.ts'
import { readSharedJson, sharedUrl } from '../../../fixtures/shared-data.ts'

/** For `describeWithShared`, by a test that runs every case, and `describeIfShared` by others. */
export const ENTRY_VECTORS = 'vectors/config-entries/'

type Json = Readonly<Record<string, unknown>>

export interface EntryCase {
  readonly what: string
  readonly with?: readonly Json[]
  readonly entry?: Json
  readonly delete?: Json
  readonly result: 'stored' | 'refused' | 'deleted'
  readonly stored?: Json
  readonly exact?: boolean
  /** What the text of a refusal names; "A or B" is either. */
  readonly field?: string
  readonly differs?: { readonly expect: 'stored' | 'refused' | 'either' }
}

export interface EntryVectors {
  readonly kind: string
  readonly cases: readonly EntryCase[]
}

/** Every file. They have to be present. */
export const entryVectors = <Vectors = EntryVectors>(): readonly Vectors[] =>
  readdirSync(sharedUrl(ENTRY_VECTORS))
    .filter((name) => name.endsWith('.json'))
    .map((name) => readSharedJson<Vectors>(ENTRY_VECTORS + name))

/** Names count in any case, with or without underscores and a plural s. */
const plain = (text: string): string => text.toLowerCase().replaceAll('_', '').replaceAll('s', '')

export const names = (message: string, field: string): boolean =>
  field.split(' or ').some((one) => plain(message).includes(plain(one)))

const isZero = (value: unknown): boolean =>
  value === undefined ||
  value === null ||
  value === 0 ||
  value === '' ||
  value === false ||
  value === '0s' ||
  (typeof value === 'object' && Object.values(value).every(isZero))

/** Whether what is stored is what the vector says of it: members that it does not name may be anything. */
export function isAsStated(stored: unknown, stated: unknown, exact = false): boolean {
  if (isZero(stated) && isZero(stored)) return !exact || JSON.stringify(stored) === JSON.stringify(stated)
  if (Array.isArray(stated))
    return (
      Array.isArray(stored) &&
      stored.length === stated.length &&
      stated.every((item, index) => isAsStated(stored[index], item, exact))
    )
  if (typeof stated === 'object' && stated !== null)
    return (
      typeof stored === 'object' &&
      stored !== null &&
      Object.entries(stated).every(([name, value]) => isAsStated((stored as Json)[name], value, exact))
    )
  return stored === stated || isSameDuration(stored, stated)
}

function isSameDuration(one: unknown, other: unknown): boolean {
  try {
    return [one, other].some((value) => typeof value === 'string') && parseGoDuration(one, '') === parseGoDuration(other, '')
  } catch {
    return false
  }
}
