/**
 * Warnings about patterns that no request can match. Vault and OpenBao accept policies with such patterns, so the policies are stored
 * nevertheless.
 */
import { Pace, type Steps } from '../base/steps.ts'
import { quoteText } from '../hcl/index.ts'
import type { Policy } from './policy.ts'

const TEMPLATE = /\{\{(.*?)\}\}/gs

/** The templates that Vault's documentation of templated policies defines. */
const KNOWN_TEMPLATE =
  /^identity\.(?:entity\.(?:aliases\.[^.]+\.(?:custom_)?metadata\..+|aliases\.[^.]+\.(?:id|name)|id|name|metadata\..+)|groups\.(?:ids\.[^.]+\.name|names\.[^.]+\.id|(?:ids|names)\.[^.]+\.metadata\..+))$/s

const CONTROL = /\p{Cc}/u

/** The maximum number of warnings per policy. */
const MAX_WARNINGS = 20

const PATTERN_MICROSECONDS = 2

/** A warning for each pattern that no request can match. */
export function* warningsOfPatterns({ rules }: Policy): Steps<readonly string[]> {
  const pace = new Pace()
  const warnings = new Set<string>()
  for (const { pattern } of rules) {
    if (pace.spend(PATTERN_MICROSECONDS)) yield
    const why = whyUnmatched(pattern)
    if (why !== undefined) warnings.add(`path ${quoteText(pattern)} matches no request: ${why}`)
    if (warnings.size === MAX_WARNINGS) break
  }
  return [...warnings]
}

/** Why no request can match a pattern; undefined if one can. */
function whyUnmatched(pattern: string): string | undefined {
  for (const [, name = ''] of pattern.matchAll(TEMPLATE))
    if (!KNOWN_TEMPLATE.test(name.trim())) return `there is no template ${quoteText(name.trim())}`
  const filled = pattern.replace(TEMPLATE, 'x')
  const star = filled.indexOf('*')
  if (star >= 0 && star < filled.length - 1) return 'a * is a wildcard only at the end of a path; + stands for one segment'
  if (CONTROL.test(filled)) return 'a request path cannot contain control characters'
  const segments = filled.split('/')
  if (segments.slice(0, -1).includes('')) return 'a request path cannot contain empty segments'
  return segments.some((segment) => segment === '.' || segment === '..')
    ? 'a request path cannot contain the segments . and ..'
    : undefined
}
