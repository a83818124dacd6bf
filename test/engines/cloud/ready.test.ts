/** Credentials are held back until they are known everywhere in the cloud (hashicorp/vault#687, #3115, #8413). */
import { describe, expect, it } from 'vitest'
import type { HandedCredentials } from '../../../src/engines/cloud/port.ts'
import { driven } from '../../fault/hanging-world.ts'
import { openCloud } from './creds-world.ts'

const ROLES = ['user', 'session'] as const

describe.each(ROLES)('a provider with a ready method, for credentials of type %s', (role) => {
  it('is called with increasing delays until the credentials are ready', async () => {
    const probes: [number, HandedCredentials][] = []
    await using world = await openCloud({
      provider: (fake) => ({
        connect: fake.connect,
        ready: async (credentials) => {
          probes.push([world.clock.now(), credentials])
          return fake.works(credentials.access_key, credentials.secret_key, credentials.security_token)
        },
      }),
    })
    world.cloud.delays.keys_ms = role === 'user' ? 4000 : 0
    const { value, took } = await driven(world.clock, world.send('GET', `cloud/creds/${role}`))
    expect(value).toMatchObject({ status: 200, body: { warnings: null } })
    const { access_key, secret_key, security_token } = value.body.data
    for (const [, credentials] of probes) expect(credentials).toEqual({ access_key, secret_key, security_token })
    expect(world.cloud.works(access_key, secret_key, security_token)).toBe(true)
    const pauses = probes.slice(1).map(([at], index) => at - probes[index]![0])
    expect([...pauses].sort((a, b) => a - b)).toEqual(pauses)
    if (role === 'session') return expect(probes).toHaveLength(1)
    expect(took).toBeGreaterThanOrEqual(4000)
    expect(probes.length).toBeLessThan(8)
  })

  it.each([
    ['returns false', async () => false],
    ['rejects', () => Promise.reject(new Error('InvalidClientTokenId'))],
    [
      'throws',
      () => {
        throw new Error('InvalidClientTokenId')
      },
    ],
    ['returns a string', async () => 'yes' as unknown as boolean],
    ['never resolves', () => new Promise<boolean>(() => {})],
  ])('delays the answer by readyTimeoutMs and adds a warning if ready %s', async (_, ready) => {
    await using world = await openCloud({
      provider: (fake) => ({ connect: fake.connect, ready, readyTimeoutMs: 60_000 }),
    })
    // Longer than the 30 seconds that an effect may take.
    const { value, took } = await driven(world.clock, world.send('GET', `cloud/creds/${role}`))
    expect(value.status).toBe(200)
    expect(value.body.warnings).toHaveLength(1)
    expect([took >= 60_000, took <= 61_000]).toEqual([true, true])
    const { access_key, secret_key, security_token } = value.body.data
    expect(world.cloud.works(access_key, secret_key, security_token)).toBe(true)
    expect((await world.kernel.leases.lookupLease({ lease_id: value.body.lease_id })).renewable).toBe(role === 'user')
  })

  it('delays the answer by at most about 30 seconds by default', async () => {
    await using world = await openCloud({ provider: (fake) => ({ connect: fake.connect, ready: async () => false }) })
    const { took } = await driven(world.clock, world.kernel.cloud.creds({ name: role }))
    expect([took >= 30_000, took <= 31_000]).toEqual([true, true])
  })
})

it('a lease can be revoked while its request still waits for the provider’s ready method', async () => {
  await using world = await openCloud({ provider: (fake) => ({ connect: fake.connect, ready: async () => false }) })
  const { kernel, clock, made, pass } = world
  const pending = kernel.cloud.creds({ name: 'user' })
  await clock.advance(1000)
  expect(made()).toHaveLength(1)
  await kernel.leases.revokePrefix({ prefix: 'cloud' })
  expect(made()).toEqual([])
  await driven(clock, pending)
  await pass(60_000)
  expect(made()).toEqual([])
})

it('a provider without a ready method does not delay the answer', async () => {
  await using world = await openCloud()
  world.cloud.delays.keys_ms = 60_000
  expect((await world.send('GET', 'cloud/creds/user')).body.warnings).toBeNull()
})
