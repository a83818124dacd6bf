import { expect, it } from 'vitest'
import { refusalOf } from '../property/support.ts'
import { kept, opened, small, tickToTheEnd, write } from './kv2-mount.ts'

it('kv2.destroyVersions accepts 8,192 versions in one request, and refuses more', async () => {
  const storage = small()
  const { kernel, kv } = await opened(storage)
  await kv.configure({ max_versions: 100_000 })
  await write(kv, 'a', 8256)
  const all = Array.from({ length: 8192 }, (_, i) => i + 1)
  expect(await refusalOf(kv.destroyVersions({ path: 'a', versions: [...all, 8193] }))).toMatchObject({ status: 400 })
  expect((await kv.readSecret({ path: 'a', version: 1 })).data).toEqual({ n: 1 })
  await kv.destroyVersions({ path: 'a', versions: all })
  expect(await refusalOf(kv.readSecret({ path: 'a', version: 8192 }))).toMatchObject({ details: { destroyed: true } })
  await tickToTheEnd(kernel)
  expect(await kept(storage)).toEqual({ config: 1, data: 64, key: 1, page: 65 })
  await kernel.close()
})
