/** Computes the lifetime of tokens and leases, with the rules of Vault. */
import { invalid } from '../base/errors.ts'

/** All durations are in seconds; 0 means not set. `start` and `now` are in milliseconds since the epoch. */
export interface TtlRequest {
  /** The requested lifetime. */
  readonly increment: number
  /** The default TTL of the role or engine. It takes precedence over the default TTL of the mount. */
  readonly backend?: number
  readonly period?: number
  readonly explicitMax?: number
  /** When the token or lease was created. */
  readonly start: number
  readonly now: number
  readonly mount: { readonly fallback: number; readonly max: number }
}

export interface Ttl {
  /** Seconds from now. */
  readonly ttl: number
  readonly warnings: readonly string[]
}

/** @throws KernelError 400 if the maximum TTL has passed. */
export function grantTtl({ increment, backend = 0, period = 0, explicitMax = 0, start, now, mount }: TtlRequest): Ttl {
  const warnings: string[] = []
  const max = Math.min(mount.max, explicitMax || mount.max)
  const [from, at] = [Math.floor(start / 1000), Math.floor(now / 1000)]
  let ttl: number
  let end: number
  if (period > 0) {
    if (period > max)
      warnings.push(
        `period of "${goDurationText(period)}" exceeded the effective max_ttl of "${goDurationText(max)}"; period value is capped accordingly`,
      )
    ttl = Math.min(period, max)
    end = explicitMax > 0 ? from + explicitMax : Number.POSITIVE_INFINITY
  } else {
    ttl = increment || backend || mount.fallback
    end = from + max
  }
  const left = end - at
  if (left <= 0) throw invalid('past the max TTL, cannot renew')
  if (ttl > left) {
    warnings.push(
      `TTL of "${goDurationText(ttl)}" exceeded the effective max_ttl of "${goDurationText(left)}"; TTL value is capped accordingly`,
    )
    ttl = left
  }
  return { ttl, warnings }
}

/** Formats seconds as `768h`, `1h30m`, `45s` or `0s`. Parts that are zero are omitted. */
function goDurationText(seconds: number): string {
  const parts = [
    [Math.floor(seconds / 3600), 'h'],
    [Math.floor(seconds / 60) % 60, 'm'],
    [seconds % 60, 's'],
  ] as const
  const text = parts.map(([count, unit]) => (count > 0 ? `${count}${unit}` : '')).join('')
  return text || '0s'
}
