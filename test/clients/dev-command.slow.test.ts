/** The servers that `strongroom serve` starts, used by unmodified clients. */
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { expectPyConsulWorks, pyConsulMissing } from './py-consul.ts'
import type { VaultServer } from './servers.ts'
import { start, started } from './started-servers.ts'
import { describeVaultClients } from './suites/dev-server.ts'
import { describeLitehexNodeVault } from './suites/litehex-node-vault.ts'
import { describeLogins } from './suites/logins.ts'
import { describeNodeVault } from './suites/node-vault.ts'
import { describeOperators } from './suites/operators.ts'
import { describeSeal } from './suites/seal.ts'

describe('strongroom serve --dev', () => {
  let server: VaultServer
  beforeAll(async () => {
    const token = 'dev-only-token'
    server = { ...(await start('--dev', '--token', token)), token }
  })
  afterAll(() => server.close())
  describeVaultClients(() => server)

  it('serves the page of operators', async () => {
    expect((await fetch(`${server.endpoint}/ui/`)).headers.get('content-type')).toBe('text/html; charset=utf-8')
  })
})

describe('strongroom serve --dev with other mounts', () => {
  describeNodeVault(started)
  describeLitehexNodeVault(started)
})

describe('strongroom serve with a config', () => {
  describe('logins', () => describeLogins(started))
  describe('operators', () => describeOperators(started))
  describe('seal', () => describeSeal(started))
})

const unless = pyConsulMissing ? ` (skipped: ${pyConsulMissing})` : ''

describe('strongroom serve --dev-consul', () => {
  it.skipIf(pyConsulMissing)(`serves all ACL methods of py-consul${unless}`, async () => {
    const secret = randomUUID()
    const server = await start('--dev-consul', '--token', secret)
    try {
      await expectPyConsulWorks(server.endpoint, secret)
    } finally {
      await server.close()
    }
  })
})
