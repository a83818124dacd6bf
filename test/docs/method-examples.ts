// biome-ignore-all lint/suspicious/noTemplateCurlyInString: templates of the configuration service
/**
 * Examples of the most used methods, as their doc comments show them. Each example runs on its own kernel; the assertions are not shown.
 */
import { expect } from 'vitest'
import type { Kernel } from '../../src/index.ts'
import { P256, spkiPem } from '../unit/core/jwt/tokens.ts'

type Prepare = (kernel: Kernel) => Promise<unknown>

export interface MethodExample {
  readonly run: Prepare
}

/** The doc comment shows the last function. The function before it creates what the example assumes. */
function example(shown: Prepare): MethodExample
function example<T>(
  prepared: (kernel: Kernel) => Promise<T>,
  shown: (kernel: Kernel, prepared: T) => Promise<unknown>,
): MethodExample
function example<T>(
  first: (kernel: Kernel) => Promise<T>,
  second?: (kernel: Kernel, prepared: T) => Promise<unknown>,
): MethodExample {
  return { run: async (kernel) => (second ? second(kernel, await first(kernel)) : first(kernel)) }
}

const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text)

const encrypted = async (kernel: Kernel) => {
  const plaintext = utf8('4111 1111 1111 1111')
  return { plaintext, ...(await kernel.transit.encrypt({ name: 'orders', plaintext })) }
}

const signed = async (kernel: Kernel) => {
  const input = utf8('{"order":42}')
  await kernel.transit.createKey({ name: 'receipts', type: 'ed25519' })
  return { input, ...(await kernel.transit.sign({ name: 'receipts', input })) }
}

const token = async (kernel: Kernel) => {
  const { client_token, accessor } = await kernel.tokens.createToken({ policies: ['default'], ttl: '1h' })
  return { token: client_token, accessor }
}

const versioned = async (kernel: Kernel) => {
  await kernel.mounts.createMount({ path: 'app', type: 'kv', options: { version: '2' } })
  await kernel.kv2.at('app/').writeSecret({ path: 'db', data: { user: 'app', password: 'first' } })
}

const webPolicy = (kernel: Kernel) =>
  kernel.configsvc.policies.create({ Name: 'web', Rules: `service_prefix "web" { policy = "write" }` })

const ciMethod = (kernel: Kernel) =>
  kernel.configsvc.authMethods.create({
    Name: 'ci',
    Type: 'jwt',
    Config: { JWTValidationPubKeys: [spkiPem(P256)], ClaimMappings: { repository: 'repository', branch: 'branch' } },
  })

export const METHOD_EXAMPLES: Readonly<Record<string, MethodExample>> = {
  'transit.createKey': example(async (kernel) => {
    await kernel.transit.createKey({ name: 'orders', type: 'aes256-gcm96', auto_rotate_period: '30d' })
    expect((await kernel.transit.readKey({ name: 'orders' })).auto_rotate_period).toBe(2_592_000)
  }),

  'transit.readKey': example(encrypted, async (kernel) => {
    const { type, latest_version } = await kernel.transit.readKey({ name: 'orders' })
    expect([type, latest_version]).toEqual(['aes256-gcm96', 1])
  }),

  'transit.listKeys': example(encrypted, async (kernel) => {
    const { keys } = await kernel.transit.listKeys({ limit: 100 })
    expect(keys).toEqual(['orders'])
  }),

  'transit.configureKey': example(
    async (kernel) => {
      await kernel.transit.createKey({ name: 'orders' })
      await kernel.transit.rotateKey({ name: 'orders' })
    },
    async (kernel) => {
      // Ciphertexts of version 1 can no longer be decrypted.
      await kernel.transit.configureKey({ name: 'orders', min_decryption_version: 2 })
      expect((await kernel.transit.readKey({ name: 'orders' })).min_decryption_version).toBe(2)
    },
  ),

  'transit.rotateKey': example(encrypted, async (kernel) => {
    const { latest_version } = await kernel.transit.rotateKey({ name: 'orders' })
    expect(latest_version).toBe(2)
  }),

  'transit.deleteKey': example(encrypted, async (kernel) => {
    await kernel.transit.configureKey({ name: 'orders', deletion_allowed: true })
    await kernel.transit.deleteKey({ name: 'orders' })
    expect((await kernel.transit.listKeys()).keys).toEqual([])
  }),

  'transit.encrypt': example(async (kernel) => {
    const { ciphertext } = await kernel.transit.encrypt({
      name: 'orders',
      plaintext: new TextEncoder().encode('4111 1111 1111 1111'),
      // Decryption requires the same value, so the ciphertext is useless in another row.
      associated_data: new TextEncoder().encode('order 42'),
    })
    expect(ciphertext).toMatch(/^strongroom:v1:/)
  }),

  'transit.encryptBatch': example(
    async () => ({ cards: ['4111', '4222'] }),
    async (kernel, { cards }) => {
      const { batch_results } = await kernel.transit.encryptBatch({
        name: 'orders',
        batch_input: cards.map((card) => ({ plaintext: new TextEncoder().encode(card) })),
      })
      const ciphertexts = batch_results.map((item) => {
        if (item.error) throw item.error
        return item.ciphertext
      })
      expect(ciphertexts).toHaveLength(2)
    },
  ),

  'transit.decrypt': example(encrypted, async (kernel, { ciphertext }) => {
    const { plaintext } = await kernel.transit.decrypt({ name: 'orders', ciphertext })
    const card = new TextDecoder().decode(plaintext)
    expect(card).toBe('4111 1111 1111 1111')
  }),

  'transit.decryptBatch': example(
    async (kernel) => ({ rows: [{ id: '7', card: (await encrypted(kernel)).ciphertext }] }),
    async (kernel, { rows }) => {
      const { batch_results } = await kernel.transit.decryptBatch({
        name: 'orders',
        batch_input: rows.map(({ id, card }) => ({ ciphertext: card, reference: id })),
      })
      // An item that cannot be decrypted has an error in its place.
      const lost = batch_results.filter((item) => item.error).map((item) => item.reference)
      expect(lost).toEqual([])
    },
  ),

  'transit.rewrap': example(encrypted, async (kernel, before) => {
    await kernel.transit.rotateKey({ name: 'orders' })
    const { ciphertext } = await kernel.transit.rewrap({ name: 'orders', ciphertext: before.ciphertext })
    expect(ciphertext).toMatch(/^strongroom:v2:/)
  }),

  'transit.retireVersions': example(encrypted, async (kernel, { ciphertext }) => {
    await kernel.transit.rotateKey({ name: 'orders' })
    const rewrapped = await kernel.transit.rewrap({ name: 'orders', ciphertext })
    const census = await kernel.transit.census({ name: 'orders', items: [rewrapped] })
    const { min_decryption_version } = await kernel.transit.retireVersions({ name: 'orders', census, grace: 0 })
    expect(min_decryption_version).toBe(2)
  }),

  'transit.inspect': example(encrypted, async (kernel, { ciphertext }) => {
    await kernel.transit.rotateKey({ name: 'orders' })
    const { key_version, stale } = await kernel.transit.inspect({ name: 'orders', ciphertext })
    expect([key_version, stale]).toEqual([1, true])
  }),

  'transit.generateDataKey': example(encrypted, async (kernel) => {
    // Encrypt a file with `plaintext`, store `ciphertext` with it, and discard `plaintext`.
    const { plaintext, ciphertext } = await kernel.transit.generateDataKey({ name: 'orders', kind: 'plaintext' })
    expect([plaintext?.length, typeof ciphertext]).toEqual([32, 'string'])
  }),

  'transit.sign': example(signed, async (kernel, { input }) => {
    const { signature } = await kernel.transit.sign({ name: 'receipts', input })
    expect(signature).toMatch(/^strongroom:v1:/)
  }),

  'transit.verify': example(signed, async (kernel, { input, signature }) => {
    const { valid } = await kernel.transit.verify({ name: 'receipts', input, signature })
    expect(valid).toBe(true)
  }),

  'transit.hmac': example(encrypted, async (kernel) => {
    // The HMAC of an address is always the same, so a column with it can be searched.
    const { hmac } = await kernel.transit.hmac({ name: 'orders', input: new TextEncoder().encode('ada@example.org') })
    expect(hmac).toMatch(/^strongroom:v1:/)
  }),

  'transit.random': example(async (kernel) => {
    const { random_bytes } = await kernel.transit.random({ bytes: 32 })
    expect(random_bytes).toHaveLength(32)
  }),

  'kv.writeSecret': example(async (kernel) => {
    await kernel.kv.writeSecret({ path: 'app/db', data: { user: 'app', password: 's3cret' } })
    expect((await kernel.kv.listSecrets()).keys).toEqual(['app/'])
  }),

  'kv.readSecret': example(
    (kernel) => kernel.kv.writeSecret({ path: 'app/db', data: { user: 'app', password: 's3cret' } }),
    async (kernel) => {
      const { data } = await kernel.kv.readSecret({ path: 'app/db' })
      expect(data).toEqual({ user: 'app', password: 's3cret' })
    },
  ),

  'kv2.writeSecret': example(versioned, async (kernel) => {
    const { version } = await kernel.kv2.at('app/').writeSecret({
      path: 'db',
      data: { user: 'app', password: 'second' },
      // Write only if version 1 is the current version.
      options: { cas: 1 },
    })
    expect(version).toBe(2)
  }),

  'kv2.readSecret': example(versioned, async (kernel) => {
    const { data, metadata } = await kernel.kv2.at('app/').readSecret({ path: 'db' })
    expect([data['password'], metadata.version]).toEqual(['first', 1])
  }),

  'kv2.patchSecret': example(versioned, async (kernel) => {
    const { version } = await kernel.kv2.at('app/').patchSecret({ path: 'db', data: { password: 'second' } })
    expect(version).toBe(2)
  }),

  'tokens.createToken': example(async (kernel) => {
    const { client_token, accessor } = await kernel.tokens.createToken({
      policies: ['orders'],
      ttl: '1h',
      display_name: 'checkout',
    })
    const view = kernel.as(client_token)
    expect([(await view.tokens.lookupSelf()).display_name, typeof accessor]).toEqual(['token-checkout', 'string'])
  }),

  'tokens.lookupSelf': example(token, async (kernel, { token }) => {
    const { policies, ttl } = await kernel.as(token).tokens.lookupSelf()
    expect(policies).toEqual(['default'])
    expect(ttl).toBeGreaterThan(3500)
  }),

  'tokens.renewSelf': example(token, async (kernel, { token }) => {
    const { lease_duration } = await kernel.as(token).tokens.renewSelf({ increment: '2h' })
    expect(lease_duration).toBe(7200)
  }),

  'tokens.revokeAccessor': example(token, async (kernel, { accessor, token }) => {
    await kernel.tokens.revokeAccessor({ accessor })
    await expect(kernel.as(token).tokens.lookupSelf()).rejects.toMatchObject({ status: 403 })
  }),

  'policies.writePolicy': example(async (kernel) => {
    await kernel.policies.writePolicy({
      name: 'orders',
      policy: `path "transit/encrypt/orders" { capabilities = ["update"] }`,
    })
    expect((await kernel.policies.listPolicies()).keys).toContain('orders')
  }),

  'policies.capabilities': example(token, async (kernel, { token }) => {
    const { by_path } = await kernel.policies.capabilities({ token, paths: ['transit/encrypt/orders'] })
    expect(by_path['transit/encrypt/orders']).toEqual(['deny'])
  }),

  'policies.explain': example(token, async (kernel, { token }) => {
    const { allowed, reason } = await kernel.policies.explain({ token, operation: 'read', path: 'secret/app/db' })
    expect([allowed, reason]).toEqual([false, 'no rule matches'])
  }),

  'mounts.createMount': example(async (kernel) => {
    await kernel.mounts.createMount({ path: 'payments', type: 'transit' })
    await kernel.transit.at('payments/').createKey({ name: 'cards' })
    expect(Object.keys((await kernel.mounts.listMounts()).mounts)).toContain('payments/')
  }),

  'namespaces.createNamespace': example(async (kernel) => {
    await kernel.namespaces.createNamespace({ name: 'team-a' })
    await kernel.namespace('team-a/').policies.writePolicy({ name: 'all', policy: `path "*" { capabilities = ["read"] }` })
    expect((await kernel.namespaces.listNamespaces()).keys).toEqual(['team-a/'])
  }),

  'wrapping.wrap': example(async (kernel) => {
    const { token } = await kernel.wrapping.wrap({ data: { password: 's3cret' }, ttl: '10m' })
    expect(token).not.toBe('')
  }),

  'wrapping.unwrap': example(
    async (kernel) => ({ wrapped: (await kernel.wrapping.wrap({ data: { password: 's3cret' }, ttl: '10m' })).token }),
    async (kernel, { wrapped }) => {
      const { answer } = await kernel.wrapping.unwrap({ token: wrapped })
      expect(answer['data']).toEqual({ password: 's3cret' })
    },
  ),

  'leases.revokePrefix': example(token, async (kernel, { token }) => {
    // Revokes all tokens that were created at this path.
    await kernel.leases.revokePrefix({ prefix: 'auth/token/create' })
    await expect(kernel.as(token).tokens.lookupSelf()).rejects.toMatchObject({ status: 403 })
  }),

  'configsvc.policies.create': example(async (kernel) => {
    const { ID } = await kernel.configsvc.policies.create({
      Name: 'web',
      Rules: `service_prefix "web" { policy = "write" }`,
    })
    expect(await kernel.configsvc.policies.read({ ID })).toMatchObject({ Name: 'web' })
  }),

  'configsvc.policies.watch': example(webPolicy, async (kernel) => {
    for await (const policies of kernel.configsvc.policies.watch('list')) {
      if (policies.some(({ Name }) => Name === 'web')) break
    }
  }),

  'configsvc.roles.create': example(webPolicy, async (kernel) => {
    const role = await kernel.configsvc.roles.create({
      Name: 'deployer',
      Policies: [{ Name: 'web' }],
      ServiceIdentities: [{ ServiceName: 'shop' }],
    })
    expect(role.Policies).toMatchObject([{ Name: 'web' }])
  }),

  'configsvc.tokens.create': example(webPolicy, async (kernel) => {
    const { SecretID } = await kernel.configsvc.tokens.create({
      Description: 'pipeline',
      Policies: [{ Name: 'web' }],
      ExpirationTTL: '8h',
    })
    const view = kernel.configsvc.as(SecretID)
    expect(await view.tokens.readSelf()).toMatchObject({ SecretID })
  }),

  'configsvc.acl.authorize': example(
    async (kernel) => {
      await webPolicy(kernel)
      return kernel.configsvc.tokens.create({ Policies: [{ Name: 'web' }] })
    },
    async (kernel, { SecretID }) => {
      const allowed = await kernel.configsvc.acl.authorize({
        token: SecretID,
        permission: 'service:write',
        resource: 'web-shop',
      })
      expect(allowed).toBe(true)
    },
  ),

  'configsvc.bindingRules.create': example(ciMethod, async (kernel) => {
    const { ID } = await kernel.configsvc.bindingRules.create({
      AuthMethod: 'ci',
      Selector: 'value.branch == main',
      BindType: 'service',
      BindName: '${value.repository}',
    })
    expect(await kernel.configsvc.bindingRules.read({ ID })).toMatchObject({ BindType: 'service' })
  }),

  'configsvc.bindingRules.evaluate': example(ciMethod, async (kernel) => {
    const { Allowed, Rules } = await kernel.configsvc.bindingRules.evaluate({
      auth_method: 'ci',
      identity: { value: { repository: 'shop', branch: 'main' } },
    })
    expect([Allowed, Rules]).toEqual([false, []])
  }),

  'configsvc.authMethods.create': example(
    async () => ({ publicKey: spkiPem(P256) }),
    async (kernel, { publicKey }) => {
      await kernel.configsvc.authMethods.create({
        Name: 'ci',
        Type: 'jwt',
        MaxTokenTTL: '15m',
        Config: {
          JWTValidationPubKeys: [publicKey],
          JWTSupportedAlgs: ['ES256'],
          ClaimMappings: { repository: 'repository', branch: 'branch' },
        },
      })
      expect(await kernel.configsvc.authMethods.read({ Name: 'ci' })).toMatchObject({ MaxTokenTTL: '15m0s' })
    },
  ),
}
