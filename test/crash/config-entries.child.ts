/**
 * Writes config entries that refer to each other until it is killed. Started by config-entries-kill.slow.test.ts.
 */
import { createConfigService } from '../../src/config-service.ts'
import type { ConfigEntryInput } from '../../src/configsvc/entries/operations/fields.ts'
import { KernelError } from '../../src/index.ts'
import { childArguments, send } from '../fixtures/child-side.ts'
import { openStoreAt, type StoreAt } from '../fixtures/store-at.ts'
import { randomOf } from './lane.ts'

export interface EntryWriterArguments {
  readonly at: StoreAt
  readonly seed: number
}

/** Sent after each accepted write. */
export type Accepted = 'accepted'

const LANES = 4
const SERVICES = ['a', 'b', 'c', 'd', 'e', 'f']

const { at, seed } = childArguments<EntryWriterArguments>()
const { storage } = openStoreAt(at)
const service = await createConfigService({ storage, plaintext: true, acl: { enabled: false } })

function entryBy(random: () => number): ConfigEntryInput {
  const drawService = (): string => SERVICES[Math.floor(random() * SERVICES.length)] as string
  const Name = drawService()
  const splits = (count: number) =>
    Array.from({ length: count }, (_, i) => ({ Weight: 100 / count, Service: SERVICES[i] as string }))
  const entries: readonly ConfigEntryInput[] = [
    { Kind: 'service-defaults', Name, Protocol: random() < 0.8 ? 'http' : 'tcp' },
    { Kind: 'service-splitter', Name, Splits: random() < 0.5 ? splits(1) : splits(2) },
    { Kind: 'service-resolver', Name, Redirect: { Service: drawService() } },
    { Kind: 'service-resolver', Name, ConnectTimeout: '5s' },
    { Kind: 'jwt-provider', Name, JSONWebKeySet: { Local: { Filename: `${drawService()}.json` } } },
    {
      Kind: 'service-intentions',
      Name,
      JWT: { Providers: [{ Name: drawService() }, { Name: drawService() }] },
      Sources: [{ Name: drawService(), Action: 'allow' }],
    },
  ]
  return entries[Math.floor(random() * entries.length)] as ConfigEntryInput
}

async function lane(number: number): Promise<never> {
  const random = randomOf(seed * 31 + number)
  const { entries } = service
  for (;;) {
    const { Kind, Name = '' } = entryBy(random)
    const chance = random()
    try {
      if (chance < 0.3) await entries.delete({ Kind, Name })
      else if (chance < 0.6) await entries.apply([entryBy(random)], { delete: [{ Kind, Name }] })
      else await entries.apply([entryBy(random), entryBy(random)].slice(0, chance < 0.8 ? 1 : 2))
      send('accepted' satisfies Accepted)
    } catch (error) {
      // Many random combinations of entries are invalid.
      if (!(error instanceof KernelError && error.status === 400)) throw error
    }
  }
}

await Promise.all(Array.from({ length: LANES }, (_, number) => lane(number)))
