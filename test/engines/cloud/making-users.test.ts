import { describe, expect, it } from 'vitest'
import { driven } from '../../fault/hanging-world.ts'
import { type CloudWorld, HOUR, MINUTE, openCloud, ROOT } from './creds-world.ts'

const template = ({ kernel }: CloudWorld, username_template: string) => kernel.cloud.configureRoot({ ...ROOT, username_template })

/** Advances the clock until all postponed work is done. */
async function calm({ pass }: CloudWorld): Promise<void> {
  for (const wait of [MINUTE, 10 * MINUTE, HOUR, HOUR]) await pass(wait)
}

describe('creating a user from a template that always produces the same name', () => {
  it('does not change an existing user of that name', async () => {
    await using world = await openCloud()
    const { cloud, send } = world
    await template(world, 'app-one')
    const before = JSON.stringify(cloud.users.get('app-one'))
    expect((await send('GET', 'cloud/creds/user')).status).toBe(502)
    await calm(world)
    expect(JSON.stringify(cloud.users.get('app-one'))).toBe(before)
  })

  it('does not change the user of an earlier lease', async () => {
    await using world = await openCloud()
    const { kernel, cloud, send, made } = world
    await template(world, '{{.PolicyName}}-fixed')
    const { access_key, secret_key, lease_id } = await kernel.cloud.creds({ name: 'user' })
    expect((await send('GET', 'cloud/creds/user')).status).toBe(502)
    expect([made(), cloud.works(access_key, secret_key)]).toEqual([['user-fixed'], true])
    await kernel.leases.revokeLease({ lease_id, sync: true })
    expect((await send('GET', 'cloud/creds/user')).status).toBe(200)
  })

  it('creates only one user for concurrent requests', async () => {
    await using world = await openCloud()
    const { send, made } = world
    await template(world, 'fixed')
    const answers = await Promise.all(Array.from({ length: 10 }, () => send('GET', 'cloud/creds/user')))
    const statuses = answers.map(({ status }) => status).sort()
    expect(statuses.filter((status) => status === 200)).toHaveLength(1)
    for (const status of statuses) expect(status).toBeOneOf([200, 502, 503])
    await calm(world)
    // The user was deleted with its lease.
    expect(made()).toEqual([])
  })

  it('is refused with 503 until the user of a failed request has been deleted', async () => {
    await using world = await openCloud()
    const { cloud, clock, send, made } = world
    await template(world, 'fixed')
    const end = cloud.trouble({ manner: 'unreachable', times: Number.POSITIVE_INFINITY })
    const refused = await driven(clock, send('GET', 'cloud/creds/user'))
    expect(refused.value.status).toBe(502)
    end()
    cloud.trouble({ call: 'createAccessKey', manner: 'refuses' })
    cloud.trouble({ call: 'deleteUser', manner: 'refuses' })
    expect((await send('GET', 'cloud/creds/user')).status).toBe(502)
    expect(made()).toEqual(['fixed'])
    expect((await send('GET', 'cloud/creds/user')).status).toBe(503)
    await calm(world)
    expect(made()).toEqual([])
    expect((await send('GET', 'cloud/creds/user')).status).toBe(200)
  })
})

it('a user that another program creates under the same name at the same time is not changed', async () => {
  await using world = await openCloud({
    provider: (fake) => ({
      connect: (settings) => {
        const client = fake.connect(settings)
        const createUser: typeof client.createUser = (user, signal) => {
          if (!fake.users.has(user.userName)) fake.addUser(user.userName, { keys: 1 })
          return client.createUser(user, signal)
        }
        return { ...client, createUser }
      },
    }),
  })
  expect((await world.send('GET', 'cloud/creds/user')).status).toBe(502)
  await calm(world)
  expect(world.made()).toHaveLength(1)
  expect(world.cloud.users.get(world.made()[0]!)?.keys).toHaveLength(1)
})

it('creating credentials succeeds with one user and one key if the answers to createUser and createAccessKey are lost', async () => {
  await using world = await openCloud()
  const { cloud, kernel, made } = world
  cloud.trouble({ call: 'createUser', manner: 'loses' })
  cloud.trouble({ call: 'createAccessKey', manner: 'loses' })
  const { access_key, secret_key } = await kernel.cloud.creds({ name: 'user' })
  expect(cloud.works(access_key, secret_key)).toBe(true)
  expect(cloud.users.get(made()[0]!)?.keys.map(({ accessKeyId }) => accessKeyId)).toEqual([access_key])
})

it('a created user that the cloud does not find yet is deleted later', async () => {
  await using world = await openCloud()
  const { cloud, send, made } = world
  cloud.delays.users_ms = 3 * MINUTE
  expect((await send('GET', 'cloud/creds/user')).status).toBe(502)
  expect(made()).toHaveLength(1)
  await calm(world)
  expect(made()).toEqual([])
})

it('200 concurrent credentials requests create 200 users with one lease each', async () => {
  await using world = await openCloud()
  const { kernel, made, pass } = world
  const all = await Promise.all(Array.from({ length: 200 }, () => kernel.cloud.creds({ name: 'user' })))
  expect(new Set(all.map(({ access_key }) => access_key)).size).toBe(200)
  expect(made()).toHaveLength(200)
  await pass(HOUR)
  expect(made()).toEqual([])
})

it.each([undefined, 'vault', 'a-prefix-of-its-own'])(
  'user names for long role names keep their random part and the prefix %s',
  async (prefix) => {
    await using world = await openCloud({ kernel: prefix === undefined ? {} : { naming: { ciphertextPrefix: prefix } } })
    const { kernel, made } = world
    const name = 'r'.repeat(60)
    await kernel.cloud.writeRole({ name, credential_type: 'iam_user', policy_document: '{"Statement":[]}' })
    const requests = Array.from({ length: 20 }, () => kernel.cloud.creds({ name }))
    expect((await Promise.allSettled(requests)).filter(({ status }) => status === 'rejected')).toEqual([])
    expect(made()).toHaveLength(20)
    for (const username of made())
      expect([username.startsWith(`${prefix ?? 'strongroom'}-`), username.length]).toEqual([true, 64])
  },
)

it('a credentials request is refused if its token is revoked during user creation, and the user is deleted', async () => {
  await using world = await openCloud({
    fake: {
      async pause(call) {
        if (call === 'createAccessKey') await world.kernel.tokens.revokeToken({ token })
      },
    },
  })
  const { kernel, send, made } = world
  const token = (await kernel.tokens.createToken({ policies: ['root'] })).client_token
  expect((await send('GET', 'cloud/creds/user', undefined, token)).status).toBe(403)
  expect(made()).toEqual([])
})

it('secret keys never appear in events, audit entries or error messages', async () => {
  await using world = await openCloud()
  const { kernel, cloud, clock, send, events, entries, pass } = world
  const secrets = [ROOT.secret_key]
  for (const path of ['creds/user', 'creds/session', 'sts/token']) {
    const { data } = (await send('GET', `cloud/${path}`)).body
    secrets.push(data.secret_key, ...(data.security_token === null ? [] : [data.security_token]))
    secrets.push(data.access_key)
  }
  const outputs: string[] = []
  const words = new Error(`${ROOT.secret_key} of ${ROOT.access_key} is wrong`)
  for (const call of ['createUser', 'assumeRole', 'deleteUser'] as const) cloud.trouble({ call, manner: words, times: 2 })
  for (const path of ['creds/user', 'creds/session'])
    outputs.push(JSON.stringify(await driven(clock, send('GET', `cloud/${path}`))))
  outputs.push(JSON.stringify(await send('POST', 'sys/leases/revoke-prefix/cloud', { sync: true })))
  await pass(HOUR)
  outputs.push(JSON.stringify(await kernel.tick()), JSON.stringify(events), JSON.stringify(entries))
  expect(entries.length).toBeGreaterThan(10)
  for (const secret of secrets) for (const text of outputs) expect(text).not.toContain(secret)
})
