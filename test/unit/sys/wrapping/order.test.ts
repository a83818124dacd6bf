/** Wrapping in calls by path: checks before the caller is authenticated, and the form of an answer with a wrapping token. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createDevKernel, type Kernel } from '../../../../src/index.ts'

let kernel: Kernel
beforeAll(async () => {
  kernel = await createDevKernel()
})
afterAll(() => kernel.close())

const ask = (method: string, path: string, token: string, body?: object, headers: object = {}) =>
  kernel.handle({ method, path: `/v1/${path}`, headers: { 'X-Service-Token': token, ...headers }, ...(body && { body }) })

const WRAP = { 'X-Service-Wrap-TTL': '60' }

const wrapInfoOf = ({ body }: { readonly body?: unknown }) => (body as { wrap_info: { token: string } }).wrap_info

/** The operations that consume a wrapping token. */
describe.each(['sys/wrapping/unwrap', 'sys/wrapping/rewrap'])('POST %s', (path) => {
  const ALLOWED = `path "${path}" { capabilities = ["update"] }`

  it.each(['none', ''])('answers 400 for an unknown wrapping token, even with the invalid caller token %j', async (caller) => {
    const answer = await ask('POST', path, caller, { token: 's.unknown' })
    expect([answer.status, answer.body]).toEqual([400, { errors: ['token: wrapping token is not valid or does not exist'] }])
  })

  it('does not reduce the use count of the caller token for an unknown wrapping token', async () => {
    await kernel.policies.writePolicy({ name: 'wrapping', policy: ALLOWED })
    const { client_token: token } = await kernel.tokens.createToken({ policies: ['wrapping'], num_uses: 2 })
    for (let attempt = 0; attempt < 3; attempt++)
      expect((await ask('POST', path, token, { token: 's.unknown' })).status).toBe(400)
    expect((await kernel.tokens.lookupToken({ token })).num_uses).toBe(2)
  })

  it('does not use up a valid wrapping token if the caller is not allowed to unwrap', async () => {
    const { token } = wrapInfoOf(await ask('GET', 'sys/mounts', kernel.rootToken ?? '', undefined, WRAP))
    expect((await ask('POST', path, 'none', { token })).status).toBe(403)
    expect((await ask('POST', 'sys/wrapping/unwrap', token)).status).toBe(200)
  })
})

describe('an answer with a wrapping token', () => {
  it.each([
    ['of sys/wrapping/wrap', 'POST', 'sys/wrapping/wrap', { a: 1 }],
    ['of any other request', 'GET', 'sys/mounts', undefined],
  ])('%s has an empty request id', async (_, method, path, body) => {
    const answer = await ask(method, path, kernel.rootToken ?? '', body, WRAP)
    expect(answer.body).toMatchObject({ request_id: '', data: null, auth: null, wrap_info: { ttl: 60 } })
    const again = await ask('POST', 'sys/wrapping/rewrap', kernel.rootToken ?? '', { token: wrapInfoOf(answer).token })
    expect(again.body).toMatchObject({ request_id: '', wrap_info: { ttl: 60 } })
    const { body: opened } = await ask('POST', 'sys/wrapping/unwrap', wrapInfoOf(again).token)
    expect(opened).toMatchObject({ request_id: expect.stringMatching(/^[0-9a-f-]{36}$/), wrap_info: null })
  })
})
