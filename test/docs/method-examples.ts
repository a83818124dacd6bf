// biome-ignore-all lint/suspicious/noTemplateCurlyInString: templates of the configuration service
/**
 * The examples in the doc comments of operations: the data that they assume, and the results that they must have. Each example runs on its own
 * kernel.
 */
import { expect } from 'vitest'
import type { Kernel } from '../../src/index.ts'
import { P256, spkiPem } from '../unit/core/jwt/tokens.ts'
import type { EXAMPLES } from './generated/method-examples.ts'

const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text)

const encrypted = async ({ transit }: Kernel) => {
  const plaintext = utf8('4111 1111 1111 1111')
  return { plaintext, ...(await transit.encrypt({ name: 'orders', plaintext })) }
}

const signed = async ({ transit }: Kernel) => {
  const input = utf8('{"order":42}')
  await transit.createKey({ name: 'receipts', type: 'ed25519' })
  return { input, ...(await transit.sign({ name: 'receipts', input })) }
}

const token = async ({ tokens }: Kernel) => {
  const { client_token, accessor } = await tokens.createToken({ policies: ['default'], ttl: '1h' })
  return { token: client_token, accessor }
}

const versioned = async ({ mounts, kv2 }: Kernel) => {
  await mounts.createMount({ path: 'app', type: 'kv', options: { version: '2' } })
  await kv2.at('app/').writeSecret({ path: 'db', data: { user: 'app', password: 'first' } })
}

const webPolicy = ({ configsvc }: Kernel) =>
  configsvc.policies.create({ Name: 'web', Rules: `service_prefix "web" { policy = "write" }` })

const ciMethod = ({ configsvc }: Kernel) =>
  configsvc.authMethods.create({
    Name: 'ci',
    Type: 'jwt',
    Config: { JWTValidationPubKeys: [spkiPem(P256)], ClaimMappings: { repository: 'repository', branch: 'branch' } },
  })

/** Functions that create what an example assumes. An example uses the members of the result as variables. */
export const PREPARATIONS = {
  'transit.readKey': encrypted,
  'transit.listKeys': encrypted,
  'transit.configureKey': async ({ transit }: Kernel) => {
    await transit.createKey({ name: 'orders' })
    await transit.rotateKey({ name: 'orders' })
  },
  'transit.rotateKey': encrypted,
  'transit.deleteKey': encrypted,
  'transit.encryptBatch': async () => ({ cards: ['4111', '4222'] }),
  'transit.decrypt': encrypted,
  'transit.decryptBatch': async (kernel: Kernel) => ({ rows: [{ id: '7', card: (await encrypted(kernel)).ciphertext }] }),
  'transit.rewrap': async (kernel: Kernel) => ({ before: await encrypted(kernel) }),
  'transit.retireVersions': encrypted,
  'transit.inspect': encrypted,
  'transit.generateDataKey': encrypted,
  'transit.sign': signed,
  'transit.verify': signed,
  'transit.hmac': encrypted,
  'kv.readSecret': ({ kv }: Kernel) => kv.writeSecret({ path: 'app/db', data: { user: 'app', password: 's3cret' } }),
  'kv2.writeSecret': versioned,
  'kv2.readSecret': versioned,
  'kv2.patchSecret': versioned,
  'tokens.lookupSelf': token,
  'tokens.renewSelf': token,
  'tokens.revokeAccessor': token,
  'policies.capabilities': token,
  'policies.explain': token,
  'wrapping.unwrap': async ({ wrapping }: Kernel) => ({
    wrapped: (await wrapping.wrap({ data: { password: 's3cret' }, ttl: '10m' })).token,
  }),
  'leases.revokePrefix': token,
  'configsvc.policies.watch': webPolicy,
  'configsvc.roles.create': webPolicy,
  'configsvc.tokens.create': webPolicy,
  'configsvc.acl.authorize': async (kernel: Kernel) => {
    await webPolicy(kernel)
    return kernel.configsvc.tokens.create({ Policies: [{ Name: 'web' }] })
  },
  'configsvc.authMethods.create': async () => ({ publicKey: spkiPem(P256) }),
  'configsvc.bindingRules.create': ciMethod,
  'configsvc.bindingRules.evaluate': ciMethod,
}

/** The result of the preparation of a method. */
export type Prepared<M> = M extends keyof typeof PREPARATIONS ? Awaited<ReturnType<(typeof PREPARATIONS)[M]>> : undefined

/** A check of the variables that an example declares, and of what it did. */
type Checks = {
  readonly [M in keyof typeof EXAMPLES]: (
    declared: Awaited<ReturnType<(typeof EXAMPLES)[M]>>,
    kernel: Kernel,
    prepared: Prepared<M>,
  ) => Promise<void> | void
}

const isRevoked = (kernel: Kernel, token: string) =>
  expect(kernel.as(token).tokens.lookupSelf()).rejects.toMatchObject({ status: 403 })

export const CHECKS: Checks = {
  'transit.createKey': async (_, { transit }) =>
    expect((await transit.readKey({ name: 'orders' })).auto_rotate_period).toBe(2_592_000),
  'transit.readKey': ({ type, latest_version }) => expect([type, latest_version]).toEqual(['aes256-gcm96', 1]),
  'transit.listKeys': ({ keys }) => expect(keys).toEqual(['orders']),
  'transit.configureKey': async (_, { transit }) =>
    expect((await transit.readKey({ name: 'orders' })).min_decryption_version).toBe(2),
  'transit.rotateKey': ({ latest_version }) => expect(latest_version).toBe(2),
  'transit.deleteKey': async (_, { transit }) => expect((await transit.listKeys()).keys).toEqual([]),
  'transit.encrypt': ({ ciphertext }) => expect(ciphertext).toMatch(/^strongroom:v1:/),
  'transit.encryptBatch': ({ ciphertexts }) => expect(ciphertexts).toHaveLength(2),
  'transit.decrypt': ({ card }) => expect(card).toBe('4111 1111 1111 1111'),
  'transit.decryptBatch': ({ lost }) => expect(lost).toEqual([]),
  'transit.rewrap': ({ ciphertext }) => expect(ciphertext).toMatch(/^strongroom:v2:/),
  'transit.retireVersions': ({ min_decryption_version }) => expect(min_decryption_version).toBe(2),
  'transit.inspect': ({ key_version, stale }) => expect([key_version, stale]).toEqual([1, true]),
  'transit.generateDataKey': ({ plaintext, ciphertext }) =>
    expect([plaintext?.length, typeof ciphertext]).toEqual([32, 'string']),
  'transit.sign': ({ signature }) => expect(signature).toMatch(/^strongroom:v1:/),
  'transit.verify': ({ valid }) => expect(valid).toBe(true),
  'transit.hmac': ({ hmac }) => expect(hmac).toMatch(/^strongroom:v1:/),
  'transit.random': ({ random_bytes }) => expect(random_bytes).toHaveLength(32),
  'kv.writeSecret': async (_, { kv }) => expect((await kv.listSecrets()).keys).toEqual(['app/']),
  'kv.readSecret': ({ data }) => expect(data).toEqual({ user: 'app', password: 's3cret' }),
  'kv2.writeSecret': ({ version }) => expect(version).toBe(2),
  'kv2.readSecret': ({ data, metadata }) => expect([data['password'], metadata.version]).toEqual(['first', 1]),
  'kv2.patchSecret': ({ version }) => expect(version).toBe(2),
  'tokens.createToken': async ({ view, accessor }) =>
    expect(await view.tokens.lookupSelf()).toMatchObject({ display_name: 'token-checkout', accessor }),
  'tokens.lookupSelf': ({ policies, ttl }) => {
    expect(policies).toEqual(['default'])
    expect(ttl).toBeGreaterThan(3500)
  },
  'tokens.renewSelf': ({ lease_duration }) => expect(lease_duration).toBe(7200),
  'tokens.revokeAccessor': (_, kernel, { token }) => isRevoked(kernel, token),
  'policies.writePolicy': async (_, { policies }) => expect((await policies.listPolicies()).keys).toContain('orders'),
  'policies.capabilities': ({ by_path }) => expect(by_path['transit/encrypt/orders']).toEqual(['deny']),
  'policies.explain': ({ allowed, reason }) => expect([allowed, reason]).toEqual([false, 'no rule matches']),
  'mounts.createMount': async (_, kernel) => {
    expect(Object.keys((await kernel.mounts.listMounts()).mounts)).toContain('payments/')
    expect((await kernel.transit.at('payments/').listKeys()).keys).toEqual(['cards'])
  },
  'namespaces.createNamespace': async (_, { namespaces }) =>
    expect((await namespaces.listNamespaces()).keys).toEqual(['team-a/']),
  'wrapping.wrap': ({ token }) => expect(token).not.toBe(''),
  'wrapping.unwrap': ({ answer }) => expect(answer['data']).toEqual({ password: 's3cret' }),
  'leases.revokePrefix': (_, kernel, { token }) => isRevoked(kernel, token),
  'configsvc.policies.create': async ({ ID }, { configsvc }) =>
    expect(await configsvc.policies.read({ ID })).toMatchObject({ Name: 'web' }),
  // The example ends when the loop has found the policy.
  'configsvc.policies.watch': () => {},
  'configsvc.roles.create': ({ role }) => expect(role.Policies).toMatchObject([{ Name: 'web' }]),
  'configsvc.tokens.create': async ({ SecretID, view }) => expect(await view.tokens.readSelf()).toMatchObject({ SecretID }),
  'configsvc.acl.authorize': ({ allowed }) => expect(allowed).toBe(true),
  'configsvc.authMethods.create': async (_, { configsvc }) =>
    expect(await configsvc.authMethods.read({ Name: 'ci' })).toMatchObject({ MaxTokenTTL: '15m0s' }),
  'configsvc.bindingRules.create': async ({ ID }, { configsvc }) =>
    expect(await configsvc.bindingRules.read({ ID })).toMatchObject({ BindType: 'service' }),
  'configsvc.bindingRules.evaluate': ({ Allowed, Rules }) => expect([Allowed, Rules]).toEqual([false, []]),
}
