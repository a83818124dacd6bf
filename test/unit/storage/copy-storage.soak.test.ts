import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { lmdbStorage } from '../../../src/adapters/storage-lmdb/index.ts'
import { type CopyProgress, copyStorage, memoryStorage, type Op, type Storage } from '../../../src/index.ts'
import { bytesOf } from '../../property/support.ts'

const put = (key: string, value: Uint8Array): Op => ({ op: 'put', key, value })
const contents = async (storage: Storage) =>
  (await storage.scan('')).map(({ key, value }) => [key, Buffer.from(value).toString('hex')])

it('copyStorage copies 100,000 records to LMDB and back, even if it is interrupted and called again', async () => {
  const source = memoryStorage()
  for (let n = 0; n < 100_000; n += 1000) {
    const ops = Array.from({ length: 1000 }, (_, at) => put(`r/mount/secret/${(n + at) % 1000}/${n + at}`, bytesOf(200, n + at)))
    await source.commit(ops, `${n}`)
  }
  const path = await mkdtemp(join(tmpdir(), 'strongroom-'))
  const [there, back] = [lmdbStorage({ path }), memoryStorage()]
  const abort = new AbortController()
  const onProgress = ({ records }: CopyProgress): void => (records > 50_000 ? abort.abort() : undefined)
  await expect(copyStorage(source, there, { signal: abort.signal, onProgress })).rejects.toThrow('aborted')
  expect((await copyStorage(source, there)).changed).toBeLessThan(51_000)
  expect(await copyStorage(there, back)).toMatchObject({ records: 100_000, changed: 100_000 })
  expect(await contents(back)).toEqual(await contents(source))
  await there.close()
  await rm(path, { recursive: true, force: true })
})
