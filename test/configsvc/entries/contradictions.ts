/**
 * Two services on one store: of two writes that contradict each other only one succeeds, and each compare-and-set has one winner.
 */
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createConfigService, type OwnConfigService } from '../../../src/config-service.ts'
import type { AppliedEntries } from '../../../src/configsvc/entries/operations/fields.ts'
import { type KernelError, keySeal } from '../../../src/index.ts'
import type { Store } from '../../fixtures/stores.ts'

export interface Extent {
  /** The number of tries for each contradiction. */
  readonly rounds: number
  /** The number of concurrent writers. */
  readonly writers: number
  /** The number of compare-and-set rounds. */
  readonly turns: number
}

type Entries = OwnConfigService['entries']
type Entry = Exclude<AppliedEntries, readonly unknown[]>

const splitter = (Name: string): Entry => ({ Kind: 'service-splitter', Name, Splits: [{ Weight: 100 }] })
const defaults = (Name: string): Entry => ({ Kind: 'service-defaults', Name, Protocol: 'http' })
const redirect = (Name: string, Service: string): Entry => ({ Kind: 'service-resolver', Name, Redirect: { Service } })
const provider = (Name: string): Entry => ({ Kind: 'jwt-provider', Name, JSONWebKeySet: { Local: { Filename: 'keys.json' } } })
const intentions = (Name: string, by: string): Entry => ({
  Kind: 'service-intentions',
  Name,
  JWT: { Providers: [{ Name: by }] },
  Sources: [{ Name: 'api', Action: 'allow' }],
})
const gone = (Kind: Entry['Kind'], Name: string) => (api: Entries) => api.delete({ Kind, Name })
const put = (entry: Entry) => (api: Entries) => api.apply(entry)

interface Contradiction {
  readonly what: string
  /** The entries that exist before the two writes. */
  readonly before: (name: string) => readonly Entry[]
  readonly one: (name: string) => (api: Entries) => Promise<boolean>
  readonly other: (name: string) => (api: Entries) => Promise<boolean>
  /** Matches the refusal of either write. */
  readonly message: RegExp
}

const CONTRADICTIONS: readonly Contradiction[] = [
  {
    what: 'a splitter and the deletion of its required protocol',
    before: (name) => [defaults(name)],
    one: (name) => put(splitter(name)),
    other: (name) => gone('service-defaults', name),
    message: /protocol/,
  },
  {
    what: 'two redirects that form a cycle',
    before: () => [],
    one: (name) => put(redirect(`${name}-a`, `${name}-b`)),
    other: (name) => put(redirect(`${name}-b`, `${name}-a`)),
    message: /circular/,
  },
  {
    what: 'intentions and the deletion of their provider',
    before: (name) => [provider(name)],
    one: (name) => put(intentions(name, name)),
    other: (name) => gone('jwt-provider', name),
    message: /provider/,
  },
  {
    what: 'an ingress gateway and a terminating gateway with one name',
    before: () => [],
    one: (name) => put({ Kind: 'ingress-gateway', Name: name, Listeners: [] }),
    other: (name) => put({ Kind: 'terminating-gateway', Name: name }),
    message: /ingress-gateway/,
  },
  {
    what: 'a redirect to a subset and the removal of the subset',
    before: (name) => [{ Kind: 'service-resolver', Name: `${name}-b`, Subsets: { v1: {} } }],
    one: (name) => put({ Kind: 'service-resolver', Name: name, Redirect: { Service: `${name}-b`, ServiceSubset: 'v1' } }),
    other: (name) => put({ Kind: 'service-resolver', Name: `${name}-b`, Subsets: { v2: {} } }),
    message: /subset/,
  },
]

/** Suites of two services on one store. */
export const contradictionsOn =
  (store: Store, { rounds, writers, turns }: Extent) =>
  () => {
    let services: readonly OwnConfigService[]
    let drop: () => Promise<void>

    beforeAll(async () => {
      const opened = await store.open()
      const open = () =>
        createConfigService({ storage: opened.storage, seal: keySeal(new Uint8Array(32).fill(5)), acl: { enabled: false } })
      services = [await open(), await open()]
      drop = async () => {
        await Promise.all(services.map((service) => service.close()))
        await opened.drop()
      }
    })
    afterAll(() => drop?.())

    const apis = (round: number): readonly [Entries, Entries] => {
      const [a, b] = services.map(({ entries }) => entries) as [Entries, Entries]
      return round % 2 ? [b, a] : [a, b]
    }

    it.each(CONTRADICTIONS)(
      'accept only one of two contradictory writes: $what',
      async ({ what, before, one, other, message }) => {
        const won = [0, 0]
        for (let round = 0; round < rounds; round++) {
          const name = `${what.replaceAll(/\W/g, '')}-${round}`
          const [first, second] = apis(round)
          for (const entry of before(name)) await first.apply(entry)
          const both = await Promise.allSettled([one(name)(first), other(name)(second)])
          const refusals = both.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason as KernelError] : []))
          expect(refusals, `round ${round}`).toHaveLength(1)
          expect(refusals[0]).toMatchObject({
            code: expect.stringMatching(/^ERR_(INVALID_REQUEST|NOT_FOUND|IN_USE)$/),
            status: 400,
            message: expect.stringMatching(message),
          })
          won[both[0].status === 'fulfilled' ? 0 : 1]!++
          // A retry is refused too: the entry that the refused write contradicts is still stored.
          const again = both[0].status === 'fulfilled' ? other(name)(second) : one(name)(first)
          await expect(again).rejects.toMatchObject({ status: 400 })
        }
        expect(won[0]! + won[1]!).toBe(rounds)
      },
    )

    it(`let one of ${writers} writers win each compare-and-set`, async () => {
      const entry = (text: string): Entry => ({ Kind: 'service-defaults', Name: 'counted', Meta: { text } })
      const named = { Kind: 'service-defaults', Name: 'counted' } as const
      let cas = 0
      for (let round = 0; round < turns; round++) {
        const answers = await Promise.all(
          Array.from({ length: writers }, (_, at) => apis(at)[0].apply(entry(`${round} ${at}`), { cas })),
        )
        const winners = answers.flatMap((won, at) => (won ? [at] : []))
        expect(winners).toHaveLength(1)
        const { Meta, ModifyIndex } = await apis(winners[0] as number)[0].get(named)
        expect(Meta).toEqual({ text: `${round} ${winners[0]}` })
        expect(ModifyIndex).toBeGreaterThan(cas)
        cas = ModifyIndex
      }
      const deletes = await Promise.all(Array.from({ length: writers }, (_, at) => apis(at)[0].delete({ ...named, cas })))
      // Later deletes find that the entry is already deleted, which counts as success.
      expect(deletes).toEqual(deletes.map(() => true))
      await expect(apis(0)[0].get(named)).rejects.toMatchObject({ status: 404 })
    })

    it(`lose no increment of ${writers} writers that read, change and retry`, async () => {
      const named = { Kind: 'service-defaults', Name: 'sum' } as const
      await apis(0)[0].apply({ ...named, MaxInboundConnections: 1 })
      const count = async (at: number): Promise<void> => {
        for (;;) {
          const api = apis(at)[0]
          const { CreateIndex: _, ModifyIndex: cas, MaxInboundConnections: sum, ...rest } = await api.get(named)
          // Without `Meta`, two writers could send identical entries, and both would be reported as successful.
          const Meta = { by: String(at) }
          if (await api.apply({ ...rest, MaxInboundConnections: (sum as number) + 1, Meta }, { cas })) return
        }
      }
      await Promise.all(Array.from({ length: writers }, (_, at) => count(at)))
      expect(await services[0]?.entries.get(named)).toMatchObject({ MaxInboundConnections: 1 + writers })
    })
  }
