/** The external stores that secret sync is tried against: whatever the adapter, the same has to come of it. */
import type { Kernel, SyncDestination, SyncType } from '../../src/index.ts'
import { fakeSyncDestination } from '../../src/testing/index.ts'

/** How a call goes wrong. */
export type Manner = 'fails' | 'throttles' | 'hangs' | 'drops' | 'drops-after'

export interface RunningStore {
  readonly destination: SyncDestination
  /** Makes the destination `d` in a kernel that was given it. */
  readonly configure: (kernel: Kernel) => Promise<unknown>
  /** The n-th call from now on meets it. */
  readonly trouble: (trouble: { readonly at: number; readonly manner: Manner; readonly times?: number }) => void
  readonly calm: () => void
  /** By external name, what is there. */
  readonly values: () => ReadonlyMap<string, string>
  readonly calls: () => number
  readonly stop: () => Promise<void>
}

export interface StoreUnderTest {
  readonly name: string
  readonly type: SyncType
  readonly open: () => Promise<RunningStore>
}

/** Names outside are the paths of secrets. */
const secret_name_template = '{{ .SecretPath }}'

export const STORES: readonly StoreUnderTest[] = [
  {
    name: 'the fake',
    type: 'cloud-a-sm',
    async open() {
      const destination = fakeSyncDestination({ type: 'cloud-a-sm' })
      return {
        destination,
        configure: (kernel) => kernel.sync.writeCloudASm({ name: 'd', region: 'x', secret_name_template }),
        trouble: (trouble) => void destination.trouble(trouble),
        calm: () => destination.calm(),
        values: () => destination.values,
        calls: () => destination.calls.length,
        stop: async () => {},
      }
    },
  },
]
