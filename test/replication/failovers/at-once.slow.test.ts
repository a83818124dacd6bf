/**
 * Two concurrent calls of the same role change, for every change of both kinds, in one kernel and in two kernels on one store: one
 * succeeds, and the other finds the new role.
 */
import { afterEach, describe, expect, it } from 'vitest'
import type { Operations } from '../../../src/core/contract/operation.ts'
import type { Kernel } from '../../../src/index.ts'
import { drOperations } from '../../../src/sys/replication/dr/operations.ts'
import { replicationOperations } from '../../../src/sys/replication/operations.ts'
import { operationTokenOf } from '../dr/operation-token.ts'
import { KINDS, type Kind, type RoleMethods, ticked, tokenOf } from './kinds.ts'
import { type Site, Sites } from './sites.ts'

let sites = new Sites()
afterEach(async () => {
  await sites.close()
  sites = new Sites()
})

type Member = Site & { readonly shares: readonly string[]; readonly root: string }

type Members = Readonly<Record<string, unknown>>

interface Begun {
  readonly site: Member
  /** The arguments of the two calls. */
  readonly calls: readonly [Members, Members]
}

interface Change {
  readonly begin: (kind: Kind) => Promise<Begun>
  /** The mode of the cluster afterwards. */
  readonly mode: string
}

const alone = async (): Promise<Member> => sites.openWithShares()

async function primary(kind: Kind): Promise<Member> {
  const site = await alone()
  await kind.of(site.kernel).enablePrimary()
  return site
}

async function secondary(kind: Kind): Promise<readonly [Member, Member]> {
  const upstream = await primary(kind)
  const site = await alone()
  await kind.of(site.kernel).enableSecondary({ token: await tokenOf(kind, upstream.kernel, 'one') })
  await ticked(site.kernel)
  return [site, upstream]
}

const NOTHING = [{}, {}] as const

const CHANGES: Readonly<Record<string, Change>> = {
  enablePrimary: { begin: async () => ({ site: await alone(), calls: NOTHING }), mode: 'primary' },
  demotePrimary: { begin: async (kind) => ({ site: await primary(kind), calls: NOTHING }), mode: 'secondary' },
  disablePrimary: { begin: async (kind) => ({ site: await primary(kind), calls: NOTHING }), mode: 'disabled' },
  disableSecondary: { begin: async (kind) => ({ site: (await secondary(kind))[0], calls: NOTHING }), mode: 'disabled' },
  enableSecondary: {
    async begin(kind) {
      const upstream = (await primary(kind)).kernel
      const calls = [{ token: await tokenOf(kind, upstream, 'one') }, { token: await tokenOf(kind, upstream, 'other') }] as const
      return { site: await alone(), calls }
    },
    mode: 'secondary',
  },
  promote: {
    async begin(kind) {
      const [site, upstream] = await secondary(kind)
      await kind.of(upstream.kernel).demotePrimary()
      return { site, calls: NOTHING }
    },
    mode: 'primary',
  },
  'promote by force': {
    begin: async (kind) => ({ site: (await secondary(kind))[0], calls: [{ force: true }, { force: true }] }),
    mode: 'primary',
  },
  updatePrimary: {
    async begin(kind) {
      const [site, upstream] = await secondary(kind)
      const token = await tokenOf(kind, upstream.kernel, 'again')
      return { site, calls: [{ token }, { token }] }
    },
    mode: 'secondary',
  },
}

/** Operations that do not change the role. */
const OTHERS = [
  'createSecondaryToken',
  'revokeSecondary',
  'generatePublicKey',
  'reindex',
  'merkleCheck',
  'writePathsFilter',
  'readLostWrites',
  'forgetLostWrites',
]

const OPERATIONS = { performance: replicationOperations, dr: drOperations } as const satisfies Record<Kind['name'], Operations>

const changesOf = ({ name }: Kind): readonly string[] =>
  Object.entries(OPERATIONS[name])
    .filter(([method, { verb }]) => verb === 'POST' && !OTHERS.includes(method))
    .flatMap(([method]) => (method === 'promote' ? [method, 'promote by force'] : [method]))

type Call = (args: Members) => Promise<unknown>

const statusOf = (call: Promise<unknown>): Promise<number> =>
  call.then(
    () => 200,
    (error: { readonly status?: number }) => error.status ?? 0,
  )

const typed = (kind: Kind, kernel: Kernel, change: string, members: Members): Promise<number> => {
  const role: RoleMethods = kind.of(kernel)
  const method = (role as unknown as Readonly<Record<string, Call>>)[change.split(' ')[0] as string] as Call
  return statusOf(method.call(role, members))
}

describe.each(KINDS.map((kind) => [kind.name, kind] as const))('%s replication', (_, kind) => {
  it('has a test of concurrent calls for every operation that changes the role', () => {
    expect(changesOf(kind).filter((change) => !(change in CHANGES))).toEqual([])
  })

  describe.each(changesOf(kind).filter((change) => change in CHANGES))('%s', (change) => {
    const { begin, mode } = CHANGES[change] as Change

    const expectOne = async (statuses: readonly number[], ...kernels: readonly Kernel[]): Promise<void> => {
      expect(statuses.toSorted()).toEqual([200, 400])
      for (const kernel of kernels) {
        // The other kernel may have changed the role, so tick before reading the mode.
        await kernel.tick()
        expect((await kind.of(kernel).readStatus()).mode).toBe(mode)
      }
    }

    it('succeeds once if two typed calls are concurrent', async () => {
      const { site, calls } = await begin(kind)
      await expectOne(await Promise.all(calls.map((members) => typed(kind, site.kernel, change, members))), site.kernel)
    })

    it('succeeds once if two calls by path are concurrent', async () => {
      const { site, calls } = await begin(kind)
      const operation = (OPERATIONS[kind.name] as Operations)[change.split(' ')[0] as string]
      const isMirror = (await site.kernel.replication.dr.readStatus()).mode === 'secondary'
      const helper = await alone()
      const token = isMirror
        ? await operationTokenOf(site.kernel, site.shares, helper.kernel)
        : (await site.kernel.tokens.createToken({ policies: ['root'] })).client_token
      const request = (members: Members) => ({
        method: 'POST',
        path: `/v1/sys${operation?.path}`,
        headers: isMirror ? {} : { 'X-Service-Token': token },
        body: isMirror ? { ...members, dr_operation_token: token } : members,
      })
      const answers = await Promise.all(calls.map((members) => site.kernel.handle(request(members))))
      await expectOne(
        answers.map(({ status }) => status),
        site.kernel,
      )
    })

    it('succeeds once if two kernels that share a store call it concurrently', async () => {
      const { site, calls } = await begin(kind)
      const otherSite = await sites.openSecondKernel(site)
      const statuses = await Promise.all([
        typed(kind, site.kernel, change, calls[0]),
        typed(kind, otherSite.kernel, change, calls[1]),
      ])
      await expectOne(statuses, site.kernel, otherSite.kernel)
    })
  })
})
