import { describe, expect, it } from 'vitest'
import { type AuditEntry, type AuditSink, createKernel, keySeal, memoryStorage } from '../../../src/index.ts'
import { audited, SEAL_KEY } from './support.ts'

/** A sink that can be made to fail, with or without `writeSync`. */
function moody(kind: 'at once' | 'later') {
  const entries: AuditEntry[] = []
  const state = { fails: (_entry: AuditEntry): boolean => false, entries }
  const take = (entry: AuditEntry): void => {
    if (state.fails(entry)) throw new Error('the disk is full')
    entries.push(entry)
  }
  const write = async (entry: AuditEntry): Promise<void> => {
    await Promise.resolve()
    take(entry)
  }
  const sink: AuditSink = kind === 'later' ? { write } : { write, writeSync: take }
  return { sink, state }
}

const plaintext = new Uint8Array([1, 2, 3])

describe.each(['at once', 'later'] as const)('an audit sink that fails %s', (kind) => {
  it('prevents the operation if it cannot write the request entry', async () => {
    const { sink, state } = moody(kind)
    const { kernel, send } = await audited({ ports: { audit: { sinks: { main: sink } } } })
    state.fails = ({ type }) => type === 'request'
    const { status, body } = await send('POST', 'secret/a', { body: { a: 'b' } })
    expect({ status, body }).toEqual({ status: 500, body: { errors: ['internal error'] } })
    await expect(kernel.kv.writeSecret({ path: 'a', data: { a: 'b' } })).rejects.toMatchObject({
      code: 'ERR_AUDIT',
      status: 500,
      committed: false,
      details: { committed: false },
    })
    state.fails = () => false
    expect((await kernel.kv.listSecrets({})).keys).toEqual([])
    await kernel.close()
  })

  it('makes the call fail with the error ERR_AUDIT after the commit if it cannot write the response entry', async () => {
    const { sink, state } = moody(kind)
    const { kernel, send } = await audited({ ports: { audit: { sinks: { main: sink } } } })
    await kernel.transit.createKey({ name: 'k' })
    state.fails = ({ type }) => type === 'response'
    const { status, body } = await send('POST', 'secret/a', { body: { a: 'b' } })
    expect({ status, body }).toEqual({ status: 500, body: { errors: ['internal error'] } })
    await expect(kernel.kv.writeSecret({ path: 'b', data: { a: 'b' } })).rejects.toMatchObject({
      code: 'ERR_AUDIT',
      committed: true,
    })
    await expect(kernel.transit.encrypt({ name: 'k', plaintext })).rejects.toMatchObject({ code: 'ERR_AUDIT', committed: true })
    await expect(kernel.transit.encryptBatch({ name: 'k', batch_input: [{ plaintext }] })).rejects.toMatchObject({
      committed: true,
    })
    // A refused operation changed nothing, although its answer was withheld.
    await expect(kernel.transit.decrypt({ name: 'k', ciphertext: 'x' })).rejects.toMatchObject({
      code: 'ERR_AUDIT',
      committed: false,
    })
    state.fails = () => false
    expect((await kernel.kv.listSecrets({})).keys).toEqual(['a', 'b'])
    await kernel.close()
  })

  it('does not make health and seal-status requests fail', async () => {
    const { sink, state } = moody(kind)
    const { kernel, send } = await audited({ ports: { audit: { sinks: { main: sink } } } })
    state.fails = () => true
    expect((await send('GET', 'sys/health')).status).toBe(200)
    expect((await send('GET', 'sys/seal-status')).status).toBe(200)
    expect((await send('GET', 'secret/a')).status).toBe(500)
    expect((await send('GET', 'secret/a', { token: null })).status).toBe(500)
    await kernel.close()
  })

  it('makes a request that another sink recorded fail only if the failing sink is required', async () => {
    const bad = moody(kind)
    bad.state.fails = () => true
    const good = moody(kind)
    const sinks = { bad: { sink: bad.sink }, good: { sink: good.sink } }
    const lenient = await audited({ ports: { audit: { sinks } } })
    expect((await lenient.send('POST', 'secret/a', { body: { a: 'b' } })).status).toBe(204)
    expect(good.state.entries.map(({ type }) => type)).toEqual(['request', 'response'])
    const strict = await audited({ ports: { audit: { sinks: { ...sinks, bad: { sink: bad.sink, required: true } } } } })
    expect((await strict.send('POST', 'secret/a', { body: { a: 'b' } })).status).toBe(500)
    await lenient.kernel.close()
    await strict.kernel.close()
  })
})

it('createKernel fails if an audit sink cannot be opened', async () => {
  const sink: AuditSink = {
    write() {},
    open() {
      throw new Error('no such folder')
    },
  }
  const options = { storage: memoryStorage(), seal: keySeal(SEAL_KEY), initialize: true }
  await expect(createKernel({ ...options, ports: { audit: { sinks: { main: sink } } } })).rejects.toMatchObject({
    code: 'ERR_AUDIT',
    message: expect.stringContaining('main'),
  })
  const kernel = await createKernel(options)
  expect(kernel.seal.state).toBe('open')
  await kernel.close()
})

it.each([
  ['a string instead of an object', 'sink'],
  ['an unknown member', { sink: () => {} }],
  ['a sink without write', { sinks: { main: {} } }],
  ['a name with a slash', { sinks: { 'a/b': () => {} } }],
  ['a factory that is no function', { factories: { file: 'file' } }],
])('createKernel refuses ports.audit with %s', async (_, audit) => {
  const options = { storage: memoryStorage(), seal: keySeal(SEAL_KEY), initialize: true, ports: { audit } as never }
  await expect(createKernel(options)).rejects.toThrow(TypeError)
})

it('a slow audit sink receives concurrent entries one at a time, in chain order', async () => {
  const entries: AuditEntry[] = []
  let inside = 0
  const slow = async (entry: AuditEntry): Promise<void> => {
    expect(++inside).toBe(1)
    await new Promise((resolve) => setImmediate(resolve))
    entries.push(entry)
    inside--
  }
  const { kernel, send } = await audited({ ports: { audit: { sinks: { slow } } } })
  await Promise.all(Array.from({ length: 40 }, (_, n) => send('POST', `secret/${n}`, { body: { n } })))
  expect(entries.map(({ chain }) => chain.number)).toEqual(Array.from({ length: 80 }, (_, n) => n + 1))
  await kernel.close()
})

it('a request that is in flight when the kernel is sealed still writes its response entry', async () => {
  const entries: AuditEntry[] = []
  let go = (): void => {}
  const held = new Promise<void>((resolve) => {
    go = resolve
  })
  const sink = async (entry: AuditEntry): Promise<void> => {
    if (entry.type === 'request') await held
    entries.push(entry)
  }
  const { kernel, send } = await audited({ ports: { audit: { sinks: { sink } } } })
  // A first request loads code before it is in flight.
  await send('GET', 'sys/health')
  const answer = send('GET', 'secret/none')
  await kernel.seal.seal()
  go()
  await answer
  expect(entries.map(({ type }) => type)).toEqual(['request', 'response'])
  await kernel.close()
})
