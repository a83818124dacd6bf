import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createDevKernel, type Kernel } from '../../../../src/index.ts'
import { refusalOf } from '../../../property/support.ts'
import { asker } from './support.ts'

let kernel: Kernel
let ask: ReturnType<typeof asker>

beforeAll(async () => {
  kernel = await createDevKernel()
  ask = asker(kernel)
  await kernel.mounts.createMount({ path: 'kv1', type: 'kv-v1', options: { version: '9' } })
})
afterAll(() => kernel.close())

describe('tuning a mount', () => {
  it('keeps the settings that the request does not name', async () => {
    const { mounts } = kernel
    await mounts.tuneMount({ path: 'kv1', default_lease_ttl: '5m', max_lease_ttl: 600, description: 'one' })
    await mounts.tuneMount({ path: 'kv1', allowed_response_headers: ['X-A'], listing_visibility: 'unauth' })
    await mounts.tuneMount({ path: 'kv1', options: { colour: 'red' } })
    expect(await mounts.readMountTuning({ path: 'kv1' })).toEqual({
      default_lease_ttl: 300,
      max_lease_ttl: 600,
      description: 'one',
      force_no_cache: false,
      options: { version: '1', colour: 'red' },
      allowed_response_headers: ['X-A'],
      listing_visibility: 'unauth',
    })
    await mounts.tuneMount({
      path: 'kv1',
      default_lease_ttl: 'system',
      max_lease_ttl: 'system',
      description: '',
      options: { colour: '' },
      allowed_response_headers: [],
      listing_visibility: '',
    })
    expect(await mounts.readMountTuning({ path: 'kv1' })).toEqual({
      default_lease_ttl: 2_764_800,
      max_lease_ttl: 2_764_800,
      description: '',
      force_no_cache: false,
      options: { version: '1' },
    })
  })

  it('does not change a duration that the request names as an empty string', async () => {
    await ask('POST', 'sys/mounts/kv1/tune', { default_lease_ttl: 60 })
    expect(await ask('POST', 'sys/mounts/kv1/tune', { default_lease_ttl: '', max_lease_ttl: '' })).toMatchObject({ status: 204 })
    expect((await ask('GET', 'sys/mounts/kv1/tune')).data).toMatchObject({ default_lease_ttl: 60 })
    await ask('POST', 'sys/mounts/kv1/tune', { default_lease_ttl: 0 })
  })

  it('changes the lease duration in the next answer of the engine', async () => {
    await ask('POST', 'kv1/x', { v: 1 })
    for (const seconds of [60, 120]) {
      await kernel.mounts.tuneMount({ path: 'kv1', default_lease_ttl: seconds })
      expect((await kernel.kv.at('kv1').readSecret({ path: 'x' })).lease_duration).toBe(seconds)
    }
  })

  it('refuses an unknown engine version', async () => {
    for (const version of ['9', 'x', '1.0'])
      expect((await refusalOf(kernel.mounts.tuneMount({ path: 'kv1', options: { version } }))).status).toBe(400)
    expect((await kernel.mounts.readMount({ path: 'kv1' })).options).toEqual({ version: '1' })
  })

  it('refuses to change a built-in mount, except its audit settings', async () => {
    for (const path of ['cubbyhole', 'sys', 'identity']) {
      for (const body of [{ description: 'x' }, { options: { a: 'b' } }, { listing_visibility: 'unauth' }, { max_lease_ttl: 1 }])
        expect(await ask('POST', `sys/mounts/${path}/tune`, body)).toMatchObject({ status: 400 })
      expect(await ask('POST', `sys/mounts/${path}/tune`, { audit_non_hmac_request_keys: 'a' })).toMatchObject({ status: 204 })
    }
  })

  it('refuses a path below a mount and a description that is too long', async () => {
    expect(await ask('POST', 'sys/mounts/kv1/below/tune', { description: 'x' })).toMatchObject({ status: 400 })
    expect(await ask('GET', 'sys/mounts/kv1/below/tune')).toMatchObject({ status: 400 })
    expect(await ask('POST', 'sys/mounts/kv1/tune', { description: 'x'.repeat(70_000) })).toMatchObject({ status: 400 })
  })
})
