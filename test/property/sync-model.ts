/** Random walks of secret sync: two kernels on one store, an external store with failures, and delayed calls. */
import { expect } from 'vitest'
import { type Kernel, memoryStorage } from '../../src/index.ts'
import { fakeClock, fakeSyncDestination } from '../../src/testing/index.ts'
import { calmDown, drive, openProcess } from '../fault/sync-process.ts'
import type { RunningStore, StoreUnderTest } from '../fault/sync-stores.ts'
import fc from '../fixtures/fast-check.ts'

const PATHS = ['x', 'y'] as const

interface Change {
  readonly do: 'write' | 'delete' | 'undelete' | 'destroy' | 'drop' | 'set' | 'remove'
  readonly path: (typeof PATHS)[number]
  readonly by: 0 | 1
}

interface Trouble {
  readonly do: 'trouble'
  readonly manner: 'fails' | 'throttles' | 'refuses' | 'hangs' | 'drops' | 'drops-after'
  readonly at: number
}

export type Act =
  | Change
  | Trouble
  | { readonly do: 'hold' | 'release' }
  | { readonly do: 'tick'; readonly by: 0 | 1 }
  | { readonly do: 'wait'; readonly ms: number }

const by = fc.constantFrom(0 as const, 1 as const)
const path = fc.constantFrom(...PATHS)

const ACT: fc.Arbitrary<Act> = fc.oneof(
  { weight: 5, arbitrary: fc.record({ do: fc.constantFrom('write' as const, 'set' as const), path, by }) },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constantFrom('delete' as const, 'undelete' as const, 'destroy' as const, 'drop' as const, 'remove' as const),
      path,
      by,
    }),
  },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('tick' as const), by }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constantFrom('hold' as const, 'release' as const) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('trouble' as const),
      manner: fc.constantFrom(
        'fails' as const,
        'throttles' as const,
        'refuses' as const,
        'hangs' as const,
        'drops' as const,
        'drops-after' as const,
      ),
      at: fc.integer({ min: 1, max: 3 }),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('wait' as const), ms: fc.constantFrom(500, 5000, 40_000, 90_000) }) },
)

const AT = { type: 'cloud-a-sm', name: 'd' } as const

/** @throws If external store, associations and live versions do not agree at the end. */
export async function walk(acts: readonly Act[]): Promise<void> {
  const clock = fakeClock()
  const store = fakeSyncDestination()
  const storage = memoryStorage()
  const under = { name: 'fake', type: AT.type } as StoreUnderTest
  const running = { destination: store } as unknown as RunningStore
  const kernels = [await openProcess(storage, clock, under, running), await openProcess(storage, clock, under, running)] as const
  await kernels[0].mounts.createMount({ path: 'kv', type: 'kv', options: { version: '2' } })
  await kernels[0].sync.writeCloudASm({ name: AT.name, region: 'x', secret_name_template: '{{ .SecretPath }}' })
  await clock.advance(5000)
  const started: Promise<unknown>[] = []
  const held: (() => void)[] = []
  const associated = new Set<string>()
  let n = 0
  for (const act of acts) {
    const quiet = begin(act).catch(() => undefined)
    started.push(quiet)
    await drive(clock, quiet, 0)
  }
  for (const release of held) release()
  store.calm()
  await drive(clock, Promise.all(started))
  // Refused secrets are not retried until their destination changes.
  await kernels[0].sync.writeCloudASm({ name: AT.name })
  await calmDown(kernels[0], clock)
  await calmDown(kernels[1], clock)
  const { associated_secrets } = await kernels[0].sync.readAssociations(AT)
  expect(new Set(Object.values(associated_secrets).map(({ secret_name }) => secret_name))).toEqual(associated)
  const expected: Record<string, string> = {}
  for (const { secret_name, sync_status } of Object.values(associated_secrets)) {
    const live = await liveOf(kernels[0], secret_name)
    expect([secret_name, sync_status]).toEqual([secret_name, live === undefined ? 'UNSYNCED' : 'SYNCED'])
    if (live !== undefined) expected[secret_name] = live
  }
  expect(Object.fromEntries(store.values)).toEqual(expected)
  await Promise.all(kernels.map((kernel) => kernel.close()))

  async function begin(act: Act): Promise<unknown> {
    switch (act.do) {
      case 'wait':
        return clock.advance(act.ms)
      case 'trouble':
        return void store.trouble({ at: act.at, manner: act.manner })
      case 'release':
        return void held.shift()?.()
      case 'hold':
        return void store.trouble({ manner: new Promise<void>((resolve) => held.push(resolve)) })
      case 'tick':
        return kernels[act.by].tick()
      default:
        return change(kernels[act.by], act.do, act.path)
    }
  }

  async function change(kernel: Kernel, what: Change['do'], path: string): Promise<unknown> {
    const kv = kernel.kv2.at('kv/')
    const one = { ...AT, mount: 'kv', secret_name: path }
    if (what === 'write') return kv.writeSecret({ path, data: { n: n++ } })
    if (what === 'delete') return kv.deleteLatest({ path })
    if (what === 'drop') return kv.deleteMetadata({ path })
    if (what === 'undelete') return kv.undeleteVersions({ path, versions: [1, 2, 3, 4, 5] })
    if (what === 'destroy') return kv.destroyVersions({ path, versions: [1, 2, 3] })
    if (what === 'set' && (await liveOf(kernel, path)) === undefined) return undefined
    if (what === 'set') associated.add(path)
    else associated.delete(path)
    return what === 'set' ? kernel.sync.setAssociation(one) : kernel.sync.removeAssociation(one)
  }
}

export async function agreeAfterWalks(numRuns: number): Promise<void> {
  await fc.assert(
    fc.asyncProperty(fc.array(ACT, { minLength: 3, maxLength: 25 }), (acts) => walk(acts)),
    { numRuns },
  )
}

/** The data of the highest version that is neither deleted nor destroyed, as JSON. */
async function liveOf(kernel: Kernel, path: string): Promise<string | undefined> {
  const kv = kernel.kv2.at('kv/')
  const metadata = await kv.readMetadata({ path }).catch(() => undefined)
  for (let version = metadata?.current_version ?? 0; version > 0; version--) {
    const found = await kv.readSecret({ path, version }).catch(() => undefined)
    if (found) return JSON.stringify(found.data)
  }
  return undefined
}
