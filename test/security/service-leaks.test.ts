/**
 * No secret may appear in the audit log, in events or on tracing channels: nothing that was sent or answered, whole or in part, as text,
 * hexadecimal or base64. The test knows every value.
 */
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createKernel, type Kernel, memoryStorage, shamirSeal } from '../../src/index.ts'
import { fakeClock, seededEntropy } from '../../src/testing/index.ts'
import { wrapped } from '../engines/import-blob.ts'
import { usePreparedRsaKeys } from '../fixtures/prepared-rsa-keys.ts'
import { publicKeys, seeingPgp } from '../fixtures/seeing-pgp.ts'
import { base64, bytesOf, utf8 } from '../property/support.ts'
import { Haystack, type Secret } from './haystack.ts'

usePreparedRsaKeys()

const CHANNELS = [
  ...['start', 'end', 'asyncStart', 'asyncEnd', 'error'].map((name) => `tracing:strongroom.request:${name}`),
  'strongroom.event',
]

const logged = new Haystack()
const lines: string[] = []
const write = ({ line }: { readonly line: string }): void => {
  lines.push(line)
  logged.addText('the log', line)
}
const outputs = new Haystack()
const hidden: Secret[] = []
const clock = fakeClock()
const pgp = seeingPgp()
let kernel: Kernel
let token = ''

/** Records a secret as text, and as the bytes of its hexadecimal or base64 form. */
function keep(name: string, secret: unknown): string {
  if (typeof secret !== 'string' || secret.length < 10) throw new Error(`${name} is no secret: ${String(secret)}`)
  hidden.push({ name, bytes: utf8(secret) })
  if (/^([\da-f]{2}){16,}$/i.test(secret)) hidden.push({ name, bytes: Buffer.from(secret, 'hex') })
  else if (/^[\w+/-]{22,}={0,2}$/.test(secret)) hidden.push({ name, bytes: Buffer.from(secret, 'base64') })
  return secret
}

/** Records every text of an answer whose members are all secret. */
function keepAll(name: string, values: unknown): void {
  if (typeof values === 'string') keep(name, values)
  else for (const [member, value] of Object.entries(values as object)) keepAll(`${name}.${member}`, value)
}

type Body = Record<string, unknown> & { readonly data: Record<string, string>; readonly auth: { readonly client_token: string } }

/** The body of an answer, which must be successful. */
async function ask(method: string, path: string, body?: object, headers: Record<string, string> = {}): Promise<Body> {
  const answer = await kernel.handle({
    method,
    path: `/v1/${path}`,
    headers: { 'X-Service-Token': token, ...headers },
    ...(body ? { body } : {}),
  })
  if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`)
  return (answer.body ?? {}) as Body
}

let serial = 0
/** A unique secret. */
const text = (name: string): string => keep(name, `${name}-${Buffer.from(bytesOf(18, 1000 + serial++)).toString('base64url')}`)
const bytes = (name: string): string => keep(name, base64(bytesOf(32, 1000 + serial++)))

async function opened(): Promise<readonly string[]> {
  const [anna, bert] = publicKeys(2) as [string, string]
  const made = await ask('PUT', 'sys/init', { secret_shares: 3, secret_threshold: 2, pgp_keys: [anna, bert, anna] })
  keepAll('encrypted shares', made['keys'])
  const shares = pgp.seen.slice(0, 3)
  keepAll('shares', shares)
  token = keep('the root token', made['root_token'])
  for (const key of shares.slice(0, 2)) await ask('PUT', 'sys/unseal', { key })
  return shares
}

async function secrets(): Promise<void> {
  await ask('POST', 'sys/mounts/two', { type: 'kv', options: { version: '2' } })
  for (const path of ['secret/a', 'cubbyhole/a']) {
    await ask('POST', path, { password: text(path), deep: { er: [text(path)] } })
    await ask('GET', path)
    await ask('DELETE', path)
  }
  await ask('POST', 'two/data/a', { data: { password: text('kv2'), list: [text('kv2')] }, options: { cas: 0 } })
  await kernel.handle({
    method: 'PATCH',
    path: '/v1/two/data/a',
    headers: { 'X-Service-Token': token, 'Content-Type': 'application/merge-patch+json' },
    body: { data: { more: text('kv2 patch') } },
  })
  await ask('GET', 'two/data/a', undefined)
  await ask('POST', 'two/metadata/a', { custom_metadata: { note: text('custom metadata') } })
  await ask('GET', 'two/metadata/a')
  await ask('POST', 'two/destroy/a', { versions: [1] })
  await ask('DELETE', 'two/metadata/a')
  await kernel.kv.writeSecret({ path: 'typed', data: { password: text('typed kv') } })
  await kernel.kv.readSecret({ path: 'typed' })
  await ask('POST', 'sys/policies/password/p', {
    policy: 'length = 24\nrule "charset" { charset = "abcdefghijkmnopqrstuvwxyz" }',
  })
  keepAll('password', (await ask('GET', 'sys/policies/password/p/generate')).data)
}

const wrapInfoOf = (body: Body) => body['wrap_info'] as { readonly token: string }

async function wrappingAndTokens(): Promise<void> {
  const wrap = { 'X-Service-Wrap-TTL': '60' }
  const put = async () =>
    keep('wrapping token', wrapInfoOf(await ask('POST', 'sys/wrapping/wrap', { put: text('wrapped') }, wrap)).token)
  await ask('POST', 'sys/wrapping/lookup', { token: await put() })
  const again = keep('wrapping token', wrapInfoOf(await ask('POST', 'sys/wrapping/rewrap', { token: await put() })).token)
  await ask('POST', 'sys/wrapping/unwrap', { token: again })
  await ask('POST', 'sys/wrapping/unwrap', undefined, { 'X-Service-Token': await put() })
  await ask('POST', 'secret/b', { password: text('behind a wrapped read') })
  const read = keep('wrapping token', wrapInfoOf(await ask('GET', 'secret/b', undefined, wrap)).token)
  await ask('POST', 'sys/wrapping/unwrap', { token: read })
  for (const type of ['service', 'batch']) {
    const { auth } = await ask('POST', 'auth/token/create', { type, policies: ['default'], ttl: '1h' })
    keep(`${type} token`, auth.client_token)
    await ask('POST', 'auth/token/lookup', { token: auth.client_token })
    await ask('GET', 'auth/token/lookup-self', undefined, { 'X-Service-Token': auth.client_token })
  }
  const { auth } = await ask('POST', 'auth/token/create', { id: text('chosen-token'), ttl: '1h' })
  await ask('POST', 'auth/token/renew', { token: auth.client_token })
  await ask('POST', 'auth/token/revoke', { token: auth.client_token })
  for (const bad of [text('no-token'), `${auth.client_token}x`])
    await kernel.handle({ method: 'GET', path: '/v1/secret/b', headers: { 'X-Service-Token': bad } })
}

async function transit(): Promise<void> {
  const name = 'k'
  await ask('POST', `transit/keys/${name}`, { exportable: true, allow_plaintext_backup: true })
  await ask('POST', 'transit/keys/signing', { type: 'ed25519', exportable: true })
  const ciphertext = keep(
    'ciphertext',
    (await ask('POST', `transit/encrypt/${name}`, { plaintext: bytes('plaintext') })).data['ciphertext'],
  )
  await ask('POST', `transit/decrypt/${name}`, { ciphertext })
  await ask('POST', `transit/rewrap/${name}`, { ciphertext })
  const batch = await ask('POST', `transit/encrypt/${name}`, {
    batch_input: [
      { plaintext: bytes('batch item') },
      { plaintext: bytes('batch item'), associated_data: bytes('associated data') },
    ],
  })
  const items = batch.data['batch_results'] as unknown as readonly { readonly ciphertext: string }[]
  await ask('POST', `transit/decrypt/${name}`, { batch_input: [{ ciphertext: items[0]?.ciphertext }] })
  await kernel.transit.encryptBatch({ name, batch_input: [{ plaintext: bytesOf(32, 77) }] })
  hidden.push({ name: 'typed batch item', bytes: bytesOf(32, 77) })
  const { hmac } = (await ask('POST', `transit/hmac/${name}`, { input: bytes('hmac input') })).data
  keep('hmac', hmac)
  const input = bytes('signed')
  const signature = keep('signature', (await ask('POST', 'transit/sign/signing', { input })).data['signature'])
  await ask('POST', 'transit/verify/signing', { input, signature })
  keepAll('random', (await ask('POST', 'transit/random/32', {})).data)
  keepAll('tool random', (await ask('POST', 'sys/tools/random/32', {}).catch(() => ({ data: {} }))).data)
  await ask('POST', 'transit/hash', { input: bytes('hash input') })
  for (const kind of ['plaintext', 'wrapped']) {
    const { data } = await ask('POST', `transit/datakey/${kind}/${name}`, {})
    for (const member of ['plaintext', 'ciphertext']) if (data[member]) keep(`data key ${member}`, data[member])
  }
  keepAll('export', (await ask('GET', `transit/export/encryption-key/${name}`)).data['keys'])
  keepAll('export', (await ask('GET', 'transit/export/signing-key/signing')).data['keys'])
  const backup = keep('backup', (await ask('GET', `transit/backup/${name}`)).data['backup'])
  await ask('POST', 'transit/restore/other', { backup })
  const { public_key } = await kernel.transit.readWrappingKey()
  const imported = bytesOf(32, 4712)
  hidden.push({ name: 'imported key', bytes: imported })
  await ask('POST', 'transit/keys/moved/import', {
    type: 'aes256-gcm96',
    ciphertext: keep('blob', base64(wrapped(public_key, imported))),
  })
}

async function newKeys(shares: readonly string[]): Promise<void> {
  const attempt = await ask('PUT', 'sys/generate-root/attempt', {})
  keep('one-time pad', attempt['otp'])
  for (const key of shares.slice(0, 2)) {
    const done = await ask('PUT', 'sys/generate-root/update', { key, nonce: attempt['nonce'] })
    if (done['encoded_token']) keep('encoded token', done['encoded_token'])
  }
  const [anna, bert] = publicKeys(2)
  const rekey = await ask('PUT', 'sys/rekey/init', {
    secret_shares: 2,
    secret_threshold: 2,
    pgp_keys: [anna, bert],
    backup: true,
  })
  let keys: unknown
  for (const key of shares.slice(0, 2)) keys = (await ask('PUT', 'sys/rekey/update', { key, nonce: rekey['nonce'] }))['keys']
  keepAll('new encrypted shares', keys)
  const fresh = pgp.seen.slice(3)
  keepAll('new shares', fresh)
  await ask('GET', 'sys/rekey/backup')
  await ask('PUT', 'sys/rotate')
  await ask('PUT', 'sys/seal')
  for (const key of fresh) await ask('PUT', 'sys/unseal', { key })
}

const record = (message: unknown, name: string | symbol): void => outputs.addText(String(name), JSON.stringify(message))

beforeAll(async () => {
  for (const name of CHANNELS) subscribe(name, record)
  kernel = await createKernel({
    storage: memoryStorage(),
    seal: shamirSeal(),
    clock,
    entropy: seededEntropy('service leaks'),
    unauthenticated: { rekey: true, generateRoot: true },
    ports: { pgp, audit: { sinks: { log: write } } },
  })
  kernel.events.on('*', (event) => outputs.addText('an event', JSON.stringify(event)))
  const shares = await opened()
  await secrets()
  await wrappingAndTokens()
  await transit()
  await newKeys(shares)
  await clock.advance(86_400_000)
  await kernel.tick()
})
afterAll(() => {
  for (const name of CHANNELS) unsubscribe(name, record)
  return kernel.close()
})

describe.each([
  ['the audit log', logged],
  ['events and tracing', outputs],
] as const)('the recorded content of %s', (_, hay) => {
  it('has enough samples for this test', () => {
    expect(hay.size).toBeGreaterThan(120)
    expect(hidden.length).toBeGreaterThan(80)
  })

  it('contains no secret in any form', () => {
    expect(hay.find(hidden)).toEqual([])
  })
})

describe('the audit entries of seal requests', () => {
  interface Entry {
    readonly type: string
    readonly auth: { readonly policies?: readonly string[]; readonly token_type: string }
    readonly request: {
      readonly id: string
      readonly operation: string
      readonly path: string
      readonly data?: Record<string, unknown>
    }
  }
  const entriesOf = (path: string): Entry[] =>
    lines.map((line) => JSON.parse(line) as Entry).filter(({ request }) => request.path === path)
  const HMAC = /^hmac-sha256:[\da-f]{64}$/

  it.each([
    'sys/rekey/init',
    'sys/rekey/update',
    'sys/generate-root/attempt',
    'sys/generate-root/update',
    'sys/rotate',
    'sys/seal',
  ])('include one request and one response for each call of %s', (path) => {
    const entries = entriesOf(path)
    expect(entries.length).toBeGreaterThanOrEqual(2)
    for (const { type, request } of entries)
      expect(entries.filter((entry) => entry.request.id === request.id && entry.type !== type)).toHaveLength(1)
    expect(entries.every(({ request }) => request.operation === 'update')).toBe(true)
  })

  it('contain equal HMACs for equal key shares', () => {
    const rekeyed = entriesOf('sys/rekey/update').map(({ request }) => request.data?.['key'])
    const rooted = entriesOf('sys/generate-root/update').map(({ request }) => request.data?.['key'])
    expect([...rekeyed, ...rooted]).toEqual(Array.from({ length: 8 }, () => expect.stringMatching(HMAC)))
    expect(rekeyed).toEqual(rooted)
    expect(new Set(rekeyed).size).toBe(2)
  })

  it('contain the policies of the caller who sealed the kernel', () => {
    expect(entriesOf('sys/seal').map(({ auth }) => auth.policies)).toEqual([['root'], ['root']])
  })

  // The keys of an audit device are behind the barrier, so nothing can be written before the barrier is open.
  it('do not contain initialization and unsealing', () => {
    expect([...entriesOf('sys/init'), ...entriesOf('sys/unseal')]).toEqual([])
  })
})
