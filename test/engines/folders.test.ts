import { expect, it } from 'vitest'
import { createDevKernel } from '../../src/index.ts'

it('typed list calls accept a folder with or without a trailing slash', async () => {
  const kernel = await createDevKernel()
  const { client_token } = await kernel.tokens.createToken({ policies: ['root'] })
  await kernel.mounts.createMount({ path: 'two/', type: 'kv', options: { version: '2' } })
  const { cubbyhole } = kernel.as(client_token)
  await kernel.kv.writeSecret({ path: 'app/db', data: { a: 1 } })
  await kernel.kv2.at('two/').writeSecret({ path: 'app/db', data: { a: 1 } })
  await cubbyhole.writeEntry({ path: 'app/db', data: { a: 1 } })
  for (const path of ['app', 'app/']) {
    expect((await kernel.kv.listSecrets({ path })).keys).toEqual(['db'])
    expect((await kernel.kv2.at('two/').listSecrets({ path })).keys).toEqual(['db'])
    expect((await cubbyhole.listEntries({ path })).keys).toEqual(['db'])
  }
  expect((await kernel.kv.listSecrets({})).keys).toEqual(['app/'])
  await kernel.close()
})
