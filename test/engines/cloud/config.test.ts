import { describe, expect, it } from 'vitest'
import { type CloudProvider, createDevKernel, type Kernel } from '../../../src/index.ts'

const silent = (ambient?: boolean): CloudProvider => ({
  connect: () => {
    throw new Error('nobody is to be asked anything')
  },
  ...(ambient === undefined ? {} : { ambient }),
})

const KEYS = { access_key: 'AKIAEXAMPLE', secret_key: 'a-secret/key+of=its-own' }

const byPath = (kernel: Kernel, method: string, path: string, body?: object) =>
  kernel.handle({
    method,
    path: `/v1/${path}`,
    headers: { 'X-Service-Token': kernel.rootToken },
    ...(body ? { body } : {}),
  })

describe('cloud.configureRoot', () => {
  it('replaces all settings of the previous configuration, and the secret key can never be read', async () => {
    await using kernel = await createDevKernel({ ports: { cloud: silent() }, naming: { ciphertextPrefix: 'vault' } })
    const { cloud } = kernel
    await cloud.configureRoot({
      ...KEYS,
      region: 'eu-central-1',
      iam_endpoint: 'iam.example.com',
      max_retries: 4,
      username_template: '{{ random 8 }}',
    })
    expect({ ...(await cloud.readRoot()) }).toMatchObject({
      access_key: 'AKIAEXAMPLE',
      region: 'eu-central-1',
      iam_endpoint: 'iam.example.com',
      sts_endpoint: '',
      max_retries: 4,
      username_template: '{{ random 8 }}',
    })
    await cloud.configureRoot(KEYS)
    const shown = await cloud.readRoot()
    expect(shown).toMatchObject({ region: '', iam_endpoint: '', max_retries: -1 })
    expect(shown.username_template).toMatch(/^\{\{ if \(eq \.Type "STS"\) \}\}\{\{ printf "vault-%s-%s"/)
    expect(JSON.stringify(shown)).not.toContain(KEYS.secret_key)
    expect(JSON.stringify(await byPath(kernel, 'GET', 'cloud/config/root'))).not.toContain(KEYS.secret_key)
  })

  it('uses the configured ciphertext prefix as the default prefix of user names', async () => {
    await using kernel = await createDevKernel({ naming: { ciphertextPrefix: 'house' } })
    await kernel.cloud.configureRoot(KEYS)
    expect((await kernel.cloud.readRoot()).username_template).toContain('printf "house-%s-%s-%s"')
  })

  it.each([undefined, silent(), silent(false)])(
    'requires both keys if the provider has no ambient credentials: %o',
    async (cloud) => {
      await using kernel = await createDevKernel({ ports: cloud ? { cloud } : {} })
      for (const keys of [{}, { access_key: 'A' }, { secret_key: 's' }, { access_key: '', secret_key: '' }])
        await expect(kernel.cloud.configureRoot(keys)).rejects.toMatchObject({
          status: 400,
          message: /^(access|secret)_key: is required/,
        })
      await expect(kernel.cloud.readRoot()).rejects.toMatchObject({ status: 404 })
    },
  )

  it('accepts both keys or none if the provider has ambient credentials', async () => {
    await using kernel = await createDevKernel({ ports: { cloud: silent(true) } })
    await kernel.cloud.configureRoot()
    expect(await kernel.cloud.readRoot()).toMatchObject({ access_key: '' })
    await kernel.cloud.configureRoot(KEYS)
    for (const keys of [{ access_key: 'A' }, { secret_key: 's' }])
      await expect(kernel.cloud.configureRoot(keys)).rejects.toMatchObject({ status: 400 })
    expect(await kernel.cloud.readRoot()).toMatchObject({ access_key: 'AKIAEXAMPLE' })
  })

  it('affects only its own mount', async () => {
    await using kernel = await createDevKernel()
    await kernel.mounts.createMount({ path: 'aws', type: 'aws' })
    await kernel.cloud.at('aws/').configureRoot(KEYS)
    expect(await kernel.cloud.at('aws/').readRoot()).toMatchObject({ access_key: 'AKIAEXAMPLE' })
    await expect(kernel.cloud.readRoot()).rejects.toMatchObject({ status: 404 })
  })
})

describe('cloud.configureLease', () => {
  it('accepts durations as strings or in seconds, and readLease returns them as Go durations', async () => {
    await using kernel = await createDevKernel()
    const { cloud } = kernel
    await expect(cloud.readLease()).rejects.toMatchObject({ status: 404 })
    await cloud.configureLease({ lease: 90, lease_max: '1.5h' })
    expect(await cloud.readLease()).toMatchObject({ lease: '1m30s', lease_max: '1h30m0s' })
    for (const lease of ['', '1d', '-1s', 'soon', -1, 1.5, Number.NaN])
      await expect(cloud.configureLease({ lease, lease_max: '1h' }), String(lease)).rejects.toMatchObject({
        status: 400,
        message: /^lease: /,
      })
    await expect(cloud.configureLease({ lease: '1h' } as never)).rejects.toThrow(TypeError)
    expect(await cloud.readLease()).toMatchObject({ lease: '1m30s' })
  })
})

describe('a cloud role', () => {
  it('is returned with its credential types as a list and as a string', async () => {
    await using kernel = await createDevKernel()
    const { cloud } = kernel
    await cloud.writeRole({ name: 'mail@home.example', policy: '{ "Statement": [] }' })
    const shown = await cloud.readRole({ name: 'mail@home.example' })
    expect(shown).toMatchObject({
      credential_types: ['iam_user', 'federation_token'],
      credential_type: 'iam_user,federation_token',
      policy_document: '{"Statement":[]}',
      role_arns: null,
      iam_tags: null,
    })
    expect(shown).not.toHaveProperty('invalid_data')
    expect(shown).not.toHaveProperty('legacy')
    expect((await byPath(kernel, 'GET', 'cloud/roles/mail%40home.example')).body).toMatchObject({
      data: { credential_types: shown.credential_types },
    })
  })

  it('causes a warning if it is written with legacy parameters', async () => {
    await using kernel = await createDevKernel()
    const legacy = await byPath(kernel, 'POST', 'cloud/roles/r', { arn: 'arn:aws:iam::1:role/app' })
    expect(legacy).toMatchObject({ status: 200, body: { data: null, warnings: [expect.stringContaining('credential_type')] } })
    expect((await byPath(kernel, 'POST', 'cloud/roles/r', { role_arns: 'a,b' })).status).toBe(204)
  })

  it.each<[string, unknown, unknown]>([
    ['a map', { a: 'b', 'cost center': '7=8', empty: '' }, { a: 'b', 'cost center': '7=8', empty: '' }],
    ['a list', ['a=b', 'c=d=e', 'k='], { a: 'b', c: 'd=e', k: '' }],
    ['a list with a key twice', ['a=b', 'a=c'], { a: 'c' }],
    ['an empty list', [], {}],
    ['a list with the key __proto__', ['__proto__=x'], JSON.parse('{"__proto__":"x"}')],
  ])('can be written with tags as %s, by typed call and by path', async (_, iam_tags, kept) => {
    await using kernel = await createDevKernel()
    const role = { credential_type: 'iam_user', policy_document: '{}', iam_tags }
    await kernel.cloud.writeRole({ name: 'typed', ...(role as object) })
    expect((await byPath(kernel, 'POST', 'cloud/roles/path', role)).status).toBe(204)
    for (const name of ['typed', 'path'])
      expect(Object.entries((await kernel.cloud.readRole({ name })).iam_tags ?? {})).toEqual(Object.entries(kept as object))
  })

  it('is stored as it was at the time of the call if the caller changes the arguments later', async () => {
    await using kernel = await createDevKernel()
    const iam_tags: Record<string, string> = { a: 'b' }
    const role_arns = ['a']
    const written = kernel.cloud.writeRole({ name: 'r', credential_type: 'assumed_role', role_arns, iam_tags })
    iam_tags['a'] = 'changed'
    role_arns[0] = 'changed'
    await written
    expect(await kernel.cloud.readRole({ name: 'r' })).toMatchObject({ iam_tags: { a: 'b' }, role_arns: ['a'] })
  })

  it.each(['-dash', 'dot.', '@a', 'a@', 'a/b', 'a b', ''])('is refused with 404 if its name is %j', async (name) => {
    await using kernel = await createDevKernel()
    const role = { credential_type: 'iam_user', policy_document: '{}' } as const
    await expect(kernel.cloud.writeRole({ name, ...role })).rejects.toMatchObject({ status: 404 })
  })

  it('is refused with one message that names all invalid parameters', async () => {
    await using kernel = await createDevKernel()
    const wrong = { name: 'r', credential_type: 'iam_user', role_arns: ['a'], default_sts_ttl: '1h', user_path: 'x' } as const
    const refusal = await kernel.cloud.writeRole(wrong).catch((error: Error) => error)
    expect(refusal).toMatchObject({ status: 400 })
    for (const parameter of ['role_arns', 'policy_arns or policy_document', 'default_sts_ttl', 'user_path'])
      expect((refusal as Error).message).toContain(`${parameter}: `)
    await expect(kernel.cloud.readRole({ name: 'r' })).rejects.toMatchObject({ status: 404 })
  })
})
