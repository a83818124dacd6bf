/**
 * The application: decides who may register which services, and lets pipelines log in.
 */
import { memoryStorage } from 'strongroom'
import { createConfigService } from 'strongroom/configsvc'

export async function openService(issuer) {
  // In memory. In production, pass a storage and a seal, or use `kernel.configsvc`.
  const service = await createConfigService({
    storage: memoryStorage(),
    plaintext: true,
    // With Consul's header names, Consul's clients work without changes.
    naming: { headerPrefix: 'X-Consul' },
  })
  await service.policies.create({ Name: 'read-only', Rules: 'service_prefix "" { policy = "read" }' })
  await service.roles.create({ Name: 'pipeline', Policies: [{ Name: 'read-only' }] })

  await service.authMethods.create({
    Name: 'ci',
    Type: 'jwt',
    MaxTokenTTL: '15m',
    Config: {
      JWTValidationPubKeys: [issuer.publicKey],
      JWTSupportedAlgs: ['ES256'],
      BoundIssuer: issuer.name,
      ClaimMappings: { repository: 'repository', branch: 'branch' },
    },
  })
  // Every pipeline may read; pipelines of the main branch may also register their service.
  await service.bindingRules.create({ AuthMethod: 'ci', BindType: 'role', BindName: 'pipeline' })
  await service.bindingRules.create({
    AuthMethod: 'ci',
    Selector: 'value.branch == main',
    BindType: 'service',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: a template of the service, not of JavaScript
    BindName: '${value.repository}',
  })
  return service
}
