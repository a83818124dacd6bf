/** The rules of filters against a second implementation, and the domains of keys. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createKernel, inProcessNetwork, keySeal, memoryStorage } from '../../../src/index.ts'
import { FilterRules } from '../../../src/sys/replication/filters/filter-rules.ts'
import { domainOf, recordDomain, UNDIVIDED } from '../../../src/sys/replication/state/domain.ts'
import { fakeSyncDestination } from '../../../src/testing/index.ts'

const segment = fc.constantFrom('a', 'b', 'auth', 'aa')
const path = fc.array(segment, { minLength: 1, maxLength: 4 }).map((segments) => `${segments.join('/')}/`)
const mode = fc.constantFrom('allow' as const, 'deny' as const)
const namespaces = fc.array(segment, { maxLength: 3 }).map((segments) => segments.map((segment) => `${segment}/`).join(''))

/** All prefixes of a path that end with a slash, including the path itself. */
const beginnings = (text: string): readonly string[] =>
  [...text].flatMap((letter, at) => (letter === '/' ? [text.slice(0, at + 1)] : []))

describe('path filter rules', () => {
  it('admit the same mounts and namespaces as a naive implementation', () => {
    fc.assert(
      fc.property(fc.array(path, { maxLength: 5 }), mode, namespaces, path, (paths, chosen, namespace, mount) => {
        const rules = new FilterRules({ mode: chosen, paths })
        const covers = (text: string): boolean => beginnings(text).some((beginning) => paths.includes(beginning))
        const allows = chosen === 'allow'
        if (namespace !== '') expect(rules.includesNamespace(namespace)).toBe(covers(namespace) === allows)
        expect(rules.includesMount(namespace, mount)).toBe((covers(namespace) || paths.includes(namespace + mount)) === allows)
        const isAbove = paths.some((path) => path !== namespace && path.startsWith(namespace))
        if (namespace !== '')
          expect(rules.includesNamespaceRecord(namespace)).toBe(rules.includesNamespace(namespace) || (allows && isAbove))
      }),
      { numRuns: 2000 },
    )
  })

  it('always admit the system mounts of the root namespace', () => {
    for (const rules of [new FilterRules({ mode: 'allow', paths: [] }), new FilterRules({ mode: 'deny', paths: ['a/'] })]) {
      expect(rules.includesNamespace('')).toBe(true)
      for (const own of ['sys/', 'identity/', 'cubbyhole/', 'auth/token/']) expect(rules.includesMount('', own)).toBe(true)
    }
    expect(new FilterRules({ mode: 'allow', paths: [] }).includesMount('a/', 'sys/')).toBe(false)
  })
})

describe('the Merkle tree domain of a stored record', () => {
  it('is the mount or namespace in its key, or "undivided", which secondaries with a path filter never receive', async () => {
    const storage = memoryStorage({ maxOps: 128 })
    const kernel = await createKernel({
      storage,
      seal: keySeal(new Uint8Array(32)),
      initialize: true,
      ports: { replication: inProcessNetwork(), sync: { 'cloud-a-sm': fakeSyncDestination() } },
    })
    await kernel.namespaces.createNamespace({ name: 'team' })
    const team = kernel.namespace('team')
    await team.policies.writePolicy({ name: 'p', policy: 'path "a" { capabilities = ["read"] }' })
    await team.tokens.writeRole({ role_name: 'r' })
    await team.mounts.createMount({ path: 'kv', type: 'kv', options: { version: '2' } })
    await team.kv2.at('kv/').writeSecret({ path: 'secret', data: { v: 1 } })
    await team.sync.writeCloudASm({ name: 'd', region: 'x' })
    await team.sync.setAssociation({ type: 'cloud-a-sm', name: 'd', mount: 'kv', secret_name: 'secret' })
    await team.mounts.moveMount({ from: 'kv', to: 'moved' })
    const keys = (await storage.scan('r/')).map(({ key }) => key)
    const uuids = keys.flatMap((key) => key.match(/^r\/core\/(?:mount|namespace)\/([0-9a-f-]+)$/)?.[1] ?? [])
    expect(uuids.length).toBeGreaterThan(6)
    for (const key of keys) {
      const domain = domainOf(key)
      const named = uuids.filter((uuid) => key.includes(uuid)).sort((a, b) => key.indexOf(a) - key.indexOf(b))
      if (domain === 'core') expect(named, key).toEqual([])
      else if (domain !== UNDIVIDED && domain !== 'root')
        expect(
          named.some((uuid) => domain === uuid || domain === recordDomain(uuid)),
          key,
        ).toBe(true)
      // A record in a mount or about a mount belongs to the domain of that mount.
      if (key.includes('sync-association') || key.includes('sync-secret')) expect(domain).toBe(named.at(-1))
    }
    expect(keys.filter((key) => key.includes('/sync-association/')).length).toBe(1)
    expect(domainOf('r/due/sync/001/core/a/ns/cloud-a-sm/d/mount-1/a/path')).toBe('mount-1')
    expect(domainOf('r/due/sync/001/core/s/mount-1/a/path')).toBe('mount-1')
    expect(domainOf('r/due/rotation/001/mount-1/ring')).toBe('mount-1')
    expect(domainOf('r/due/rotation/001/core/what')).toBe(UNDIVIDED)
    await kernel.close()
  })
})
