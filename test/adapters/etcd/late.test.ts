/** A request that reaches a member long after its sender has given it up, when nobody remembers its commit any more. */
import { connect, createServer, type Socket } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { type EtcdStorage, etcdStorage } from '../../../src/adapters/storage-etcd/index.ts'
import { OutcomeUnknown } from '../../../src/core/storage/port.ts'
import { etcdHost, etcdMissing, freshPrefix } from '../../fixtures/etcd/server.ts'

/** More than the storage remembers, and than pass between two times that it forgets some. */
const MANY = 8192 + 2 * 4096

/** A member may be silent for longer than this before its client gives a request up. */
const BEFORE_GIVING_UP_MS = 150

/** Of thousands of commits each. */
const SLOW = Boolean(process.env['SLOW'])

const undo: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const one of undo.splice(0).reverse()) await one()
})

function open(hosts: readonly string[], prefix: string, timeoutMs = 10_000): EtcdStorage {
  const storage = etcdStorage({ hosts, prefix, timeoutMs })
  undo.push(() => storage.close())
  return storage
}

interface SlowPath {
  readonly host: string
  /** From now on nothing comes through in either direction. */
  hold(): void
  /** What the client had sent first is delivered; that it has given up since is not. */
  release(): Promise<void>
  /** New connections come through again. */
  resume(): void
}

/** A path to a member on which requests are held up, and arrive all the same. */
async function slowPath(to: string): Promise<SlowPath> {
  const { hostname, port } = new URL(to)
  const upstreams: { readonly socket: Socket; readonly held: Buffer[] }[] = []
  let holding = false
  let heldSince: number | undefined
  const server = createServer((client) => {
    const upstream = { socket: connect(Number(port), hostname), held: [] as Buffer[] }
    upstreams.push(upstream)
    client.on('data', (data) => {
      heldSince ??= holding ? performance.now() : undefined
      if (!holding) upstream.socket.write(data)
      else if (performance.now() < heldSince! + BEFORE_GIVING_UP_MS) upstream.held.push(data)
    })
    upstream.socket.on('data', (data) => holding || client.write(data))
    for (const socket of [client, upstream.socket]) socket.on('error', () => undefined)
    upstream.socket.on('close', () => client.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  undo.push(async () => {
    for (const { socket } of upstreams) socket.destroy()
    await new Promise((resolve) => server.close(resolve))
  })
  return {
    host: `http://127.0.0.1:${(server.address() as { port: number }).port}`,
    hold() {
      holding = true
    },
    async release() {
      for (const { socket, held } of upstreams) for (const data of held) socket.write(data)
      // The member carries out what it was sent.
      await new Promise((resolve) => setTimeout(resolve, 500))
    },
    resume() {
      for (const { socket } of upstreams) socket.destroy()
      holding = false
    },
  }
}

let written = 0

async function writeMany(storage: EtcdStorage): Promise<void> {
  const end = written + MANY
  const lane = async (): Promise<void> => {
    while (written < end) {
      const n = written++
      const { ok } = await storage.commit([{ op: 'put', key: `many/${n % 64}`, value: Buffer.from(`${n}`) }], `many ${n}`)
      expect(ok).toBe(true)
    }
  }
  await Promise.all(Array.from({ length: 256 }, lane))
}

describe.skipIf(etcdMissing !== undefined)(`a request that arrives late${etcdMissing ? ` (${etcdMissing})` : ''}`, () => {
  it('writes nothing when its commit was carried out meanwhile, undone by others, and forgotten', {
    timeout: 120_000,
  }, async () => {
    const [host, prefix] = [await etcdHost(), freshPrefix()]
    const path = await slowPath(host)
    const others = open([host], prefix)
    await others.revision()
    const slow = open([path.host], prefix, 500)
    await slow.revision(true)
    path.hold()
    const revived = [{ op: 'put', key: 'token', value: Buffer.from('good') }] as const
    await expect(slow.commit(revived, 'held up')).rejects.toThrow(OutcomeUnknown)
    // As its sender would by another path.
    expect(await others.commit(revived, 'held up')).toMatchObject({ ok: true })
    expect(await others.commit([{ op: 'del', key: 'token' }], 'revoked')).toMatchObject({ ok: true })
    await writeMany(others)
    await path.release()
    expect(await others.get('token')).toBeUndefined()
  })

  it('is carried out where it was only slow', async () => {
    const [host, prefix] = [await etcdHost(), freshPrefix()]
    const path = await slowPath(host)
    const [slow, others] = [open([path.host], prefix, 500), open([host], prefix)]
    await slow.revision(true)
    path.hold()
    await expect(slow.commit([{ op: 'put', key: 'a', value: new Uint8Array(1) }], 'held up')).rejects.toThrow(OutcomeUnknown)
    await path.release()
    expect((await others.get('a'))?.value).toEqual(new Uint8Array(1))
  })

  it.runIf(SLOW)(
    'is neither a success nor a conflict to its sender, who asks again when it is forgotten',
    { timeout: 120_000 },
    async () => {
      const [host, prefix] = [await etcdHost(), freshPrefix()]
      const path = await slowPath(host)
      const [slow, others] = [open([path.host], prefix, 500), open([host], prefix)]
      await slow.revision(true)
      path.hold()
      const made = [{ op: 'put', key: 'once', value: new Uint8Array(1), expect: 0 }] as const
      await expect(slow.commit(made, 'held up')).rejects.toThrow(OutcomeUnknown)
      await path.release()
      await writeMany(others)
      path.resume()
      for (let again = 0; again < 2; again++) await expect(slow.commit(made, 'held up')).rejects.toThrow('has forgotten')
      expect(await slow.commit(made, 'another')).toMatchObject({ ok: false, conflict: 'once' })
    },
  )

  it.runIf(SLOW)('is not what a commit of a process is that did nothing for long', { timeout: 120_000 }, async () => {
    const [host, prefix] = [await etcdHost(), freshPrefix()]
    const [idle, others] = [open([host], prefix), open([host], prefix)]
    await idle.revision()
    await writeMany(others)
    const appended = { op: 'append', log: 'log', value: new Uint8Array(1) } as const
    const commits = ['a', 'b', 'c'].map((key) => idle.commit([{ op: 'put', key, value: new Uint8Array(1) }, appended], key))
    expect((await Promise.all(commits)).map((one) => one.ok && one.appended)).toEqual([[1], [2], [3]])
    // In parts.
    await writeMany(others)
    const many = Array.from(
      { length: 128 },
      (_, n) => ({ op: 'put', key: `n${n}`, value: new Uint8Array(1), expect: 0 }) as const,
    )
    expect(await idle.commit(many, 'many')).toMatchObject({ ok: true })
  })
})
