/** Source: spec document 2, "Plugin runtimes catalog". */
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createDevKernel, type Kernel } from '../../../../src/index.ts'
import { documentOf } from '../../../openapi/document.ts'
import { asker, type Reply } from '../mounts/support.ts'
import { RUNTIMES, writeRuntime } from './support.ts'

const NOTHING_GIVEN = { oci_runtime: '', cgroup_parent: '', cpu_nanos: 0, memory_bytes: 0, rootless: false }
const GIVEN = {
  oci_runtime: 'runc',
  cgroup_parent: '/plugins/of mine',
  cpu_nanos: 1_500_000_000,
  memory_bytes: 8 * 2 ** 30,
  rootless: true,
}

let kernel: Kernel
let ask: (method: string, path: string, body?: unknown) => Promise<Reply>
beforeEach(async () => {
  kernel = await createDevKernel()
  ask = asker(kernel)
})
afterEach(() => kernel.close())

describe('the registration of a plugin runtime', () => {
  it('stores the parameters as given, which typed calls and calls by path return', async () => {
    expect(await ask('POST', `${RUNTIMES}/container/gvisor`, GIVEN)).toEqual({ status: 204, data: null, errors: undefined })
    const shown = { name: 'gvisor', type: 'container', ...GIVEN }
    expect(await ask('GET', `${RUNTIMES}/container/gvisor`)).toMatchObject({ status: 200, data: shown })
    expect(await kernel.plugins.readRuntime({ type: 'container', name: 'gvisor' })).toEqual(shown)
  })

  it('requires only a type and a name, and sets all other parameters to their defaults', async () => {
    await ask('POST', `${RUNTIMES}/container/plain`)
    expect((await ask('GET', `${RUNTIMES}/container/plain`)).data).toEqual({
      name: 'plain',
      type: 'container',
      ...NOTHING_GIVEN,
    })
  })

  it('replaces all parameters, and sets omitted ones to their defaults', async () => {
    await kernel.plugins.writeRuntime({ type: 'container', name: 'gvisor', ...GIVEN })
    expect((await ask('PUT', `${RUNTIMES}/container/gvisor`, { memory_bytes: '1024' })).status).toBe(204)
    const shown = await kernel.plugins.readRuntime({ type: 'container', name: 'gvisor' })
    expect(shown).toEqual({ name: 'gvisor', type: 'container', ...NOTHING_GIVEN, memory_bytes: 1024 })
  })

  it.each([
    [{ cpu_nanos: -1 }, 'cpu_nanos: runtime cpu in nanos cannot be negative'],
    [{ memory_bytes: -1 }, 'memory_bytes: runtime memory in bytes cannot be negative'],
    [{ cpu_nanos: 1.5 }, 'cpu_nanos: must be a whole number'],
    [{ memory_bytes: 2 ** 60 }, 'memory_bytes: must be a whole number'],
    [{ cpu_nanos: [] }, 'cpu_nanos: must be a whole number'],
    [{ rootless: 'perhaps' }, 'rootless: must be a boolean'],
    [{ oci_runtime: {} }, 'oci_runtime: must be a string'],
  ])('refuses the parameters %o', async (body, message) => {
    expect(await ask('POST', `${RUNTIMES}/container/x`, body)).toMatchObject({ status: 400, errors: [message] })
    expect((await ask('GET', `${RUNTIMES}/container/x`)).status).toBe(404)
  })

  it.each(['oci_runtime', 'cgroup_parent'])('refuses more than 4,096 characters as %s', async (field) => {
    expect(await ask('POST', `${RUNTIMES}/container/x`, { [field]: 'x'.repeat(4097) })).toMatchObject({
      status: 400,
      errors: [`${field}: must have at most 4096 characters`],
    })
  })

  it('accepts texts of 4,096 characters, and whole numbers as text', async () => {
    const body = { cgroup_parent: 'x'.repeat(4096), cpu_nanos: '7', memory_bytes: 2 ** 53 - 1 }
    await ask('POST', `${RUNTIMES}/container/x`, body)
    expect((await ask('GET', `${RUNTIMES}/container/x`)).data).toMatchObject({ ...body, cpu_nanos: 7 })
  })

  it('throws a TypeError for wrong JavaScript types', async () => {
    const runtime = { type: 'container' as const, name: 'x' }
    await expect(kernel.plugins.writeRuntime({ ...runtime, cpu_nanos: '1' as never })).rejects.toThrow(TypeError)
    await expect(kernel.plugins.writeRuntime({ ...runtime, other: 1 } as never)).rejects.toThrow(TypeError)
  })
})

describe('the type and name of a plugin runtime', () => {
  it.each(['POST', 'GET', 'DELETE'])('are refused by %s with 400 if no such type exists', async (method) => {
    expect(await ask(method, `${RUNTIMES}/machine/x`)).toMatchObject({
      status: 400,
      errors: ['type: "machine" is not a supported plugin runtime type: it must be container'],
    })
    expect((await ask(method, `${RUNTIMES}/Container/x`)).status).toBe(400)
  })

  it.each(['POST', 'GET', 'DELETE'])('are answered by %s with 404 if the name is invalid', async (method) => {
    for (const name of ['x.', '-x', 'a b', 'a/b']) expect((await ask(method, `${RUNTIMES}/container/${name}`)).status).toBe(404)
  })

  it('are answered with 404 if they are missing', async () => {
    const { plugins } = kernel
    await expect(plugins.writeRuntime({ type: 'container', name: '' })).rejects.toMatchObject({ status: 404 })
    await expect(plugins.readRuntime({ type: '' as 'container', name: 'x' })).rejects.toMatchObject({ status: 404 })
    for (const method of ['POST', 'GET', 'DELETE']) expect((await ask(method, `${RUNTIMES}/container`)).status).toBe(404)
    expect((await ask('POST', RUNTIMES)).status).toBe(405)
  })

  it('are refused with 400 by POST, and with 404 by GET and DELETE, if the name is too long for the store', async () => {
    const name = 'x'.repeat(2000)
    expect((await ask('POST', `${RUNTIMES}/container/${name}`)).status).toBe(400)
    expect((await ask('GET', `${RUNTIMES}/container/${name}`)).status).toBe(404)
    expect((await ask('DELETE', `${RUNTIMES}/container/${name}`)).status).toBe(404)
  })
})

describe('an unknown plugin runtime', () => {
  it('is answered with 404 when it is read or deleted', async () => {
    expect(await ask('GET', `${RUNTIMES}/container/none`)).toMatchObject({ status: 404, errors: [] })
    expect(await ask('DELETE', `${RUNTIMES}/container/none`)).toMatchObject({
      status: 404,
      errors: ['plugin runtime not found'],
    })
    await expect(kernel.plugins.readRuntime({ type: 'container', name: 'none' })).rejects.toMatchObject({ status: 404 })
    await expect(kernel.plugins.deleteRuntime({ type: 'container', name: 'none' })).rejects.toMatchObject({ status: 404 })
  })

  it('that was deleted is answered with 404 when it is read or deleted', async () => {
    await writeRuntime(kernel, 'x')
    expect(await ask('DELETE', `${RUNTIMES}/container/x`)).toEqual({ status: 204, data: null, errors: undefined })
    expect((await ask('GET', `${RUNTIMES}/container/x`)).status).toBe(404)
    expect((await ask('DELETE', `${RUNTIMES}/container/x`)).status).toBe(404)
  })
})

describe('the list of plugin runtimes', () => {
  it('is empty for GET, and answered with 404 for LIST, while no runtime is registered', async () => {
    expect(await ask('GET', RUNTIMES)).toMatchObject({ status: 200, data: { runtimes: [] } })
    expect(await ask('LIST', RUNTIMES)).toMatchObject({ status: 404, errors: [] })
    expect(await kernel.plugins.listRuntimes()).toEqual({ runtimes: [] })
    await writeRuntime(kernel, 'x')
    await kernel.plugins.deleteRuntime({ type: 'container', name: 'x' })
    expect((await ask('LIST', RUNTIMES)).status).toBe(404)
  })

  it('contains each runtime as it was registered, sorted by name', async () => {
    for (const name of ['b', 'B', 'a-1', 'a']) await kernel.plugins.writeRuntime({ type: 'container', name, ...GIVEN })
    const runtimes = ['B', 'a', 'a-1', 'b'].map((name) => ({ name, type: 'container', ...GIVEN }))
    expect(await ask('GET', RUNTIMES)).toMatchObject({ status: 200, data: { runtimes } })
    expect(await ask('LIST', RUNTIMES)).toMatchObject({ status: 200, data: { runtimes } })
    expect(await ask('LIST', `${RUNTIMES}/`)).toMatchObject({ status: 200, data: { runtimes } })
    expect(await kernel.plugins.listRuntimes()).toEqual({ runtimes })
  })

  it.each([{ list: 'true' }, {}])('can be filtered by type, with the query %o', async (flag) => {
    await writeRuntime(kernel, 'x')
    const list = (type: string) =>
      kernel.handle({
        method: 'GET',
        path: `/v1/${RUNTIMES}`,
        query: { type, ...flag },
        headers: { 'X-Service-Token': kernel.rootToken ?? '' },
      })
    for (const type of ['container', ''])
      expect(await list(type)).toMatchObject({ status: 200, body: { data: { runtimes: [{ name: 'x' }] } } })
    expect(await list('machine')).toMatchObject({ status: 400 })
    expect(await list('x'.repeat(100_000))).toMatchObject({
      status: 400,
      body: { errors: ['type: this is not a supported plugin runtime type: it must be container'] },
    })
    expect((await kernel.plugins.listRuntimes({ type: 'container' })).runtimes).toHaveLength(1)
  })

  it('contains all of 1,100 runtimes', async () => {
    const names = Array.from({ length: 1100 }, (_, index) => `r${String(index).padStart(4, '0')}`)
    await Promise.all(names.map((name) => writeRuntime(kernel, name)))
    expect((await kernel.plugins.listRuntimes()).runtimes.map(({ name }) => name)).toEqual(names)
  })
})

describe('access to plugin runtimes', () => {
  const WAYS = [
    ['GET', RUNTIMES],
    ['LIST', RUNTIMES],
    ['POST', `${RUNTIMES}/container/y`],
    ['GET', `${RUNTIMES}/container/x`],
    ['DELETE', `${RUNTIMES}/container/x`],
  ] as const
  const ALL = '"create", "read", "update", "delete", "list"'

  const askerWith = async (capabilities: string) => {
    await kernel.policies.writePolicy({
      name: 'p',
      policy: `path "${RUNTIMES}*" { capabilities = [${capabilities}] }`,
    })
    const { client_token } = await kernel.tokens.createToken({ policies: ['p'] })
    return asker(kernel, { 'X-Service-Token': client_token })
  }

  it.each(WAYS)('by %s %s requires sudo in addition to the usual capability', async (method, path) => {
    await writeRuntime(kernel, 'x')
    expect((await (await askerWith(ALL))(method, path)).status).toBe(403)
    expect((await (await askerWith('"sudo"'))(method, path)).status).toBe(403)
    expect((await (await askerWith(`${ALL}, "sudo"`))(method, path)).status).toBeLessThan(300)
  })

  it.each(WAYS)('by %s %s is restricted to the root namespace', async (method, path) => {
    await kernel.namespaces.createNamespace({ name: 'inner' })
    const inside = asker(kernel, { 'X-Service-Token': kernel.rootToken ?? '', 'X-Service-Namespace': 'inner' })
    expect((await inside(method, path)).status).toBe(400)
  })
})

it('the OpenAPI document describes every parameter of plugin runtimes', async () => {
  const { paths, components } = await documentOf(kernel, kernel.rootToken)
  const list = paths[`/${RUNTIMES}`]
  expect(list?.get?.parameters?.map(({ name }) => name).sort()).toEqual(['list', 'type'])
  const item = paths[`/${RUNTIMES}/{type}/{name}`]
  expect(Object.keys(item ?? {})).toEqual(expect.arrayContaining(['get', 'post', 'delete']))
  expect(item?.parameters?.find(({ name }) => name === 'type')?.schema).toMatchObject({ enum: ['container'] })
  const schema = item?.post?.requestBody?.content['application/json']?.schema.$ref?.split('/').at(-1) ?? ''
  expect(Object.keys(components.schemas[schema]?.properties ?? {}).sort()).toEqual(Object.keys(NOTHING_GIVEN).sort())
})
