import { createDevKernel, type Kernel, KernelError } from 'strongroom'
import { type FakeClock, fakeClock } from 'strongroom/testing'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'

describe('an application', () => {
  let clock: FakeClock
  let kernel: Kernel
  beforeEach(async () => {
    clock = fakeClock()
    kernel = await createDevKernel({ clock })
    await kernel.transit.createKey({ name: 'orders', auto_rotate_period: '1h' })
  })
  afterEach(() => kernel.close())

  it('decrypts what it has encrypted', async () => {
    const plaintext = new TextEncoder().encode('a secret')
    const { ciphertext } = await kernel.transit.encrypt({ name: 'orders', plaintext })
    const opened = await kernel.transit.decrypt({ name: 'orders', ciphertext })
    expect(new TextDecoder().decode(opened.plaintext)).toBe('a secret')
  })

  it('gets a KernelError for a missing key', async () => {
    const refused = kernel.transit.readKey({ name: 'missing' })
    await expect(refused).rejects.toThrow(KernelError)
    await expect(refused).rejects.toMatchObject({ code: 'ERR_NOT_FOUND' })
  })

  it('rotates keys by the clock of the test', async () => {
    await clock.advance(3_600_000)
    await kernel.tick()
    expect(await kernel.transit.readKey({ name: 'orders' })).toMatchObject({ latest_version: 2 })
  })
})
