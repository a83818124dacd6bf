/** Bad values in every field that configures the cloud engine, by both views: refused, with nothing stored and nothing asked. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { createDevKernel, type Kernel } from '../../../src/index.ts'
import { CASES, METHODS, OPERATIONS, waysTo } from './bad-inputs.ts'

describe('bad input to the configuration of the cloud engine', () => {
  let asked = 0
  let kernel: Kernel
  const asking = () => {
    asked++
    throw new Error('nobody is to be asked anything')
  }
  beforeAll(async () => {
    kernel = await createDevKernel({ ports: { cloud: { connect: asking } } })
    // Static roles ask by it.
    await kernel.cloud.configureRoot({ access_key: 'AKIAEXAMPLE', secret_key: 'secret' })
  })
  afterAll(() => kernel?.close())
  // One that is stored by mistake fails its own test alone.
  afterEach(() => kernel.cloud.deleteRole({ name: 'new' }).catch(() => {}))

  /** What there is, whatever it says of itself. */
  const stored = () =>
    Promise.all(
      [kernel.cloud.readRoot(), kernel.cloud.readLease(), kernel.cloud.readRole({ name: 'new' })].map((asked) =>
        asked.then(
          (shown) => shown,
          (error: { status?: number }) => error.status,
        ),
      ),
    )

  it('is made from all operations that configure', () => {
    expect(OPERATIONS.map(({ method }) => method).sort()).toEqual([...METHODS].sort())
  })

  it.each(CASES.map(([what, method, members]) => [method, what, members] as const))('%s: %s', async (method, _, members) => {
    const before = await stored()
    for (const way of waysTo(kernel, method, members)) {
      const result = await way()
      expect(result, result.said.slice(0, 200)).toMatchObject({ status: 'name' in members ? expect.toBeOneOf([400, 404]) : 400 })
      // The refusal of an unknown path repeats the path.
      if (!('name' in members)) expect(result.said.length).toBeLessThan(2000)
    }
    expect(asked).toBe(0)
    expect(await stored()).toEqual(before)
  })
})
