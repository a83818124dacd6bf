/**
 * The permissions for reading, listing, writing and deleting entries of each kind.
 */
import { describe, expect, it } from 'vitest'
import type { EntryKindName } from '../../../src/configsvc/entries/index.ts'
import { type Answer, type ConfigWorld, configWorld, ROOT } from '../../fixtures/configsvc.ts'
import { BEFORE, DERIVED, ENTRY_OF_EACH_KIND, type EntryOfKind, type Json } from '../../fixtures/entry-of-each-kind.ts'

type Reading = 'service' | 'intentions' | 'mesh' | 'mesh or a service' | 'free'
type Writing = 'service' | 'service and references' | 'intentions' | 'mesh'

const TABLE: Readonly<Record<string, readonly [Reading, Writing]>> = {
  'service-defaults': ['service', 'service'],
  'service-router': ['service', 'service and references'],
  'service-splitter': ['service', 'service and references'],
  'service-resolver': ['service', 'service and references'],
  'service-intentions': ['intentions', 'intentions'],
  'ingress-gateway': ['service', 'mesh'],
  'terminating-gateway': ['service', 'mesh'],
  'api-gateway': ['service', 'mesh'],
  'exported-services': ['mesh', 'mesh'],
  'http-route': ['mesh', 'mesh'],
  'tcp-route': ['mesh', 'mesh'],
  'inline-certificate': ['mesh', 'mesh'],
  'file-system-certificate': ['mesh', 'mesh'],
  'proxy-defaults': ['free', 'mesh'],
  mesh: ['free', 'mesh'],
  'jwt-provider': ['mesh or a service', 'mesh'],
}

/** Rules that are sufficient for a name, and rules that are not. */
interface Rules {
  readonly enough: readonly string[]
  readonly lacking: readonly string[]
}

const on = (name: string, policy: string, intentions?: string): string =>
  `service ${JSON.stringify(name)} { policy = "${policy}" ${intentions ? `intentions = "${intentions}"` : ''} }`

const EVERYTHING_BUT_MESH = 'service_prefix "" { policy = "write" intentions = "write" } acl = "write" keyring = "write"'
const MESH_AND_OPERATOR = 'mesh = "write" operator = "write"'
const BUT_NOT_MESH = ['mesh = "deny" operator = "write"', EVERYTHING_BUT_MESH]

const READING: Readonly<Record<Reading, (name: string) => Rules>> = {
  service: (name) => ({
    enough: [on(name, 'read'), on(name, 'write'), 'service_prefix "" { policy = "read" }'],
    lacking: ['', on(name, 'deny', 'write'), on('other', 'write'), MESH_AND_OPERATOR],
  }),
  intentions: (name) => ({
    enough: [on(name, 'deny', 'read'), on(name, 'read'), on(name, 'deny', 'write')],
    lacking: ['', on(name, 'write', 'deny'), on('other', 'write', 'write'), MESH_AND_OPERATOR],
  }),
  mesh: () => ({
    enough: ['mesh = "read"', 'mesh = "write"', 'operator = "read"', 'mesh = "read" operator = "deny"'],
    lacking: ['', ...BUT_NOT_MESH],
  }),
  'mesh or a service': () => ({
    enough: ['mesh = "read"', 'operator = "read"', on('whichever', 'write')],
    lacking: ['', on('whichever', 'read'), 'mesh = "deny" operator = "write"', 'acl = "write"'],
  }),
  free: () => ({ enough: ['', 'mesh = "deny" operator = "deny"'], lacking: [] }),
}

const WRITING: Readonly<Record<Writing, (name: string) => Rules>> = {
  service: (name) => ({
    enough: [on(name, 'write'), 'service_prefix "" { policy = "write" }'],
    lacking: ['', on(name, 'read', 'write'), on('other', 'write'), MESH_AND_OPERATOR],
  }),
  'service and references': (name) => ({
    enough: [`${on(name, 'write')} ${on('api', 'read')}`, 'service_prefix "" { policy = "write" }'],
    lacking: ['', on(name, 'write'), `${on(name, 'write')} ${on('api', 'deny')}`, `${on(name, 'read')} ${on('api', 'write')}`],
  }),
  intentions: (name) => ({
    enough: [on(name, 'deny', 'write'), 'service_prefix "" { policy = "read" intentions = "write" }'],
    lacking: ['', on(name, 'write'), on(name, 'write', 'read'), on('other', 'write', 'write'), MESH_AND_OPERATOR],
  }),
  mesh: () => ({
    enough: ['mesh = "write"', 'operator = "write"', 'mesh = "write" operator = "deny"'],
    lacking: ['', 'mesh = "read"', 'mesh = "read" operator = "write"', 'operator = "read"', ...BUT_NOT_MESH],
  }),
}

interface World extends ConfigWorld {
  /** The SecretID of a token with these rules. */
  secretOf(rules: string): Promise<string>
}

async function open(): Promise<World> {
  const world = await configWorld()
  for (const entry of BEFORE) await world.ask('PUT', 'config', entry)
  let made = 0
  const secretOf = async (Rules: string): Promise<string> => {
    const { ID } = await world.service.policies.create({ Name: `policy-${++made}`, Rules })
    return (await world.service.tokens.create({ Policies: [{ ID }] })).SecretID
  }
  return { ...world, secretOf, [Symbol.asyncDispose]: () => world[Symbol.asyncDispose]() }
}

const pathOf = (kind: string, name: string): string => `config/${kind}/${name}`

const isDenied = ({ status, body }: Answer): boolean => status === 403 && /^Permission denied: /.test(body)

/** The table contains every kind and no other. */
it('the permission table of this test covers every entry kind', () => {
  expect(Object.keys(TABLE).sort()).toEqual(ENTRY_OF_EACH_KIND.map(({ kind }) => kind).sort())
})

describe.each(ENTRY_OF_EACH_KIND)('an entry of kind $kind', ({ kind, name, entry }: EntryOfKind) => {
  const [reading, writing] = TABLE[kind] as readonly [Reading, Writing]
  const reads = READING[reading](name)
  const writes = WRITING[writing](name)
  const path = pathOf(kind, name)

  it(`can be read with the permission ${reading}, but not with a weaker one`, async () => {
    await using world = await open()
    const { ask, service, secretOf } = world
    const weak = [...(await Promise.all(reads.lacking.map(secretOf))), ...(reading === 'free' ? [] : [''])]
    const absent = []
    for (const secret of weak) absent.push(await ask('GET', path, undefined, secret))
    expect(await ask('PUT', 'config', entry)).toMatchObject({ status: 200, body: true })
    for (const [i, secret] of weak.entries()) {
      const answer = await ask('GET', path, undefined, secret)
      expect(isDenied(answer), `${reads.lacking[i]}: ${answer.body}`).toBe(true)
      expect(answer).toEqual(absent[i])
      const typed = service.as(secret).entries.get({ Kind: kind as EntryKindName, Name: name })
      await expect(typed).rejects.toMatchObject({ code: 'ERR_PERMISSION_DENIED', message: answer.body })
    }
    const whole = (await ask('GET', path)).body
    for (const rules of reads.enough) {
      const secret = await secretOf(rules)
      expect(await ask('GET', path, undefined, secret), rules).toMatchObject({ status: 200, body: whole })
      expect(await service.as(secret).entries.get({ Kind: kind as EntryKindName, Name: name })).toEqual(whole)
    }
  })

  it('is omitted from lists for callers that must not read it, and a header says that entries were omitted', async () => {
    await using world = await open()
    const { ask, service, secretOf } = world
    await ask('PUT', 'config', entry)
    const header = ({ headers }: Answer) => headers['X-Config-Results-Filtered-By-ACLs']
    const names = ({ body }: Answer) => body.map(({ Name }: { Name: string }) => Name)
    for (const rules of reads.lacking) {
      const secret = await secretOf(rules)
      const answer = await ask('GET', `config/${kind}`, undefined, secret)
      expect([rules, answer.status, names(answer).includes(name), header(answer)]).toEqual([rules, 200, false, 'true'])
      expect(JSON.stringify(await service.as(secret).entries.list({ Kind: kind as EntryKindName }))).not.toContain(name)
    }
    for (const rules of reads.enough) {
      const answer = await ask('GET', `config/${kind}`, undefined, await secretOf(rules))
      expect([rules, answer.status, names(answer).includes(name)]).toEqual([rules, 200, true])
    }
    const everything = await ask('GET', `config/${kind}`, undefined, ROOT)
    expect(header(everything)).toBeUndefined()
    const anonymousAnswer = await ask('GET', `config/${kind}`, undefined, '')
    expect([anonymousAnswer.status, header(anonymousAnswer)]).toEqual([200, undefined])
    expect(names(anonymousAnswer)).toEqual(reading === 'free' ? [name] : [])
  })

  it(`can be written with the permission ${writing}, but not with a weaker one`, async () => {
    await using world = await open()
    const { ask, service, secretOf } = world
    const weak = [...(await Promise.all(writes.lacking.map(secretOf))), '']
    const absent = []
    for (const secret of weak) absent.push(await ask('PUT', 'config', entry, secret))
    for (const rules of writes.enough) {
      expect(await ask('GET', path)).toMatchObject({ status: 404 })
      const secret = await secretOf(rules)
      expect(await ask('PUT', 'config', entry, secret), rules).toMatchObject({ status: 200, body: true })
      expect(await ask('GET', path)).toMatchObject({ status: 200 })
      expect(await ask('DELETE', path, undefined, secret), rules).toMatchObject({ status: 200, body: {} })
    }
    await ask('PUT', 'config', entry)
    const before = (await ask('GET', path)).body
    for (const [i, secret] of weak.entries()) {
      for (const query of ['', '?cas=0', `?cas=${before.ModifyIndex}`, '?dry_run=true']) {
        const answer = await ask('PUT', `config${query}`, entry, secret)
        expect(isDenied(answer), `${writes.lacking[i]}: ${answer.body}`).toBe(true)
        expect(answer).toEqual(absent[i])
      }
      const typed = service.as(secret).entries.apply(entry as { Kind: EntryKindName })
      await expect(typed).rejects.toMatchObject({ code: 'ERR_PERMISSION_DENIED', message: absent[i]?.body })
      const several = service.as(secret).entries.apply([entry as { Kind: EntryKindName }])
      await expect(several).rejects.toMatchObject({ code: 'ERR_PERMISSION_DENIED', message: absent[i]?.body })
    }
    expect((await ask('GET', path)).body).toEqual(before)
  })

  it('can be deleted only with the permission to write an entry of its name', async () => {
    await using world = await open()
    const { ask, service, secretOf } = world
    // The references of an entry do not matter when it is deleted.
    const lacking = writes.lacking.filter((rules) => writing !== 'service and references' || !rules.startsWith(on(name, 'write')))
    const weak = [...(await Promise.all(lacking.map(secretOf))), '']
    const absent = []
    for (const secret of weak) absent.push(await ask('DELETE', path, undefined, secret))
    await ask('PUT', 'config', entry)
    const other = { Kind: 'service-defaults', Name: 'other-service' } as const
    for (const [i, secret] of weak.entries()) {
      const answer = await ask('DELETE', path, undefined, secret)
      expect(isDenied(answer), `${lacking[i]}: ${answer.body}`).toBe(true)
      expect(answer).toEqual(absent[i])
      const { SecretID } = await service.tokens.create({
        Policies: [...(await policiesOf(world, secret)), await policyOf(world, on(other.Name, 'write'))],
      })
      const both = service.as(SecretID).entries.apply(other, { delete: [{ Kind: kind, Name: name }] })
      await expect(both).rejects.toMatchObject({ code: 'ERR_PERMISSION_DENIED' })
    }
    expect(await ask('GET', path)).toMatchObject({ status: 200 })
    expect(await ask('GET', pathOf(other.Kind, other.Name))).toMatchObject({ status: 404 })
    const enough = writing === 'service and references' ? on(name, 'write') : (writes.enough[0] as string)
    expect(await ask('DELETE', path, undefined, await secretOf(enough))).toMatchObject({ status: 200, body: {} })
    expect(await ask('GET', path)).toMatchObject({ status: 404 })
  })
})

let added = 0

async function policyOf({ service }: World, Rules: string): Promise<{ readonly ID: string }> {
  const { ID } = await service.policies.create({ Name: `added-${++added}`, Rules })
  return { ID }
}

async function policiesOf({ service }: World, secret: string): Promise<readonly { readonly ID: string }[]> {
  if (secret === '') return []
  const { Policies = [] } = await service.as(secret).tokens.readSelf()
  return Policies.map(({ ID }) => ({ ID }))
}

describe('an entry of kind bound-api-gateway', () => {
  const entry = { Kind: DERIVED, Name: 'gate' } as const

  it('cannot be written or deleted, not even by the application', async () => {
    await using world = await open()
    const { ask, service, secretOf } = world
    const all = await secretOf(`${EVERYTHING_BUT_MESH} ${MESH_AND_OPERATOR}`)
    for (const secret of [ROOT, all, ''])
      for (const answer of [
        await ask('PUT', 'config', entry, secret),
        await ask('DELETE', pathOf(DERIVED, 'gate'), undefined, secret),
      ])
        expect(isDenied(answer), String(answer.body)).toBe(true)
    for (const api of [service.entries, service.as(ROOT).entries]) {
      const calls = [
        api.apply(entry),
        api.apply(entry, { dry_run: true }),
        api.apply([entry]),
        api.apply({ Kind: 'mesh' }, { delete: [entry] }),
        api.delete(entry),
      ]
      for (const call of calls) await expect(call).rejects.toMatchObject({ code: 'ERR_PERMISSION_DENIED' })
    }
    expect(await ask('GET', 'config/mesh/mesh')).toMatchObject({ status: 404 })
    await using free = await configWorld({ acl: { enabled: false } })
    expect(await free.ask('PUT', 'config', entry)).toMatchObject({ status: 403 })
  })

  it('can be read with the permission service:read', async () => {
    await using world = await open()
    const { enough, lacking } = READING.service('gate')
    for (const [all, status] of [
      [enough, 404],
      [lacking, 403],
    ] as const)
      for (const rules of all)
        expect(await world.ask('GET', pathOf(DERIVED, 'gate'), undefined, await world.secretOf(rules)), rules).toMatchObject({
          status,
        })
  })
})

describe('a list of entries', () => {
  it('contains only the entries that the caller is allowed to read, and a header says that entries were omitted', async () => {
    await using world = await open()
    const { ask, secretOf } = world
    for (const Name of ['a1', 'a2', 'b1']) await ask('PUT', 'config', { Kind: 'service-defaults', Name, Protocol: 'tcp' })
    const secret = await secretOf('service_prefix "a" { policy = "read" } service "a2" { policy = "deny" }')
    for (const [filter, expected] of [
      ['', ['a1', 'api']],
      ['?filter=Protocol == tcp', ['a1']],
      ['?filter=Protocol == grpc', []],
    ] as const) {
      const { body, headers } = await ask('GET', `config/service-defaults${filter}`, undefined, secret)
      expect(body.map(({ Name }: Json) => Name)).toEqual(expected)
      expect(headers['X-Config-Results-Filtered-By-ACLs']).toBe('true')
    }
  })

  it('over all namespaces contains only entries in namespaces in which the token is valid', async () => {
    await using world = await open()
    const { ask, service } = world
    for (const ns of ['default', 'team-a', 'team-b'])
      await ask('PUT', `config?ns=${ns}`, { Kind: 'service-defaults', Name: `of-${ns}` })
    const { ID } = await service.policies.create({
      Name: 'reading',
      Rules: 'service_prefix "of-" { policy = "read" }',
      Namespace: 'team-a',
    })
    const { SecretID } = await service.tokens.create({ Policies: [{ ID }], Namespace: 'team-a' })
    const { body, headers } = await ask('GET', 'config/service-defaults?ns=*', undefined, SecretID)
    expect(body.map(({ Name }: Json) => Name)).toEqual(['of-team-a'])
    expect(headers['X-Config-Results-Filtered-By-ACLs']).toBe('true')
    expect(await ask('GET', 'config/service-defaults/of-team-b?ns=team-b', undefined, SecretID)).toMatchObject({ status: 403 })
  })
})
