import type { Clock } from '../core/base/clock.ts'
import type { KernelRequest, KernelResponse } from '../core/contract/request.ts'
import { ownRequest } from '../core/exchange/own-arguments.ts'
import { deferredFacades } from './deferred-facades.ts'
import type { ConfigServiceParts } from './service.ts'
import { errorResponse } from './view/response.ts'

/** A service whose code is loaded at the first call. */
export function deferredParts(load: () => Promise<ConfigServiceParts>, clock: Clock): ConfigServiceParts {
  let loaded: ConfigServiceParts | undefined
  const parts = async (): Promise<ConfigServiceParts> => {
    loaded = await load()
    return loaded
  }
  const handleLater = async (request: KernelRequest): Promise<KernelResponse> => {
    const own = ownRequest(request, clock)
    return parts().then(async ({ handle }) => handle(await own), errorResponse)
  }
  return {
    facades: (call) => loaded?.facades(call) ?? deferredFacades(async () => (await parts()).facades(call), clock),
    handle: (request) => loaded?.handle(request) ?? handleLater(request),
  }
}
