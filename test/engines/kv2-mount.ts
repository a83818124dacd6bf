/** A mount of key/value version 2 on a storage with small commits, and a clock that tests move. */
import { expect } from 'vitest'
import { type Kernel, type Kv2, memoryStorage, type Storage } from '../../src/index.ts'
import { openKv2 } from '../fixtures/kv-mounts.ts'

const START = Date.UTC(2026, 0, 1)

/** A clock that tests advance, and whose `sleep` returns immediately. */
export function movable() {
  let now = START
  return {
    now: () => now,
    sleep: (): Promise<void> => new Promise((resolve) => setImmediate(resolve)),
    pass: (seconds: number): void => {
      now += seconds * 1000
    },
  }
}

export const small = (): Storage => memoryStorage({ maxOps: 128 })

export async function opened(storage = small()): Promise<{ kernel: Kernel; kv: Kv2; clock: ReturnType<typeof movable> }> {
  const clock = movable()
  const kernel = await openKv2({ storage, clock, initialize: true })
  return { kernel, kv: kernel.kv2.at('kv2/'), clock }
}

export async function tickToTheEnd(kernel: Kernel): Promise<number> {
  for (let steps = 0; ; ) {
    const { done, failed, more } = await kernel.tick()
    expect(failed).toEqual([])
    steps += done
    if (done === 0 && !more) return steps
  }
}

/** The number of stored records of the mount in each folder. */
export async function kept(storage: Storage): Promise<Readonly<Record<string, number>>> {
  const counts: Record<string, number> = {}
  for (const key of await storage.list('r/')) {
    const [place, folder = ''] = key.split('/')
    if (place !== 'core') counts[folder] = (counts[folder] ?? 0) + 1
  }
  return counts
}

export const write = async (kv: Kv2, path: string, times: number): Promise<void> => {
  for (let n = 1; n <= times; n++) await kv.writeSecret({ path, data: { n } })
}
