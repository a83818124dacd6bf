import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createDevKernel, createKernel, type Kernel, type KernelEvent, memoryStorage, shamirSeal } from '../../../src/index.ts'
import { fakeClock } from '../../../src/testing/index.ts'
import { openLendingWorld } from '../../fixtures/lending.ts'

let kernel: Kernel
beforeEach(async () => {
  kernel = await createDevKernel()
})
afterEach(() => kernel.close())

const turns = async (count = 5): Promise<void> => {
  for (let turn = 0; turn < count; turn++) await new Promise((resolve) => setImmediate(resolve))
}

/** Returns the events that `work` causes, without their times. */
async function eventsOf(on: Kernel, work: () => Promise<unknown>): Promise<readonly Record<string, unknown>[]> {
  const events: KernelEvent[] = []
  const off = on.events.on('*', (event) => events.push(event))
  await work()
  await turns()
  off()
  return events.map(({ time: _, ...event }) => event)
}

describe('kernel events', () => {
  const at = { namespace: '', mount: 'transit/' }
  const key = { name: 'k', key_type: 'aes256-gcm96' }

  it('report changes of transit keys by name, without key material', async () => {
    const events = await eventsOf(kernel, async () => {
      const { transit } = kernel
      await transit.createKey({ name: 'k', allow_plaintext_backup: true, exportable: true })
      await transit.createKey({ name: 'k' })
      await transit.rotateKey({ name: 'k' })
      await transit.configureKey({ name: 'k', min_decryption_version: 2, min_encryption_version: 2, deletion_allowed: true })
      await transit.configureKey({ name: 'k', deletion_allowed: true })
      await transit.trimKey({ name: 'k', min_available_version: 2 })
      const { backup } = await transit.backupKey({ name: 'k' })
      await transit.softDeleteKey({ name: 'k' })
      await transit.undeleteKey({ name: 'k' })
      await transit.deleteKey({ name: 'k' })
      await transit.restoreKey({ backup })
      await transit.encrypt({ name: 'other', plaintext: new Uint8Array(3) })
      await transit.encrypt({ name: 'other', plaintext: new Uint8Array(3) })
    })
    expect(events).toEqual([
      { type: 'key.created', ...at, ...key },
      { type: 'key.rotated', ...at, ...key, version: 2 },
      { type: 'key.configured', ...at, name: 'k' },
      { type: 'key.trimmed', ...at, name: 'k', min_available_version: 2 },
      { type: 'key.soft_deleted', ...at, name: 'k' },
      { type: 'key.undeleted', ...at, name: 'k' },
      { type: 'key.deleted', ...at, name: 'k' },
      { type: 'key.restored', ...at, ...key, version: 2 },
      { type: 'key.created', ...at, ...key, name: 'other' },
    ])
  })

  it('report changes of secrets by path, without their data', async () => {
    await kernel.mounts.createMount({ path: 'kv', type: 'kv', options: { version: '2' } })
    const kv = kernel.kv2.at('kv')
    const events = await eventsOf(kernel, async () => {
      await kernel.kv.writeSecret({ path: 'a/b', data: { password: 'x' } })
      await kernel.kv.deleteSecret({ path: 'a/b' })
      await kv.writeSecret({ path: 'c', data: { password: 'x' } })
      await kv.patchSecret({ path: 'c', data: { more: 'y' } })
      await kv.deleteVersions({ path: 'c', versions: [2, 1] })
      await kv.deleteVersions({ path: 'c', versions: [1] })
      await kv.undeleteVersions({ path: 'c', versions: [1] })
      await kv.destroyVersions({ path: 'c', versions: [2] })
      await kv.writeMetadata({ path: 'c', max_versions: 3 })
      await kv.deleteMetadata({ path: 'c' })
    })
    const [v1, v2] = [
      { namespace: '', mount: 'secret/', path: 'a/b' },
      { namespace: '', mount: 'kv/', path: 'c' },
    ]
    expect(events).toEqual([
      { type: 'secret.written', ...v1 },
      { type: 'secret.deleted', ...v1 },
      { type: 'secret.written', ...v2, version: 1 },
      { type: 'secret.patched', ...v2, version: 2 },
      { type: 'secret.deleted', ...v2, versions: [1, 2] },
      { type: 'secret.undeleted', ...v2, versions: [1] },
      { type: 'secret.destroyed', ...v2, versions: [2] },
      { type: 'secret.metadata_written', ...v2 },
      { type: 'secret.metadata_deleted', ...v2 },
    ])
  })

  it('report tokens that are created, renewed, revoked or expired, by accessor', async () => {
    const clock = fakeClock()
    const own = await createDevKernel({ clock })
    const { tokens } = own
    let names: string[] = []
    const events = await eventsOf(own, async () => {
      const parent = await tokens.createToken({ policies: ['p'], display_name: 'a', ttl: '1h' })
      const child = await own
        .as(parent.client_token)
        .tokens.createToken({ policies: ['p'], display_name: 'b' })
        .catch(() => undefined)
      expect(child).toBeUndefined()
      await tokens.renewToken({ token: parent.client_token })
      await tokens.revokeToken({ token: parent.client_token })
      const short = await tokens.createToken({ policies: ['p'], display_name: 'c', ttl: '10s' })
      await clock.advance(11_000)
      await own.tick()
      names = [parent.accessor, short.accessor]
    })
    const at = { namespace: '', mount: 'auth/token/' }
    const [a, c] = names.map((accessor, index) => ({ ...at, accessor, display_name: `token-${'ac'[index]}` }))
    const made = { policies: ['default', 'p'], token_type: 'service' }
    expect(events).toEqual([
      { type: 'token.created', ...a, ...made },
      { type: 'token.renewed', ...a },
      { type: 'token.revoked', ...a },
      { type: 'token.created', ...c, ...made },
      { type: 'token.expired', ...c },
    ])
    await own.close()
  })

  it('report changes of mounts, policies and namespaces', async () => {
    const types = await eventsOf(kernel, async () => {
      await kernel.mounts.createMount({ path: 'kv', type: 'kv' })
      await kernel.mounts.tuneMount({ path: 'kv', description: 'd' })
      await kernel.mounts.tuneMount({ path: 'kv', description: 'd' })
      await kernel.mounts.moveMount({ from: 'kv', to: 'kw' })
      await kernel.mounts.deleteMount({ path: 'kw' })
      await kernel.mounts.deleteMount({ path: 'kw' })
      await kernel.policies.writePolicy({ name: 'P', policy: 'path "a" { capabilities = ["read"] }' })
      await kernel.policies.deletePolicy({ name: 'p' })
      await kernel.namespaces.createNamespace({ name: 'team' })
      await kernel.namespace('team').policies.writePolicy({ name: 'q', policy: 'path "a" { capabilities = ["read"] }' })
      await kernel.namespaces.deleteNamespace({ name: 'team' })
    })
    expect(types.map(({ type, path, name, namespace }) => [type, path ?? name, namespace])).toEqual([
      ['mount.enabled', 'kv/', ''],
      ['mount.tuned', 'kv/', ''],
      ['mount.moved', 'kw/', ''],
      ['mount.disabled', 'kw/', ''],
      ['policy.written', 'p', ''],
      ['policy.deleted', 'p', ''],
      ['namespace.created', 'team/', ''],
      ['policy.written', 'q', 'team/'],
      ['namespace.deleted', 'team/', ''],
    ])
  })

  it('report a root token generated from key shares', async () => {
    const own = await createKernel({ storage: memoryStorage(), seal: shamirSeal() })
    const { keys } = await own.seal.initialize({ secret_shares: 1, secret_threshold: 1 })
    const [key] = keys as [string]
    await own.seal.unseal({ key })
    const events = await eventsOf(own, async () => {
      const { nonce } = await own.generateRoot.init()
      await own.generateRoot.update({ key, nonce })
    })
    const { keys: accessors } = await own.tokens.listAccessors()
    const made = { display_name: 'root', policies: ['root'], token_type: 'service' }
    expect(events).toEqual([
      { type: 'token.created', namespace: '', mount: 'auth/token/', accessor: expect.any(String), ...made },
    ])
    expect(accessors).toContain(events[0]?.['accessor'])
    await own.close()
  })

  it('report changes of password policies and token roles', async () => {
    const rules = 'length = 20\nrule "charset" { charset = "abcdef" }'
    const events = await eventsOf(kernel, async () => {
      await kernel.policies.writePasswordPolicy({ name: 'db', policy: rules })
      await kernel.policies.generatePassword({ name: 'db' })
      await kernel.policies.deletePasswordPolicy({ name: 'db' })
      await kernel.policies.deletePasswordPolicy({ name: 'db' })
      await kernel.tokens.writeRole({ role_name: 'app', allowed_policies: ['p'] })
      await kernel.tokens.deleteRole({ role_name: 'app' })
      await kernel.tokens.deleteRole({ role_name: 'app' })
    })
    const [sys, token] = [
      { namespace: '', mount: 'sys/', name: 'db' },
      { namespace: '', mount: 'auth/token/', name: 'app' },
    ]
    expect(events).toEqual([
      { type: 'password_policy.written', ...sys },
      { type: 'password_policy.deleted', ...sys },
      { type: 'token_role.written', ...token },
      { type: 'token_role.deleted', ...token },
    ])
  })

  it('report leases that are issued, renewed, revoked, expired or irrevocable', async () => {
    const clock = fakeClock()
    const lending = await openLendingWorld({ clock })
    const ids: string[] = []
    const events = await eventsOf(lending.kernel, async () => {
      const [first, second, third] = [
        await lending.enter({ ttl: 100 }),
        await lending.enter({ ttl: 100 }),
        await lending.enter({ ttl: 100 }),
      ]
      ids.push(first.id, second.id, third.id)
      await lending.kernel.leases.renewLease({ lease_id: first.id, increment: 1000 })
      await lending.kernel.leases.revokeLease({ lease_id: second.id })
      await clock.advance(100_000)
      await lending.kernel.tick()
      lending.trouble.error = new Error('it never works')
      for (let tries = 0; tries < 20; tries++) {
        await clock.advance(1_000_000)
        await lending.kernel.tick()
      }
    })
    expect(new Set(ids).size).toBe(3)
    expect(
      events
        .filter(({ type }) => type !== 'work.failed')
        .map(({ type, lease_id, mount, namespace }) => [type, ids.indexOf(String(lease_id)), mount, namespace]),
    ).toEqual(
      [
        ...[0, 1, 2].map((lease) => ['lease.issued', lease]),
        ['lease.renewed', 0],
        ['lease.revoked', 1],
        ['lease.expired', 2],
        ['lease.irrevocable', 0],
      ].map((event) => [...event, 'lend/', '']),
    )
    await lending.kernel.close()
  })

  it('report barrier rotation, sealing, unsealing and closing', async () => {
    const own = await createDevKernel()
    const types: string[] = []
    own.events.on('*', ({ type }) => types.push(type))
    expect(await eventsOf(own, () => own.seal.rotate())).toEqual([{ type: 'barrier.rotated', namespace: '', mount: '', term: 2 }])
    types.length = 0
    await own.seal.seal()
    await own.seal.unseal()
    await own.close()
    await turns()
    expect(types).toEqual(['kernel.sealed', 'kernel.unsealed', 'kernel.closed'])
  })

  it('report each audit entry that a sink fails to write', async () => {
    const own = await createDevKernel({
      ports: {
        audit: {
          sinks: {
            good: () => {},
            bad: () => {
              throw new Error('full')
            },
          },
        },
      },
    })
    const events = await eventsOf(own, () => own.kv.listSecrets({}))
    expect(events).toEqual([
      { type: 'audit.failed', namespace: '', mount: '', sink: 'bad' },
      { type: 'audit.failed', namespace: '', mount: '', sink: 'bad' },
    ])
    await own.close()
  })
})

describe('an event', () => {
  it('is published once for a committed operation, even if it was rerun, and not for a refused one', async () => {
    const storage = memoryStorage()
    let conflicts = 0
    const jealous = {
      ...storage,
      caps: storage.caps,
      commit: async (...args: Parameters<typeof storage.commit>) => {
        const secret = args[0].some((op) => 'key' in op && op.key.includes('/secret/'))
        if (secret && conflicts++ < 2) return { ok: false as const, conflict: 'x', version: 1 }
        return storage.commit(...args)
      },
    }
    const own = await createDevKernel({ storage: jealous as typeof storage })
    const events = await eventsOf(own, async () => {
      await own.kv.writeSecret({ path: 'a', data: { a: 1 } })
      await own.kv.writeSecret({ path: 'b', data: {} }).catch(() => {})
    })
    expect(conflicts).toBeGreaterThan(2)
    expect(events.map(({ type, path }) => [type, path])).toEqual([['secret.written', 'a']])
    await own.close()
  })

  it('is not published if the storage fails to commit', async () => {
    const storage = memoryStorage()
    let broken = false
    const frail = {
      ...storage,
      caps: storage.caps,
      commit: async (...args: Parameters<typeof storage.commit>) => {
        if (broken) throw new Error('the disk is gone')
        return storage.commit(...args)
      },
    }
    const own = await createDevKernel({ storage: frail as typeof storage })
    broken = true
    const events = await eventsOf(own, () => own.kv.writeSecret({ path: 'a', data: { a: 1 } }).catch(() => {}))
    expect(events).toEqual([])
    broken = false
    await own.close()
  })

  it('is published when its change can already be read', async () => {
    const seen: unknown[] = []
    kernel.events.on('secret.written', async ({ path }) => seen.push((await kernel.kv.readSecret({ path })).data))
    await kernel.kv.writeSecret({ path: 'a', data: { n: 1 } })
    await turns()
    expect(seen).toEqual([{ n: 1 }])
  })
})

describe('an event listener', () => {
  it('receives only events of its type, until it is removed or its signal is aborted', async () => {
    const received: string[] = []
    const abort = new AbortController()
    const off = kernel.events.on('secret.written', ({ path }) => received.push(`a ${path}`))
    kernel.events.on('secret.written', ({ path }) => received.push(`b ${path}`), { signal: abort.signal })
    kernel.events.on('secret.deleted', ({ path }) => received.push(`c ${path}`))
    await kernel.kv.writeSecret({ path: '1', data: { a: 1 } })
    await turns()
    off()
    await kernel.kv.writeSecret({ path: '2', data: { a: 1 } })
    await turns()
    abort.abort()
    await kernel.kv.writeSecret({ path: '3', data: { a: 1 } })
    await turns()
    expect(received).toEqual(['a 1', 'b 1', 'b 2'])
  })

  it('that throws or rejects affects neither the operation nor other listeners', async () => {
    const types: string[] = []
    kernel.events.on('*', () => {
      throw new Error('a bad listener')
    })
    kernel.events.on('*', () => Promise.reject(new Error('a worse one')))
    kernel.events.on('*', ({ type }) => types.push(type))
    await kernel.kv.writeSecret({ path: 'a', data: { a: 1 } })
    await kernel.kv.writeSecret({ path: 'b', data: { a: 1 } })
    await turns()
    expect(types).toEqual(['secret.written', 'secret.written'])
  })

  it('that is slow delays no operation, and its lost callback gets the number of events it missed', async () => {
    const paths: string[] = []
    const losses: number[] = []
    let go = (): void => {}
    const held = new Promise<void>((resolve) => {
      go = resolve
    })
    const slow = async ({ path }: { readonly path: string }) => {
      paths.push(path)
      await held
    }
    kernel.events.on('secret.written', slow, { limit: 3, lost: (count) => losses.push(count) })
    for (let n = 0; n < 10; n++) {
      await kernel.kv.writeSecret({ path: `p${n}`, data: { n } })
      if (n === 0) await turns(1)
    }
    expect(paths).toEqual(['p0'])
    go()
    await turns()
    expect(paths).toEqual(['p0', 'p1', 'p2', 'p3'])
    expect(losses).toEqual([6])
    await kernel.kv.writeSecret({ path: 'last', data: { n: 1 } })
    await turns()
    expect(paths.at(-1)).toBe('last')
  })

  it('cannot change the event object', async () => {
    const events: KernelEvent[] = []
    kernel.events.on('*', (event) => {
      expect(() => Object.assign(event, { type: 'other' })).toThrow(TypeError)
      events.push(event)
    })
    await kernel.kv.writeSecret({ path: 'a', data: { a: 1 } })
    await turns()
    expect(events).toHaveLength(1)
  })

  it.each([
    ['a type that is no string', () => kernel.events.on(5 as never, () => {})],
    ['no callback', () => kernel.events.on('*', undefined as never)],
    ['a limit of 0', () => kernel.events.on('*', () => {}, { limit: 0 })],
    ['a fractional limit of a stream', () => kernel.events.stream({ limit: 1.5 })],
  ])('is refused with %s', (_, listen) => {
    expect(listen).toThrow(TypeError)
  })
})

describe('an event stream', () => {
  it('yields the events after the call in order, and ends when its signal is aborted', async () => {
    const abort = new AbortController()
    const stream = kernel.events.stream({ types: ['secret.written', 'key.created'], signal: abort.signal })
    await kernel.kv.writeSecret({ path: 'a', data: { a: 1 } })
    await kernel.kv.deleteSecret({ path: 'a' })
    const later = (async () => {
      await turns(2)
      await kernel.transit.createKey({ name: 'k' })
      await turns(2)
      abort.abort()
    })()
    const seen: string[] = []
    for await (const event of stream) seen.push(event.type)
    await later
    expect(seen).toEqual(['secret.written', 'key.created'])
  })

  it('ends when the loop exits, when the kernel closes, or at once if its signal is already aborted', async () => {
    const stream = kernel.events.stream()
    await kernel.kv.writeSecret({ path: 'a', data: { a: 1 } })
    for await (const { type } of stream) {
      expect(type).toBe('secret.written')
      break
    }
    expect(await stream.next()).toEqual({ done: true, value: undefined })
    for await (const _ of kernel.events.stream({ signal: AbortSignal.abort() })) expect.unreachable()
    const types: string[] = []
    const own = await createDevKernel()
    const reading = (async () => {
      for await (const { type } of own.events.stream()) types.push(type)
    })()
    await own.close()
    await reading
    expect(types).toEqual(['kernel.closed'])
    await kernel.events.stream().return()
  })

  it('yields events.lost with the number of events beyond its limit', async () => {
    const stream = kernel.events.stream({ types: ['secret.written'], limit: 2 })
    for (let n = 0; n < 5; n++) await kernel.kv.writeSecret({ path: `p${n}`, data: { n } })
    const seen: unknown[] = []
    for await (const event of stream) {
      seen.push(event.type === 'events.lost' ? event.lost : event.path)
      if (seen.length === 3) break
    }
    expect(seen).toEqual(['p0', 'p1', 3])
  })
})
