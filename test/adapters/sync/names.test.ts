import { describe, expect, it } from 'vitest'
import { githubSync } from '../../../src/adapters/sync-github/index.ts'
import { vercelSync } from '../../../src/adapters/sync-vercel/index.ts'
import { fakeSyncDestination } from '../../../src/testing/index.ts'
import { anyCharacter } from '../../fixtures/any-character.ts'
import fc from '../../fixtures/fast-check.ts'

const raw = fc.oneof(
  fc.string({ unit: anyCharacter, maxLength: 60 }),
  fc.string({ unit: fc.constantFrom('a', 'Z', '0', '_', '-', '/', 'ß', 'ı', 'İ', 'ﬁ', '\u{1f511}'), maxLength: 20 }),
  fc.string({ maxLength: 10 }).map((rest) => `GitHub_${rest}`),
)

const STORES = [
  { destination: githubSync(), allowed: /^(?!GITHUB_)[A-Z_][A-Z0-9_]*$/ },
  { destination: vercelSync(), allowed: /^[A-Za-z][A-Za-z0-9_]*$/ },
]

describe.each(STORES)('names normalized for the $destination.type store', ({ destination: { rules, type }, allowed }) => {
  it('are valid, remain the same when normalized again, and are not truncated', () => {
    fc.assert(
      fc.property(raw, (text) => {
        const name = rules.normalizeName(text)
        expect(name).toMatch(allowed)
        expect(rules.normalizeName(name)).toBe(name)
        expect(name.length).toBeGreaterThanOrEqual([...text].length)
        expect(name.toUpperCase().endsWith(text.replace(/[^A-Za-z0-9_]/gu, '_').toUpperCase())).toBe(true)
      }),
    )
  })

  it('are equal to their lower-case form only if the store ignores case', () => {
    fc.assert(
      fc.property(raw, (text) => {
        const name = rules.normalizeName(text)
        expect(rules.foldName(name) === rules.foldName(name.toLowerCase())).toBe(
          type === 'repohost' || name === name.toLowerCase(),
        )
      }),
    )
  })

  it('are the same as those of the fake store', () => {
    const fake = fakeSyncDestination({ type }).rules
    const { normalizeName: _, foldName: __, ...limits } = rules
    expect(fake).toMatchObject(limits)
    fc.assert(
      fc.property(raw, (text) => {
        expect(fake.normalizeName(text)).toBe(rules.normalizeName(text))
        expect(fake.foldName(text)).toBe(rules.foldName(text))
      }),
    )
  })
})
