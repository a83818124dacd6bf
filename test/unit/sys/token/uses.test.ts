/** A token with a use count permits exactly that many requests, also if they are concurrent. */
import { describe, expect, it } from 'vitest'
import { type Kernel, memoryStorage } from '../../../../src/index.ts'
import { ask, lookSelf, NOTHING, openOn, remains, tickAll, tokenFor } from './support.ts'

const CALLERS = 64

async function race(kernels: readonly Kernel[], token: string): Promise<Readonly<Record<number, number>>> {
  const statuses = await Promise.all(
    Array.from({ length: CALLERS }, (_, i) => lookSelf(kernels[i % kernels.length] as Kernel, token)),
  )
  const counts: Record<number, number> = {}
  for (const status of statuses) counts[status] = (counts[status] ?? 0) + 1
  return counts
}

describe('the use count of a token', () => {
  it.each([1, 7, 40])('permits exactly %i of 64 concurrent requests in one kernel', async (num_uses) => {
    const storage = memoryStorage({ maxOps: 128 })
    await using kernel = await openOn(storage)
    const token = await tokenFor(kernel, { policies: ['default'], num_uses })
    expect(await race([kernel], token)).toEqual({ 200: num_uses, 403: CALLERS - num_uses })
    expect(await lookSelf(kernel, token)).toBe(403)
    await tickAll(kernel)
    expect(await remains(storage)).toEqual(NOTHING)
  })

  it.each([1, 7, 40])('permits exactly %i of 64 concurrent requests in two kernels on one store', async (num_uses) => {
    const storage = memoryStorage({ maxOps: 128 })
    await using kernel = await openOn(storage)
    await using otherKernel = await openOn(storage)
    const token = await tokenFor(kernel, { policies: ['default'], num_uses })
    expect(await race([kernel, otherKernel], token)).toEqual({ 200: num_uses, 403: CALLERS - num_uses })
    expect([await lookSelf(kernel, token), await lookSelf(otherKernel, token)]).toEqual([403, 403])
  })

  it('is reduced by typed calls, even by those that are refused', async () => {
    await using kernel = await openOn(memoryStorage())
    const token = await tokenFor(kernel, { policies: ['default'], num_uses: 5 })
    const tries = await Promise.allSettled([
      ...Array.from({ length: 8 }, () => kernel.as(token).tokens.lookupSelf()),
      ...Array.from({ length: 8 }, () => kernel.as(token).tokens.lookupAccessor({ accessor: 'x' })),
    ])
    const denied = tries.filter((result) => result.status === 'rejected' && result.reason.message === 'permission denied')
    expect(tries.length - denied.length).toBe(5)
  })

  it('is not reduced when the application looks up the token', async () => {
    await using kernel = await openOn(memoryStorage())
    const token = await tokenFor(kernel, { policies: ['default'], num_uses: 2 })
    for (let i = 0; i < 5; i++) expect((await kernel.tokens.lookupToken({ token })).num_uses).toBe(2)
    expect((await kernel.as(token).tokens.lookupSelf()).num_uses).toBe(1)
    expect((await kernel.as(token).tokens.lookupSelf()).num_uses).toBe(0)
    expect(await lookSelf(kernel, token)).toBe(403)
  })

  it('permits the token to revoke itself if the count is 1', async () => {
    const storage = memoryStorage()
    await using kernel = await openOn(storage)
    const token = await tokenFor(kernel, { policies: ['default'], num_uses: 1 })
    expect((await ask(kernel, 'POST', 'auth/token/revoke-self', {}, { token })).status).toBe(204)
    await tickAll(kernel)
    expect(await remains(storage)).toEqual(NOTHING)
  })
})
