import { createKernel, type Kernel, type KernelOptions, keySeal, type Storage } from '../../../../src/index.ts'
import { bytesOf } from '../../../property/support.ts'

const KEY = bytesOf(32, 77)

/** All kernels of a store use the same seal key; only the kernel that initialized the store has a root token. */
export const openOn = (storage: Storage, more: Partial<KernelOptions> = {}): Promise<Kernel> =>
  createKernel({ storage, seal: keySeal(KEY), initialize: true, ...more })

export interface Reply {
  readonly status: number
  readonly data: Readonly<Record<string, unknown>> | null
  readonly errors: readonly string[] | undefined
}

/** Sends requests with the kernel's root token. */
export const asker =
  (kernel: Kernel, headers: Readonly<Record<string, string>> = { 'X-Service-Token': kernel.rootToken ?? '' }) =>
  async (method: string, path: string, body?: unknown): Promise<Reply> => {
    const { status, body: answer } = await kernel.handle({ method, path: `/v1/${path}`, headers, body })
    const { data = null, errors } = (answer ?? {}) as Partial<Reply>
    return { status, data, errors }
  }

/** The keys in the store that belong to a mount, including its due work. */
export const keysOf = async (storage: Storage, uuid: string): Promise<readonly string[]> =>
  (await storage.list('')).filter((key) => key.includes(uuid) && !key.startsWith('i/claim/'))

export const turns = async (count: number): Promise<void> => {
  for (let turn = 0; turn < count; turn++) await new Promise((resolve) => setImmediate(resolve))
}
