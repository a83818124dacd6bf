/** Engines whose code a kernel loads when the code is first needed. */
import { DeferredCode } from '../base/deferred-code.ts'
import type { DeferredEngineValue, Engine, EngineManifest, StaticMembers } from '../contract/engine.ts'
import type { Facade } from '../contract/facade.ts'
import type { LeaseHandler } from '../contract/lease-handler.ts'
import type { LoginHandler } from '../contract/login-handler.ts'

/** An engine in a kernel that loads the code of the engine when it is first needed. */
export interface DeferredEngine extends Engine {
  readonly segments: readonly string[]
  readonly load: () => Promise<void> | undefined
  readonly isLoaded: boolean
}

/**
 * Returns the engine of one kernel. Its members that need the code throw `CodeNotLoadedError` before the code is loaded; so a transaction
 * that uses such a member loads the code and runs again.
 * @param prepare Returns the engine that the kernel uses, given the loaded engine.
 * @param onLoad Called once, as soon as the code can be used.
 */
export function deferredEngine(
  { manifest, load }: DeferredEngineValue,
  prepare: (engine: Engine) => Engine,
  onLoad: () => void,
): DeferredEngine {
  const { part, type } = manifest
  const code = new DeferredCode<Engine>(`the engine ${part ?? type}`, async () => prepare(await load()), onLoad)
  const facades = Object.entries(manifest.facades).map(([name, facade]) => {
    const loadFacade = async () => (await code.loaded()).facades?.[name] as Facade
    return [name, { ...facade, load: loadFacade }]
  })
  return {
    ...staticMembersOf(manifest),
    facades: Object.fromEntries(facades),
    segments: manifest.segments ?? [],
    ...handlersOf(manifest, code),
    get operations() {
      return code.code.operations
    },
    get due() {
      return code.code.due
    },
    get effects() {
      return code.code.effects ?? []
    },
    get plugins() {
      return manifest.plugins ? code.code.plugins : undefined
    },
    get isLoaded() {
      return code.isLoaded
    },
    load: () => (code.isLoaded ? undefined : code.load()),
  }
}

function staticMembersOf({
  facades: _facades,
  segments: _segments,
  leases: _leases,
  logins: _logins,
  plugins: _plugins,
  attach: _attach,
  ...members
}: EngineManifest): StaticMembers {
  return members
}

/** The handlers that the engine has. Their presence is known before the code is loaded. */
function handlersOf({ leases, logins }: EngineManifest, code: DeferredCode<Engine>): Pick<Engine, 'leases' | 'logins'> {
  const leaseHandler = () => code.code.leases as LeaseHandler
  const loginHandler = () => code.code.logins as LoginHandler
  return {
    ...(leases && {
      leases: {
        renew: (tx, lease, increment) => leaseHandler().renew(tx, lease, increment),
        revoke: (tx, lease) => leaseHandler().revoke(tx, lease),
      },
    }),
    ...(logins && { logins: { renew: (tx, data) => loginHandler().renew(tx, data) } }),
  }
}
