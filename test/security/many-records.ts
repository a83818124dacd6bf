/**
 * A store that pretends to have very many records below every prefix: lists return generated names, and reads find no record. It counts the
 * keys of each read.
 */
import { createKernel, type Kernel, keySeal, memoryStorage, type Storage } from '../../src/index.ts'
import { EVERY_OPERATION, fill, furnish, furnishedPorts, type Listed } from '../fixtures/good-requests.ts'

/** Creates a key at its first use, which takes long, and reads one record. */
const MAKES_A_KEY = 'transit.readWrappingKey'

/** All GET and LIST operations, which read records or list names. */
export const READERS: readonly Listed[] = EVERY_OPERATION.filter(
  ({ title, operation }) => ['GET', 'LIST'].includes(operation.verb) && title !== MAKES_A_KEY,
)

export interface ManyRecords {
  readonly kernel: Kernel
  /** Calls once with the real store, so that the records of every request are cached, and once with the pretended names. */
  read(listed: Listed): Promise<{ readonly status: number }>
  /** The maximum number of keys in one read during the last call. */
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
