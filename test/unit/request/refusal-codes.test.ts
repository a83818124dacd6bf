/**
 * The error codes of refused calls. Every operation that names a record is called with an unknown name in both views. Other codes
 * (duplicates, records in use, failed check-and-set, missing configuration) are tested by example.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { lmdbStorage } from '../../../src/adapters/storage-lmdb/index.ts'
import { createDevKernel, type Kernel, KernelError } from '../../../src/index.ts'
import { completed, EVERY_OPERATION, type Known, methodOf } from '../../fixtures/every-operation.ts'
import { fill, furnish, furnishedPorts, type Members, parametersOf } from '../../fixtures/good-requests.ts'

let kernel: Kernel
let token: string
beforeAll(async () => {
  kernel = await createDevKernel({ ports: furnishedPorts() })
  token = kernel.rootToken as string
  await furnish(send)
})
afterAll(() => kernel.close())

const send = (method: string, path: string, body?: object, type = 'application/json') =>
  kernel.handle({ method, path: `/v1/${path}`, body, headers: { 'X-Service-Token': token, 'Content-Type': type } })

const outcomeOf = (call: Promise<unknown>): Promise<unknown> =>
  call.then(
    () => undefined,
    (error: unknown) => error,
  )

/** Parameters by which a call names a record that must or may exist already. */
const NAMES = `name path role_name role db_name base_key_name destination source accessor lease_id token from mount secret_name
  password_policy runtime header id migration_id`.split(/\s+/)

/** Parameters that name a new record, and texts that name no record. */
const MADE = [
  'token createToken id',
  'token createOrphan id',
  'token createWithRole id',
  'transit random source',
  'transit importKey name',
  'transit restoreKey name',
  'system createMount path',
  'system createAuthMethod path',
  'system explain path',
  'system capabilities path',
  'system capabilitiesSelf path',
  'system capabilitiesSelf token',
  'system capabilitiesAccessor path',
]

/** Calls that are refused for another reason before the name is looked up. */
const OTHER_REASONS: Readonly<Record<string, string>> = {
  'system explain token': 'ERR_PERMISSION_DENIED',
  'token lookupToken token': 'ERR_PERMISSION_DENIED',
  'system enableDevice path': 'ERR_INVALID_REQUEST',
  'system enableSecondary token': 'ERR_INVALID_REQUEST',
  'system enableDrSecondary token': 'ERR_INVALID_REQUEST',
  'system updatePrimary token': 'ERR_CONFLICT',
  'system updateDrPrimary token': 'ERR_CONFLICT',
  'system createSecondaryToken id': 'ERR_CONFLICT',
  'system createDrSecondaryToken id': 'ERR_CONFLICT',
  'system revokeSecondary id': 'ERR_CONFLICT',
  'system revokeDrSecondary id': 'ERR_CONFLICT',
  'system writePathsFilter id': 'ERR_CONFLICT',
  'system deletePathsFilter id': 'ERR_CONFLICT',
}

/** Other parameters that the operation needs before it looks up the name, in wire form. */
const GIVEN: Readonly<Record<string, Members>> = {
  'transit.verify': { input: 'YQ==', hmac: 'service:v1:AAAA' },
  'kv-v2.patchMetadata': { custom_metadata: {}, patch: { max_versions: 1 } },
  'system.capabilities': { paths: ['a'], path: ['a'] },
  'system.capabilitiesAccessor': { paths: ['a'], path: ['a'] },
  'transit.decrypt': { ciphertext: 'service:v1:AAAA' },
  'transit.rewrap': { ciphertext: 'service:v1:AAAA' },
  'transit.inspect': { ciphertext: 'service:v1:AAAA' },
  'transit.deriveKey': { peer_public_key: 'none' },
  'transit.importKeyVersion': { ciphertext: 'YQ==', version: 1 },
  'transit.setCertificate': { certificate_chain: 'none' },
  'transit.exportWrappedKey': { version: 1 },
  'orchestrator.login': { jwt: 'a.b.c' },
  'system.explain': { token: '', entity: '' },
  'system.reconcile': { type: 'cloud-a-sm' },
}

interface Named {
  readonly known: Known
  readonly name: string
}

const NAMED: readonly Named[] = EVERY_OPERATION.flatMap((known) =>
  NAMES.filter((name) => name in known.fields && !MADE.includes(`${known.title} ${name}`)).map((name) => ({ known, name })),
)

/** Converts parameters to the typed form, in which bytes are not base64 text. */
function typed(known: Known, members: Members): Members {
  const known_ = Object.entries(completed(known, members, 'typed')).filter(([name]) => name in known.fields)
  return Object.fromEntries(
    known_.map(([name, value]) => {
      const isBytes = known.fields[name]?.schema['format'] === 'byte' && typeof value === 'string'
      return [name, isBytes ? new TextEncoder().encode(value) : value]
    }),
  )
}

const methodFor = (known: Known): ((args: Members) => Promise<unknown>) | undefined => {
  const view = kernel.as(token)
  const facade = { 'database/': view.database, 'cloud/': view.cloud }[known.mount] as
    | Readonly<Record<string, (args: Members) => Promise<unknown>>>
    | undefined
  if (!facade) return methodOf(view, known)
  return known.method in facade ? (args) => facade[known.method]?.(args) as Promise<unknown> : undefined
}

/** Operations that succeed for an unknown name. */
const SUCCEEDS =
  /(create|write|delete|disable|revoke|remove|list|encrypt|generateDataKey|Versions|readSecretDestinations|reconcile)/i

describe('a call with an unknown name', () => {
  for (const [index, { known, name }] of NAMED.entries()) {
    it(`fails with ERR_NOT_FOUND unless the operation permits unknown names: ${known.title}, ${name}`, async () => {
      const listed = { title: known.title.replace(' ', '.'), operation: known.operation, place: known.mount }
      const absent = { ...GIVEN[listed.title], [name]: `absent-${index}` }
      const { verb, path, body } = fill(listed, absent)
      const type = verb === 'PATCH' ? 'application/merge-patch+json' : 'application/json'
      const { status } = await send(verb, path, body, type)
      const method = methodFor(known)
      if (!method) return
      const refusal = await outcomeOf(method(typed(known, { ...parametersOf(listed), ...absent })))
      if (refusal === undefined) return expect(known.title).toMatch(SUCCEEDS)
      expect(refusal).toBeInstanceOf(KernelError)
      const { code, message } = refusal as KernelError
      expect([code, message]).toEqual([OTHER_REASONS[`${known.title} ${name}`] ?? 'ERR_NOT_FOUND', message])
      expect((refusal as KernelError).status).toBe(status)
    })
  }
})
type Codes = Readonly<Record<string, (kernel: Kernel) => Promise<unknown>>>

function refusesWith(code: string, calls: Codes): void {
  describe(code, () => {
    for (const [title, call] of Object.entries(calls))
      it(`is the error code for ${title}`, async () => {
        expect(await outcomeOf(call(kernel))).toMatchObject({ name: 'KernelError', code, status: 400 })
      })
  })
}

refusesWith('ERR_ALREADY_EXISTS', {
  'a mount at a path in use': ({ mounts }) => mounts.createMount({ path: 'kv2', type: 'kv' }),
  'an auth method at a path in use': ({ mounts }) => mounts.createAuthMethod({ path: 'orchestrator', type: 'orchestrator' }),
  'a mount moved to a path in use': ({ mounts }) => mounts.moveMount({ from: 'movable', to: 'kv2' }),
  'a namespace at the path of a mount': ({ namespaces }) => namespaces.createNamespace({ name: 'kv2' }),
  'a key restored over an existing key': async ({ transit }) => {
    const { backup } = await transit.backupKey({ name: 'moves' })
    await transit.restoreKey({ backup })
  },
  'a database role with the name of a static role': ({ database }) =>
    database.writeRole({ name: 's', db_name: 'c', creation_statements: ['CREATE'] }),
  'a token with an id in use': async ({ tokens }) => {
    await tokens.createToken({ id: 'twice', policies: ['default'] })
    await tokens.createToken({ id: 'twice', policies: ['default'] })
  },
})

refusesWith('ERR_IN_USE', {
  'the deletion of a namespace with children': async ({ namespaces }) => {
    await namespaces.createNamespace({ name: 'parent' })
    await kernel.namespace('parent').namespaces.createNamespace({ name: 'child' })
    await namespaces.deleteNamespace({ name: 'parent' })
  },
  'the deletion of a destination with associations': ({ sync }) => sync.deleteDestination({ type: 'cloud-a-sm', name: 'd' }),
})

refusesWith('ERR_CONFLICT', {
  'encryption with a soft-deleted key': async ({ transit }) => {
    await transit.createKey({ name: 'soft' })
    await transit.softDeleteKey({ name: 'soft' })
    await transit.encrypt({ name: 'soft', plaintext: new Uint8Array(1) })
  },
  'the initialization of an initialized store': ({ seal }) => seal.initialize({ recovery_shares: 1, recovery_threshold: 1 }),
})

refusesWith('ERR_NOT_CONFIGURED', {
  'a key type whose port is missing': ({ transit }) => transit.createKey({ name: 'm', type: 'managed_key' }),
  'a replication call while replication is disabled': ({ replication }) => replication.merkleCheck(),
})

describe('the refusal of a failed check-and-set', () => {
  const lost = (current_version: number) => ({ code: 'ERR_CONFLICT', status: 400, details: { current_version } })

  it('contains the current version of a secret', async () => {
    const secrets = kernel.kv2.at('kv2')
    const write = (cas: number) => secrets.writeSecret({ path: 'cas', data: { a: 1 }, options: { cas } })
    expect(await outcomeOf(write(3))).toMatchObject(lost(0))
    await write(0)
    expect(await outcomeOf(write(0))).toMatchObject(lost(1))
  })

  it('contains the current version of the metadata of a secret', async () => {
    const write = kernel.kv2.at('kv2').writeMetadata({ path: 'a', max_versions: 3, metadata_cas: 7 })
    expect(await outcomeOf(write)).toMatchObject({ code: 'ERR_CONFLICT', details: { current_version: expect.any(Number) } })
  })

  it('contains the current version of a policy', async () => {
    const write = (cas: number) =>
      kernel.policies.writePolicy({ name: 'cas', policy: 'path "a" { capabilities = ["read"] }', cas })
    expect(await outcomeOf(write(3))).toMatchObject(lost(0))
    await write(-1)
    expect(await outcomeOf(write(-1))).toMatchObject(lost(1))
    expect(await outcomeOf(write(2))).toMatchObject(lost(1))
  })

  it('contains only the message, not the version, in a call by path', async () => {
    const { status, body } = await send('POST', 'kv2/data/a', { data: { v: 1 }, options: { cas: 77 } })
    expect([status, body]).toEqual([400, { errors: ['options.cas: check-and-set parameter did not match the current version'] }])
  })
})

describe('opening an LMDB store that is already open', () => {
  it('throws ERR_IN_USE', async () => {
    const path = mkdtempSync(join(tmpdir(), 'strongroom-'))
    const storage = lmdbStorage({ path })
    try {
      const refusal = expect.objectContaining({ name: 'KernelError', code: 'ERR_IN_USE', message: expect.stringContaining(path) })
      expect(() => lmdbStorage({ path })).toThrow(refusal)
    } finally {
      await storage.close()
      rmSync(path, { recursive: true, force: true })
    }
  })
})
