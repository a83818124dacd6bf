/** Without associations, secret sync must not add reads or writes to the KV operations of a mount. */
import { describe, expect, it } from 'vitest'
import type { Op, Storage } from '../../../src/index.ts'
import { createDevKernel, type Kernel, memoryStorage } from '../../../src/index.ts'
import { counted } from '../../fixtures/counted-commits.ts'

/** Records every key that is read. */
function reading(inner: Storage): { readonly storage: Storage; readonly keys: string[] } {
  const keys: string[] = []
  const noted = <T>(readKeys: readonly string[], answer: T): T => {
    keys.push(...readKeys)
    return answer
  }
  const storage: Storage = {
    ...inner,
    get: (key) => noted([key], inner.get(key)),
    getMany: (all) => noted(all, inner.getMany(all)),
    scan: (prefix, page) => noted([prefix], inner.scan(prefix, page)),
    list: (prefix, page) => noted([prefix], inner.list(prefix, page)),
  }
  return { storage, keys }
}

const folders = (ops: readonly Op[]): readonly string[] =>
  ops.map((op) => ('key' in op ? `${op.op} ${op.key.split('/').slice(2, 3).join('/')}` : op.op)).sort()

const WORKS: Readonly<Record<string, readonly [(kernel: Kernel) => Promise<unknown>, readonly string[]]>> = {
  'a write': [
    (kernel) => kernel.kv2.at('kv2/').writeSecret({ path: 'b', data: { a: 1 } }),
    ['check config', 'check mount', 'put data', 'put key'],
  ],
  'a deletion': [(kernel) => kernel.kv2.at('kv2/').deleteLatest({ path: 'a' }), ['check mount', 'put key']],
  'the destruction of a version': [
    (kernel) => kernel.kv2.at('kv2/').destroyVersions({ path: 'a', versions: [1] }),
    ['check mount', 'del data', 'put key'],
  ],
  'a metadata deletion': [
    (kernel) => kernel.kv2.at('kv2/').deleteMetadata({ path: 'a' }),
    ['check mount', 'del data', 'del key'],
  ],
}

describe('a KV mount without associations', () => {
  for (const [name, [work, ops]] of Object.entries(WORKS))
    it(`needs no read or write of sync records for ${name}`, async () => {
      const { storage, keys } = reading(memoryStorage())
      const all = counted(storage)
      const kernel = await createDevKernel({ storage: all })
      await kernel.mounts.createMount({ path: 'kv2', type: 'kv', options: { version: '2' } })
      await kernel.kv2.at('kv2/').writeSecret({ path: 'a', data: { a: 1 } })
      const before = [all.commits.length, keys.length] as const
      await work(kernel)
      const commits = all.commits.slice(before[0])
      expect(commits.map((commit) => folders(commit.ops))).toEqual([ops])
      expect(keys.slice(before[1]).filter((key) => key.includes('sync'))).toEqual([])
      expect(keys.slice(before[1]).filter((key) => key.startsWith('r/core/mount/'))).toEqual([])
      await kernel.close()
    })
})
