/**
 * Secrets of the configuration service appear in no refusal, event, trace, audit line, inspected object or stored byte, whether or not the
 * store is encrypted. This covers SecretIDs and bearer tokens, as text, hexadecimal and base64. The private keys of certificates are shown
 * only to callers that may read them, and are stored in plaintext only in an unencrypted store.
 */
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { expect, it } from 'vitest'
import { createConfigService } from '../../src/config-service.ts'
import { createDevKernel, type KernelResponse, keySeal, memoryStorage, type Storage } from '../../src/index.ts'
import { fakeClock } from '../../src/testing/index.ts'
import { NO_ID } from '../fixtures/configsvc-operations.ts'
import { ecPair } from '../fixtures/key-pairs.ts'
import { Haystack, type Secret } from '../security/haystack.ts'
import { P256, spkiPem, token } from '../unit/core/jwt/tokens.ts'

const ROOT = '5ec2e700-1111-4222-8333-444455556666'
const CHOSEN = '7a1f3c58-2b4d-4e6f-8a9b-0c1d2e3f4a5b'
const CHANNELS = [
  ...['start', 'end', 'asyncStart', 'asyncEnd', 'error'].map((name) => `tracing:strongroom.request:${name}`),
  'strongroom.event',
]

/** A UUID as text and as bytes. */
const uuidSecret = (name: string, uuid: string): readonly Secret[] => [
  { name, bytes: Buffer.from(uuid) },
  { name: `${name} as bytes`, bytes: Buffer.from(uuid.replaceAll('-', ''), 'hex') },
]

async function bytesOf(storage: Storage): Promise<string> {
  const entries = await storage.scan('', { limit: 1_000_000 })
  return entries
    .map(({ key, value }) => `${key} ${Buffer.from(value).toString('latin1')} ${Buffer.from(value).toString('hex')}`)
    .join('\n')
}

type Handles = { handle(request: object): Promise<KernelResponse> }

/** Runs everything that involves a secret, successfully and with errors. Returns the secrets; refusals are added to `seen`. */
async function live(service: Handles, now: number, seen: Haystack): Promise<readonly Secret[]> {
  const secrets: Secret[] = [...uuidSecret('the bootstrap token', ROOT), ...uuidSecret('a chosen SecretID', CHOSEN)]
  const ask = async (method: string, path: string, body?: unknown, secret = ROOT, query = {}): Promise<KernelResponse> => {
    const headers = { 'X-Config-Token': secret }
    const answer = await service.handle({
      method,
      path: `/v1/acl/${path}`,
      headers,
      query,
      ...(body === undefined ? {} : { body }),
    })
    if (answer.status >= 400) seen.add(`refusal of ${method} ${path}`, answer)
    return answer
  }
  const made = async (name: string, answer: Promise<KernelResponse>) => {
    const { status, body } = await answer
    if (status !== 200) throw new Error(`${name}: ${status} ${String(body)}`)
    const { SecretID, AccessorID } = body as { SecretID: string; AccessorID: string }
    secrets.push(...uuidSecret(name, SecretID))
    return { SecretID, AccessorID }
  }
  const created = await made('a new token', ask('PUT', 'token', { Description: 'a' }))
  await made('a chosen token', ask('PUT', 'token', { SecretID: CHOSEN }))
  await made('a clone', ask('PUT', `token/${created.AccessorID}/clone`, {}))
  const Config = { JWTValidationPubKeys: [spkiPem(P256)], JWTSupportedAlgs: ['ES256'], ClaimMappings: { name: 'name' } }
  await ask('PUT', 'auth-method', { Name: 'm', Type: 'jwt', Config })
  await ask('PUT', 'binding-rule', { AuthMethod: 'm', BindType: 'service', BindName: 'web' })
  const bearer = token('ES256', { iat: now, name: 'somebody' })
  const old = token('ES256', { iat: 1, exp: 2, name: 'somebody' })
  for (const [name, text] of Object.entries({ bearer, old }))
    secrets.push({ name, bytes: Buffer.from(text.split('.')[2] as string) })
  const login = await made('a login', ask('POST', 'login', { AuthMethod: 'm', BearerToken: bearer }, ''))

  // Failing requests, with secrets in places that refusals might repeat.
  for (const text of [old, `${bearer}x`, `x.${bearer}`, CHOSEN]) {
    await ask('POST', 'login', { AuthMethod: 'm', BearerToken: text }, '')
    await ask('POST', 'login', { AuthMethod: 'nothing', BearerToken: text }, '')
    await ask('POST', 'login', { AuthMethod: 'm', BearerToken: [text] }, '')
  }
  await ask('PUT', 'token', { SecretID: CHOSEN })
  await ask('PUT', 'token', { SecretID: `${CHOSEN}0` })
  await ask('PUT', 'token', { SecretID: { [CHOSEN]: 1 } })
  await ask('PUT', `token/${created.AccessorID}`, { SecretID: CHOSEN })
  await ask('PUT', 'bootstrap', { BootstrapSecret: CHOSEN })
  for (const secret of [created.SecretID, `${CHOSEN}0`, login.SecretID, CHOSEN.toUpperCase()]) {
    await ask('PUT', 'policy', { Name: 'x' }, secret)
    await ask('GET', 'roles', undefined, '', { token: secret })
    await ask('POST', 'logout', {}, secret)
  }
  await ask('DELETE', `token/${created.AccessorID}`)
  await ask('GET', 'token/self', undefined, created.SecretID)
  await ask('PUT', 'policy', '{"Name": "unfinished')
  for (const path of ['tokens', `token/${NO_ID}`, 'auth-methods', 'binding-rules']) seen.add(path, await ask('GET', path))
  return secrets
}

/** The private number of a P-256 key in PKCS #8, from a byte at which a base64 group begins. */
const numberIn = (pem: string): Buffer => Buffer.from(pem.replaceAll(/-----[^-]*-----|\s/g, ''), 'base64').subarray(36, 66)

/** Certificates with keys: written, read, listed and refused in every way. Responses with keys are used only to check that they arrived. */
async function liveWithCertificates(service: Handles, seen: Haystack): Promise<readonly Secret[]> {
  const [pair, otherPair] = [ecPair(), ecPair()]
  const [Certificate, PrivateKey, wrong] = [pair.certificate(), pair.key(), otherPair.key()]
  const entry = { Kind: 'inline-certificate', Name: 'cert', Certificate, PrivateKey }
  const ask = (method: string, path: string, body?: unknown, query = {}, secret = ROOT): Promise<KernelResponse> =>
    service.handle({ method, path: `/v1/${path}`, headers: { 'X-Config-Token': secret }, query, ...(body ? { body } : {}) })
  const shown = async (status: number, ...[method, path, ...rest]: Parameters<typeof ask>): Promise<void> => {
    const answer = await ask(method, path, ...rest)
    expect([method, path, answer.status, answer.body]).toEqual([method, path, status, expect.anything()])
    seen.add(`answer of ${method} ${path}`, answer)
  }
  const weak = ((await ask('PUT', 'acl/token', {})).body as { SecretID: string }).SecretID
  await shown(200, 'PUT', 'config', entry)
  await shown(200, 'PUT', 'config', entry)
  await shown(200, 'PUT', 'config', { ...entry, Meta: { team: 'edge' } }, { dry_run: 'true' })
  await shown(200, 'PUT', 'config', [{ ...entry, Name: 'second' }])
  expect(await ask('GET', 'config/inline-certificate/cert')).toMatchObject({ status: 200, body: { PrivateKey } })
  expect(await ask('GET', 'config/inline-certificate', undefined, { filter: 'Name == cert' })).toMatchObject({
    body: [{ PrivateKey }],
  })

  for (const name of ['cert', 'nothing']) await shown(403, 'GET', `config/inline-certificate/${name}`, undefined, {}, weak)
  await shown(200, 'GET', 'config/inline-certificate', undefined, {}, weak)
  await shown(200, 'GET', 'config/inline-certificate', undefined, { filter: 'PrivateKey matches `.*`' }, weak)
  await shown(403, 'PUT', 'config', entry, {}, weak)
  await shown(403, 'DELETE', 'config/inline-certificate/cert', undefined, {}, weak)
  for (const wrongly of [
    { PrivateKey: wrong },
    { PrivateKey: PrivateKey.slice(0, -40) },
    { PrivateKey: [PrivateKey, wrong] },
    { PrivateKey: { a: wrong } },
    { PrivateKey: Certificate },
    { Certificate: PrivateKey },
    { private_key: PrivateKey, PrivateKey: wrong, Stranger: 1 },
  ])
    await shown(400, 'PUT', 'config', { ...entry, Name: 'refused', ...wrongly })
  await shown(400, 'PUT', 'config', `{"Kind": "inline-certificate", "PrivateKey": ${JSON.stringify(PrivateKey)}`)
  await shown(400, 'PUT', 'config', [entry, { ...entry, Name: 'CERT', PrivateKey: wrong }])
  await shown(200, 'DELETE', 'config/inline-certificate/second')
  seen.add('a refused read', await ask('GET', 'config/inline-certificate/second'))
  return [
    { name: 'the key', bytes: numberIn(PrivateKey) },
    { name: 'a key of another', bytes: numberIn(wrong) },
    { name: 'the text of the key', bytes: Buffer.from(PrivateKey.split('\n')[2] as string) },
  ]
}

async function listening(seen: Haystack, work: () => Promise<void>): Promise<void> {
  const record = (message: unknown, channel: string | symbol): void => seen.add(String(channel), message)
  for (const channel of CHANNELS) subscribe(channel, record)
  try {
    await work()
  } finally {
    for (const channel of CHANNELS) unsubscribe(channel, record)
  }
}

it.each([
  ['sealed', { seal: keySeal(new Uint8Array(32).fill(7)) }],
  ['in the clear', { plaintext: true as const }],
])('a configuration service with its own store neither shows nor stores a secret in clear text: %s', async (_, protection) => {
  const [storage, clock, seen] = [memoryStorage(), fakeClock(), new Haystack()]
  await listening(seen, async () => {
    await using service = await createConfigService({ storage, clock, ...protection, acl: { bootstrapToken: ROOT } })
    const secrets = await live(service, Math.floor(clock.now() / 1000), seen)
    seen.add('the service', service)
    seen.add('a view of it', service.as(CHOSEN))
    await expect(service.as(`${CHOSEN}0`).tokens.list()).rejects.toSatisfy((error) => {
      seen.add('an error', error)
      return true
    })
    seen.addText('the storage', await bytesOf(storage))
    expect(seen.size).toBeGreaterThan(30)
    expect(seen.find(secrets)).toEqual([])
  })
})

it('private keys of certificates are stored encrypted, and shown only to callers that may read them', async () => {
  const [storage, clock, seen] = [memoryStorage(), fakeClock(), new Haystack()]
  await listening(seen, async () => {
    const seal = keySeal(new Uint8Array(32).fill(7))
    await using service = await createConfigService({ storage, clock, seal, acl: { bootstrapToken: ROOT } })
    const secrets = await liveWithCertificates(service, seen)
    seen.add('the service', service)
    seen.add('its entries', service.entries)
    const entry = { Kind: 'inline-certificate', Name: 'x', Certificate: 'x', PrivateKey: ecPair().key() } as const
    await expect(service.entries.apply(entry)).rejects.toSatisfy((error) => {
      seen.add('an error', error)
      return true
    })
    seen.addText('the storage', await bytesOf(storage))
    const all = [...secrets, { name: 'a refused key', bytes: numberIn(entry.PrivateKey) }]
    expect(seen.find(all)).toEqual([])
    // Proves that the search finds a key in an unencrypted storage and in a response.
    const clear = memoryStorage()
    await using open = await createConfigService({ storage: clear, clock, plaintext: true, acl: { bootstrapToken: ROOT } })
    const found = new Haystack()
    const kept = await liveWithCertificates(open, found)
    found.addText('the storage', await bytesOf(clear))
    found.add('an answer', await open.entries.get({ Kind: 'inline-certificate', Name: 'cert' }))
    expect(found.find(kept).join(' ')).toMatch(/the text of the key as .* in the storage/)
    expect(found.find(kept).join(' ')).toMatch(/the text of the key as .* in an answer/)
  })
})

type Act = (service: Handles, seen: Haystack, now: number) => Promise<readonly Secret[]>

it.each<readonly [what: string, act: Act]>([
  ['key of a certificate', liveWithCertificates],
  ['secret', (service, seen, now) => live(service, now, seen)],
])('a kernel shows no %s in its audit log, events and traces', async (_, act) => {
  const [clock, seen] = [fakeClock(), new Haystack()]
  const write = ({ line }: { readonly line: string }): void => seen.addText('the audit log', line)
  await listening(seen, async () => {
    await using kernel = await createDevKernel({
      clock,
      ports: { audit: { sinks: { log: write } } },
      configsvc: { acl: { bootstrapToken: ROOT } },
    })
    kernel.events.on('*', (event) => seen.add('an event', event))
    const secrets = await act(kernel.configsvc, seen, Math.floor(clock.now() / 1000))
    seen.add('the service of a kernel', kernel.configsvc)
    expect(seen.find(secrets)).toEqual([])
  })
})

it('the secret search of this test finds a secret in objects and errors that contain it', async () => {
  await using service = await createConfigService({ storage: memoryStorage(), plaintext: true })
  const { SecretID } = await service.tokens.create({})
  const seen = new Haystack()
  for (const shown of [{ deep: [{ SecretID }] }, new Error(`refused: ${SecretID}`)]) seen.add('shown', shown)
  expect(seen.find(uuidSecret('it', SecretID)).length).toBeGreaterThanOrEqual(2)
})
