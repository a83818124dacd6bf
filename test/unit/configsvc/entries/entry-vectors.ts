/**
 * The vectors of config entries, which are stored outside of the repository in `vectors/config-entries`.
 */
import { readdirSync } from 'node:fs'
import { parseGoDuration } from '../../../../src/core/base/go-duration.ts'
import { readSharedJson, sharedUrl } from '../../../fixtures/shared-data.ts'

/** For `describeWithShared` in the test that runs every case, and for `describeIfShared` in others. */
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
  /** The member that a refusal must name; "A or B" means either. */
  readonly field?: string
  readonly differs?: { readonly expect: 'stored' | 'refused' | 'either' }
}

export interface EntryVectors {
  readonly kind: string
  readonly cases: readonly EntryCase[]
}

/** All files of the vectors, which must be present. */
export const entryVectors = <Vectors = EntryVectors>(): readonly Vectors[] =>
  readdirSync(sharedUrl(ENTRY_VECTORS))
    .filter((name) => name.endsWith('.json'))
    .map((name) => readSharedJson<Vectors>(ENTRY_VECTORS + name))

/** Normalizes a name: case, underscores and a plural s do not matter. */
const plain = (text: string): string => text.toLowerCase().replaceAll('_', '').replaceAll('s', '')

export const names = (message: string, field: string): boolean =>
  field.split(' or ').some((candidate) => plain(message).includes(plain(candidate)))

const isZero = (value: unknown): boolean =>
  value === undefined ||
  value === null ||
  value === 0 ||
  value === '' ||
  value === false ||
  value === '0s' ||
  (typeof value === 'object' && Object.values(value).every(isZero))

/** Whether the stored entry has the members in the vector. Other members may have any value. */
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

function isSameDuration(a: unknown, b: unknown): boolean {
  try {
    return [a, b].some((value) => typeof value === 'string') && parseGoDuration(a, '') === parseGoDuration(b, '')
  } catch {
    return false
  }
}
