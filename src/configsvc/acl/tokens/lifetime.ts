import { parseRfc3339 } from '../../../core/base/clock.ts'
import { invalid } from '../../../core/base/errors.ts'
import { formatGoDuration, parseGoDuration } from '../../../core/base/go-duration.ts'

const NANOSECONDS_PER_MS = 1_000_000n

const MIN_TTL_NS = 60_000_000_000n

const MAX_TTL_NS = 86_400_000_000_000n

/** Go clients send this time, the first moment of the year 1, if no time was set. */
const GO_ZERO_TIME_MS = -62_135_596_800_000

/** The expiration in a request. 0, the empty string and Go's zero time count as absent. */
export interface ExpirationInput {
  readonly ExpirationTTL?: number | string | undefined
  readonly ExpirationTime?: string | undefined
}

/** @throws KernelError 400 if the lifetime is shorter than 1 minute or longer than 24 hours. */
export function validateTtl(nanoseconds: bigint, name: string): void {
  if (nanoseconds < 0n) throw invalid(`${name}: must not be negative`)
  if (nanoseconds < MIN_TTL_NS) throw invalid(`${name}: must be at least ${formatGoDuration(MIN_TTL_NS)} in the future`)
  if (nanoseconds > MAX_TTL_NS) throw invalid(`${name}: must be at most ${formatGoDuration(MAX_TTL_NS)} in the future`)
}

/**
 * Returns the parsed members of the request, without those that are absent. `time` is in milliseconds, `ttl` in nanoseconds.
 * @throws KernelError 400
 */
export function readExpiration({ ExpirationTTL, ExpirationTime }: ExpirationInput): {
  readonly ttl?: bigint
  readonly time?: number
} {
  const ttl = ExpirationTTL === undefined ? 0n : parseGoDuration(ExpirationTTL, 'ExpirationTTL')
  const time = ExpirationTime === undefined ? GO_ZERO_TIME_MS : parseRfc3339(ExpirationTime)
  if (time === undefined) throw invalid('ExpirationTime: must be a time in the format of RFC 3339')
  return { ...(ttl === 0n ? {} : { ttl }), ...(time === GO_ZERO_TIME_MS ? {} : { time }) }
}

/**
 * Returns the expiration of a new token in milliseconds, or undefined if the token does not expire.
 * @param now Milliseconds.
 * @throws KernelError 400 if both members are given, or if the expiration is too near or too far.
 */
export function newExpiration(given: ExpirationInput, now: number): number | undefined {
  const { ttl, time } = readExpiration(given)
  if (ttl !== undefined && time !== undefined) throw invalid('ExpirationTTL, ExpirationTime: only one of the two can be given')
  if (ttl !== undefined) {
    validateTtl(ttl, 'ExpirationTTL')
    return now + Number(ttl / NANOSECONDS_PER_MS)
  }
  if (time === undefined) return undefined
  if (time <= now) throw invalid('ExpirationTime: must be in the future')
  validateTtl(BigInt(time - now) * NANOSECONDS_PER_MS, 'ExpirationTime')
  return time
}
