/**
 * Policies and requests designed to be slow. A measured file also bounds the time of a decision, so that only linear work passes.
 */
import { describe, expect, it } from 'vitest'
import { runToEnd } from '../../../../src/core/base/steps.ts'
import { type Acl, type AclRequest, compileAcl, MAX_POLICY_BYTES, parsePolicy } from '../../../../src/core/policy/index.ts'

const LONG = 65_536

/** Evaluates a request. A measured run repeats it and bounds its processor time. */
export type Decide = (acl: Acl, request: AclRequest, maxMs: number) => Promise<void>

/** Puts the patterns into as few policies as the size limit allows. */
function aclOf(patterns: Iterable<string>, terms = 'policy = "read"'): Acl {
  const texts: string[] = ['']
  for (const pattern of patterns) {
    const block = `path "${pattern}" { ${terms} }\n`
    if ((texts.at(-1) as string).length + block.length > MAX_POLICY_BYTES) texts.push('')
    texts[texts.length - 1] += block
  }
  return compileAcl(texts.map((text, i) => ({ name: `p${i}`, policy: parsePolicy(text), namespace: '' })))
}

/** Every way to replace segments of `a/a/.../a` by `+`. */
function* mixtures(segments: number, end: string): Generator<string, void, void> {
  for (let bits = 0; bits < 2 ** segments; bits++)
    yield Array.from({ length: segments }, (_, i) => ((bits >> i) & 1 ? '+' : 'a')).join('/') + end
}

/** The name in every combination of upper and lower case. */
function* casesOf(name: string, before: string): Generator<string, void, void> {
  for (let bits = 0; bits < 2 ** name.length; bits++)
    yield before + Array.from(name, (letter, i) => ((bits >> i) & 1 ? letter.toUpperCase() : letter)).join('')
}

/** @param segments Number of path segments; the rules are all 2^segments combinations of `a` and `+`. */
export function describeHostileDecisions(segments: number, decide: Decide): void {
  describe('a policy decision with hostile input', () => {
    it.each<[string, () => Acl, string]>([
      ['all combinations of plus signs', () => aclOf(mixtures(segments, '/b')), `${'a/'.repeat(segments)}c`],
      [
        'all combinations of plus signs and a long segment',
        () => aclOf(mixtures(segments, '/+/b')),
        `${'a/'.repeat(segments)}${'x'.repeat(LONG)}/c`,
      ],
      ['all combinations of plus signs for a list', () => aclOf(mixtures(segments, '/b')), `${'a/'.repeat(segments)}c/`],
      ['stars at every length', () => aclOf(Array.from({ length: 1500 }, (_, i) => `${'a'.repeat(i + 1)}*`)), 'a'.repeat(LONG)],
      [
        'stars after a plus sign',
        () => aclOf(Array.from({ length: 1500 }, (_, i) => `+/${'a'.repeat(i + 1)}*`)),
        `x/${'a'.repeat(LONG)}`,
      ],
      ['a pattern of 2,000 plus signs', () => aclOf([`${'+/'.repeat(2000)}a`]), '/'.repeat(LONG)],
      ['a path of slashes only', () => aclOf(['+/+/a', '+', '/+/b']), '/'.repeat(LONG)],
      ['an exact rule as long as the path', () => aclOf([`${'a'.repeat(4000)}`]), 'a'.repeat(LONG)],
      [
        'ten thousand literal segments after a plus sign',
        () => aclOf(Array.from({ length: 10_000 }, (_, i) => `kv/+/${i}/x`)),
        `kv/team/${'9'.repeat(LONG)}/x`,
      ],
    ])('completes with %s', async (_, make, path) => {
      const acl = make()
      for (const operation of ['read', 'list'] as const) await decide(acl, { operation, path }, 25)
      expect(runToEnd(acl.reaches(path))).toBeTypeOf('boolean')
      expect(acl.explain({ operation: 'read', path }).allowed).toBe(acl.decide({ operation: 'read', path }).allowed)
    })

    it('completes after thousands of case-folded rules were prepared in slices', async () => {
      const acl = aclOf(casesOf('abcdefghijklm'.slice(0, segments + 2), 'sys/policies/acl/'))
      const at = {
        path: 'sys/policies/acl/abcdefghijklm',
        foldedAfter: 3,
        others: [{ path: 'sys/policy/abcdefghijklm', foldedAfter: 2 }],
      }
      expect(acl.isPrepared(at)).toBe(false)
      let slices = 0
      for (const steps = acl.prepare(at); !steps.next().done; ) slices++
      expect(slices).toBeGreaterThan(2 ** segments / 1000)
      expect(acl.isPrepared(at)).toBe(true)
      await decide(acl, { operation: 'read', ...at }, 25)
    })

    it('completes with 10,000 parameters', async () => {
      const acl = aclOf(['a'], 'policy = "write" allowed_parameters = { "*" = [], x = [1] } denied_parameters = { y = [] }')
      const parameters = Object.fromEntries(Array.from({ length: 10_000 }, (_, i) => [`name${i}`, i]))
      expect(acl.decide({ operation: 'update', path: 'a', parameters }).allowed).toBe(true)
      await decide(acl, { operation: 'update', path: 'a', parameters }, 50)
    })

    it('completes with large and deeply nested parameter values', async () => {
      const values = Array.from({ length: 1000 }, (_, i) => `[{ "a" = [${i}] }]`)
      const acl = aclOf(['a'], `policy = "write" allowed_parameters = { x = [${values.join(', ')}] }`)
      const sent = Array.from({ length: 100_000 }, (_, i) => ({ a: [i] }))
      await decide(acl, { operation: 'update', path: 'a', parameters: { x: sent } }, 10)
      let deep: unknown = 1
      for (let i = 0; i < 100_000; i++) deep = [deep]
      expect(acl.decide({ operation: 'update', path: 'a', parameters: { x: deep } }).allowed).toBe(false)
      expect(acl.decide({ operation: 'update', path: 'a', parameters: { x: [{ a: [999] }] } }).allowed).toBe(true)
    })

    it('does not affect the next decision', () => {
      const acl = aclOf(['+/a/b', 'x/+/b', 'x/y/*', 'x/y/z'])
      const paths = ['x/y/z', 'x/a/b', 'q/a/b', 'x//b', 'x/y/', 'x/a', 'longer/a/b', 'x/longer/b']
      const alone = paths.map((path) => aclOf(['+/a/b', 'x/+/b', 'x/y/*', 'x/y/z']).capabilities(path))
      for (let i = 0; i < 3; i++) {
        expect(paths.map((path) => acl.capabilities(path))).toEqual(alone)
        for (const path of paths) runToEnd(acl.reaches(path))
      }
    })
  })
}
