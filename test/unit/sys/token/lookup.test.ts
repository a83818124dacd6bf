/** The lookup of an invalid token fails with 404 for the application, and with Vault's 403 for a token. */
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createDevKernel, type Kernel } from '../../../../src/index.ts'
import { fakeClock } from '../../../../src/testing/index.ts'

const clock = fakeClock()
let kernel: Kernel
const tokens: Record<string, string> = {}

beforeAll(async () => {
  kernel = await createDevKernel({ clock })
  const make = async (terms: object) => (await kernel.tokens.createToken({ policies: ['default'], ...terms })).client_token
  tokens['revoked'] = await make({})
  await kernel.tokens.revokeToken({ token: tokens['revoked'] })
  tokens['expired'] = await make({ ttl: '1h' })
  tokens['expired batch'] = await make({ ttl: '1h', type: 'batch' })
  await clock.advance(7_200_000)
  tokens['unknown'] = 's.AAAAAAAAAAAAAAAAAAAAAAAA'
  tokens['malformed'] = 'none'
  tokens['too long'] = 'x'.repeat(100_000)
})
afterAll(() => kernel.close())

it.each(['unknown', 'malformed', 'too long', 'revoked', 'expired', 'expired batch'])(
  'the lookup of a token that is %s answers 404 to the application and 403 to a token',
  async (kind) => {
    const token = tokens[kind] as string
    await expect(kernel.tokens.lookupToken({ token })).rejects.toMatchObject({
      code: 'ERR_NOT_FOUND',
      status: 404,
      message: 'token: does not exist in this namespace, was revoked, or has expired',
    })
    const badToken = { status: 403, code: 'ERR_PERMISSION_DENIED', message: 'bad token' }
    await expect(kernel.as(kernel.rootToken as string).tokens.lookupToken({ token })).rejects.toMatchObject(badToken)
    const headers = { 'X-Service-Token': kernel.rootToken as string }
    const answer = await kernel.handle({ method: 'POST', path: '/v1/auth/token/lookup', headers, body: { token } })
    expect(answer).toMatchObject({ status: 403, body: { errors: ['bad token'] } })
  },
)
