import { expect, it } from 'vitest'
import { createKernel, keySeal, memoryStorage } from '../../../src/index.ts'

it('a stopped Merkle check fails with status 503, and the next one continues at the position where it stopped', async () => {
  const storage = memoryStorage({ maxOps: 128 })
  const kernel = await createKernel({ storage, seal: keySeal(new Uint8Array(32).fill(9)), initialize: true })
  for (let n = 0; n < 1500; n++) await kernel.kv.writeSecret({ path: `s/${n}`, data: { n } })
  await kernel.replication.enablePrimary()
  await kernel.tick()
  const stopped = kernel.replication.merkleCheck().then(
    () => undefined,
    (error: unknown) => error,
  )
  while (((await kernel.replication.readStatus()).merkle_check?.done ?? 0) < 300)
    await new Promise((resolve) => setImmediate(resolve))
  await kernel.replication.stopMerkleCheck()
  expect(await stopped).toMatchObject({ status: 503 })
  const going = kernel.replication.merkleCheck()
  let first: number | undefined
  while (first === undefined) {
    first = (await kernel.replication.readStatus()).merkle_check?.done
    await new Promise((resolve) => setImmediate(resolve))
  }
  expect(first).toBeGreaterThan(300)
  expect((await going).details).toEqual([])
  await kernel.close()
})
