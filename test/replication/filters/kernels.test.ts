/** Several kernels of a primary use filters and mounts that another kernel has written. */
import { expect, it } from 'vitest'
import { memoryStorage } from '../../../src/index.ts'
import { contentsOf, marked, mountsOf, Sites, settle } from './sites.ts'

it('a path filter or mount move is immediately effective in each kernel of the primary, whichever kernel wrote it', async () => {
  const sites = new Sites()
  const storage = memoryStorage({ maxOps: 128 })
  const firstSite = await sites.open(storage, 50)
  await firstSite.kernel.replication.enablePrimary()
  const two = await sites.open(storage, 50)
  await two.kernel.replication.readStatus()
  await two.kernel.tick()
  for (const path of ['first', 'second']) {
    await firstSite.kernel.mounts.createMount({ path, type: 'kv' })
    await firstSite.kernel.kv.at(path).writeSecret({ path: 'a', data: { v: `value-in-${path}` } })
  }
  const secondary = await sites.secondary(firstSite, 'one')
  for (let n = 0; n < 6; n++) {
    // Either kernel may answer the secondary, so the other one writes.
    const [writer, path] = n % 2 ? [firstSite, 'first'] : [two, 'second']
    await writer.kernel.replication.writePathsFilter({ id: 'one', mode: 'deny', paths: [path] })
    await settle(secondary)
    expect(mountsOf(secondary)).not.toContain(`${path}/`)
    expect(marked(await contentsOf(secondary), `value-in-${path}`)).toEqual([])
  }
  await two.kernel.mounts.moveMount({ from: 'second', to: 'hidden-by-two' })
  await firstSite.kernel.replication.writePathsFilter({ id: 'one', mode: 'deny', paths: ['hidden-by-two'] })
  await settle(secondary)
  expect(marked(await contentsOf(secondary), 'hidden-by-two')).toEqual([])
  await two.kernel.kv.at('hidden-by-two').writeSecret({ path: 'b', data: { v: 'value-in-hidden' } })
  await two.kernel.kv.writeSecret({ path: 'seen', data: { v: 1 } })
  await settle(secondary)
  expect((await secondary.kernel.kv.readSecret({ path: 'seen' })).data).toEqual({ v: 1 })
  expect(marked(await contentsOf(secondary), 'value-in-hidden', 'hidden-by-two')).toEqual([])
})
