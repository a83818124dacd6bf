/** The domains of the kernel's own records: every declared record kind has one, and it depends only on the key. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { CORE_FOLDERS } from '../../../src/core/contract/core-folders.ts'
import { domainOf, recordDomain, UNDIVIDED } from '../../../src/sys/replication/state/domain.ts'

const source = fileURLToPath(new URL('../../../src', import.meta.url))

/** The folders in all declarations of record kinds of the kernel. */
function declaredFolders(): ReadonlySet<string> {
  const folders = new Set<string>()
  for (const part of ['core', 'sys'])
    for (const name of readdirSync(join(source, part), { recursive: true, encoding: 'utf8' })) {
      if (!name.endsWith('.ts')) continue
      const text = readFileSync(join(source, part, name), 'utf8')
      for (const [, folder = ''] of text.matchAll(
        /(?:coreRecord(?:<[^(]*>)?\(|coreText\(|CoreSecretKind = )\{[^}]*?folder: '([^']+)'/g,
      ))
        folders.add(folder)
      // The kinds of the two kinds of replication are declared together, so the type of a secret is not next to its folder.
      for (const [, folder = ''] of text.matchAll(/secret: \{[^}]*?folder: '([^']+)'/g)) folders.add(folder)
    }
  return folders
}

const declared = [...declaredFolders()].sort()

const keyClass = fc.constantFrom('r', 'l', 'i')
const owner = fc.uuid()
const name = fc.stringMatching(/^[a-z][a-z0-9_.-]{0,20}$/)
const rest = fc.array(name, { maxLength: 4 })

/** The record ids that have the UUID of their mount or namespace in the segment `at`. */
const idsOwnedAt = (at: number) =>
  fc.tuple(owner, fc.array(name, { minLength: at, maxLength: at }), rest).map(([uuid, before, after]) => ({
    uuid,
    id: [...before, uuid, ...after].join('/'),
  }))

/** Expects the domain of all records of a folder, in all classes. */
function expectDomain(folder: string, at: number, domainFor: (uuid: string) => string): void {
  fc.assert(
    fc.property(keyClass, idsOwnedAt(at), (letter, { uuid, id }) => {
      expect(domainOf(`${letter}/core/${folder}/${id}`), folder).toBe(domainFor(uuid))
    }),
    { numRuns: 50 },
  )
}

describe('the folders of the kernel’s own records', () => {
  it('are exactly the folders of the declared record kinds', () => {
    expect(declared).toEqual(Object.keys(CORE_FOLDERS).sort())
  })
})

describe('the domain of a record of the kernel', () => {
  const owned = ['mount', 'policy', 'token-role', 'entity', 'alias', 'password-policy']
  const ownedBySync = ['sync-destination', 'sync-secret', 'sync-outbox']
  const others = ['namespace', 'sync-association', 'sync-walk', 'remount', 'sync-name']

  it('is its mount or namespace, if its id begins with the UUID', () => {
    for (const folder of [...owned, ...ownedBySync]) expectDomain(folder, 0, (uuid) => uuid)
  })

  it('is the mount of the secret, for an association of secret sync', () => {
    expectDomain('sync-association', 3, (uuid) => uuid)
  })

  it('is a domain of its own, for the record of a namespace', () => {
    expectDomain('namespace', 0, recordDomain)
  })

  it('is the domain that only unfiltered secondaries have, for a record that concerns several mounts', () => {
    for (const folder of ['remount', 'sync-name']) expectDomain(folder, 0, () => UNDIVIDED)
  })

  it('is the domain of the scheduled work that a job of secret sync continues', () => {
    for (const [topic, at] of [
      ['s', 0],
      ['a', 3],
      ['d', 0],
      ['m', 0],
      ['n', 0],
    ] as const)
      fc.assert(
        fc.property(keyClass, idsOwnedAt(at), fc.nat(), (letter, { uuid, id }, time) => {
          expect(domainOf(`${letter}/core/sync-walk/${topic}/${id}`), topic).toBe(uuid)
          expect(domainOf(`${letter}/due/sync/${time}/core/${topic}/${id}`), topic).toBe(uuid)
        }),
        { numRuns: 50 },
      )
    expect(domainOf('r/core/sync-walk/newer-topic/a/b')).toBe(UNDIVIDED)
  })

  it('is the domain that every secondary has, for all other records, including those of a newer release', () => {
    const special = new Set([...owned, ...ownedBySync, ...others])
    for (const folder of [...declared.filter((one) => !special.has(one)), 'folder-of-a-newer-release', 'constructor'])
      expectDomain(folder, 0, () => 'core')
  })

  it('is the domain that only unfiltered secondaries have, if the id lacks its owner', () => {
    for (const folder of [...owned, ...ownedBySync, 'sync-association'])
      for (const id of ['', '/', 'not a name/x', 'ä', 'x'.repeat(65)]) expect(domainOf(`r/core/${folder}/${id}`)).toBe(UNDIVIDED)
  })
})
