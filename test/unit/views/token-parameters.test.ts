/** Calls of `as(token)` and calls by path are authorized by the parameters that were sent, and alike. */
import { beforeEach, describe, expect, it } from 'vitest'
import { createDevKernel, type Kernel } from '../../../src/index.ts'

let kernel: Kernel
beforeEach(async () => {
  kernel = await createDevKernel()
})

const policyOf = (rule: string) => `path "transit/keys/*" { capabilities = ["create", "update"] ${rule} }`

async function tokenWith(policy: string, num_uses = 0): Promise<string> {
  await kernel.policies.writePolicy({ name: 'p', policy })
  return (await kernel.tokens.createToken({ policies: ['p'], num_uses })).client_token
}

/** Creates a key in both views under different names and returns both status codes. */
async function statuses(token: string, body: { readonly exportable?: boolean; readonly derived?: boolean }): Promise<number[]> {
  const typed = kernel
    .as(token)
    .transit.createKey({ name: 'typed', ...body })
    .then(
      () => 200,
      (error: { readonly status: number }) => error.status,
    )
  const headers = { 'X-Service-Token': token }
  const byPath = kernel.handle({ method: 'POST', path: '/v1/transit/keys/path', headers, body })
  return [await typed, (await byPath).status]
}

describe('parameter rules of a policy', () => {
  it('deny a call that contains a denied parameter, but not a call that omits it', async () => {
    const token = await tokenWith(policyOf('denied_parameters = { "exportable" = [] }'))
    expect(await statuses(token, { exportable: true })).toEqual([403, 403])
    expect(await statuses(token, { derived: true })).toEqual([200, 200])
  })

  it('deny a call that omits a required parameter, even if the parameter has a default', async () => {
    const token = await tokenWith(policyOf('required_parameters = ["derived"]'))
    expect(await statuses(token, {})).toEqual([403, 403])
    expect(await statuses(token, { derived: true })).toEqual([200, 200])
  })

  it('deny a call with other parameters than the allowed ones and those in the path', async () => {
    const token = await tokenWith(policyOf('allowed_parameters = { "derived" = [] }'))
    expect(await statuses(token, { derived: true })).toEqual([200, 200])
    expect(await statuses(token, { derived: true, exportable: true })).toEqual([403, 403])
  })
})

describe('operations that need no token', () => {
  it('can be called with any token, valid or not, whose use count they do not reduce', async () => {
    const token = await tokenWith(policyOf(''), 1)
    for (const bearer of [token, 'no token'])
      await expect(kernel.as(bearer).orchestrator.login({ role: 'nobody', jwt: 'x' })).rejects.toMatchObject({
        status: 400,
        message: 'role: invalid role name "nobody"',
      })
    expect((await kernel.tokens.lookupToken({ token })).num_uses).toBe(1)
  })
})
