/**
 * Sends bad values in requests for credentials, as typed calls and with both verbs. Each request is refused without a call to the cloud.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { BAD, waysToAsk } from './creds-bad-inputs.ts'
import { openCloud } from './creds-world.ts'

let world: Awaited<ReturnType<typeof openCloud>>
beforeAll(async () => {
  world = await openCloud()
})
afterAll(() => world[Symbol.asyncDispose]())

describe.each(['user', 'session', 'token'])('a credentials request for the role %s', (role) => {
  it.each(BAD)('is refused without a call to the cloud if %s is invalid: %s', async (field, _, value) => {
    for (const way of waysToAsk(world.kernel, role, field, value)) {
      const result = await way()
      expect(result, result.said.slice(0, 200)).toMatchObject({ status: field === 'name' ? expect.toBeOneOf([400, 404]) : 400 })
    }
    expect(world.cloud.calls).toEqual([])
  })
})
