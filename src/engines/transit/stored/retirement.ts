/** Decides which versions can be retired after a census. */
import { parseRfc3339 } from '../../../core/base/clock.ts'
import { invalid } from '../../../core/base/errors.ts'
import { WideObject } from '../../../core/json/wide-object.ts'
import type { Ring, RingConfig } from '../ring.ts'
import type { KeyCensus } from './census.ts'

const MAX_CENSUS_AGE_MS = 86_400_000

interface Retirement {
  readonly config: RingConfig
  /**
   * The lowest version that is too new for the census: it was created so shortly before the census began that ciphertexts of the version
   * before it could still have been stored afterwards. The version before it is therefore kept. Undefined if no version is too new.
   */
  readonly tooNew: number | undefined
}

/**
 * A census proves that a version is unused if it counted no items of that version, and if a newer version already existed when the census
 * began. By default, new data is encrypted under the latest version.
 * @param grace The longest time in seconds between the creation of a newer version and the moment when the last ciphertext of the older
 * version is stored.
 * @throws KernelError 400 if the census is malformed, is incomplete, is too old, or contains items of unknown version
 */
export function decideRetirement(ring: Ring, census: KeyCensus, grace: number, now: number): Retirement {
  const { begun, complete, versions, unknown } = validateCensus(census)
  const from = parseRfc3339(begun)
  if (from === undefined) throw invalid('census.begun: must be an RFC 3339 time')
  if (from > now) throw invalid('census.begun: must not be in the future')
  if (now - from > MAX_CENSUS_AGE_MS) throw invalid('census: must have begun within the last day; take a new census')
  if (!complete) throw invalid('census: must be complete; it did not read all items')
  if (unknown !== 0) throw invalid('census: must not contain items of unknown version')
  const needed = lowestUsed(versions, ring.latest_version)
  const proven = newestBefore(ring, from - grace * 1000)
  const least = Math.max(ring.min_decryption_version, Math.min(needed, proven))
  const { min_encryption_version: encryption } = ring
  return {
    config: {
      min_decryption_version: least,
      // Set min_encryption_version only if it has been set before. Otherwise the new min_decryption_version is enough: it also stops
      // encryption under older versions.
      min_encryption_version: encryption === 0 ? undefined : Math.max(encryption, least),
      deletion_allowed: undefined,
      exportable: undefined,
      allow_plaintext_backup: undefined,
      auto_rotate_period: undefined,
    },
    tooNew: least < needed ? least + 1 : undefined,
  }
}

/** The caller sends the census as JSON, so its members may have any type and must be validated. */
function validateCensus(census: Partial<KeyCensus> | null): KeyCensus {
  if (typeof census !== 'object' || census === null || Array.isArray(census)) throw invalid('census: must be an object')
  const { begun, complete, versions, unknown } = census
  if (typeof begun !== 'string') throw invalid('census.begun: must be an RFC 3339 time')
  if (typeof complete !== 'boolean') throw invalid('census.complete: must be true or false')
  if (typeof versions !== 'object' || versions === null || Array.isArray(versions) || versions instanceof WideObject)
    throw invalid('census.versions: must be an object that maps versions to counts')
  if (!Number.isSafeInteger(unknown)) throw invalid('census.unknown: must be a count')
  return { begun, complete, versions, unknown: unknown as number }
}

/** Returns the lowest version that is used, or the latest version if no version is used. */
function lowestUsed(versions: Readonly<Record<string, unknown>>, latest: number): number {
  let lowest = latest
  for (const [version, count] of Object.entries(versions)) {
    if (!/^[1-9]\d{0,9}$/.test(version)) throw invalid('census.versions: member names must be version numbers')
    if (!Number.isSafeInteger(count) || (count as number) < 0) throw invalid(`census.versions.${version}: must be a count`)
    if (Number(version) > latest) throw invalid(`census.versions: the key has no version ${version}`)
    if (count !== 0) lowest = Math.min(lowest, Number(version))
  }
  return lowest
}

function newestBefore({ versions }: Ring, time: number): number {
  let newest = 0
  for (const [version, { created }] of Object.entries(versions)) if (created <= time) newest = Math.max(newest, Number(version))
  return newest
}
