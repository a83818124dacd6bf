/** The code of the service, for callers that load it at its first use. */
import type { ConfigCore } from './core.ts'
import { facadesOf } from './facades.ts'
import type { ConfigServiceParts } from './service.ts'

export { ConfigCore } from './core.ts'
export { workerIn } from './work.ts'

export const configServicePartsOf = (core: ConfigCore): ConfigServiceParts => ({
  facades: (call) => facadesOf(core, call),
  handle: (request) => core.pathView.handle(request),
})
