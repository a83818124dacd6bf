/** A secondary is given its primary by token or by addresses, for both kinds, by path and typed. Its own data is not changed. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Kernel } from '../../../src/index.ts'
import { operationTokenOf } from '../dr/operation-token.ts'
import { contentOf } from '../endpoints/world.ts'
import { DR, KINDS, type Kind, PERFORMANCE, rootOf, ticked, tokenOf } from './kinds.ts'
import { localRecordsOf, type Site, Sites } from './sites.ts'

type Member = Site & { readonly shares: readonly string[]; readonly root: string }

interface World {
  readonly primary: Member
  readonly secondary: Member
  /** A demoted primary that knows no other primary. */
  readonly demoted: Member
  /** The primary of another set. */
  readonly other: Member
  /** Follows the primary that `usurper` has replaced by force. */
  readonly left: Member
  readonly usurper: Member
}

type Name = keyof World

const LONG = 'a'.repeat(257)

async function following(sites: Sites, kind: Kind, primary: Site, id: string): Promise<Member> {
  const site = await sites.openWithShares()
  await kind.of(site.kernel).enableSecondary({ token: await tokenOf(kind, primary.kernel, id) })
  await ticked(site.kernel)
  return site
}

describe.each(KINDS.map((kind) => [kind.name, kind] as const))('%s replication', (name, kind) => {
  let sites: Sites
  let world: World
  const credentials = new Map<Name, string>()
  let ids = 0

  const primaryOf = async (): Promise<Member> => {
    const site = await sites.openWithShares()
    await kind.of(site.kernel).enablePrimary()
    return site
  }

  beforeAll(async () => {
    sites = new Sites()
    const primary = await primaryOf()
    await primary.kernel.kv.writeSecret({ path: 'kept', data: { a: 1 } })
    const demoted = await primaryOf()
    await kind.of(demoted.kernel).demotePrimary()
    const lost = await primaryOf()
    const left = await following(sites, kind, lost, 'left')
    const usurper = await following(sites, kind, lost, 'usurper')
    await kind.of(usurper.kernel).promote({ force: true })
    world = { primary, secondary: await following(sites, kind, primary, 'one'), demoted, other: await primaryOf(), left, usurper }
    for (const state of ['secondary', 'demoted', 'left'] as const) {
      const { kernel, shares } = world[state]
      const made =
        name === 'dr'
          ? await operationTokenOf(kernel, shares, primary.kernel)
          : state === 'demoted'
            ? world[state].root
            : (await kernel.tokens.createToken({ policies: ['root'] })).client_token
      credentials.set(state, made)
    }
  })
  afterAll(() => sites.close())

  const ways: readonly (readonly [string, (of: Name, members: object) => Promise<number>])[] = [
    [
      'typed',
      (of, members) =>
        kind
          .of(world[of].kernel)
          .updatePrimary(members)
          .then(
            () => 200,
            (error: { readonly status?: number }) => error.status ?? 0,
          ),
    ],
    [
      'by path',
      async (of, members) => {
        const token = credentials.get(of) as string
        const request = {
          method: 'POST',
          path: `/v1/${kind.base}/secondary/update-primary`,
          headers: name === 'dr' ? {} : { 'X-Service-Token': token },
          body: name === 'dr' ? { ...members, dr_operation_token: token } : members,
        }
        return (await world[of].kernel.handle(request)).status
      },
    ],
  ]

  const address = (of: Name): string => world[of].address
  const fresh = (of: Name): Promise<string> => tokenOf(kind, world[of].kernel, `id-${++ids}`)

  type Case = readonly [what: string, of: Name, members: () => object | Promise<object>, status: number]

  const refused: readonly Case[] = [
    [
      'both token and addresses',
      'secondary',
      async () => ({ token: await fresh('primary'), update_primary_addrs: [address('primary')] }),
      400,
    ],
    ['neither token nor addresses', 'secondary', () => ({}), 400],
    ['no addresses', 'secondary', () => ({ update_primary_addrs: [] }), 400],
    ['an address that is too long', 'secondary', () => ({ update_primary_addrs: [address('primary'), LONG] }), 400],
    ['addresses where nothing listens', 'secondary', () => ({ update_primary_addrs: ['nowhere', 'neither'] }), 502],
    ['the address of another set', 'secondary', () => ({ update_primary_addrs: [address('other')] }), 400],
    ['addresses on a primary that stepped down', 'demoted', () => ({ update_primary_addrs: [address('primary')] }), 400],
    ['the address of a cluster that was promoted by force', 'left', () => ({ update_primary_addrs: [address('usurper')] }), 400],
    [
      'the address of a cluster promoted by force among unreachable ones',
      'left',
      () => ({ update_primary_addrs: ['nowhere', address('usurper'), 'neither'] }),
      400,
    ],
    ['an invalid token', 'secondary', () => ({ token: 'none' }), 400],
    ['a token of another set', 'secondary', async () => ({ token: await fresh('other') }), 400],
    [
      'a token whose primary is unreachable',
      'secondary',
      async () => ({ token: await fresh('primary'), primary_api_addr: 'nowhere' }),
      502,
    ],
  ]

  const accepted: readonly Case[] = [
    ['the address of its primary', 'secondary', () => ({ update_primary_addrs: [address('primary')] }), 200],
    [
      'the first address of several that answers',
      'secondary',
      () => ({ update_primary_addrs: ['nowhere', address('primary')] }),
      200,
    ],
    [
      'the address of its primary after that of another set',
      'secondary',
      () => ({ update_primary_addrs: [address('other'), address('primary')] }),
      200,
    ],
    ['a token of its primary', 'secondary', async () => ({ token: await fresh('primary') }), 200],
    ['a token of a cluster that was promoted by force', 'left', async () => ({ token: await fresh('usurper') }), 200],
  ]

  describe.each(ways)('%s', (_, ask) => {
    it.each(refused)('refuses update-primary with %s without a change', async (_, of, members, status) => {
      const parameters = await members()
      const before = await contentOf(world[of])
      expect(await ask(of, parameters)).toBe(status)
      expect(await contentOf(world[of])).toEqual(before)
      // It still follows its primary.
      if (of === 'secondary') await ticked(world[of].kernel)
    })
  })

  describe.each(ways)('%s', (_, ask) => {
    it.each(accepted)('accepts update-primary with %s and keeps the data', async (_, of, members, status) => {
      const { kernel, storage } = world[of]
      const before = (await storage.scan('r/')).length
      expect(await ask(of, await members())).toBe(status)
      expect((await storage.scan('r/')).length).toBe(before)
      await ticked(kernel)
      const upstream = world[of === 'left' ? 'usurper' : 'primary'].kernel
      await upstream.kv.writeSecret({ path: `behind/${++ids}`, data: { a: 1 } })
      await ticked(kernel)
      expect(await rootOf(kind, kernel)).toBe(await rootOf(kind, upstream))
      expect(await kind.of(kernel).readStatus()).toMatchObject({ state: 'stream-wals', lag: 0 })
    })
  })

  it('removes the primary after update-primary with an empty token, and then refuses addresses without a token', async () => {
    const site = await following(sites, kind, world.primary, 'forgets')
    await kind.of(site.kernel).updatePrimary({ token: '' })
    expect(await kind.of(site.kernel).readStatus()).toMatchObject({ mode: 'secondary', connection_state: 'shutdown' })
    await expect(kind.of(site.kernel).updatePrimary({ update_primary_addrs: [world.primary.address] })).rejects.toMatchObject({
      status: 400,
    })
  })
})

/** Creates local data: a mount, its secrets, and a token. */
async function keepOwn({ mounts, kv, tokens }: Kernel): Promise<string> {
  await mounts.createMount({ path: 'own', type: 'kv', local: true })
  for (let n = 0; n < 20; n++) await kv.at('own').writeSecret({ path: `n/${n}`, data: { n } })
  return (await tokens.createToken({ policies: ['default'], ttl: '10h' })).client_token
}

const hasOwn = async ({ kernel }: Site, token: string): Promise<void> => {
  for (let n = 0; n < 20; n++) expect((await kernel.kv.at('own').readSecret({ path: `n/${n}` })).data).toEqual({ n })
  expect((await kernel.as(token).tokens.lookupSelf()).policies).toEqual(['default'])
}

describe('update-primary of a secondary after a failover', () => {
  it.each(['addresses', 'token'] as const)('by %s changes no local data of the secondary or of its DR secondary', async (by) => {
    const sites = new Sites()
    const primary = await sites.open()
    await primary.kernel.replication.enablePrimary()
    const secondary = await sites.open()
    await secondary.kernel.replication.enableSecondary({ token: await tokenOf(PERFORMANCE, primary.kernel, 'one') })
    await ticked(secondary.kernel)
    const token = await keepOwn(secondary.kernel)
    const mirrorOf = async (site: Site): Promise<Site> => {
      await site.kernel.replication.dr.enablePrimary()
      return following(sites, DR, site, 'mirror')
    }
    const [ofPrimary, ofSecondary] = [await mirrorOf(primary), await mirrorOf(secondary)]
    // Deletes what the activation left.
    await ticked(secondary.kernel)
    await ticked(ofSecondary.kernel)
    const own = await localRecordsOf(secondary)
    expect([...own.keys()].length).toBeGreaterThan(20)
    // Both primaries are replaced, one after the other, and each cluster is given its primary again.
    await primary.kernel.replication.dr.demotePrimary()
    await ofPrimary.kernel.replication.dr.promote()
    const updateAndCheck = async (site: Site): Promise<void> => {
      const wish =
        by === 'token'
          ? { token: await tokenOf(PERFORMANCE, ofPrimary.kernel, `again-${site.seal}`) }
          : { update_primary_addrs: [ofPrimary.address] }
      await site.kernel.replication.updatePrimary(wish)
      await ofPrimary.kernel.kv.writeSecret({ path: `to/${site.seal}`, data: { a: 1 } })
      await ticked(site.kernel)
      expect(await rootOf(PERFORMANCE, site.kernel)).toBe(await rootOf(PERFORMANCE, ofPrimary.kernel))
      expect(await localRecordsOf(site)).toEqual(own)
      await hasOwn(site, token)
    }
    await updateAndCheck(secondary)
    await ticked(ofSecondary.kernel)
    expect(await localRecordsOf(ofSecondary)).toEqual(own)
    await secondary.kernel.replication.dr.demotePrimary()
    await ofSecondary.kernel.replication.dr.promote()
    await updateAndCheck(ofSecondary)
    await sites.close()
  })
})
