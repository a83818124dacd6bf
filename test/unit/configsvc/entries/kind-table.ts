/**
 * The tests of a kind of entries, as one table: entries with all members, the stored form of others, and refused entries.
 */
import { describe, expect, it } from 'vitest'
import type { NormalizedEntry } from '../../../../src/configsvc/entries/kind.ts'
import { kindNamed } from '../../../../src/configsvc/entries/read-entry.ts'
import { decodeEntry, encodeEntry } from '../../../../src/configsvc/entries/stored-entry.ts'
import { comesBack } from '../../../configsvc/entries/entry-comes-back.ts'
import fc from '../../../fixtures/fast-check.ts'
import { accepted, outcome } from './outcome.ts'

type Json = Readonly<Record<string, unknown>>

export interface KindTable {
  readonly kind: string
  /** Entries that together have all members, in their stored form. */
  readonly full: readonly Json[]
  /** The stored form of entries: defaults and normalization. */
  readonly stored: readonly { readonly what: string; readonly sent: Json; readonly stored: Json }[]
  /** The member that the message names, with its path. */
  readonly refused: readonly { readonly at: string; readonly what: string; readonly sent: Json }[]
  /** Aliases that are not the snake case of their names. */
  readonly aliases?: Readonly<Record<string, string>>
  /** Whether names have no aliases, except for names of one word. */
  readonly plain?: true
  /** Whether only the controller writes the kind. */
  readonly derived?: true
}

/** Members that are maps from free names to values of one type, and members whose types are unknown. */
const MAPS = new Set(['Meta', 'Add', 'Set', 'Subsets', 'Failover'])
const OPAQUE = new Set(['Config', 'Arguments'])

/** Most kinds have `Services` as a list; for one kind it is a map. */
const isMap = (name: string, member: unknown): boolean => MAPS.has(name) || (name === 'Services' && !Array.isArray(member))

type Change = (record: Json, path: string) => Json

/** Returns the entry with each of its records changed. */
function rebuild(value: unknown, path: string, change: Change): unknown {
  if (Array.isArray(value)) return value.map((item, index) => rebuild(item, `${path}[${index}]`, change))
  if (typeof value !== 'object' || value === null) return value
  const members = Object.entries(value).map(([name, member]) => {
    const at = path === '' ? name : `${path}.${name}`
    if (OPAQUE.has(name)) return [name, member]
    return [name, isMap(name, member) ? rebuildMap(member, at, change) : rebuild(member, at, change)]
  })
  return change(Object.fromEntries(members), path)
}

const rebuildMap = (map: Json, path: string, change: Change): Json =>
  Object.fromEntries(
    Object.entries(map).map(([name, value]) => [name, rebuild(value, `${path}[${JSON.stringify(name)}]`, change)]),
  )

const NO_ALIAS = new Set([
  'ConsulVersion',
  'EnvoyVersion',
  'ParsedFromCheck',
  'MaxRequestHeadersKB',
  'DisableAutoHostRewrite',
  'SectionName',
])

/** `ConnectTimeout` becomes `connect_timeout`, `TLSMinVersion` becomes `tls_min_version`. */
const snake = (name: string): string =>
  name
    .replaceAll(/([a-z])([A-Z0-9])/g, '$1_$2')
    .replaceAll(/([A-Z])([A-Z][a-z])/g, '$1_$2')
    .toLowerCase()

/** Changes all names. */
const renamed = (entry: Json, nameFor: (name: string) => string): unknown =>
  rebuild(entry, '', (record) => Object.fromEntries(Object.entries(record).map(([name, value]) => [nameFor(name), value])))

const lower = (name: string): string => name.toLowerCase()

function pathsOf(entry: Json): readonly string[] {
  const paths: string[] = []
  rebuild(entry, '', (record, path) => {
    paths.push(path)
    return record
  })
  return paths
}

const withStranger = (entry: Json, at: string): unknown =>
  rebuild(entry, '', (record, path) => (path === at ? { ...record, Stranger: 1 } : record))

/** Values that some members accept and others do not. */
const ODD = fc.constantFrom<unknown>(
  ...[null, '', 0, 1, -1, 1.5, 1e300, 2n ** 70n, true, false, [], {}, [[]], [null], [{}]],
  ...['*', 'web', 'tcp', 'GET', 'allow', 'v1', '/a', '15s', '-1s', '1', 'true', '__proto__', '\ud800', 'x'.repeat(300)],
)

/** Replaces one value within the value, selected by its position in the order of writing. */
function withValue(value: unknown, which: number, odd: unknown): unknown {
  let count = 0
  JSON.stringify(value, (_, member: unknown) => {
    count++
    return typeof member === 'bigint' ? 0 : member
  })
  let at = which % count
  const copy = (original: unknown): unknown => {
    if (at-- === 0) return odd
    if (Array.isArray(original)) return original.map(copy)
    if (typeof original !== 'object' || original === null) return original
    return Object.fromEntries(Object.entries(original).map(([name, member]) => [name, copy(member)]))
  }
  return copy(value)
}

export function describeKind({ kind, full, stored, refused, aliases = {}, plain, derived }: KindTable): void {
  const aliasOf = (name: string): string => aliases[name] ?? (NO_ALIAS.has(name) ? lower(name) : snake(name))

  describe(kind, () => {
    it.each(full)('stores an entry with all members unchanged: %#', (entry) => {
      expect(accepted(entry)).toEqual(entry)
    })

    it.each(full)('reads names of members in any case: %#', (entry) => {
      expect(accepted(renamed(entry, lower))).toEqual(entry)
    })

    it.runIf(!plain).each(full)('reads names of members in snake case: %#', (entry) => {
      expect(accepted(renamed(entry, aliasOf))).toEqual(entry)
    })

    it.each(full)('refuses an unknown member at any depth and names it: %#', (entry) => {
      for (const path of pathsOf(entry)) {
        const stranger = path === '' ? 'Stranger' : `${path}.Stranger`
        expect(() => accepted(withStranger(entry, path))).toThrow(`invalid config key ${JSON.stringify(stranger)}`)
      }
    })

    it.each(full)('refuses several unknown members and names all: %#', (entry) => {
      const sent = rebuild(entry, '', (record) => ({ ...record, Stranger: 1 }))
      const lines = String(outcome(sent)).split('\n')
      expect(lines).toHaveLength(pathsOf(entry).length)
    })

    it.each(full)('encodes and decodes the stored entry without loss: %#', (entry) => {
      const kept = { ...(accepted(entry) as NormalizedEntry), CreateIndex: 7, ModifyIndex: 9 }
      expect(decodeEntry(encodeEntry(kept))).toEqual(kept)
    })

    const unless = derived ? ' (skipped: nobody but its controller writes this kind)' : ''
    it.skipIf(derived).each(full)(`reads the entry back by path and typed: %#${unless}`, comesBack)

    it.each(full)('stores or refuses an entry with random changes, and does not modify the argument: %#', (entry) => {
      let count = 0
      fc.assert(
        fc.property(fc.array(fc.tuple(fc.nat(), fc.oneof(ODD, fc.jsonValue())), { minLength: 1, maxLength: 3 }), (changes) => {
          const sent = changes.reduce<unknown>((value, [at, odd]) => withValue(value, at, odd), entry)
          const before = structuredClone(sent)
          const found = outcome(sent)
          expect(sent).toEqual(before)
          if (typeof found === 'string') return
          count++
          expect(outcome(found)).toEqual(found)
          const kept = { ...found, CreateIndex: 1, ModifyIndex: 2 }
          expect(decodeEntry(encodeEntry(kept))).toEqual(kept)
        }),
        { numRuns: 300 },
      )
      expect(count).toBeGreaterThan(0)
    })

    it.each(stored)('stores $what', ({ sent, stored: expected }) => {
      const entry = accepted({ Kind: kind, Name: 'web', ...sent })
      expect(entry).toMatchObject(expected)
      expect(accepted(entry)).toEqual(entry)
    })

    it.each(refused)('refuses $what and names $at', ({ at, sent }) => {
      expect(() => accepted({ Kind: kind, Name: 'web', ...sent })).toThrow(`${at}: `)
    })

    it('allows filters on every member', () => {
      const { members } = kindNamed(kind).body.shape
      for (const entry of full) expect(Object.keys(members)).toEqual(expect.arrayContaining(Object.keys(entry)))
    })
  })
}
