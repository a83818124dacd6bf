/** Bad values in requests for credentials, by both views and both verbs: refused, with nothing asked. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { BAD, waysToAsk } from './creds-bad-inputs.ts'
import { openCloud } from './creds-world.ts'

let world: Awaited<ReturnType<typeof openCloud>>
beforeAll(async () => {
  world = await openCloud()
})
afterAll(() => world[Symbol.asyncDispose]())

describe.each(['user', 'session', 'token'])('bad input for credentials of a role %s', (role) => {
  it.each(BAD)('%s: %s', async (field, _, value) => {
    for (const way of waysToAsk(world.kernel, role, field, value)) {
      const result = await way()
      expect(result, result.said.slice(0, 200)).toMatchObject({ status: field === 'name' ? expect.toBeOneOf([400, 404]) : 400 })
    }
    expect(world.cloud.calls).toEqual([])
  })
})
