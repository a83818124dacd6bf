import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Kernel } from '../../../../src/index.ts'
import { memoryStorage } from '../../../../src/index.ts'
import { type FakeClock, fakeClock } from '../../../../src/testing/index.ts'
import { ask, openOn } from '../token/support.ts'

const RULES = 'path "secret/*" { capabilities = ["read"] }'

let clock: FakeClock
let kernel: Kernel
beforeEach(async () => {
  clock = fakeClock()
  kernel = await openOn(memoryStorage(), clock)
})
afterEach(() => kernel.close())

/** Both paths of a policy, and the name of its text in each. */
const PATHS = [
  ['sys/policies/acl/p', 'policy'],
  ['sys/policy/p', 'rules'],
] as const

describe.each(PATHS)('a policy at %s', (path, text) => {
  const write = async (body: object) => (await ask(kernel, 'POST', path, { [text]: RULES, ...body })).status < 300
  const read = async () => (await ask(kernel, 'GET', path)).body?.data

  it('is returned with its version, its modification time, its expiration and cas_required', async () => {
    await write({})
    const modified = new Date(clock.now()).toISOString()
    expect(await read()).toEqual({ name: 'p', [text]: RULES, version: 1, cas_required: false, modified })
    clock.set(clock.now() + 5000)
    await write({ cas_required: true, cas: 1, expiration: '2026-01-01T02:00:00.25+01:00' })
    const again = new Date(clock.now()).toISOString()
    const expiration = '2026-01-01T01:00:00.250Z'
    expect(await read()).toEqual({ name: 'p', [text]: RULES, version: 2, cas_required: true, modified: again, expiration })
  })

  it('is written only if cas equals its current version', async () => {
    // -1 requires that the policy does not exist. 0 matches a missing policy, too.
    expect([await write({ cas: 1 }), await write({ cas: -2 }), await write({ cas: -1 })]).toEqual([false, false, true])
    expect([await write({ cas: -1 }), await write({ cas: 0 }), await write({ cas: 2 })]).toEqual([false, false, false])
    expect([await write({ cas: 1 }), await write({ cas: 1 }), await write({ cas: '2' })]).toEqual([true, false, true])
    expect((await read()).version).toBe(3)
    await ask(kernel, 'DELETE', path)
    expect([await write({ cas: 3 }), await write({ cas: 0 })]).toEqual([false, true])
    expect((await read()).version).toBe(1)
  })

  it('must be written with cas if this write or the last one sets cas_required', async () => {
    expect([await write({ cas_required: true }), await write({ cas_required: true, cas: -1 })]).toEqual([false, true])
    expect([await write({}), await write({ cas: 1 })]).toEqual([false, true])
    expect([(await read()).cas_required, await write({})]).toEqual([false, true])
  })

  it('counts as missing for check-and-set after it has expired', async () => {
    await write({ ttl: 60, cas_required: true, cas: -1 })
    clock.set(clock.now() + 60_000)
    expect(await read()).toBeUndefined()
    expect([await write({ cas: 1 }), await write({ cas: -1 })]).toEqual([false, true])
    expect((await read()).version).toBe(1)
  })

  it('is written by exactly one of several concurrent calls with the same cas', async () => {
    await write({})
    const wins = await Promise.all(Array.from({ length: 8 }, () => write({ cas: 1 })))
    expect(wins.filter(Boolean)).toHaveLength(1)
    expect((await read()).version).toBe(2)
  })

  it.each([
    { ttl: 0 },
    { ttl: '' },
    { ttl: '0s' },
    { ttl: '500ms' },
    { ttl: -1 },
    { ttl: '-1h' },
    { ttl: 'soon' },
    { ttl: 9007199254740991 },
    { ttl: '99999999h' },
    { ttl: '1h', expiration: '2027-01-01T00:00:00Z' },
    { expiration: '' },
    { expiration: 'tomorrow' },
    { expiration: '2027-01-01' },
    { expiration: '2027-01-01T00:00:00' },
    { expiration: '2027-02-30T00:00:00Z' },
    { expiration: '+1700000000' },
    { expiration: '2025-12-31T23:59:59Z' },
    { expiration: '2026-01-01T00:00:00Z' },
    { expiration: 0 },
    { expiration: -1 },
    { expiration: 1.5 },
    { expiration: 1e300 },
    { expiration: 253402300800 },
    { expiration: true },
    { expiration: {} },
    { cas: 1.5 },
    { cas: 'one' },
    { cas: [] },
    { cas_required: 'perhaps' },
  ])('is refused with %j', async (body) => {
    const { status, body: answer } = await ask(kernel, 'POST', path, { [text]: RULES, ...body })
    expect(status, JSON.stringify(answer)).toBe(400)
    expect(answer.errors[0]).toMatch(/^(?:ttl|expiration|cas|cas_required): /)
    expect(await read()).toBeUndefined()
  })
})

it('the default policy of a new kernel has version 1', async () => {
  expect((await kernel.policies.readPolicy({ name: 'default' })).version).toBe(1)
  await expect(kernel.policies.writePolicy({ name: 'default', policy: RULES, cas: -1 })).rejects.toMatchObject({ status: 400 })
  await kernel.policies.writePolicy({ name: 'default', policy: RULES, cas: 1 })
  expect((await kernel.policies.readPolicy({ name: 'default' })).version).toBe(2)
})
