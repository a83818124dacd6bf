import { describe, expect, expectTypeOf, it } from 'vitest'
import { createKernel } from '../../../src/chosen-kernel.ts'
import { engineValue, f, jsonRecord, type Mounted, operation } from '../../../src/engine.ts'
import { cubbyhole, kv, transit } from '../../../src/engines.ts'
import { createDevKernel, createKernel as createWhole, keySeal, memoryStorage, type Transit } from '../../../src/index.ts'

const seal = keySeal(new Uint8Array(32))
const fresh = () => ({ storage: memoryStorage(), seal, initialize: true })
const plaintext = new Uint8Array([1, 2, 3])

const NOTE = jsonRecord<{ readonly text: string }>({ folder: 'note' })

const write = operation({
  kind: 'write',
  verb: 'POST',
  path: '/notes/:name',
  summary: 'Writes a note.',
  fields: { name: f.name('Its name.'), text: f.text('What it says.') },
  returns: {},
  run(tx, { name, text }) {
    tx.put(NOTE, name, { text })
    return undefined
  },
})
const read = operation({
  kind: 'read',
  verb: 'GET',
  path: '/notes/:name',
  summary: 'Reads a note.',
  fields: { name: f.name('Its name.') },
  returns: { text: f.text('What it says.') },
  run: (tx, { name }) => tx.get(NOTE, name),
})
const operations = { write, read }
interface Notes {
  write(args: { name: string; text: string }): Promise<object>
  read(args: { name: string }): Promise<{ readonly text: string }>
  count(): number
}
const notes = () =>
  engineValue<{ notes: Notes }>({
    type: 'notes',
    mounts: 'secret',
    operations,
    due: {},
    fresh: [{ path: 'notes/', description: 'notes' }],
    facades: { notes: { path: 'notes/', operations, methods: () => ({ count: () => 42 }) } },
  })

describe('a kernel that is created with some engines only', () => {
  it.each([
    ['a function that was not called', [transit], 'engines[0]: must be an engine, such as transit()'],
    ['null after an engine', [transit(), null], 'engines[1]: must be an engine, such as transit()'],
    ['an empty object', [{}], 'engines[0]: must be an engine, such as transit()'],
    ['no list at all', undefined, 'engines: must be a list of engines'],
  ])('is refused with a TypeError if the option engines contains %s', async (_, engines, message) => {
    await expect(createKernel({ ...fresh(), engines: engines as never })).rejects.toThrow(
      new TypeError(`createKernel: ${message}`),
    )
  })

  it('has only the facades and mounts of these engines', async () => {
    await using kernel = await createKernel({ ...fresh(), engines: [transit()] })
    await kernel.transit.createKey({ name: 'k' })
    const { ciphertext } = await kernel.transit.encrypt({ name: 'k', plaintext })
    expect((await kernel.transit.decrypt({ name: 'k', ciphertext })).plaintext).toEqual(plaintext)
    for (const name of ['kv', 'kv2', 'orchestrator']) expect(name in kernel).toBe(false)
    expect('cubbyhole' in kernel.as(kernel.rootToken as string)).toBe(false)
    const { mounts } = await kernel.mounts.listMounts()
    expect(Object.keys(mounts)).not.toContain('secret/')
    const headers = { 'X-Service-Token': kernel.rootToken as string }
    for (const path of ['secret/a', 'cubbyhole/a', 'auth/orchestrator/role/a'])
      expect((await kernel.handle({ method: 'GET', path: `/v1/${path}`, headers })).status).toBe(404)
    const made = await kernel.handle({ method: 'POST', path: '/v1/sys/mounts/more', headers, body: { type: 'kv' } })
    expect(made.status).toBe(400)
  })

  it('wraps and unwraps answers without the cubbyhole engine', async () => {
    await using kernel = await createKernel({ ...fresh(), engines: [transit()] })
    const headers = { 'X-Service-Token': kernel.rootToken as string, 'X-Service-Wrap-TTL': '60' }
    const { body } = await kernel.handle({ method: 'POST', path: '/v1/transit/random/8', headers })
    const { token } = (body as { wrap_info: { token: string } }).wrap_info
    const opened = await kernel.handle({ method: 'POST', path: '/v1/sys/wrapping/unwrap', headers: { 'X-Service-Token': token } })
    expect(opened.status).toBe(200)
  })

  it('opens a store with mounts of other engines, which it does not change', async () => {
    const storage = memoryStorage()
    const whole = await createWhole({ storage, seal, initialize: true })
    await whole.kv.writeSecret({ path: 'a', data: { kept: true } })
    await whole.close()
    await using kernel = await createKernel({ storage, seal, engines: [transit()] })
    await kernel.transit.createKey({ name: 'k' })
    const { token } = { token: (await kernel.tokens.createToken({ policies: ['root'] })).client_token }
    const request = { method: 'GET', path: '/v1/secret/a', headers: { 'X-Service-Token': token } }
    expect((await kernel.handle(request)).status).toBe(404)
    await kernel.tick()
    await using again = await createWhole({ storage, seal })
    expect((await again.kv.readSecret({ path: 'a' })).data).toEqual({ kept: true })
    expect((await again.transit.listKeys()).keys).toEqual(['k'])
  })

  it('has the facades of these engines in views of namespaces and tokens', async () => {
    await using kernel = await createKernel({ ...fresh(), engines: [kv(), cubbyhole()] })
    await kernel.namespaces.createNamespace({ name: 'team' })
    await kernel.namespace('team/').mounts.createMount({ path: 'secret', type: 'kv' })
    await kernel.namespace('team/').kv.writeSecret({ path: 'a', data: { team: 1 } })
    const root = kernel.as(kernel.rootToken as string)
    await root.cubbyhole.writeEntry({ path: 'a', data: { mine: 1 } })
    expect((await root.namespace('team/').kv.readSecret({ path: 'a' })).data).toEqual({ team: 1 })
    expect(root.kv).toBe(root.kv)
  })

  it('can have a third-party engine with its own records, facade and methods', async () => {
    await using kernel = await createKernel({ ...fresh(), engines: [notes()] })
    await kernel.notes.write({ name: 'a', text: 'mine' })
    expect(await kernel.notes.read({ name: 'a' })).toEqual({ text: 'mine' })
    expect(kernel.notes.count()).toBe(42)
    const headers = { 'X-Service-Token': kernel.rootToken as string }
    const { body } = await kernel.handle({ method: 'GET', path: '/v1/notes/notes/a', headers })
    expect((body as { data: unknown }).data).toEqual({ text: 'mine' })
  })

  it('can mount an engine that the application has added to an existing store', async () => {
    const storage = memoryStorage()
    const before = await createKernel({ engines: [transit()], storage, seal, initialize: true })
    await before.close()
    await using kernel = await createKernel({ engines: [transit(), notes()], storage, seal })
    await expect(kernel.notes.write({ name: 'a', text: 'x' })).rejects.toMatchObject({ code: 'ERR_UNSUPPORTED_PATH' })
    const mount = () => kernel.mounts.createMount({ path: 'notes', type: 'notes' })
    await mount()
    await expect(mount()).rejects.toMatchObject({ code: 'ERR_ALREADY_EXISTS' })
    await kernel.notes.write({ name: 'a', text: 'x' })
    expect(await kernel.notes.read({ name: 'a' })).toEqual({ text: 'x' })
  })

  it('has the method at() on the facade of a third-party engine, for its other mounts', async () => {
    await using kernel = await createKernel({ ...fresh(), engines: [notes(), transit()] })
    await kernel.mounts.createMount({ path: 'more', type: 'notes' })
    const more = kernel.notes.at('more')
    await more.write({ name: 'a', text: 'elsewhere' })
    expect(more.count()).toBe(42)
    expect(await kernel.notes.at('more/').at('more/').read({ name: 'a' })).toEqual({ text: 'elsewhere' })
    await expect(kernel.notes.read({ name: 'a' })).rejects.toMatchObject({ code: 'ERR_NOT_FOUND' })
    expectTypeOf(kernel.transit).toEqualTypeOf<Transit>()
    expectTypeOf(kernel.notes.at('more')).toEqualTypeOf(kernel.notes)
    const takesFacade = (facade: Mounted<typeof operations>) => facade.at('notes')
    await expect(takesFacade(kernel.notes).read({ name: 'a' })).rejects.toMatchObject({ code: 'ERR_NOT_FOUND' })
  })

  it.each([
    ['the same engine twice', () => [transit(), transit()]],
    [
      'an engine whose facade has the name of a built-in facade',
      () => [{ ...notes(), facades: { tokens: { path: 'notes/', operations } } }],
    ],
    [
      'an engine whose facade has the name of a kernel method',
      () => [{ ...notes(), facades: { handle: { path: 'notes/', operations } } }],
    ],
  ])('is refused with %s', async (_, engines) => {
    await expect(createKernel({ ...fresh(), engines: engines() })).rejects.toThrow(TypeError)
  })
})

it('a kernel with all engines has the facades of all engines', async () => {
  await using kernel = await createDevKernel()
  for (const name of ['transit', 'kv', 'kv2', 'orchestrator']) expect(name in kernel).toBe(true)
  expect('cubbyhole' in kernel).toBe(false)
  expect('cubbyhole' in kernel.as(kernel.rootToken as string)).toBe(true)
  expect(() => kernel.as('')).toThrow(TypeError)
})
