/** Names, as the two stores over fetch take them. */
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

describe.each(STORES)('names of $destination.type', ({ destination: { rules, type }, allowed }) => {
  it('are allowed, stay as they are once they are, and are not cut', () => {
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

  it('are one where the store takes them for one', () => {
    fc.assert(
      fc.property(raw, (text) => {
        const name = rules.normalizeName(text)
        expect(rules.foldName(name) === rules.foldName(name.toLowerCase())).toBe(
          type === 'repohost' || name === name.toLowerCase(),
        )
      }),
    )
  })

  it('are those that the fake has', () => {
    const fake = fakeSyncDestination({ type }).rules
    const { normalizeName: _, foldName: __, ...told } = rules
    expect(fake).toMatchObject(told)
    fc.assert(
      fc.property(raw, (text) => {
        expect(fake.normalizeName(text)).toBe(rules.normalizeName(text))
        expect(fake.foldName(text)).toBe(rules.foldName(text))
      }),
    )
  })
})
