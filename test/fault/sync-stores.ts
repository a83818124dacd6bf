/** The external stores of the failure matrix of secret sync. The results must be the same with every adapter. */
import type { Kernel, SyncDestination, SyncType } from '../../src/index.ts'
import { fakeSyncDestination } from '../../src/testing/index.ts'
import type { SyncStoreTrouble } from '../fixtures/sync/store.ts'
import { push } from '../fixtures/sync/world.ts'
import { SYNC_WORLDS } from '../fixtures/sync/worlds.ts'
import { type Drive, drive, driveServer } from './sync-process.ts'

/** How a call fails. */
export type Manner = SyncStoreTrouble['manner']

export interface RunningStore {
  readonly destination: SyncDestination
  /** Creates the destination `d` in a kernel. */
  readonly configure: (kernel: Kernel) => Promise<unknown>
  /** Makes the call number `at` from now on fail. */
  readonly trouble: (trouble: { readonly at: number; readonly manner: Manner; readonly times?: number }) => void
  readonly calm: () => void
  /** The stored values by external name. */
  readonly values: () => ReadonlyMap<string, string>
  /** The names of all calls so far. */
  readonly calls: () => readonly string[]
  readonly drive: Drive
  readonly stop: () => Promise<void>
}

export interface StoreUnderTest {
  readonly name: string
  readonly type: SyncType
  readonly open: () => Promise<RunningStore>
}

/** External names are the secret paths, as far as the store accepts them. */
const SAME = { secret_name_template: '{{ .SecretPath }}', granularity: 'secret-path' } as const

export const FAKE: StoreUnderTest = {
  name: 'the fake store',
  type: 'cloud-a-sm',
  async open() {
    const destination = fakeSyncDestination({ type: 'cloud-a-sm' })
    return {
      destination,
      configure: (kernel) => kernel.sync.writeCloudASm({ ...SAME, name: 'd', region: 'x' }),
      trouble: (trouble) => void destination.trouble(trouble),
      calm: () => destination.calm(),
      values: () => destination.values,
      calls: () => destination.calls.map(({ call }) => call),
      drive,
      stop: async () => {},
    }
  },
}

const adapter = (type: SyncType): StoreUnderTest => ({
  name: type,
  type,
  async open() {
    const { server, destination, config, stop } = await SYNC_WORLDS[type]()
    return {
      destination,
      async configure(kernel) {
        const { status, body } = await kernel.handle({
          method: 'POST',
          path: `/v1/sys/sync/destinations/${type}/d`,
          headers: { 'X-Service-Token': kernel.rootToken ?? '' },
          body: { ...config, ...SAME },
        })
        if (status >= 300) throw new Error(`${type}: ${status} ${JSON.stringify(body)}`)
      },
      trouble: (trouble) => server.trouble(trouble),
      calm: () => server.calm(),
      values: () => server.values(),
      calls: () => server.calls.map(({ name }) => name),
      drive: driveServer(() => server.calls.length),
      stop,
    }
  },
})

export const ADAPTERS: readonly StoreUnderTest[] = (Object.keys(SYNC_WORLDS) as SyncType[]).map(adapter)

/** SDKs are imported at their first use, which takes real time that the fake clock does not measure. */
export async function warmUp(type: SyncType): Promise<void> {
  const { destination, config, stop } = await SYNC_WORLDS[type]()
  const session = destination.open(config)
  await session.put(push('warm'), new AbortController().signal)
  await session.close()
  await stop()
}
