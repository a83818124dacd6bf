/** A rule in the form that is matched: one full pattern and the merged terms of all policies for it. */
import type { MatchKind } from './acl.ts'
import { CAPABILITY_BITS } from './capability.ts'
import type { RuleTerms } from './policy.ts'

export interface CompiledRule extends RuleTerms {
  /** Includes the namespace's path and the star. */
  readonly pattern: string
  readonly kind: MatchKind
  /** The pattern without its star. */
  readonly stem: string
  /** Whether the pattern ends in a star that is a wildcard. */
  readonly open: boolean
  /** The position of the first `+`, otherwise of the star. */
  readonly first: number
  /** The number of segments that are `+`. */
  readonly pluses: number
  /** The names of the policies that it comes from. */
  readonly policies: readonly string[]
  /** Whether parameters or wrapping must be checked in addition to capabilities. */
  readonly restricted: boolean
}

/** @param pattern The full pattern, with templates filled in. */
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
    // As in Vault, any plus sign counts, even one that is no wildcard.
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

/** Whether the pattern matches a path. The path of a list, which ends in a slash, may also match without its slash. */
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

/** Whether `a` takes precedence over `b`, by Vault's rules. Both must have wildcards and match the path. */
export function goesBefore(a: CompiledRule, b: CompiledRule): boolean {
  if (a.first !== b.first) return a.first > b.first
  if (a.open !== b.open) return b.open
  if (a.pluses !== b.pluses) return a.pluses < b.pluses
  if (a.stem.length !== b.stem.length) return a.stem.length > b.stem.length
  return a.stem > b.stem
}

export const grantsAnything = (rule: CompiledRule): boolean =>
  rule.capabilities !== 0 && rule.capabilities !== CAPABILITY_BITS.deny
