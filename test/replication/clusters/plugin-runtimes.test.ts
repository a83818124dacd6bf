/** All clusters of a set share one catalog of plugin runtimes, which only the primary can change. */
import { expect, it } from 'vitest'
import { clusters, pair, rootOf } from './cluster.ts'

const image = { type: 'database', name: 'p', sha256: 'ab'.repeat(32), oci_image: 'registry.example/p', runtime: 'gvisor' }
const gvisor = { type: 'container', name: 'gvisor', oci_runtime: 'runsc', memory_bytes: 1 } as const

it('plugin runtimes are replicated, as are the plugins that use them', async () => {
  const [primary, secondary] = await pair(clusters())
  await primary.plugins.writeRuntime(gvisor)
  await primary.plugins.writePlugin(image)
  await secondary.tick()
  const found = await secondary.plugins.readRuntime({ type: 'container', name: 'gvisor' })
  expect(found).toEqual(await primary.plugins.readRuntime({ type: 'container', name: 'gvisor' }))
  expect(await secondary.plugins.listRuntimes()).toEqual({ runtimes: [found] })
  expect(await secondary.plugins.readPlugin({ type: 'database', name: 'p' })).toMatchObject({ runtime: 'gvisor' })
  await primary.tick()
  await secondary.tick()
  expect(await rootOf(secondary)).toBe(await rootOf(primary))
})

it('a secondary cannot register a plugin runtime', async () => {
  const [, secondary] = await pair(clusters())
  await expect(secondary.plugins.writeRuntime(gvisor)).rejects.toMatchObject({ code: 'ERR_READ_ONLY', status: 400 })
  expect(await secondary.plugins.listRuntimes()).toEqual({ runtimes: [] })
})

it('a secondary cannot register a plugin runtime on the primary even if its application may write there', async () => {
  const [primary, secondary] = await pair(clusters(), 'app')
  await expect(secondary.plugins.writeRuntime(gvisor)).rejects.toMatchObject({ code: 'ERR_READ_ONLY', status: 400 })
  const { runtime: _, ...plain } = image
  await expect(secondary.plugins.writePlugin(plain)).rejects.toMatchObject({ code: 'ERR_READ_ONLY', status: 400 })
  expect((await primary.plugins.listRuntimes()).runtimes).toEqual([])
})

it('a promoted secondary can delete a replicated plugin runtime after the plugins that use it', async () => {
  const [primary, secondary] = await pair(clusters())
  await primary.plugins.writeRuntime(gvisor)
  await primary.plugins.writePlugin(image)
  await secondary.tick()
  await primary.close()
  await secondary.replication.promote({ force: true })
  await expect(secondary.plugins.deleteRuntime({ type: 'container', name: 'gvisor' })).rejects.toMatchObject({ status: 400 })
  await secondary.plugins.deletePlugin({ type: 'database', name: 'p' })
  await secondary.plugins.deleteRuntime({ type: 'container', name: 'gvisor' })
})
