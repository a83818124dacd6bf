import { createDevKernel, KernelError } from 'strongroom'
import { fakeClock } from 'strongroom/testing'

describe('an application', () => {
  let clock
  let kernel
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
