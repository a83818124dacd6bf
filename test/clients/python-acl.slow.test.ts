/**
 * Uses py-consul, a maintained Consul client for Python, if it is installed: policies, roles, tokens, auth methods, binding rules, logins.
 */
import { it } from 'vitest'
import { createConfigService } from '../../src/config-service.ts'
import { memoryStorage } from '../../src/index.ts'
import { serveService } from '../fixtures/configsvc-http.ts'
import { expectPyConsulWorks, pyConsulMissing } from './py-consul.ts'

const unless = pyConsulMissing ? ` (skipped: ${pyConsulMissing})` : ''

it.skipIf(pyConsulMissing)(`the ACL methods of py-consul succeed against the configuration service${unless}`, async () => {
  await using service = await createConfigService({
    storage: memoryStorage(),
    plaintext: true,
    naming: { headerPrefix: 'X-Consul' },
  })
  await using served = await serveService(service)
  const { SecretID } = await service.acl.bootstrap()
  await expectPyConsulWorks(served.endpoint, SecretID)
})
