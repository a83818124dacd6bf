/** A rule in the form in which it is matched: a full pattern, and the merged terms of all rules with this pattern. */
import type { MatchKind } from './acl.ts'
import { CAPABILITY_BITS } from './capability.ts'
import type { RuleTerms } from './policy.ts'

export interface CompiledRule extends RuleTerms {
  /** The full pattern, including the namespace's path and a final `*`. */
  readonly pattern: string
  readonly kind: MatchKind
  /** The pattern without its final `*` if that `*` is a wildcard. */
  readonly stem: string
  /** Whether the pattern ends in a `*` that is a wildcard. */
  readonly open: boolean
  /** The position of the first `+`. If there is no `+`, the position of the final `*`. */
  readonly first: number
  /** The number of segments that are a `+`. */
  readonly pluses: number
  /** The names of the policies that have a rule with this pattern. */
  readonly policies: readonly string[]
  /** Whether a request's parameters or wrapping must be checked in addition to the capabilities. */
  readonly restricted: boolean
}

/** @param pattern The full pattern. Its templates must be filled in. */
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
    // As in Vault, use the position of the first plus sign in the pattern, even if that plus sign is not a wildcard.
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

/** Whether the pattern matches a path. The path of a list ends in a slash; the pattern may match it with or without the slash. */
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

/** Whether `a` takes precedence over `b`, by Vault's rules. Both rules must have wildcards and match the path. */
export function goesBefore(a: CompiledRule, b: CompiledRule): boolean {
  if (a.first !== b.first) return a.first > b.first
  if (a.open !== b.open) return b.open
  if (a.pluses !== b.pluses) return a.pluses < b.pluses
  if (a.stem.length !== b.stem.length) return a.stem.length > b.stem.length
  return a.stem > b.stem
}

export const grantsAnything = (rule: CompiledRule): boolean =>
  rule.capabilities !== 0 && rule.capabilities !== CAPABILITY_BITS.deny
