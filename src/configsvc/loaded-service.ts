/** The code of the service, for callers that load it at its first use. */
import type { ConfigCall } from './call.ts'
import type { ConfigCore } from './core.ts'
import { FACADES, SERVICE_METHODS } from './operations.ts'
import type { ConfigServiceParts, ConfigView } from './service.ts'
import { typedApi } from './view/typed-api.ts'

export { ConfigCore } from './core.ts'
export { workerIn } from './work.ts'

/** The groups of typed methods of the service. @param call The caller on whose behalf the methods run. */
const facadesOf = (core: ConfigCore, call: ConfigCall): ConfigView => ({
  acl: typedApi(FACADES.acl, core, call),
  policies: typedApi(FACADES.policies, core, call),
  tokens: typedApi(FACADES.tokens, core, call),
  roles: typedApi(FACADES.roles, core, call),
  templatedPolicies: typedApi(FACADES.templatedPolicies, core, call),
  authMethods: typedApi(FACADES.authMethods, core, call),
  bindingRules: typedApi(FACADES.bindingRules, core, call),
  entries: typedApi(FACADES.entries, core, call),
  ...typedApi(SERVICE_METHODS, core, call),
})

export const configServicePartsOf = (core: ConfigCore): ConfigServiceParts => ({
  facades: (call) => facadesOf(core, call),
  handle: (request) => core.pathView.handle(request),
})
