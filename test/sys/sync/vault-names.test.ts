/** Vault's names of destination types are aliases: in paths, parameters and policies, and in answers of a kernel with Vault's naming. */
import { describe, expect, it } from 'vitest'
import { createDevKernel, type Kernel, type KernelOptions, type SyncType } from '../../../src/index.ts'
import { syncPathOperations } from '../../../src/sys/sync/engine.ts'
import { fakeSyncDestination } from '../../../src/testing/index.ts'

const VAULT_NAMES = {
  'cloud-a-sm': 'aws-sm',
  'cloud-b-kv': 'azure-kv',
  'cloud-c-sm': 'gcp-sm',
  repohost: 'gh',
  'webhost-project': 'vercel-project',
} as const satisfies Record<SyncType, string>
const TYPES = Object.entries(VAULT_NAMES) as [SyncType, (typeof VAULT_NAMES)[SyncType]][]
const CONFIGURATION: Readonly<Record<SyncType, object>> = {
  'cloud-a-sm': { region: 'eu-west-1' },
  'cloud-b-kv': { key_vault_uri: 'https://a.vault.azure.net', client_id: 'c', client_secret: 's', tenant_id: 't' },
  'cloud-c-sm': { credentials: '{}' },
  repohost: { access_token: 't', repository_owner: 'o', repository_name: 'r' },
  'webhost-project': { access_token: 't', project_id: 'p', deployment_environments: ['production'] },
}

interface World {
  readonly kernel: Kernel
  readonly ask: (method: string, path: string, body?: object, token?: string) => Promise<{ status: number; text: string }>
  /** The request paths in the audit log. */
  readonly audited: string[]
}

/** @param portNames The names under which the kernel receives its stores. */
async function openWorld(portNames: 'document' | 'vault', options: Partial<KernelOptions> = {}): Promise<World> {
  const stores = TYPES.map(([type, vault]) => [portNames === 'vault' ? vault : type, fakeSyncDestination({ type })])
  const audited: string[] = []
  const sink = ({ line }: { readonly line: string }): void => {
    audited.push(JSON.parse(line).request.path)
  }
  const ports = { sync: Object.fromEntries(stores), audit: { sinks: { memory: { sink } } } }
  const kernel = await createDevKernel({ ports, ...options })
  await kernel.mounts.createMount({ path: 'kv', type: 'kv', options: { version: '2' } })
  await kernel.kv2.at('kv/').writeSecret({ path: 'app', data: { password: 'first' } })
  const header = options.naming?.headerPrefix ?? 'X-Service'
  const ask: World['ask'] = async (method, path, body, token = kernel.rootToken as string) => {
    const headers = { [`${header}-Token`]: token }
    const { status, body: answer } = await kernel.handle({ method, path: `/v1/sys/sync/${path}`, headers, ...(body && { body }) })
    return { status, text: JSON.stringify(answer ?? null) }
  }
  return { kernel, ask, audited }
}

const SECRET = { mount: 'kv', secret_name: 'app' }

/** Requests to every path with a destination type, in an order in which they succeed. */
const requests = (type: SyncType, name: string): readonly (readonly [string, string, object?])[] => [
  ['POST', `destinations/${name}/d`, CONFIGURATION[type]],
  ['GET', `destinations/${name}/d`],
  ['LIST', `destinations/${name}`],
  ['POST', `destinations/${name}/d/associations/set`, SECRET],
  ['GET', `destinations/${name}/d/associations`],
  ['POST', 'reconcile', { type: name, name: 'd' }],
  ['POST', `destinations/${name}/d/associations/remove`, SECRET],
  ['DELETE', `destinations/${name}/d`],
]

const withoutIds = (text: string): string => text.replaceAll(/[0-9a-f-]{36}|kv_[0-9a-f]{8}|\d{4}-\d\d-\d\dT[^"]+/g, '')

describe.each(TYPES)('destination type %s, named %s in Vault', (type, vault) => {
  it('can be used under both names in every path and parameter, and appears in the audit log only under the first name', async () => {
    const documents = await openWorld('document')
    const { ask, audited } = await openWorld('vault')
    for (const [index, [method, path, body]] of requests(type, type).entries()) {
      const [, otherPath, otherBody] = requests(type, vault)[index] as (typeof requests extends (...a: never) => infer R
        ? R
        : never)[number]
      const expected = await documents.ask(method, path, body)
      const answer = await ask(method, otherPath, otherBody)
      expect(expected.status, path).toBeLessThan(300)
      expect({ status: answer.status, text: withoutIds(answer.text) }, otherPath).toEqual({
        ...expected,
        text: withoutIds(expected.text),
      })
    }
    expect(audited).toEqual(documents.audited)
    expect(JSON.stringify(audited)).not.toContain(vault)
  })

  it('has its Vault name in every answer if the kernel uses the naming of Vault', async () => {
    const { kernel, ask } = await openWorld('document', { naming: { ciphertextPrefix: 'vault', headerPrefix: 'X-Vault' } })
    for (const [method, path, body] of requests(type, vault)) {
      const { status, text } = await ask(method, path, body)
      expect(status, path).toBeLessThan(300)
      expect(text, path).not.toContain(`"${type}`)
      if (path.endsWith('associations')) {
        const lists = [await ask('LIST', 'destinations'), await ask('GET', 'associations/kv/app')]
        for (const list of lists) {
          expect(list.text).toContain(vault)
          expect(list.text).not.toContain(`"${type}`)
        }
      }
    }
    await kernel.close()
  })

  it('can be used under both names in typed calls', async () => {
    const { kernel, ask } = await openWorld('document')
    await ask('POST', `destinations/${type}/d`, CONFIGURATION[type])
    const named = { type: vault, name: 'd' }
    expect(await kernel.sync.readDestination(named)).toEqual(await kernel.sync.readDestination({ type, name: 'd' }))
    await kernel.sync.setAssociation({ ...named, ...SECRET })
    expect((await kernel.sync.readAssociations(named)).store_type).toBe(type)
    expect((await kernel.sync.reconcile(named)).checked).toBe(1)
    const { client_token } = await kernel.tokens.createToken({ policies: ['root'] })
    await kernel.as(client_token).sync.removeAssociation({ ...named, ...SECRET })
    await kernel.sync.deleteDestination(named)
    expect(await kernel.sync.listDestinations()).toMatchObject({ total_destinations: 0 })
  })
})

describe('a destination type that has another name in Vault', () => {
  const [type, vault] = ['repohost', 'gh'] as const
  const PLACES = { own: type, other: vault }
  describe.each([
    ['its own type name', 'own', 'destinations/NAME/*'],
    ['its Vault name', 'other', 'destinations/NAME/*'],
    ['its own type name and one destination', 'own', 'destinations/NAME/d'],
    ['its Vault name and one destination', 'other', 'destinations/NAME/d'],
    ['its Vault name and a plus sign', 'other', 'destinations/NAME/+'],
  ] as const)('in a policy path with %s', (_, name, pattern) => {
    const path = `sys/sync/${pattern.replace('NAME', PLACES[name])}`
    const answers = async (policy: string): Promise<readonly number[]> => {
      const { kernel, ask } = await openWorld('document')
      await ask('POST', `destinations/${type}/d`, CONFIGURATION[type])
      await kernel.policies.writePolicy({ name: 'sync', policy })
      const { client_token } = await kernel.tokens.createToken({ policies: ['sync'], no_default_policy: true })
      const both = [type, vault].map((sent) => ask('GET', `destinations/${sent}/d`, undefined, client_token))
      const statuses = (await Promise.all(both)).map(({ status }) => status)
      const { by_path } = await kernel.policies.capabilities({
        token: client_token,
        paths: [`sys/sync/destinations/${type}/d`, `sys/sync/destinations/${vault}/d`],
      })
      const [first, second] = Object.values(by_path)
      expect(first).toEqual(second)
      expect(first?.includes('read')).toBe(statuses[0] === 200)
      return statuses
    }

    it('grants access under both names of the type', async () => {
      expect(await answers(`path "${path}" { capabilities = ["read"] }`)).toEqual([200, 200])
    })

    it('denies access under both names of the type, although a wider rule grants it', async () => {
      const wide = 'path "sys/sync/*" { capabilities = ["read"] }'
      expect(await answers(`${wide} path "${path}" { capabilities = ["deny"] }`)).toEqual([403, 403])
      expect(await answers(`${wide} path "${path}" { capabilities = ["update"] }`)).toEqual([403, 403])
    })

    it('denies access under both names of the type, although a rule for the other name grants it', async () => {
      const granted = `sys/sync/destinations/${name === 'own' ? vault : type}/d`
      const grant = `path "${granted}" { capabilities = ["read"] }`
      expect(await answers(`${grant} path "${path}" { capabilities = ["deny"] }`)).toEqual([403, 403])
      expect(await answers(`${grant} path "${path}" { capabilities = ["update"] }`)).toEqual([403, 403])
    })
  })

  it('is denied under both names if denied_parameters contains one of them', async () => {
    const { kernel, ask } = await openWorld('document')
    const policy = `path "sys/sync/reconcile" { capabilities = ["update"] denied_parameters = { type = ["${type}"] } }`
    await kernel.policies.writePolicy({ name: 'sync', policy })
    const { client_token } = await kernel.tokens.createToken({ policies: ['sync'] })
    for (const sent of [type, vault])
      expect((await ask('POST', 'reconcile', { type: sent }, client_token)).status, sent).toBe(403)
  })

  it('can adopt secrets with a token whose policy contains either name', async () => {
    for (const named of [type, vault]) {
      const { kernel, ask } = await openWorld('document')
      await ask('POST', `destinations/${type}/d`, CONFIGURATION[type])
      const path = `sys/sync/destinations/${named}/d`
      const policy = `path "${path}/*" { capabilities = ["update"] } path "${path}" { capabilities = ["update"] } path "kv/*" { capabilities = ["read"] }`
      await kernel.policies.writePolicy({ name: 'sync', policy })
      const { client_token } = await kernel.tokens.createToken({ policies: ['sync'] })
      const set = `destinations/${vault}/d/associations/set`
      expect((await ask('POST', set, { ...SECRET, adopt: true }, client_token)).status).toBe(200)
    }
  })
})

it('every sync operation with a destination type in its path declares the other names of the type', () => {
  const paths = Object.values(syncPathOperations).map(({ path }) => path)
  for (const path of paths.filter((text) => text.startsWith('/sync/destinations/')))
    expect(Object.values(syncPathOperations).find((operation) => operation.path === path)).toHaveProperty('segmentAliases')
})

it('a destination type path refuses unknown names and property names of JavaScript objects', async () => {
  const { ask } = await openWorld('document')
  for (const name of ['aws', 'AWS-SM', 'aws-sm ', 'constructor', '__proto__', 'toString']) {
    expect((await ask('GET', `destinations/${encodeURIComponent(name)}/d`)).status, name).toBeGreaterThanOrEqual(400)
    expect((await ask('POST', 'reconcile', { type: name })).status, name).toBe(400)
  }
})
