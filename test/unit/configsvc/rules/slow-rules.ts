/** Rule texts of the maximum length that are slow to read, compile or evaluate. */
import { MAX_RULES_BYTES } from '../../../../src/configsvc/rules/index.ts'
import { runs } from '../../../fixtures/runs.ts'

/** The slow tier uses texts of the maximum length. */
const SHARE = runs({ quick: 1 / 4, slow: 1 })
const LENGTH = MAX_RULES_BYTES * SHARE

/** A text of the maximum length: the result of `make`, repeated between a beginning and an end. */
export function filled(make: (i: number) => string, begin = '', end = ''): string {
  const pieces = [begin]
  for (let length = begin.length + end.length, i = 0; ; i++) {
    const piece = make(i)
    length += piece.length
    if (length > LENGTH) return [...pieces, end].join('')
    pieces.push(piece)
  }
}

interface SlowRules {
  readonly what: string
  readonly make: () => string
  /** The minimum number of pieces in which the rules are read. */
  readonly reading: number
  /** The minimum number of pieces in which four policies with these rules are compiled. */
  readonly compiling: number
}

export const PREFIXES = () => filled((i) => `key_prefix "${'a'.repeat(i)}" {policy="read"}`)

export const SLOW_RULES: readonly SlowRules[] = [
  {
    what: 'many rules',
    make: () => filled((i) => `key_prefix "${i.toString(36)}" {policy="read"}`),
    reading: 40 * SHARE,
    compiling: 90 * SHARE,
  },
  {
    what: 'many rules in JSON',
    make: () => filled((i) => `"${i}":{"policy":"read"},`, '{"key":{', '"x":{"policy":"read"}}}'),
    reading: 40 * SHARE,
    compiling: 110 * SHARE,
  },
  {
    what: 'one name repeated many times',
    make: () => filled(() => 'service "a" {policy="read"}'),
    reading: 40 * SHARE,
    compiling: 100 * SHARE,
  },
  { what: 'names that are prefixes of each other', make: PREFIXES, reading: 15 * SHARE, compiling: 4 * SHARE },
  {
    what: 'one long name',
    make: () => filled(() => 'a', 'key "', '" {policy="read"}'),
    reading: 2 * SHARE,
    compiling: 1 * SHARE,
  },
  { what: 'unknown keys', make: () => filled((i) => `x${i}=1\n`), reading: 20 * SHARE, compiling: 1 * SHARE },
  {
    what: 'objects without names',
    make: () => filled(() => '{},', '{"key":[', '{}]}'),
    reading: 30 * SHARE,
    compiling: 1 * SHARE,
  },
  {
    what: 'names without blocks',
    make: () => filled(() => '"":[],', '{"key":{', '"":[]}}'),
    reading: 25 * SHARE,
    compiling: 1 * SHARE,
  },
  {
    what: 'a list under an unknown key',
    make: () => filled(() => '1,', 'x = [', ']'),
    reading: 15 * SHARE,
    compiling: 1 * SHARE,
  },
]

export const REFUSED_RULES: readonly (readonly [string, () => string])[] = [
  ['blocks that do not end', () => filled(() => 'a {')],
  ['lists that do not end', () => filled(() => '[', 'a = ')],
  ['unknown fields', () => filled(() => 'a=1 ', 'key "a" { policy = "read" ', '}')],
  ['labels', () => filled(() => '"" ')],
  ['a comment that does not end', () => filled(() => '/* ')],
  ['line breaks before an invalid level', () => filled(() => '\n', '', 'acl = "x"')],
]

/** Rules, and segments that must be decided quickly. */
export const SLOW_DECISIONS: readonly (readonly [string, () => string])[] = [
  ['names that are prefixes of each other', PREFIXES],
  ['one long name', () => filled(() => 'a', 'key_prefix "', 'b" {policy="read"}')],
  ['many names', () => filled((i) => `key "${i}" {policy="write"}`)],
]

const LONG = 'a'.repeat(LENGTH)

export const SEGMENTS: readonly string[] = [LONG, `${LONG}b`, '', '*', 'a']

/** Four policies whose rules have distinct names. */
export const DISTINCT = (): readonly { readonly name: string; readonly text: string }[] =>
  Array.from({ length: 4 }, (_, p) => ({ name: `p${p}`, text: filled((i) => `service "${i}-${p}" {policy="read"}`) }))
