/** The groups of typed methods of the service. */
import type { ConfigCall } from './call.ts'
import type { ConfigCore } from './core.ts'
import { FACADES, SERVICE_METHODS } from './operations.ts'
import type { ConfigView } from './service.ts'
import { typedApi } from './view/typed-api.ts'

/** @param call The caller on whose behalf the methods run. */
export const facadesOf = (core: ConfigCore, call: ConfigCall): ConfigView => ({
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
