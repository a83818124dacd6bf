/**
 * A store that seems to hold very many records below every prefix, and what each operation that reads asks of it: names are made up when they are
 * listed, and no record is found under them.
 */
import { createKernel, type Kernel, keySeal, memoryStorage, type Storage } from '../../src/index.ts'
import { EVERY_OPERATION, fill, furnish, furnishedPorts, type Listed } from '../fixtures/good-requests.ts'

/** Takes long at its first use, and reads one record. */
const MAKES_A_KEY = 'transit.readWrappingKey'

/** Records that are read, or names that are walked, by every operation that takes the verbs GET and LIST. */
export const READERS: readonly Listed[] = EVERY_OPERATION.filter(
  ({ title, operation }) => ['GET', 'LIST'].includes(operation.verb) && title !== MAKES_A_KEY,
)

export interface ManyRecords {
  readonly kernel: Kernel
  /** Reads once as the store is, so that what every request needs is known; then once with the names. */
  read(listed: Listed): Promise<{ readonly status: number }>
  /** The most keys that the last read asked for at a time. */
  readonly mostKeys: number
}

export async function manyRecords(count: number): Promise<ManyRecords> {
  const inner = memoryStorage()
  const names = Array.from({ length: count }, (_, i) => `n${String(i).padStart(7, '0')}`)
  let pretends = false
  let mostKeys = 0
  const { getSync: _, ...slow } = inner
  const storage: Storage = {
    ...slow,
    getMany: (keys) => {
      mostKeys = Math.max(mostKeys, keys.length)
      return inner.getMany(keys)
    },
    list: (prefix, page = {}) => {
      if (!pretends) return inner.list(prefix, page)
      const { after = '', limit = 1000 } = page
      const from = after === '' ? 0 : Number(after.slice(1)) + 1
      return Promise.resolve(names.slice(from, from + Math.min(limit, 1000)))
    },
  }
  const seal = keySeal(new Uint8Array(32).fill(3))
  const kernel = await createKernel({ storage, seal, initialize: true, ports: furnishedPorts() })
  const send = (verb: string, path: string, body: object = {}) =>
    kernel.handle({ method: verb, path: `/v1/${path}`, headers: { 'X-Service-Token': kernel.rootToken }, body: { ...body } })
  await furnish(send)
  return {
    kernel,
    async read(listed) {
      const { verb, path, body } = fill(listed)
      const query = Object.fromEntries(Object.entries(body).map(([name, value]) => [name, String(value)]))
      const request = { method: verb, path: `/v1/${path}`, headers: { 'X-Service-Token': kernel.rootToken }, query }
      await kernel.handle(request)
      ;[pretends, mostKeys] = [true, 0]
      try {
        return await kernel.handle(request)
      } finally {
        pretends = false
      }
    },
    get mostKeys() {
      return mostKeys
    },
  }
}
