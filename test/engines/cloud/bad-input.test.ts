/**
 * Sends bad values in every field that configures the cloud engine, as typed calls and calls by path. Each request is refused without a
 * stored change or a call to the cloud.
 */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { createDevKernel, type Kernel } from '../../../src/index.ts'
import { CASES, METHODS, OPERATIONS, waysTo } from './bad-inputs.ts'

describe('bad input to the cloud engine configuration', () => {
  let calls = 0
  let kernel: Kernel
  const asking = () => {
    calls++
    throw new Error('nobody is to be asked anything')
  }
  beforeAll(async () => {
    kernel = await createDevKernel({ ports: { cloud: { connect: asking } } })
    // Static roles need a root configuration.
    await kernel.cloud.configureRoot({ access_key: 'AKIAEXAMPLE', secret_key: 'secret' })
  })
  afterAll(() => kernel?.close())
  // A role that was stored by mistake must fail only its own test.
  afterEach(() => kernel.cloud.deleteRole({ name: 'new' }).catch(() => {}))

  /** The stored configuration, or the status if it cannot be read. */
  const stored = () =>
    Promise.all(
      [kernel.cloud.readRoot(), kernel.cloud.readLease(), kernel.cloud.readRole({ name: 'new' })].map((read) =>
        read.then(
          (shown) => shown,
          (error: { status?: number }) => error.status,
        ),
      ),
    )

  it('is tested in this file for every configuration operation', () => {
    expect(OPERATIONS.map(({ method }) => method).sort()).toEqual([...METHODS].sort())
  })

  it.each(CASES.map(([what, method, members]) => [method, what, members] as const))(
    'makes %s fail with 400 or 404: %s',
    async (method, _, members) => {
      const before = await stored()
      for (const way of waysTo(kernel, method, members)) {
        const result = await way()
        expect(result, result.said.slice(0, 200)).toMatchObject({
          status: 'name' in members ? expect.toBeOneOf([400, 404]) : 400,
        })
        // The refusal of an unknown path repeats the path.
        if (!('name' in members)) expect(result.said.length).toBeLessThan(2000)
      }
      expect(calls).toBe(0)
      expect(await stored()).toEqual(before)
    },
  )
})
