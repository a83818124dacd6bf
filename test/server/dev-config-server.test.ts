/** `devConfigServer()`: a configuration service that Consul's clients take for Consul. */
import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { devConfigServer } from '../../src/testing/index.ts'

const call = async (address: string, token: string, method: string, path: string, body?: object) => {
  const response = await fetch(`${address}/v1/${path}`, {
    method,
    headers: { 'X-Consul-Token': token },
    ...(body && { body: JSON.stringify(body) }),
  })
  return { status: response.status, body: response.ok ? await response.json() : await response.text() }
}

describe('a dev server of the configuration service', () => {
  it('gives all permissions to the management token', async () => {
    const managementToken = randomUUID()
    await using consul = await devConfigServer({ managementToken })
    const address = consul.getAddress()
    expect(consul.getManagementToken()).toBe(managementToken)
    const policy = { Name: 'readers', Rules: 'service_prefix "" { policy = "read" }' }
    expect(await call(address, managementToken, 'PUT', 'acl/policy', policy)).toMatchObject({ status: 200 })
    expect(await call(address, managementToken, 'GET', 'acl/token/self')).toMatchObject({
      body: { SecretID: managementToken, Policies: [{ Name: 'global-management' }] },
    })
    expect(await call(address, randomUUID(), 'GET', 'acl/policies')).toMatchObject({ status: 403 })
  })

  it('loses everything with reset, and keeps address and management token', async () => {
    await using consul = await devConfigServer()
    const token = consul.getManagementToken()
    await consul.service.policies.create({ Name: 'readers' })
    await consul.reset()
    const { body } = await call(consul.getAddress(), token, 'GET', 'acl/policies')
    expect((body as { Name: string }[]).map(({ Name }) => Name).sort()).toEqual(['builtin/global-read-only', 'global-management'])
  })

  it('refuses a management token that is not a UUID', async () => {
    await expect(devConfigServer({ managementToken: 'root' })).rejects.toMatchObject({ status: 400 })
  })
})
