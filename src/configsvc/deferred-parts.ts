import type { Clock } from '../core/base/clock.ts'
import type { KernelRequest, KernelResponse } from '../core/contract/request.ts'
import { ownRequest } from '../core/exchange/own-arguments.ts'
import { callLater, generateLater, type LoadedMembers, type Members } from '../core/request/deferred-methods.ts'
import { METHOD_NAMES } from './method-names.ts'
import type { ConfigServiceParts, ConfigView } from './service.ts'
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

/**
 * Typed methods that load the code of the service at the first call.
 * @param load Resolves with the methods. The promise settles only after the code of the service is loaded.
 */
function deferredFacades(load: () => Promise<ConfigView>, clock: Clock): ConfigView {
  let loaded: ConfigView | undefined
  const facades = async (): Promise<ConfigView> => {
    loaded = await load()
    return loaded
  }
  const membersOf = (members: LoadedMembers, names: readonly string[]): Members =>
    Object.fromEntries(
      names.map((name) => {
        const call = name === 'watch' ? generateLater : callLater
        return [name, (...args: unknown[]) => call(members, name, args)]
      }),
    )
  const inGroup = (group: keyof ConfigView): LoadedMembers => ({
    clock,
    known: () => loaded?.[group] as Members | undefined,
    load: async () => (await facades())[group] as unknown as Members,
  })
  const groups = Object.entries(METHOD_NAMES).map(([group, names]) => [
    group,
    membersOf(inGroup(group as keyof ConfigView), names),
  ])
  const all: LoadedMembers = {
    clock,
    known: () => loaded as Members | undefined,
    load: async () => (await facades()) as unknown as Members,
  }
  return { ...Object.fromEntries(groups), ...membersOf(all, ['login', 'logout']) } as ConfigView
}
