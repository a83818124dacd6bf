import { describe, expect, it } from 'vitest'
import { createDevKernel, KernelError } from '../../../src/index.ts'
import { fakeSyncDestination } from '../../../src/testing/index.ts'
import { AWS, AZURE, GITHUB, openWorld } from './world.ts'

const statusOf = async (call: () => Promise<unknown>): Promise<number> => {
  const error = await call().then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  return error instanceof KernelError ? error.status : 200
}

describe('an association of secret sync', () => {
  it('is refused without a destination, a replicated mount of kv version 2, and a live version of the secret', async () => {
    const { kernel, set, write } = await openWorld()
    await write('a', { n: 1 })
    await write('gone', { n: 1 })
    await kernel.kv2.at('kv/').deleteLatest({ path: 'gone' })
    await kernel.kv.writeSecret({ path: 'a', data: { v: 1 } })
    await kernel.mounts.createMount({ path: 'local', type: 'kv', options: { version: '2' }, local: true })
    const to = { type: 'cloud-a-sm', name: 'aws' } as const
    const at = (mount: string, secret_name: string) => statusOf(() => kernel.sync.setAssociation({ ...to, mount, secret_name }))
    expect(await at('kv/', 'none')).toBe(404)
    expect(await at('kv', 'gone')).toBe(404)
    expect(await at('secret', 'a')).toBe(400)
    expect(await at('transit', 'a')).toBe(400)
    expect(await at('nowhere', 'a')).toBe(400)
    expect(await at('local', 'a')).toBe(400)
    expect(await at('kv', '')).toBe(400)
    expect(await at('kv', '../a')).toBe(400)
    expect(await statusOf(() => kernel.sync.setAssociation({ ...to, name: 'none', mount: 'kv', secret_name: 'a' }))).toBe(404)
    expect(await at('/kv/', '//a/')).toBe(200)
    expect(await set('a')).toEqual({ a: 'SYNCED' })
    await kernel.close()
  })

  it('is refused without permission to read the secret at its normalized path', async () => {
    const { kernel, write } = await openWorld()
    await write('mine/a', { n: 1 })
    await write('theirs/a', { n: 1 })
    const policy = `path "sys/sync/*" { capabilities = ["create", "update"] }
      path "kv/data/mine/*" { capabilities = ["read"] }
      path "kv/data/theirs//*" { capabilities = ["read"] }
      path "kv/data//*" { capabilities = ["read"] }`
    await kernel.policies.writePolicy({ name: 'p', policy })
    const { client_token } = await kernel.tokens.createToken({ policies: ['p'] })
    const at = async (secret_name: string, mount = 'kv') => {
      const { status, body } = await kernel.handle({
        method: 'POST',
        path: '/v1/sys/sync/destinations/cloud-a-sm/aws/associations/set',
        headers: { 'X-Service-Token': client_token },
        body: { mount, secret_name },
      })
      return [status, (body as { errors?: readonly string[] }).errors?.[0]] as const
    }
    expect((await at('mine/a'))[0]).toBe(200)
    expect((await at('mine//a'))[0]).toBe(200)
    expect(await at('theirs/a')).toEqual([403, 'permission denied to read the content of the secret theirs/a in mount kv/'])
    expect((await at('theirs//a'))[0]).toBe(403)
    expect((await at('/theirs/a'))[0]).toBe(403)
    // The answer does not reveal which secrets and mounts exist.
    expect((await at('theirs/none'))[0]).toBe(403)
    expect((await at('a', 'nowhere'))[0]).toBe(403)
    await kernel.close()
  })

  it('is refused if another association has the same external name under the case rules of the store', async () => {
    const { kernel, write, set, remove, vault } = await openWorld()
    for (const path of ['a/b', 'A-B', 'c']) await write(path, { n: path })
    await set('a/b', 'azure')
    await expect(set('A-B', 'azure')).rejects.toMatchObject({ status: 400 })
    expect([...vault.values]).toEqual([['p-a-b', '{"n":"a/b"}']])
    await set('A-B')
    await remove('a/b', 'azure')
    expect(await set('A-B', 'azure')).toEqual({ 'A-B': 'SYNCED' })
    await kernel.close()
  })

  it('is refused if two keys of the secret have the same external name', async () => {
    const { kernel, write, set } = await openWorld()
    await write('a', { 'x-y': '1', x_y: '2' })
    await expect(set('a', 'github')).rejects.toMatchObject({ status: 400 })
    await kernel.close()
  })

  it('reports an error for a later key with an external name that is in use, and pushes the other keys', async () => {
    const { kernel, write, set, repo, settle, standing } = await openWorld()
    await write('a', { 'x-y': '1' })
    await set('a', 'github')
    await write('a', { 'x-y': '2', x_y: '3', z: '4' })
    await settle()
    expect(Object.fromEntries(repo.values)).toEqual({ A_X_Y: '2', A_Z: '4' })
    expect(await standing('github')).toEqual({ 'a:x-y': 'SYNCED', 'a:x_y': 'CLIENT_SIDE_ERROR', 'a:z': 'SYNCED' })
    await kernel.close()
  })

  it('is refused if the external name is too long or the value too large, because neither is truncated', async () => {
    const { kernel, write, set, store, settle, standing } = await openWorld()
    await write('a'.repeat(511), { n: 1 })
    await expect(set('a'.repeat(511))).rejects.toMatchObject({ status: 400 })
    await write('large', { text: 'é'.repeat(32_768) })
    await expect(set('large')).rejects.toMatchObject({ status: 400 })
    await write('large', { text: 'e' })
    await set('large')
    await write('large', { text: 'é'.repeat(32_768) })
    await settle()
    expect(await standing()).toEqual({ large: 'CLIENT_SIDE_ERROR' })
    expect(store.calls.map(({ call }) => call)).toEqual(['describe', 'put'])
    await kernel.close()
  })
})

describe('a destination of secret sync', () => {
  it('is refused if the kernel has no adapter for its type, with an error that names the `ports.sync` option', async () => {
    const kernel = await createDevKernel()
    await expect(kernel.sync.writeRepohost({ name: 'x', ...GITHUB })).rejects.toMatchObject({
      status: 400,
      message: 'type: the application must pass createKernel a destination in ports.sync["repohost"]',
    })
    await kernel.close()
  })

  it('keeps the members that a later write omits, and never returns credentials', async () => {
    const { kernel } = await openWorld()
    const shown = await kernel.sync.writeCloudASm({ name: 'aws', region: 'us-east-1', custom_tags: { team: 'x' } })
    expect(shown).toEqual({
      name: 'aws',
      type: 'cloud-a-sm',
      connection_details: { access_key_id: '*****', secret_access_key: '*****', region: 'us-east-1' },
      options: {
        granularity_level: 'secret-path',
        secret_name_template: 'p/{{ .SecretPath }}',
        custom_tags: { team: 'x' },
      },
    })
    expect(await kernel.sync.readDestination({ type: 'cloud-a-sm', name: 'aws' })).toEqual(shown)
    await expect(kernel.sync.readDestination({ type: 'cloud-a-sm', name: 'none' })).rejects.toMatchObject({ status: 404 })
    await kernel.close()
  })

  it("without a name template uses one that begins with the kernel's ciphertext prefix", async () => {
    const stores = Object.fromEntries((['cloud-a-sm', 'repohost'] as const).map((type) => [type, fakeSyncDestination({ type })]))
    const kernel = await createDevKernel({ ports: { sync: stores }, naming: { ciphertextPrefix: 'vault' } })
    await kernel.mounts.createMount({ path: 'kv', type: 'kv', options: { version: '2' } })
    await kernel.kv2.at('kv/').writeSecret({ path: 'my/secret', data: { foo: 'x' } })
    await kernel.sync.writeCloudASm({ name: 'a', ...AWS })
    await kernel.sync.writeRepohost({ name: 'g', ...GITHUB })
    const { associated_secrets } = await kernel.sync.setAssociation({
      type: 'cloud-a-sm',
      name: 'a',
      mount: 'kv',
      secret_name: 'my/secret',
    })
    await kernel.sync.setAssociation({ type: 'repohost', name: 'g', mount: 'kv', secret_name: 'my/secret' })
    const [row] = Object.values(associated_secrets)
    const accessor = row?.accessor ?? ''
    expect([...stores['cloud-a-sm']!.values.keys()]).toEqual([`vault/${accessor}/my/secret`])
    expect([...stores['repohost']!.values.keys()]).toEqual([`VAULT_${accessor}_MY_SECRET_FOO`.toUpperCase()])
    expect(stores['cloud-a-sm']!.tags.values().next().value).toEqual({
      'hashicorp:vault': expect.stringMatching(/^[0-9a-f]{32}$/),
    })
    await kernel.close()
  })

  it.each([
    ['an invalid template', { secret_name_template: '{{ .SecretPath' }],
    ['an unknown template field', { secret_name_template: '{{ .Secret }}' }],
    ['a template that makes random names', { secret_name_template: '{{ random 8 }}' }],
    ['the template field .SecretKey for whole secrets', { secret_name_template: '{{ .SecretKey }}' }],
    ['one name template for all keys', { granularity: 'secret-key', secret_name_template: '{{ .SecretPath }}' }],
    ['a tag without a name', { custom_tags: { '': 'x' } }],
    ['too many tags', { custom_tags: Object.fromEntries(Array.from({ length: 50 }, (_, n) => [`t${n}`, ''])) }],
    ['a custom tag named like the ownership tag', { custom_tags: { 'strongroom:sync': 'x' } }],
    ['a region that the adapter refuses', { region: 'FAIL' }],
    ['a region that is too long', { region: 'x'.repeat(40_000) }],
  ] as const)('is refused with %s', async (_, parameters) => {
    const { kernel } = await openWorld()
    await expect(kernel.sync.writeCloudASm({ name: 'x', ...AWS, ...parameters })).rejects.toMatchObject({ status: 400 })
    await expect(kernel.sync.readDestination({ type: 'cloud-a-sm', name: 'x' })).rejects.toMatchObject({ status: 404 })
    await kernel.close()
  })

  it('is refused with tags if its store has no tags, or if a required member is missing', async () => {
    const { kernel } = await openWorld()
    await expect(kernel.sync.writeRepohost({ name: 'x', ...GITHUB, custom_tags: { a: 'b' } })).rejects.toMatchObject({
      status: 400,
    })
    const { client_secret: _, ...less } = AZURE
    await expect(kernel.sync.writeCloudBKv({ name: 'x', ...less })).rejects.toMatchObject({
      message: 'client_secret: is required',
    })
    await kernel.close()
  })

  it('belongs to one namespace, and is listed with the destinations of its type', async () => {
    const { kernel } = await openWorld()
    await kernel.namespaces.createNamespace({ name: 'team' })
    const team = kernel.namespace('team')
    await team.sync.writeCloudASm({ name: 'aws', ...AWS })
    await team.mounts.createMount({ path: 'kv', type: 'kv', options: { version: '2' } })
    expect((await team.sync.readDestination({ type: 'cloud-a-sm', name: 'aws' })).options.secret_name_template).not.toContain(
      'p/',
    )
    expect(await kernel.sync.listDestinations()).toEqual({
      keys: ['cloud-a-sm/', 'cloud-b-kv/', 'repohost/'],
      key_info: { 'cloud-a-sm/': ['aws'], 'cloud-b-kv/': ['azure'], 'repohost/': ['github'] },
      total_destinations: 3,
    })
    expect(await team.sync.listDestinationsOfType({ type: 'cloud-a-sm' })).toEqual({ keys: ['aws'], total_destinations: 1 })
    expect(
      (
        await kernel.handle({
          method: 'LIST',
          path: '/v1/sys/sync/destinations/cloud-c-sm',
          headers: { 'X-Service-Token': kernel.rootToken! },
        })
      ).status,
    ).toBe(404)
    await kernel.close()
  })

  it('with associations can be deleted only with purge, or with force_delete if its store fails', async () => {
    const { kernel, write, set, store, vault, settle, standing } = await openWorld()
    for (const path of ['a', 'b']) {
      await write(path, { n: 1 })
      await set(path)
      await set(path, 'azure')
    }
    const aws = { type: 'cloud-a-sm', name: 'aws' } as const
    const azure = { type: 'cloud-b-kv', name: 'azure' } as const
    await expect(kernel.sync.deleteDestination(aws)).rejects.toMatchObject({ status: 400 })
    await kernel.sync.deleteDestination({ ...aws, purge: true })
    await expect(set('a')).rejects.toMatchObject({ status: 400, message: 'name: purge in progress' })
    await settle()
    expect(store.values.size).toBe(0)
    await expect(kernel.sync.readDestination(aws)).rejects.toMatchObject({ status: 404 })
    vault.trouble({ manner: 'refuses', times: 2 })
    await kernel.sync.deleteDestination({ ...azure, purge: true })
    await settle()
    // A failed purge has ended and can be requested again.
    expect(await standing('azure')).toEqual({ a: 'CLIENT_SIDE_ERROR', b: 'CLIENT_SIDE_ERROR' })
    expect(await set('a', 'azure')).toEqual({ a: 'SYNCED' })
    vault.trouble({ manner: 'fails', times: 2 })
    await kernel.sync.deleteDestination({ ...azure, force_delete: true })
    await settle()
    await expect(kernel.sync.readDestination(azure)).rejects.toMatchObject({ status: 404 })
    expect(vault.values.size).toBe(2)
    await kernel.sync.deleteDestination(azure)
    await kernel.close()
  })

  it('is deleted with its namespace, as are its pushed secrets', async () => {
    const { kernel, store, settle } = await openWorld()
    await kernel.namespaces.createNamespace({ name: 'team' })
    const team = kernel.namespace('team')
    await team.sync.writeCloudASm({ name: 'aws', ...AWS })
    await team.mounts.createMount({ path: 'kv', type: 'kv', options: { version: '2' } })
    for (const path of ['a', 'b']) {
      await team.kv2.at('kv/').writeSecret({ path, data: { n: 1 } })
      await team.sync.setAssociation({ type: 'cloud-a-sm', name: 'aws', mount: 'kv', secret_name: path })
    }
    expect(store.values.size).toBe(2)
    await kernel.namespaces.deleteNamespace({ name: 'team' })
    await settle()
    expect(store.values.size).toBe(0)
    await kernel.close()
  })
})
