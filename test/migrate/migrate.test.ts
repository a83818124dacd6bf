/** Migrations between kernels and served kernels. */
import { afterEach, describe, expect, it } from 'vitest'
import type { Kernel } from '../../src/index.ts'
import { MigrationError, type MigrationState, migrate, planMigration } from '../../src/migrate/index.ts'
import { ask, contentOf, keysOf, newKernel, served } from './sides.ts'

const closing: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close()
})

async function kernel(...options: Parameters<typeof newKernel>): Promise<Kernel> {
  const made = await newKernel(...options)
  closing.push(() => made.close())
  return made
}

async function server(of: Kernel) {
  const serving = await served(of)
  closing.push(serving.close)
  return serving.party
}

const MOUNTS = { secret: 2, old: 1, 'team/apps': 2 } as const

async function mountSecrets(source: Kernel): Promise<void> {
  await ask(source, 'POST', 'sys/mounts/secret/tune', { options: { version: '2' } })
  await ask(source, 'POST', 'sys/mounts/old', { type: 'kv', description: 'the first secrets', config: { max_lease_ttl: '9h' } })
  await ask(source, 'POST', 'sys/mounts/team/apps', { type: 'kv', options: { version: '2' } })
}

/** A source with every kind of content that a migration copies. */
async function filledKernel(): Promise<Kernel> {
  const source = await kernel()
  await mountSecrets(source)
  await ask(source, 'POST', 'team/apps/config', { max_versions: 4, delete_version_after: '800h' })
  await ask(source, 'POST', 'old/a/b%20c/d%25%C3%A9', {
    text: 'line\n€',
    number: 12345678901234567890n,
    nested: { list: [1, null, ''] },
  })
  await ask(source, 'POST', 'old/plain', { value: 'v' })
  const write = async (path: string, count: number, mount = 'secret') => {
    for (let n = 1; n <= count; n++) await ask(source, 'POST', `${mount}/data/${path}`, { data: { n, secret: `${path} ${n}` } })
  }
  await write('one', 1)
  await write('two', 2)
  await write('many', 14)
  await write('folder/states', 5)
  await ask(source, 'POST', 'secret/delete/folder/states', { versions: [1, 5] })
  await ask(source, 'POST', 'secret/destroy/folder/states', { versions: [3] })
  await write('all-gone', 2)
  await ask(source, 'POST', 'secret/destroy/all-gone', { versions: [1, 2] })
  await ask(source, 'POST', 'secret/metadata/settings', {
    max_versions: 3,
    cas_required: true,
    delete_version_after: '700h',
    custom_metadata: { owner: 'ann' },
  })
  for (let cas = 0; cas < 6; cas++) await ask(source, 'POST', 'secret/data/settings', { data: { cas }, options: { cas } })
  await ask(source, 'POST', 'secret/metadata/empty', { custom_metadata: { only: 'metadata' } })
  await write('service', 9, 'team/apps')
  await ask(source, 'POST', 'sys/policies/acl/reader', { policy: 'path "secret/*" { capabilities = ["read"] }' })
  const characters = 'rule "charset" { charset = "abcdef" min-chars = 1 }'
  await ask(source, 'POST', 'sys/policies/password/short', { policy: `length = 12\n${characters}` })
  return source
}

const NOTHING = { refused: [], differences: [] }

/** Reads and writes states as a file does. */
function stateFile() {
  const file = { text: '' }
  return {
    file,
    store: {
      load: () => (file.text === '' ? undefined : (JSON.parse(file.text) as MigrationState)),
      save: (state: MigrationState) => {
        file.text = JSON.stringify(state)
      },
    },
  }
}

describe('migrate', () => {
  it.each([
    ['a kernel to a kernel', false, false],
    ['a server to a kernel', true, false],
    ['a kernel to a server', false, true],
    ['a server to a server', true, true],
  ])('copies secrets with all versions, states and settings, and policies, from %s', async (_, fromServer, toServer) => {
    const [source, target] = [await filledKernel(), await kernel()]
    const before = await contentOf(source, MOUNTS)
    const from = fromServer ? await server(source) : source
    const to = toServer ? await server(target) : target
    const seen: number[] = []
    const report = await migrate({ from, to, onProgress: ({ done, total }) => seen.push(done / total) })
    expect(report).toMatchObject({ ok: true, ...NOTHING, verified: { mount: 4, secret: 10, policy: 2, password_policy: 1 } })
    expect(report.notes).toEqual([
      { kind: 'secret', mount: 'secret/', name: 'folder/states', reason: expect.stringMatching(/2 deleted versions/) },
    ])
    expect(seen.at(-1)).toBe(1)
    expect(await contentOf(target, MOUNTS)).toEqual(before)
    expect(await contentOf(source, MOUNTS)).toEqual(before)
    const states = await ask(target, 'GET', 'secret/metadata/folder/states')
    expect(await migrate({ from, to })).toMatchObject({ ok: true, verified: report.verified })
    expect(await ask(target, 'GET', 'secret/metadata/folder/states')).toEqual(states)
  })

  it('copies keys that allow backups with their material, and the target decrypts and verifies data of the source', async () => {
    const [source, target] = [await kernel(), await kernel()]
    const open = { exportable: true, allow_plaintext_backup: true }
    const types = ['aes256-gcm96', 'chacha20-poly1305', 'ed25519', 'ecdsa-p256', 'hmac']
    for (const type of types)
      await ask(source, 'POST', `transit/keys/${type}`, { type, ...open, ...(type === 'hmac' && { key_size: 32 }) })
    await ask(source, 'POST', 'transit/keys/derived', { derived: true, convergent_encryption: true, ...open })
    await ask(source, 'POST', 'transit/keys/trimmed', open)
    for (let n = 0; n < 4; n++) await ask(source, 'POST', 'transit/keys/trimmed/rotate')
    await ask(source, 'POST', 'transit/keys/trimmed/config', {
      min_decryption_version: 3,
      min_encryption_version: 4,
      deletion_allowed: true,
    })
    await ask(source, 'POST', 'transit/keys/trimmed/trim', { min_available_version: 2 })
    const plaintext = Buffer.from('the data').toString('base64')
    const { data } = await ask(source, 'POST', 'transit/encrypt/trimmed', { plaintext })
    const report = await migrate({ from: await server(source), to: target })
    expect(report).toMatchObject({ ok: true, ...NOTHING, notes: [], verified: { key: 7 } })
    expect(await keysOf(target)).toEqual(await keysOf(source))
    const opened = await ask(target, 'POST', 'transit/decrypt/trimmed', { ciphertext: data?.['ciphertext'] })
    expect(opened.data).toMatchObject({ plaintext })
  })

  it('copies exportable keys that allow no backup by a wrapped export, and continues a copy that has only the first versions', async () => {
    const [source, target] = [await kernel(), await kernel()]
    const types = ['aes128-gcm96', 'aes256-gcm96', 'chacha20-poly1305', 'ed25519', 'ecdsa-p256', 'ecdsa-p384', 'hmac']
    for (const type of types) {
      const size = type === 'hmac' ? { key_size: 48 } : {}
      await ask(source, 'POST', `transit/keys/${type}`, { type, exportable: true, ...size })
      await ask(source, 'POST', `transit/keys/${type}/rotate`)
    }
    expect(await migrate({ from: source, to: target })).toMatchObject({ ok: true, ...NOTHING, verified: { key: 7 } })
    await ask(source, 'POST', 'transit/keys/ed25519/rotate')
    await ask(source, 'POST', 'transit/keys/aes256-gcm96/config', { min_encryption_version: 2, deletion_allowed: true })
    const report = await migrate({ from: source, to: target })
    expect(report).toMatchObject({ ok: true, ...NOTHING, verified: { key: 7 } })
    expect(report.notes.map(({ name }) => name)).toEqual(types.filter((type) => type !== 'hmac').sort())
    expect(await keysOf(target)).toEqual(await keysOf(source))
  })

  it('reports keys that cannot leave the source and mounts whose content cannot be read, with the reason', async () => {
    const [source, target] = [await kernel(), await kernel()]
    await ask(source, 'POST', 'transit/keys/closed', {})
    await ask(source, 'POST', 'transit/keys/derived', { derived: true, exportable: true })
    await ask(source, 'POST', 'transit/keys/gone', { exportable: true, allow_plaintext_backup: true })
    await ask(source, 'DELETE', 'transit/keys/gone/soft-delete')
    const plan = await planMigration({ from: source })
    const report = await migrate({ from: source, to: target })
    expect(report.ok).toBe(false)
    expect(report.refused.map(({ name, reason }) => [name, reason.split(/[,;]/)[0]])).toEqual([
      ['closed', 'the key is not exportable'],
      ['derived', 'without allow_plaintext_backup'],
      ['gone', 'the key is soft-deleted'],
    ])
    expect(report.skipped.map(({ mount }) => mount).sort()).toEqual(['auth/orchestrator/', 'cloud/', 'database/'])
    expect([...plan.skipped].sort(byMount)).toEqual([...report.skipped, ...report.refused].sort(byMount))
    expect((await keysOf(target)).size).toBe(0)
  })

  it('plans the copy without changing either side, and names how each key is copied', async () => {
    const source = await filledKernel()
    await ask(source, 'POST', 'transit/keys/a', { exportable: true, allow_plaintext_backup: true })
    await ask(source, 'POST', 'transit/keys/b', { exportable: true })
    const before = await contentOf(source, MOUNTS)
    const { items } = await planMigration({ from: await server(source) })
    expect(items.filter(({ kind }) => kind === 'key')).toEqual([
      { kind: 'key', mount: 'transit/', name: 'a', by: 'backup' },
      { kind: 'key', mount: 'transit/', name: 'b', by: 'wrapped export' },
    ])
    expect(items).toContainEqual({ kind: 'secret', mount: 'old/', name: 'a/b c/d%é' })
    expect(await contentOf(source, MOUNTS)).toEqual(before)
  })

  it('changes nothing that the target already has under the same names, and reports it', async () => {
    const [source, target] = [await filledKernel(), await kernel()]
    await mountSecrets(target)
    await ask(target, 'POST', 'secret/data/one', { data: { mine: true } })
    await ask(target, 'POST', 'secret/data/two', { data: { n: 1, secret: 'two 1' } })
    await ask(target, 'POST', 'old/plain', { value: 'mine' })
    await ask(target, 'POST', 'sys/policies/acl/reader', { policy: 'path "mine" { capabilities = ["read"] }' })
    await ask(source, 'POST', 'transit/keys/k', { exportable: true, allow_plaintext_backup: true })
    await ask(target, 'POST', 'transit/keys/k', { exportable: true, allow_plaintext_backup: true })
    const before = await contentOf(target, MOUNTS)
    const report = await migrate({ from: source, to: target })
    expect(report.refused.map(({ kind, mount, name }) => `${kind} ${mount}${name}`).sort()).toEqual([
      'key transit/k',
      'policy reader',
      'secret old/plain',
      'secret secret/one',
    ])
    expect(report).toMatchObject({ ok: false, differences: [] })
    const after = await contentOf(target, MOUNTS)
    for (const name of ['secret one', 'secret one 1', 'old plain', 'acl reader']) expect(after.get(name)).toBe(before.get(name))
    expect(after.get('secret two 2')).toBeDefined()
  })

  it('refuses a mount that exists at the target with another type, with all its secrets', async () => {
    const [source, target] = [await filledKernel(), await kernel()]
    await ask(target, 'POST', 'sys/mounts/old', { type: 'transit' })
    await ask(target, 'POST', 'secret/used', { by: 'the target' })
    const report = await migrate({ from: source, to: target })
    expect(report.refused).toEqual([
      { kind: 'mount', mount: 'old/', name: '', reason: expect.stringMatching(/type transit/) },
      { kind: 'mount', mount: 'secret/', name: '', reason: expect.stringMatching(/version 1 of KV with secrets/) },
    ])
    expect(report).toMatchObject({ differences: [], verified: { secret: 1 } })
  })

  it('reports secrets that changed at the source after they were copied', async () => {
    const [source, target] = [await filledKernel(), await kernel()]
    let isChanged = false
    const onProgress = ({ phase }: { phase: string }) => {
      if (phase === 'copy' || isChanged) return
      isChanged = true
      void ask(source, 'POST', 'old/plain', { value: 'changed' })
    }
    const report = await migrate({ from: source, to: target, onProgress, concurrency: 1 })
    expect(report).toMatchObject({ ok: false, differences: [{ mount: 'old/', name: 'plain', reason: 'the secrets differ' }] })
  })

  it('continues after an abort with only the saved state, which contains no secret and no token', async () => {
    const [source, target] = [await filledKernel(), await kernel()]
    const [from, to] = [await server(source), await server(target)]
    const { file, store } = stateFile()
    for (const last of [3, 7, 9, 11]) {
      const stop = new AbortController()
      let handled = 0
      const onProgress = () => {
        if (++handled === last) stop.abort(new Error('interrupted'))
      }
      await expect(migrate({ from, to, state: store, signal: stop.signal, onProgress, concurrency: 2 })).rejects.toThrow(
        'interrupted',
      )
      expect(file.text).not.toMatch(new RegExp(`many \\d|line|${from.token}|${to.token}`))
    }
    expect(await migrate({ from, to, state: store })).toMatchObject({ ok: true, ...NOTHING, verified: { secret: 10 } })
    expect(await contentOf(target, MOUNTS)).toEqual(await contentOf(source, MOUNTS))
  })

  it('stays within a namespace', async () => {
    const [source, target] = [await kernel(), await kernel()]
    for (const side of [source, target]) {
      await ask(side, 'POST', 'sys/namespaces/tenant', {})
      await ask(side, 'POST', 'tenant/sys/mounts/kv', { type: 'kv', options: { version: '2' } })
    }
    await ask(source, 'POST', 'tenant/kv/data/a', { data: { tenant: true } })
    await ask(source, 'POST', 'secret/root', { root: true })
    const from = { kernel: source, namespace: 'tenant', headerPrefix: 'X-Vault' }
    const report = await migrate({ from, to: { ...(await server(target)), namespace: 'tenant' } })
    expect(report).toMatchObject({ ok: true, verified: { secret: 1 } })
    expect((await ask(target, 'GET', 'tenant/kv/data/a')).data).toMatchObject({ data: { tenant: true } })
    expect((await ask(target, 'GET', 'secret/root')).status).toBe(404)
  })

  it('fails with a MigrationError without the token if a token is invalid or a server cannot be reached', async () => {
    const source = await kernel()
    const { address } = await server(source)
    const failing = [
      { address, token: 'wrong-secret-token' },
      { address: 'http://127.0.0.1:9', token: 'wrong-secret-token' },
    ]
    for (const from of failing) {
      const error = await migrate({ from, to: source }).catch((error: Error) => error)
      expect(error).toBeInstanceOf(MigrationError)
      expect(String((error as Error).stack)).not.toContain('wrong-secret-token')
      expect((error as Error).message).toMatch(/^the source (answered 403 to|did not answer) GET sys\/mounts$/)
    }
  })

  it('leaves no token behind in the kernels that it created tokens for', async () => {
    const [source, target] = [await filledKernel(), await kernel()]
    const accessors = async (of: Kernel) => (await ask(of, 'LIST', 'auth/token/accessors')).data?.['keys']
    const before = [await accessors(source), await accessors(target)]
    await migrate({ from: source, to: target })
    expect([await accessors(source), await accessors(target)]).toEqual(before)
  })

  it('refuses a state of another version and an invalid concurrency with a TypeError', async () => {
    const source = await kernel()
    const state = { load: () => ({ version: 2 }) as unknown as MigrationState, save: () => {} }
    await expect(migrate({ from: source, to: source, state })).rejects.toThrow(TypeError)
    await expect(migrate({ from: source, to: source, concurrency: 0 })).rejects.toThrow(TypeError)
    await expect(migrate({ from: { address: 'nowhere', token: 't' }, to: source })).rejects.toThrow(TypeError)
  })
})

const byMount = (a: { mount: string; name: string }, b: { mount: string; name: string }) =>
  `${a.mount} ${a.name}` < `${b.mount} ${b.name}` ? -1 : 1
