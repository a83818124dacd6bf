/** Work that goes on for long leaves nothing behind at the signals that would end it: Node warns of the eleventh listener of one. */
import { afterEach, beforeEach, expect, it } from 'vitest'
import { clusters, pair, tokenOf } from './cluster.ts'

const warnings: string[] = []
const note = (warning: Error): void => void warnings.push(`${warning.name}: ${warning.message}`)

beforeEach(() => {
  warnings.length = 0
  process.on('warning', note)
})
afterEach(() => {
  process.off('warning', note)
})

it('a secondary that streams, and a primary that makes it wait', async () => {
  const [primary, secondary] = await pair(clusters())
  const stop = secondary.start()
  await new Promise((resolve) => setTimeout(resolve, 300))
  // Commits that are no news for a secondary.
  for (let n = 0; n < 30; n++) await primary.seal.rotate()
  await stop()
  expect(warnings).toEqual([])
})

it('many secondaries that wait at one primary', async () => {
  const all = clusters()
  const primary = await all.make()
  await primary.replication.enablePrimary()
  const secondaries = await Promise.all(Array.from({ length: 14 }, () => all.make()))
  for (const [at, { replication }] of secondaries.entries())
    await replication.enableSecondary({ token: await tokenOf(primary, `s${at}`) })
  for (const one of secondaries) await one.tick()
  const stops = secondaries.map((one) => one.start())
  await new Promise((resolve) => setTimeout(resolve, 500))
  await primary.kv.writeSecret({ path: 'a', data: { n: 1 } })
  await Promise.all(stops.map((stop) => stop()))
  expect(warnings).toEqual([])
})

it('many writes that are forwarded at once', async () => {
  const [, secondary] = await pair(clusters(), 'app')
  await Promise.all(Array.from({ length: 64 }, (_, n) => secondary.kv.writeSecret({ path: `a/${n}`, data: { n } })))
  expect(warnings).toEqual([])
})
