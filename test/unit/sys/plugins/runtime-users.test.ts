/** A plugin registration may name only an existing runtime, which cannot be deleted while a registration names it. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createDevKernel, type Kernel } from '../../../../src/index.ts'
import { asker, type Reply } from '../mounts/support.ts'
import { CATALOG, deleteRuntime, image, RUNTIMES, writeImage, writeRuntime } from './support.ts'

const NOT_THERE = 'runtime: no plugin runtime of this name is registered'
const SHA256 = 'ab'.repeat(32)

let kernel: Kernel
let ask: (method: string, path: string, body?: unknown) => Promise<Reply>
beforeEach(async () => {
  kernel = await createDevKernel()
  ask = asker(kernel)
  await writeRuntime(kernel, 'gvisor')
})
afterEach(() => kernel.close())

describe('a plugin registration', () => {
  it('with an image needs no command, and is returned with its image and runtime', async () => {
    expect((await ask('POST', `${CATALOG}/database/p`, image('gvisor', { version: '1.2' }))).status).toBe(204)
    expect((await ask('GET', `${CATALOG}/database/p`)).status).toBe(404)
    const shown = await kernel.plugins.readPlugin({ type: 'database', name: 'p', version: 'v1.2.0' })
    expect(shown).toEqual({
      name: 'p',
      version: 'v1.2.0',
      builtin: false,
      command: '',
      args: null,
      sha256: SHA256,
      oci: true,
      oci_image: image('').oci_image,
      runtime: 'gvisor',
      declarative: false,
    })
    expect((await kernel.plugins.listPlugins({ type: 'database' })).keys).toContain('p')
  })

  it('without an image needs a command, and is returned with neither image nor runtime', async () => {
    await kernel.plugins.writePlugin({ type: 'secret', name: 'p', sha256: SHA256, command: 'p', env: ['TOKEN=hidden'] })
    const shown = await kernel.plugins.readPlugin({ type: 'secret', name: 'p' })
    expect(shown).toEqual({
      name: 'p',
      version: '',
      builtin: false,
      command: 'p',
      args: null,
      sha256: SHA256,
      oci: false,
      declarative: false,
    })
    expect(await ask('POST', `${CATALOG}/secret/q`, { sha256: SHA256 })).toMatchObject({
      status: 400,
      errors: ['command, oci_image: one of the two is required'],
    })
  })

  it('with an image but no runtime does not block the deletion of a runtime', async () => {
    await writeImage(kernel, 'p', '')
    expect(await kernel.plugins.readPlugin({ type: 'database', name: 'p' })).not.toHaveProperty('runtime')
    await deleteRuntime(kernel, 'gvisor')
  })

  it.each(['none', 'Gvisor', 'gvisor/', 'gvisor/database/p', 'container/gvisor', '../gvisor', 'g visor', 'x'.repeat(2000)])(
    'that names the unknown runtime "%.20s" is refused and not stored',
    async (runtime) => {
      expect(await ask('POST', `${CATALOG}/database/p`, image(runtime))).toMatchObject({ status: 400, errors: [NOT_THERE] })
      expect((await ask('GET', `${CATALOG}/database/p`)).status).toBe(404)
      await deleteRuntime(kernel, 'gvisor')
    },
  )

  it.each([
    [{ runtime: [] }, 'runtime: must be a string'],
    [{ oci_image: {} }, 'oci_image: must be a string'],
    [{ runtime: 'x'.repeat(4097) }, 'runtime: must have at most 4096 characters'],
    [{ oci_image: 'x'.repeat(4097) }, 'oci_image: must have at most 4096 characters'],
    [{ sha256: '' }, 'sha256: is required'],
  ])('with an invalid parameter is refused (%#)', async (more, message) => {
    expect(await ask('POST', `${CATALOG}/database/p`, image('gvisor', more))).toMatchObject({ status: 400, errors: [message] })
  })
})

describe('a plugin runtime in use', () => {
  const refusal = (plugins: string) =>
    `name: unable to delete "gvisor" runtime. Registered plugins=[${plugins}] are referencing it.`

  it('cannot be deleted, with an error that names the plugins and versions', async () => {
    await writeImage(kernel, 'p', 'gvisor')
    await writeImage(kernel, 'p', 'gvisor', '2')
    await writeImage(kernel, 'p', 'gvisor', '1.10.0')
    await kernel.plugins.writePlugin({ type: 'auth', name: 'q', ...image('gvisor') })
    const plugins = 'auth/q, database/p, database/p v1.10.0, database/p v2.0.0'
    expect(await ask('DELETE', `${RUNTIMES}/container/gvisor`)).toMatchObject({ status: 400, errors: [refusal(plugins)] })
    expect((await ask('GET', `${RUNTIMES}/container/gvisor`)).status).toBe(200)
  })

  it('can be deleted after its last plugin version is deregistered', async () => {
    await writeImage(kernel, 'p', 'gvisor', '1.0.0')
    await writeImage(kernel, 'p', 'gvisor', '2.0.0')
    await kernel.plugins.deletePlugin({ type: 'database', name: 'p', version: '2.0.0' })
    await expect(deleteRuntime(kernel, 'gvisor')).rejects.toMatchObject({ status: 400, message: refusal('database/p v1.0.0') })
    await kernel.plugins.deletePlugin({ type: 'database', name: 'p', version: 'v1' })
    await deleteRuntime(kernel, 'gvisor')
  })

  it('can be deleted after the registration names another runtime or none', async () => {
    await writeRuntime(kernel, 'kata')
    await writeImage(kernel, 'p', 'gvisor')
    await writeImage(kernel, 'p', 'kata')
    await deleteRuntime(kernel, 'gvisor')
    await expect(deleteRuntime(kernel, 'kata')).rejects.toMatchObject({ status: 400 })
    await kernel.plugins.writePlugin({ type: 'database', name: 'p', sha256: SHA256, command: 'p' })
    await deleteRuntime(kernel, 'kata')
  })

  it('stays in use after a registration is repeated, or refused for an unknown runtime', async () => {
    await writeImage(kernel, 'p', 'gvisor')
    await writeImage(kernel, 'p', 'gvisor')
    await expect(writeImage(kernel, 'p', 'none')).rejects.toMatchObject({ status: 400, message: NOT_THERE })
    await expect(deleteRuntime(kernel, 'gvisor')).rejects.toMatchObject({ status: 400, message: refusal('database/p') })
    await kernel.plugins.deletePlugin({ type: 'database', name: 'p' })
    await deleteRuntime(kernel, 'gvisor')
  })

  it('can be written again with other parameters', async () => {
    await writeImage(kernel, 'p', 'gvisor')
    await kernel.plugins.writeRuntime({ type: 'container', name: 'gvisor', cpu_nanos: 5 })
    expect((await kernel.plugins.readRuntime({ type: 'container', name: 'gvisor' })).cpu_nanos).toBe(5)
    await expect(deleteRuntime(kernel, 'gvisor')).rejects.toMatchObject({ status: 400 })
  })

  it('does not block the deletion of runtimes whose names share a prefix with it', async () => {
    for (const name of ['gvi', 'gvisor2', 'gvisor-x']) await writeRuntime(kernel, name)
    await writeImage(kernel, 'p', 'gvisor-x')
    for (const name of ['gvi', 'gvisor', 'gvisor2']) await deleteRuntime(kernel, name)
  })

  it('cannot be deleted, with an error that names at most ten plugins', async () => {
    const names = Array.from({ length: 25 }, (_, index) => `p${10 + index}`)
    for (const name of names) await writeImage(kernel, name, 'gvisor')
    const plugins = names.slice(0, 10).map((name) => `database/${name}`)
    await expect(deleteRuntime(kernel, 'gvisor')).rejects.toMatchObject({ message: refusal(`${plugins.join(', ')}, and others`) })
  })
})
