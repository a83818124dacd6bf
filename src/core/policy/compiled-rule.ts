/**
 * A rule in matching form: one full pattern with everything that a caller's policies say about it.
 */
import type { MatchKind } from './acl.ts'
import { CAPABILITY_BITS } from './capability.ts'
import type { RuleTerms } from './policy.ts'

export interface CompiledRule extends RuleTerms {
  /** With the namespace's path in front and the star. */
  readonly pattern: string
  readonly kind: MatchKind
  /** Without the star. */
  readonly stem: string
  /** Whether the pattern ends in a star that acts as a wildcard. */
  readonly open: boolean
  /** The position of its first `+`, or else of its star. */
  readonly first: number
  /** How many of its segments are `+`. */
  readonly pluses: number
  /** The names of the policies it comes from. */
  readonly policies: readonly string[]
  /** Whether more than capabilities has to be checked. */
  readonly restricted: boolean
}

/** @param pattern full, templates filled in. */
export function compileRule(pattern: string, terms: RuleTerms, policies: readonly string[]): CompiledRule {
  const kind = kindOf(pattern)
  const open = pattern.endsWith('*')
  const stem = open ? pattern.slice(0, -1) : pattern
  const { capabilities, allowed, denied, required, minWrappingTtl, maxWrappingTtl } = terms
  return Object.freeze({
    capabilities,
    allowed,
    denied,
    required,
    minWrappingTtl,
    maxWrappingTtl,
    pattern,
    kind,
    stem,
    open,
    // Any plus sign counts, even a literal one (source: behaviour of the originals).
    first: kind === 'segment wildcard' ? pattern.indexOf('+') : stem.length,
    pluses: kind === 'segment wildcard' ? stem.split('/').filter((segment) => segment === '+').length : 0,
    policies,
    restricted: isRestricted(terms),
  })
}

export const isRestricted = ({ allowed, denied, required, minWrappingTtl, maxWrappingTtl }: RuleTerms): boolean =>
  Boolean(allowed || denied || required.length > 0 || minWrappingTtl > 0 || maxWrappingTtl > 0)

function kindOf(pattern: string): MatchKind {
  if (pattern === '+' || pattern.includes('/+') || pattern.startsWith('+/')) return 'segment wildcard'
  return pattern.endsWith('*') ? 'prefix' : 'exact'
}

/** Whether the pattern of a rule matches a path; that of a list, which ends in a slash, with the slash or without it. */
export const ruleMatches = (rule: CompiledRule, path: string): boolean =>
  matches(rule, path) || (path.endsWith('/') && matches(rule, path.slice(0, -1)))

function matches({ kind, stem, open }: CompiledRule, path: string): boolean {
  if (kind === 'exact') return path === stem
  if (kind === 'prefix') return path.startsWith(stem)
  const pieces = stem.split('/')
  const segments = path.split('/')
  if (open ? segments.length < pieces.length : segments.length !== pieces.length) return false
  const last = pieces.length - 1
  return pieces.every((piece, i) => {
    const segment = segments[i] as string
    return piece === '+' || (open && i === last ? segment.startsWith(piece) : segment === piece)
  })
}

/** Whether `a` takes precedence over `b`, both with wildcards and both matching (source: behaviour of the originals). */
export function goesBefore(a: CompiledRule, b: CompiledRule): boolean {
  if (a.first !== b.first) return a.first > b.first
  if (a.open !== b.open) return b.open
  if (a.pluses !== b.pluses) return a.pluses < b.pluses
  if (a.stem.length !== b.stem.length) return a.stem.length > b.stem.length
  return a.stem > b.stem
}

/** Whether a rule grants anything. */
export const grantsAnything = (rule: CompiledRule): boolean =>
  rule.capabilities !== 0 && rule.capabilities !== CAPABILITY_BITS.deny
