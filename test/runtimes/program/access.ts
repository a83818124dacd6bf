import { type Check, refused, same, within } from './library.ts'

export const access: Readonly<Record<string, Check>> = {
  'kv2 keeps versions and enforces check-and-set': ({ library }) =>
    within(library.createDevKernel(), async ({ mounts, kv2 }) => {
      await mounts.createMount({ path: 'apps/', type: 'kv', options: { version: '2' } })
      const apps = kv2.at('apps/')
      await apps.writeSecret({ path: 'db', data: { password: 'one', umlaut: 'äöü \u{1f511}' } })
      await apps.writeSecret({ path: 'db', data: { password: 'two' }, options: { cas: 1 } })
      const late = apps.writeSecret({ path: 'db', data: { password: 'three' }, options: { cas: 1 } })
      await refused(library, 'ERR_CONFLICT', late)
      same((await apps.readSecret({ path: 'db' })).data, { password: 'two' })
      same((await apps.readSecret({ path: 'db', version: 1 })).data, { password: 'one', umlaut: 'äöü \u{1f511}' })
      same((await apps.listSecrets({ path: '' })).keys, ['db'])
    }),

  'a token is restricted to its policy in typed calls and calls by path': ({ library }) =>
    within(library.createDevKernel(), async (kernel) => {
      await kernel.kv.writeSecret({ path: 'app/db', data: { password: 'hunter2' } })
      await kernel.policies.writePolicy({ name: 'app', policy: 'path "secret/app/*" { capabilities = ["read"] }' })
      const { client_token } = await kernel.tokens.createToken({ policies: ['app'], ttl: '1h' })
      const app = kernel.as(client_token)
      same((await app.kv.readSecret({ path: 'app/db' })).data, { password: 'hunter2' })
      await refused(library, 'ERR_PERMISSION_DENIED', app.kv.writeSecret({ path: 'app/db', data: {} }))

      const ask = (method: string, path: string, body?: string) =>
        kernel.handle({ method, path, headers: { 'X-Service-Token': client_token }, ...(body === undefined ? {} : { body }) })
      const read = await ask('GET', '/v1/secret/app/db')
      same([read.status, (read.body as { data?: unknown }).data], [200, { password: 'hunter2' }])
      same((await ask('POST', '/v1/secret/app/db', '{"a":1}')).status, 403)
      same((await ask('GET', '/v1/secret/other')).status, 403)
      await kernel.tokens.revokeToken({ token: client_token })
      same((await ask('GET', '/v1/secret/app/db')).status, 403)
    }),

  'a wrapped answer can be unwrapped once': ({ library }) =>
    within(library.createDevKernel(), async (kernel) => {
      const answer = await kernel.handle({
        method: 'POST',
        path: '/v1/sys/wrapping/wrap',
        headers: { 'X-Service-Token': kernel.rootToken as string, 'X-Service-Wrap-TTL': '60s' },
        body: { kept: 'once' },
      })
      const { token } = (answer.body as unknown as { wrap_info: { token: string } }).wrap_info
      const unwrap = () =>
        kernel.handle({ method: 'POST', path: '/v1/sys/wrapping/unwrap', headers: { 'X-Service-Token': token } })
      const opened = await unwrap()
      same([opened.status, (opened.body as { data?: unknown }).data], [200, { kept: 'once' }])
      same((await unwrap()).status >= 400, true)
    }),
}
